//! The kinds of secrets, each by the format that its provider publishes.

use super::connection::authority;
use super::named::{
    aws_pair, aws_secret, azure_key, azure_settings, azure_signature, github_secret, google_secret, is_mixed,
    npm_uuid,
};
use super::settings;
use super::shapes::{
    aws_secret_key, before, boundary, dotted_run, is_base64, jwt, key_block, run, slack_webhook, url_safe,
};
use super::wrapped;
use std::ops::Range;

pub(super) struct SecretKind {
    /// What messages and findings call it.
    pub(super) name: &'static str,
    /// What every value begins with, follows, or has in its middle.
    pub(super) prefixes: &'static [&'static str],
    /// The value's place, given that of a prefix; `None` if this is none.
    pub(super) value: fn(&str, Range<usize>) -> Option<Range<usize>>,
}

/// A prefix, then `least` to `most` characters, then none of them.
macro_rules! token {
    ($class:expr, $least:expr, $most:expr) => {
        |text, prefix| {
            let end = run(text, prefix.end, $class, $least, $most)?;
            boundary(text, prefix.start).then_some(prefix.start..end)
        }
    };
}

const fn upper_or_digit(byte: u8) -> bool {
    byte.is_ascii_uppercase() || byte.is_ascii_digit()
}

const fn alphanumeric(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
}

const fn hex(byte: u8) -> bool {
    byte.is_ascii_digit() || matches!(byte, b'a'..=b'f')
}

/// Slack's tokens; those of a browser are percent-encoded.
const fn dashed(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'%')
}

/// Slack's tokens with base64: of applications, and of a browser once decoded.
const fn dashed_base64(byte: u8) -> bool {
    dashed(byte) || matches!(byte, b'/' | b'+')
}

const fn hex_or_dash(byte: u8) -> bool {
    hex(byte) || byte == b'-'
}

