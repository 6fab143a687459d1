//! The shapes of secrets that are more than a prefix and a run, and what only looks like one.

use std::ops::Range;

/// Alphabet of base64url.
pub(super) const fn url_safe(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')
}

/// Where a run of at least `least` and at most `most` bytes of a class ends that begins at `start`; a longer run is none.
pub(super) fn run(
    text: &str,
    start: usize,
    class: fn(u8) -> bool,
    least: usize,
    most: usize,
) -> Option<usize> {
    let length = text.as_bytes()[start..].iter().take(most + 1).take_while(|byte| class(**byte)).count();
    (least..=most).contains(&length).then_some(start + length)
}

/// Whether a value may begin here: not in the middle of a word.
pub(super) fn boundary(text: &str, start: usize) -> bool {
    start == 0 || !url_safe(text.as_bytes()[start - 1])
}

/// What stands for a secret in an example: few different characters, or words that say so.
pub(super) fn is_placeholder(value: &str) -> bool {
    const WORDS: [&str; 9] = [
        "example",
        "xxxx",
        "placeholder",
        "redacted",
        "your",
        "dummy",
        "sample",
        "1234567890abcdef",
        "0000000",
    ];
    let lower = value.to_ascii_lowercase();
    let mut seen = [false; 256];
    value.bytes().for_each(|byte| seen[usize::from(byte)] = true);
    let few = value.len() >= 16 && seen.iter().filter(|seen| **seen).count() < 10;
    few || WORDS.iter().any(|word| lower.contains(word))
}

/// `hooks.slack.com/services/T…/B…/…`
pub(super) fn slack_webhook(text: &str, prefix: Range<usize>) -> Option<Range<usize>> {
    let part = |start: usize, first: u8| {
        let begins = text.as_bytes().get(start) == Some(&first);
        begins.then(|| run(text, start, |byte| byte.is_ascii_alphanumeric(), 8, 16)).flatten()
    };
    let slash = |at: usize| (text.as_bytes().get(at) == Some(&b'/')).then_some(at + 1);
    let team = part(prefix.end, b'T').and_then(slash)?;
    let bot = part(team, b'B').and_then(slash)?;
    let end = run(text, bot, |byte| byte.is_ascii_alphanumeric(), 20, 64)?;
    Some(prefix.end..end)
}

/// A PEM or OpenSSH private key with its content: a header alone is a text about keys.
pub(super) fn key_block(text: &str, prefix: Range<usize>) -> Option<Range<usize>> {
    const LEAST: usize = 40;
    let rest = &text[prefix.end..];
    let label = rest.split("-----").next().filter(|label| label.len() < 40 && !label.contains('\n'))?;
    if !(label.ends_with("PRIVATE KEY") || label == "PGP PRIVATE KEY BLOCK") {
        return None;
    }
    let content = prefix.end + label.len() + "-----".len();
    let end = format!("-----END {label}-----");
    let (length, is_closed) = match text[content..].find(&end) {
        Some(at) => (at, true),
        None => (run_of_content(&text[content..]), false),
    };
    let inside = &text[content..content + length];
    let base64 = inside
        .bytes()
        .filter(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'='))
        .count();
    let is_dotted = inside.contains("...") || inside.contains('…');
    let close = if is_closed { end.len() } else { 0 };
    (base64 >= LEAST && !is_dotted).then_some(prefix.start..content + length + close)
}

/// The lines of base64, headers included, that a key without an end has.
fn run_of_content(text: &str) -> usize {
    let is_content = |line: &&str| {
        let line = line.trim();
        line.is_empty()
            || line.contains(": ")
            || line.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'='))
    };
    text.split_inclusive('\n').take_while(is_content).map(str::len).sum()
}

/// Three parts of base64url, the first a JSON object that names an algorithm (RFC 7519, RFC 7515 4.1.1).
pub(super) fn jwt(text: &str, prefix: Range<usize>) -> Option<Range<usize>> {
    const MOST: usize = 8192;
    let header = run(text, prefix.start, url_safe, 16, MOST)?;
    let claims =
        text[header..].starts_with(".eyJ").then(|| run(text, header + 1, url_safe, 16, MOST)).flatten()?;
    let end = text[claims..].starts_with('.').then(|| run(text, claims + 1, url_safe, 20, MOST)).flatten()?;
    let named = base64_url(&text.as_bytes()[prefix.start..header]);
    let is_jwt = named.starts_with(b"{") && named.windows(5).any(|part| part == b"\"alg\"");
    (is_jwt && boundary(text, prefix.start)).then_some(prefix.start..end)
}

/// The bytes that base64url stands for; what is left of an incomplete group is dropped.
fn base64_url(text: &[u8]) -> Vec<u8> {
    let digit = |byte: u8| match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'-' => 62,
        _ => 63,
    };
    let (mut bytes, mut bits, mut count) = (Vec::with_capacity(text.len() * 3 / 4), 0u32, 0);
    for byte in text {
        bits = bits << 6 | u32::from(digit(*byte));
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count & 0xff) as u8);
        }
    }
    bytes
}

/// The password of `scheme://user:password@host`. Words that stand for one, variables and other templates are none.
pub(super) fn connection_password(text: &str, prefix: Range<usize>) -> Option<Range<usize>> {
    let is_end = |c: char| {
        c.is_whitespace() || matches!(c, '/' | '"' | '\'' | '`' | '<' | '>' | '?' | '#' | ')' | '|' | ',')
    };
    let rest = &text[prefix.end..];
    let authority = &rest[..rest.find(is_end).unwrap_or(rest.len())];
    let (user_info, host) = authority.rsplit_once('@')?;
    let (_, password) = user_info.split_once(':')?;
    let start = prefix.end + user_info.len() - password.len();
    let is_template = password.contains(['$', '{', '}', '*', '[', ']', '%', '…']) || password.contains("..");
    (password.len() >= 6 && !host.is_empty() && !is_template && !is_word_for_a_password(password))
        .then_some(start..start + password.len())
}

/// Words that examples have where a password would stand.
fn is_word_for_a_password(text: &str) -> bool {
    const WORDS: [&str; 22] = [
        "password",
        "passwd",
        "pass",
        "secret",
        "token",
        "changeme",
        "guest",
        "admin",
        "root",
        "user",
        "test",
        "postgres",
        "mysql",
        "mongo",
        "redis",
        "rabbitmq",
        "hunter2",
        "foobar",
        "letmein",
        "qwerty",
        "hidden",
        "credentials",
    ];
    let lower = text.to_ascii_lowercase();
    let letters = lower.trim_matches(|c: char| !c.is_ascii_alphabetic());
    let parts: Vec<&str> = letters.split(['_', '-', '.']).filter(|part| !part.is_empty()).collect();
    let is_word =
        |part: &&str| WORDS.contains(part) || matches!(*part, "my" | "the" | "db" | "your" | "some" | "a");
    parts.is_empty() || parts.iter().all(is_word) || WORDS.contains(&letters.replace("my", "").as_str())
}
