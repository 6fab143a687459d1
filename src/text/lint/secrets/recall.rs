//! How many secrets are found: values of each published format, drawn at random with a fixed seed, in the places where
//! documents have them.

use super::*;
use std::collections::BTreeMap;

/// Formats by kind. `{b40}` is 40 characters of a class: `a` letters and digits, `u` capitals and digits, `h` hexadecimal,
/// `b` base64, `s` base64url, `d` digits, `p` what passwords have. By the documentation of the providers.
const FORMATS: [(&str, &[&str]); 20] = [
    (
        "aws-access-key",
        &[
            "AKIA{u16}",
            "ASIA{u16}",
            "ABIA{u16}",
            "ACCA{u16}",
            "AWS_SECRET_ACCESS_KEY={b40}",
            "AWS_SECRET_KEY={b40}",
            "aws_secret_access_key = {b40}",
            "AWS secret access key: {b40}",
            "AWS Secret Access Key [None]: {b40}",
            "the secret access key is {b40}",
            "<SecretAccessKey>{b40}</SecretAccessKey>",
            "aws.secretKey={b40}",
            "- name: AWS_SECRET_ACCESS_KEY\n  value: {b40}",
            "setx AWS_SECRET_ACCESS_KEY {b40}",
            "ABSKQmVkcm9ja0FQSUtleS{b100}",
            "IQoJb3JpZ2lu{b200}",
        ],
    ),
    (
        "github-token",
        &[
            "ghp_{a36}",
            "gho_{a36}",
            "ghu_{a36}",
            "ghs_{a36}",
            "ghr_{a76}",
            "GITHUB_CLIENT_SECRET={h40}",
            "GITHUB_TOKEN: {h40}",
        ],
    ),
    ("github-fine-grained-token", &["github_pat_{a22}_{a59}"]),
    (
        "gitlab-token",
        &[
            "glpat-{s20}",
            "glpat-{s27}.01.{h9}",
            "gldt-{s20}",
            "glrt-{s20}",
            "glrt-t1_{s27}.{h9}",
            "glcbt-64_{s20}",
            "glptt-{h40}",
            "glft-{s20}",
            "glimt-{s25}",
            "glsoat-{s20}",
            "glagent-{s50}",
            "gloas-{h64}",
            "glffct-{s20}",
            "GR1348941{s20}",
            "_gitlab_session={h32}",
        ],
    ),
    (
        "slack-token",
        &[
            "xoxb-{d12}-{d13}-{a24}",
            "xoxb-{d12}-{a24}",
            "xoxp-{d12}-{d12}-{d13}-{h32}",
            "xapp-1-A{u10}-{d13}-{h64}",
            "xapp-{d12}-{b24}",
            "xoxe-1-{a146}",
            "xoxc-{d12}-{d12}-{d12}-{h64}",
            "xoxd-{b120}",
            "xoxa-2-{d12}-{d12}-{d13}-{h32}",
        ],
    ),
    (
        "slack-webhook",
        &[
            "https://hooks.slack.com/services/T{u9}/B{u9}/{a24}",
            "https://hooks.slack.com/workflows/T{u10}/A{u10}/{d18}/{a24}",
            "https://hooks.slack.com/triggers/T{u10}/{d12}/{h32}",
            "https://hooks.slack-gov.com/services/T{u9}/B{u9}/{a24}",
        ],
    ),
    ("stripe-key", &["sk_live_{a24}", "sk_live_51{a99}", "rk_live_{a24}", "whsec_{a32}"]),
    ("google-api-key", &["AIza{s35}", "AIzaSy{s33}"]),
    (
        "google-client-secret",
        &[
            "GOCSPX-{s28}",
            "\"client_id\": \"{d12}-{h32}.apps.googleusercontent.com\", \"client_secret\": \"{a24}\"",
            "GOOGLE_CLIENT_SECRET={a24}",
        ],
    ),
    (
        "openai-key",
        &[
            "sk-proj-{s74}T3BlbkFJ{s74}",
            "sk-svcacct-{s60}",
            "sk-{a20}T3BlbkFJ{a20}",
            "sk-None-{a20}T3BlbkFJ{a20}",
            "sk-{a48}",
        ],
    ),
    ("anthropic-key", &["sk-ant-api03-{s93}AA", "sk-ant-admin01-{s93}AA", "sk-ant-oat01-{s93}AA"]),
    (
        "npm-token",
        &[
            "npm_{a36}",
            "//registry.npmjs.org/:_authToken={h8}-{h4}-{h4}-{h4}-{h12}",
            "NPM_TOKEN={h8}-{h4}-{h4}-{h4}-{h12}",
        ],
    ),
    ("pypi-token", &["pypi-AgEIcHlwaS5vcmc{s130}", "pypi-AgENdGVzdC5weXBpLm9yZw{s130}"]),
    ("docker-token", &["dckr_pat_{s27}", "dckr_oat_{s32}"]),
    ("sendgrid-key", &["SG.{s22}.{s43}"]),
    ("huggingface-token", &["hf_{a34}", "api_org_{a34}"]),
    ("digitalocean-token", &["dop_v1_{h64}", "doo_v1_{h64}", "dor_v1_{h64}"]),
    (
        "private-key",
        &[
            "-----BEGIN RSA PRIVATE KEY-----\n{b64}\n{b64}\n{b64}\n-----END RSA PRIVATE KEY-----",
            "-----BEGIN OPENSSH PRIVATE KEY-----\n{b70}\n{b70}\n-----END OPENSSH PRIVATE KEY-----",
            "Private-Lines: 2\n{b64}\n{b64}\nPrivate-MAC: {h40}",
            "AGE-SECRET-KEY-1{u58}",
        ],
    ),
    ("jwt", &["eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJ{s60}.{s43}"]),
    (
        "connection-password",
        &[
            "postgres://app:{p14}@db.internal:5432/main",
            "mongodb+srv://app:{p14}@cluster0.internal/?w=majority",
            "jdbc:mysql://app:{p14}@db:3306/main",
            "jdbc:postgresql://db:5432/main?user=app&password={p14}",
            "jdbc:sqlserver://db:1433;databaseName=main;user=app;password={p14};encrypt=true",
            "jdbc:oracle:thin:app/{p14}@//db:1521/main",
            "Server=tcp:db,1433;Initial Catalog=main;User ID=app;Password={p14};Encrypt=True;",
            "Data Source=db;Initial Catalog=main;User Id=app;Password={p14}",
            "Driver=SQL Server;Server=db;Database=main;Uid=app;Pwd={p14};",
            "host=db port=5432 dbname=main user=app password={p14}",
            "cache.internal:6380,password={b43}=,ssl=True,abortConnect=False",
            "DefaultEndpointsProtocol=https;AccountName=main;AccountKey={b86}==;EndpointSuffix=core.windows.net",
            "Endpoint=sb://main.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey={b43}=",
            "Endpoint=https://main.azconfig.io;Id=a0-l1-s0:{a20};Secret={b43}=",
            "https://main.blob.core.windows.net/c?sv=2024-11-04&se=2027-01-01T00:00:00Z&sig={a43}%3D",
        ],
    ),
];

