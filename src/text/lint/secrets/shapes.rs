//! The shapes of secrets that are more than a prefix and a run, and what only looks like one.

use brv_base::english::list;
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

/// As [`run`] of base64url and dots, without the dots that end a sentence.
pub(super) fn dotted_run(text: &str, start: usize, least: usize, most: usize) -> Option<usize> {
    let dotted = |byte: u8| url_safe(byte) || byte == b'.';
    let end = run(text, start, dotted, least, most)?;
    let end = start + text[start..end].trim_end_matches('.').len();
    (end - start >= least).then_some(end)
}

/// Where the run of a class begins that ends at `end`, at most `most` bytes before it.
pub(super) fn before(text: &str, end: usize, class: fn(u8) -> bool, most: usize) -> usize {
    end - text.as_bytes()[..end].iter().rev().take(most).take_while(|byte| class(**byte)).count()
}

/// Whether a value may begin here: not in the middle of a word. An escape (`\n`, `%3D`) is no word.
pub(super) fn boundary(text: &str, start: usize) -> bool {
    match &text.as_bytes()[..start] {
        [.., b'\\', b'n' | b'r' | b't'] => true,
        [.., b'%', high, low] if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => true,
        [.., last] => !last.is_ascii_alphanumeric(),
        [] => true,
    }
}

/// The longest value whose letters are read for words; in a longer one they stand by chance.
const READABLE: usize = 256;

/// What stands for a secret in an example: few different characters, or words that say so.
pub(super) fn is_placeholder(value: &str) -> bool {
    static WORDS: list::Set = list::Set::of_words(include_str!("lists/placeholder_words.txt"));
    let mut seen = [false; 256];
    value.bytes().for_each(|byte| seen[usize::from(byte)] = true);
    let few = value.len() >= 16 && seen.iter().filter(|seen| **seen).count() < 10;
    let lower = if value.len() <= READABLE { value.to_ascii_lowercase() } else { String::new() };
    few || WORDS.iter().any(|word| lower.contains(word)) || value.contains("XXXXXXXXXXXXXXXX")
}

/// The 40 characters of base64 that are assigned to the name of an AWS secret key: `NAME = "…"`, `"NAME": "…"`.
pub(super) fn aws_secret_key(text: &str, name: Range<usize>) -> Option<Range<usize>> {
    let rest = &text[name.end..];
    let value = rest.trim_start_matches(['"', '\'', '`', '*', '\\']).trim_start_matches(' ');
    let value =
        value.strip_prefix([':', '='])?.trim_start_matches([' ', '"', '\'', '`', '\\', '*', ':', '=']);
    let start = text.len() - value.len();
    Some(start..run(text, start, is_base64, 40, 40)?)
}

/// `hooks.slack.com/services/T…/B…/…`, and the like for workflows and triggers. A slash may be escaped.
pub(super) fn slack_webhook(text: &str, prefix: Range<usize>) -> Option<Range<usize>> {
    const FEWEST: usize = 40;
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'\\');
    let end = run(text, prefix.end, is_part, FEWEST, 200)?;
    let path = text[prefix.end..end].replace('\\', "");
    let mut parts = path.split('/').skip(1);
    let is_kind = matches!(parts.next()?, "services" | "workflows" | "triggers");
    let (team, rest) = (parts.next()?, parts.collect::<Vec<_>>());
    let has_team = team.starts_with(['T', 'E']) && team.len() >= 8;
    let has_secret = rest.last()?.len() >= 20 && rest.len() >= 2;
    (is_kind && has_team && has_secret).then_some(prefix.end..end)
}

/// A PEM, OpenSSH or PGP private key with its content: a header alone is a text about keys.
pub(super) fn key_block(text: &str, prefix: Range<usize>) -> Option<Range<usize>> {
    /// More than the longest key that is in use (RSA of 16,384 bits).
    const MOST: usize = 1 << 15;
    let rest = &text[prefix.end..];
    let label = rest.split("-----").next().filter(|label| label.len() < 40 && !label.contains('\n'))?;
    if !(label.ends_with("PRIVATE KEY") || label == "PGP PRIVATE KEY BLOCK") {
        return None;
    }
    let content = prefix.end + label.len() + "-----".len();
    let footer = format!("-----END {label}-----");
    let most = text.floor_char_boundary(content + MOST + footer.len());
    // up to the next one
    let most = text[content..most].find("-----BEGIN ").map_or(most, |at| content + at);
    let closed = text[content..most].find(&footer);
    let length = closed.unwrap_or_else(|| open_key(&text[content..most]));
    let inside = &text[content..content + length];
    let end = content + length + closed.map_or(0, |_| footer.len());
    (is_key_material(inside) && !inside.contains("...") && !inside.contains('…')).then_some(prefix.start..end)
}

/// What a line of a key begins with in a quote, a list, a comment, a difference or a string, and ends with.
pub(super) const AROUND: [char; 14] =
    [' ', '\t', '\r', '>', '#', '*', '|', '"', '\'', '`', ',', '+', '-', '\\'];

/// How long the content of a key is that has no end: lines of base64, headers included, up to one of anything else. A line
/// may end in an escape.
fn open_key(text: &str) -> usize {
    let mut length = 0;
    for line in text.split_inclusive('\n') {
        for part in line.split_inclusive("\\n") {
            let shown = part.trim_end_matches('\n').trim_end_matches("\\n").trim_matches(AROUND);
            if !(shown.bytes().all(is_base64) || shown.contains(": ")) {
                return length;
            }
            length += part.len();
        }
    }
    length
}

/// Alphabet of base64.
pub(super) const fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}

/// Whether there are at least 40 characters of base64 in long runs, and more in them than in words.
fn is_key_material(text: &str) -> bool {
    const LEAST: usize = 40;
    const LONG: usize = 24;
    let runs = text.as_bytes().split(|byte| !is_base64(*byte)).map(<[u8]>::len);
    let (long, short): (Vec<usize>, Vec<usize>) = runs.partition(|length| *length >= LONG);
    let long: usize = long.into_iter().sum();
    long >= LEAST && long > short.into_iter().sum()
}

/// Three parts of base64url, the first a JSON object that names an algorithm (RFC 7519, RFC 7515 4.1.1). The person of the
/// usual example is nobody.
pub(super) fn jwt(text: &str, prefix: Range<usize>) -> Option<Range<usize>> {
    const MOST: usize = 8192;
    let header = run(text, prefix.start, url_safe, 16, MOST)?;
    let claims = (text[header..].starts_with(".eyJ") || text[header..].starts_with(".ewog"))
        .then(|| run(text, header + 1, url_safe, 16, MOST))
        .flatten()?;
    let end = text[claims..].starts_with('.').then(|| run(text, claims + 1, url_safe, 20, MOST)).flatten()?;
    let has = |part: Range<usize>, word: &[u8]| {
        let json = unbase64(&text.as_bytes()[part]);
        json.starts_with(b"{") && json.windows(word.len()).any(|part| part == word)
    };
    let is_jwt = has(prefix.start..header, b"\"alg\"");
    let is_example = has(header + 1..claims, b"John Doe") || has(header + 1..claims, b"\"1234567890\"");
    (is_jwt && !is_example && boundary(text, prefix.start)).then_some(prefix.start..end)
}

/// The bytes that base64 stands for, in either alphabet; what is left of an incomplete group is dropped.
pub(super) fn unbase64(text: &[u8]) -> Vec<u8> {
    let digit = |byte: u8| match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'-' | b'+' => 62,
        _ => 63,
    };
    let text = &text[..text.len() - text.iter().rev().take_while(|byte| **byte == b'=').count()];
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