/// All kinds; one with several forms is listed for each. The formats are those of the providers'
/// documentation, read in 2026. Of two kinds that a text could be the earlier one holds.
pub(super) const KINDS: [SecretKind; 38] = [
    // IAM: unique identifiers, long-term and temporary access keys; the secret half has no prefix but a name before it
    SecretKind {
        name: "aws-access-key",
        prefixes: &[
            "AKIA",
            "ASIA",
            "ABIA",
            "ACCA",
            "aws_secret_access_key",
            "AWS_SECRET_ACCESS_KEY",
            "SecretAccessKey",
            "secretAccessKey",
        ],
        value: |text, prefix| {
            if prefix.len() > 4 {
                return aws_secret_key(text, prefix);
            }
            let end = run(text, prefix.end, upper_or_digit, 16, 16)?;
            boundary(text, prefix.start).then_some(prefix.start..end)
        },
    },
    SecretKind { name: "aws-access-key", prefixes: &["ecret", "ECRET"], value: aws_secret },
    SecretKind { name: "aws-access-key", prefixes: &["AKIA", "ASIA"], value: aws_pair },
    // temporary session tokens, and keys of Bedrock: base64 of something that all of them begin with
    SecretKind {
        name: "aws-access-key",
        prefixes: &[
            "IQoJb3JpZ2lu",
            "FwoGZXIvYXdz",
            "ABSKQmVkcm9ja0FQSUtleS",
            "bedrock-api-key-YmVkcm9jay5hbWF6b25hd3MuY29t",
        ],
        value: token!(is_base64, 60, 4096),
    },
    // installation tokens (`ghs_`) are also an id and a JWT
    SecretKind {
        name: "github-token",
        prefixes: &["ghp_", "gho_", "ghu_", "ghs_", "ghr_"],
        value: |text, prefix| {
            let stateless = || {
                let end = dotted_run(text, prefix.end, 100, 2048)?;
                (text[prefix.clone()].eq("ghs_") && text[prefix.end..end].contains(".eyJ")).then_some(end)
            };
            let end = stateless().or_else(|| run(text, prefix.end, alphanumeric, 36, 255))?;
            boundary(text, prefix.start).then_some(prefix.start..end)
        },
    },
    SecretKind { name: "github-token", prefixes: &["GITHUB_", "github_"], value: github_secret },
    SecretKind {
        name: "github-fine-grained-token",
        prefixes: &["github_pat_"],
        value: token!(url_safe, 60, 255),
    },
    // newer tokens have two dots; a server may put its name before the prefix
    SecretKind {
        name: "gitlab-token",
        prefixes: &[
            "glpat-",
            "gldt-",
            "glrt-",
            "glrtr-",
            "glcbt-",
            "glptt-",
            "glft-",
            "glimt-",
            "glsoat-",
            "glagent-",
            "gloas-",
            "glffct-",
            "glwt-",
            "GR1348941",
        ],
        value: |text, prefix| {
            let end = dotted_run(text, prefix.end, 20, 1024)?;
            boundary(text, prefix.start).then_some(prefix.start..end)
        },
    },
    SecretKind {
        name: "gitlab-token",
        prefixes: &["_gitlab_session="],
        value: |text, prefix| Some(prefix.end..run(text, prefix.end, hex, 32, 32)?),
    },
    // every one has a digit: ids of teams and apps, versions
    SecretKind {
        name: "slack-token",
        prefixes: &[
            "xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxe-", "xoxc-", "xoxd-", "xoxo-", "xapp-", "xwfp-",
        ],
        value: |text, prefix| {
            let has_base64 = matches!(&text[prefix.clone()], "xapp-" | "xoxd-");
            let end = run(text, prefix.end, if has_base64 { dashed_base64 } else { dashed }, 24, 512)?;
            let has_digit = text[prefix.end..end].bytes().any(|byte| byte.is_ascii_digit());
            (has_digit && boundary(text, prefix.start)).then_some(prefix.start..end)
        },
    },
    SecretKind {
        name: "slack-webhook",
        prefixes: &["hooks.slack.com", "hooks.slack-gov.com"],
        value: slack_webhook,
    },
    // live keys, and the secrets that sign webhooks; test keys open nothing
    SecretKind {
        name: "stripe-key",
        prefixes: &["sk_live_", "rk_live_", "whsec_"],
        value: |text, prefix| {
            let class = if text[prefix.clone()].eq("whsec_") { is_base64 } else { alphanumeric };
            let end = run(text, prefix.end, class, 24, 255)?;
            boundary(text, prefix.start).then_some(prefix.start..end)
        },
    },
    SecretKind { name: "google-api-key", prefixes: &["AIza"], value: token!(url_safe, 35, 35) },
    SecretKind { name: "google-client-secret", prefixes: &["GOCSPX-"], value: token!(url_safe, 28, 28) },
    SecretKind { name: "google-client-secret", prefixes: &["ecret", "ECRET"], value: google_secret },
    // "T3BlbkFJ" is "OpenAI" in base64: it stands in the middle of every key, older ones have no other mark
    SecretKind {
        name: "openai-key",
        prefixes: &["sk-proj-", "sk-svcacct-", "sk-admin-", "T3BlbkFJ"],
        value: |text, prefix| {
            let is_mark = text[prefix.clone()].eq("T3BlbkFJ");
            let start = if is_mark { before(text, prefix.start, url_safe, 200) } else { prefix.start };
            let end = run(text, prefix.end, url_safe, if is_mark { 16 } else { 40 }, 255)?;
            (text[start..].starts_with("sk-") && boundary(text, start)).then_some(start..end)
        },
    },
    // the oldest, without that mark
    SecretKind {
        name: "openai-key",
        prefixes: &["sk-"],
        value: |text, prefix| {
            let is_start = boundary(text, prefix.start);
            let end = is_start.then(|| run(text, prefix.end, alphanumeric, 48, 48)).flatten()?;
            is_mixed(&text[prefix.end..end]).then_some(prefix.start..end)
        },
    },
    SecretKind { name: "anthropic-key", prefixes: &["sk-ant-"], value: token!(url_safe, 40, 255) },
    // the older form is a UUID behind the name of its setting
    SecretKind {
        name: "npm-token",
        prefixes: &["npm_", ":_authToken="],
        value: |text, prefix| {
            if text[prefix.clone()].starts_with(':') {
                let start = prefix.end + usize::from(text[prefix.end..].starts_with('"'));
                return Some(start..run(text, start, hex_or_dash, 36, 36)?);
            }
            let end = run(text, prefix.end, alphanumeric, 36, 36)?;
            boundary(text, prefix.start).then_some(prefix.start..end)
        },
    },
    SecretKind { name: "npm-token", prefixes: &["_authToken", "NPM_TOKEN"], value: npm_uuid },
    // a macaroon that begins with the name of the index
    SecretKind {
        name: "pypi-token",
        prefixes: &["pypi-AgEIcHlwaS5vcmc", "pypi-AgENdGVzdC5weXBpLm9yZw"],
        value: token!(url_safe, 50, 1024),
    },
    SecretKind {
        name: "docker-token",
        prefixes: &["dckr_pat_", "dckr_oat_"],
        value: token!(url_safe, 27, 64),
    },
    SecretKind { name: "docker-token", prefixes: &["\"auth\""], value: wrapped::basic },
    SecretKind {
        name: "sendgrid-key",
        prefixes: &["SG."],
        value: |text, prefix| {
            let dot = run(text, prefix.end, url_safe, 16, 32)?;
            let end = text[dot..].starts_with('.').then(|| run(text, dot + 1, url_safe, 32, 64)).flatten()?;
            boundary(text, prefix.start).then_some(prefix.start..end)
        },
    },
    SecretKind {
        name: "huggingface-token",
        prefixes: &["hf_", "api_org_"],
        value: token!(alphanumeric, 34, 37),
    },
    SecretKind {
        name: "digitalocean-token",
        prefixes: &["dop_v1_", "doo_v1_", "dor_v1_"],
        value: token!(hex, 64, 64),
    },
    SecretKind { name: "private-key", prefixes: &["-----BEGIN "], value: key_block },
    SecretKind { name: "private-key", prefixes: &["LS0tLS1CRUdJTi"], value: wrapped::key_block },
    SecretKind { name: "private-key", prefixes: &["Private-Lines: "], value: wrapped::putty },
    // age: an identity in bech32
    SecretKind {
        name: "private-key",
        prefixes: &["AGE-SECRET-KEY-1"],
        value: token!(upper_or_digit, 58, 58),
    },
    SecretKind { name: "jwt", prefixes: &["eyJ", "ewog"], value: jwt },
    SecretKind { name: "jwt", prefixes: &["ZXlK"], value: wrapped::jwt },
    // whatever the scheme: `postgres`, `mongodb+srv`, `postgresql+psycopg2`, `https`; a slash may be escaped (JSON)
    SecretKind { name: "connection-password", prefixes: &["://", ":\\/\\/"], value: authority },
    SecretKind {
        name: "connection-password",
        prefixes: &["assword", "ASSWORD", "Pwd", "pwd", "PWD"],
        value: settings::password,
    },
    SecretKind {
        name: "connection-password",
        prefixes: &["jdbc:oracle:thin:", "jdbc:oracle:oci:", "jdbc:oracle:oci8:"],
        value: settings::oracle,
    },
    SecretKind {
        name: "connection-password",
        prefixes: &[
            "ccountKey",
            "ccount_key",
            "CCOUNT_KEY",
            "torage_key",
            "TORAGE_KEY",
            "ccessKey",
            "ccess_key",
            "CCESS_KEY",
            "haredSecretValue",
        ],
        value: azure_key,
    },
    SecretKind { name: "connection-password", prefixes: &["azconfig.io"], value: azure_settings },
    SecretKind { name: "connection-password", prefixes: &["sig="], value: azure_signature },
];
