//! The kinds of secrets, each by the format that its provider publishes.

use super::shapes::{boundary, connection_password, jwt, key_block, run, slack_webhook, url_safe};
use std::ops::Range;

/// A kind of secret.
pub(super) struct Kind {
    /// What messages and findings call it.
    pub(super) name: &'static str,
    /// What every value begins with, or stands behind.
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

const fn dashed(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'-'
}

const fn dotted(byte: u8) -> bool {
    url_safe(byte) || byte == b'.'
}

/// All kinds. The formats are those of the providers' documentation, read in 2026.
pub(super) const KINDS: [Kind; 20] = [
    // IAM: unique identifiers, long-term and temporary access keys
    Kind { name: "aws-access-key", prefixes: &["AKIA", "ASIA"], value: token!(upper_or_digit, 16, 16) },
    Kind {
        name: "github-token",
        prefixes: &["ghp_", "gho_", "ghu_", "ghs_", "ghr_"],
        value: token!(alphanumeric, 36, 255),
    },
    Kind { name: "github-fine-grained-token", prefixes: &["github_pat_"], value: token!(url_safe, 60, 255) },
    Kind {
        name: "gitlab-token",
        prefixes: &["glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "glsoat-", "glagent-", "gloas-"],
        value: token!(dotted, 20, 255),
    },
    Kind {
        name: "slack-token",
        prefixes: &["xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxe-", "xapp-"],
        value: token!(dashed, 24, 255),
    },
    Kind { name: "slack-webhook", prefixes: &["hooks.slack.com/services/"], value: slack_webhook },
    Kind { name: "stripe-key", prefixes: &["sk_live_", "rk_live_"], value: token!(alphanumeric, 24, 255) },
    Kind { name: "google-api-key", prefixes: &["AIza"], value: token!(url_safe, 35, 35) },
    Kind { name: "google-client-secret", prefixes: &["GOCSPX-"], value: token!(url_safe, 28, 28) },
    Kind {
        name: "openai-key",
        prefixes: &["sk-proj-", "sk-svcacct-", "sk-admin-"],
        value: token!(url_safe, 40, 255),
    },
    Kind { name: "anthropic-key", prefixes: &["sk-ant-"], value: token!(url_safe, 40, 255) },
    Kind { name: "npm-token", prefixes: &["npm_"], value: token!(alphanumeric, 36, 36) },
    // a macaroon that begins with the name of the index
    Kind {
        name: "pypi-token",
        prefixes: &["pypi-AgEIcHlwaS5vcmc", "pypi-AgENdGVzdC5weXBpLm9yZw"],
        value: token!(url_safe, 50, 1024),
    },
    Kind { name: "docker-token", prefixes: &["dckr_pat_", "dckr_oat_"], value: token!(url_safe, 27, 64) },
    Kind {
        name: "sendgrid-key",
        prefixes: &["SG."],
        value: |text, prefix| {
            let dot = run(text, prefix.end, url_safe, 16, 32)?;
            let end = text[dot..].starts_with('.').then(|| run(text, dot + 1, url_safe, 32, 64)).flatten()?;
            boundary(text, prefix.start).then_some(prefix.start..end)
        },
    },
    Kind { name: "huggingface-token", prefixes: &["hf_", "api_org_"], value: token!(alphanumeric, 34, 37) },
    Kind {
        name: "digitalocean-token",
        prefixes: &["dop_v1_", "doo_v1_", "dor_v1_"],
        value: token!(hex, 64, 64),
    },
    Kind { name: "private-key", prefixes: &["-----BEGIN "], value: key_block },
    Kind { name: "jwt", prefixes: &["eyJ"], value: jwt },
    Kind {
        name: "connection-password",
        prefixes: &[
            "postgres://",
            "postgresql://",
            "mysql://",
            "mariadb://",
            "mongodb://",
            "mongodb+srv://",
            "redis://",
            "rediss://",
            "amqp://",
            "amqps://",
            "sqlserver://",
            "ftp://",
            "sftp://",
            "https://",
            "http://",
        ],
        value: connection_password,
    },
];