/// Where a secret stands; `{}` is its place.
const PLACES: [&str; 9] = [
    "{}",
    "before {} after",
    "SETTING='{}'",
    "{\"setting\": \"{}\"}",
    "- **setting**: `{}`",
    "The secret is {}.",
    "| setting | {} |",
    "export SETTING=\"{}\" # of ours",
    "```sh\nrun --with {} --now\n```",
];

/// Xorshift (Marsaglia 2003).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % bound as u64).unwrap()
    }

    fn value(&mut self, class: u8, length: usize) -> String {
        const ALL: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789abcdefghijklmnopqrstuvwxyz";
        let (class, marks): (&[u8], &[u8]) = match class {
            b'u' => (b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", b""),
            b'h' => (b"0123456789abcdef", b""),
            b'd' => (b"0123456789", b""),
            b'b' => (ALL, b"+/"),
            b's' => (ALL, b"-_"),
            b'p' => (ALL, b"!~^+"),
            _ => (ALL, b""),
        };
        let class = [class, marks].concat();
        (0..length).map(|_| char::from(class[self.below(class.len())])).collect()
    }

    /// A text of a format, and the values in it that are long enough to be secret.
    fn filled(&mut self, format: &str) -> (String, Vec<String>) {
        let mut parts = format.split('{');
        let mut text = parts.next().unwrap().to_owned();
        let mut values = Vec::new();
        for part in parts {
            let (class, rest) = part.split_once('}').unwrap();
            let value = self.value(class.as_bytes()[0], class[1..].parse().unwrap());
            text = text + &value + rest;
            values.push(value);
        }
        (text, values)
    }
}

/// With the escapes that an editor of markdown puts before marks.
fn escaped(text: &str) -> String {
    text.chars().fold(String::new(), |all, c| match c {
        '_' | '-' | '~' | '+' | '*' => all + "\\" + c.encode_utf8(&mut [0; 4]),
        _ => all + c.encode_utf8(&mut [0; 4]),
    })
}

fn utf16(text: &str) -> Vec<u8> {
    [0xfeff].into_iter().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect()
}

#[test]
fn of_each_kind_at_least_95_percent_are_found_and_masked() {
    const DRAWN: usize = 20;
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let mut counts: BTreeMap<&str, [usize; 2]> = BTreeMap::new();
    for (kind, formats) in FORMATS {
        for format in formats {
            for place in PLACES.iter().cycle().take(DRAWN * PLACES.len()) {
                let (secret, values) = random.filled(format);
                let text = place.replace("{}", &secret);
                let [found, all] = counts.entry(kind).or_default();
                for (text, bytes) in [
                    (text.clone(), text.clone().into_bytes()),
                    (escaped(&text), escaped(&text).into_bytes()),
                    (text.clone(), utf16(&text)),
                ] {
                    let faults = faults(&bytes);
                    let is_found = faults.iter().any(|fault| fault.subject.as_deref() == Some(kind));
                    let masked = masked(&text).replace('\\', "");
                    // the text before or after may name an account
                    let secret = if kind == "private-key" { &values[0] } else { values.last().unwrap() };
                    let is_masked = is_found && !masked.contains(&secret[secret.len().saturating_sub(12)..]);
                    *found += usize::from(is_masked);
                    *all += 1;
                }
            }
        }
    }
    assert_eq!(counts.len(), names().count());
    for (kind, [found, all]) in counts {
        println!("{kind:26} {:5.1} % of {all}", found as f64 * 100.0 / all as f64);
        assert!(found * 100 >= all * 95, "{kind}: {found} of {all}");
    }
}
