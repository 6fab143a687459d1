//! Secrets without a mark of their own, which follow their name: `NAME=…`, `"name": "…"`, `| NAME | … |`, "its name
//! is …", and a name and its value on two lines.

use super::shapes::{boundary, is_base64, run, url_safe};
use brv_base::english::list;
use std::ops::Range;

/// Words that stand between a name and its value in tables, settings, markup and prose.
static LINKS: list::Set = list::Set::of_words(include_str!("lists/links.txt"));

/// The longest distance from a name to its value, in bytes.
const FAR: usize = 64;

/// What a value looks like.
#[derive(Clone, Copy)]
pub(super) struct SecretShape {
    class: fn(u8) -> bool,
    /// How many bytes of the class.
    length: usize,
    /// How many `=` behind them.
    filling: usize,
}

/// The place of the value behind a name: within marks and words that link them, at most on the second line below, or in a
/// later cell of its row.
fn behind(text: &str, name: usize, shape: SecretShape) -> Option<Range<usize>> {
    linked(text, name, shape).or_else(|| in_row(text, name, shape))
}

/// The cell with the value, if the name is the whole of an earlier one: `| NAME | what it is | … |`.
fn in_row(text: &str, name: usize, shape: SecretShape) -> Option<Range<usize>> {
    let start = text[..name].rfind('\n').map_or(0, |at| at + 1);
    let line = text[name..].lines().next().unwrap_or_default();
    if !text[start..name].contains('|') {
        return None;
    }
    let mut at = name;
    let mut cells = line.split('|').map(|cell| {
        let from = at;
        at += cell.len() + 1;
        (from, cell)
    });
    let is_mark = |c: char| matches!(c, ' ' | '\t' | '`' | '*' | '"' | '\'');
    cells.next().filter(|(_, own)| own.chars().all(is_mark))?;
    cells.find_map(|(from, cell)| {
        let value = cell.trim_matches(is_mark);
        let start = from + (cell.len() - cell.trim_start_matches(is_mark).len());
        let bare = value.trim_end_matches('=');
        let fits = bare.len() == shape.length
            && value.len() - bare.len() == shape.filling
            && bare.bytes().all(shape.class);
        fits.then_some(start..start + value.len())
    })
}

fn linked(text: &str, name: usize, shape: SecretShape) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let count = |at: usize, most: usize, class: &dyn Fn(u8) -> bool| {
        bytes[at..].iter().take(most).take_while(|byte| class(**byte)).count()
    };
    let (mut at, mut lines) = (name, 0);
    while at < bytes.len() && at - name <= FAR && lines <= 2 {
        let is_part = (shape.class)(bytes[at]);
        if !is_part && !bytes[at].is_ascii_alphanumeric() {
            lines += usize::from(bytes[at] == b'\n');
            at += 1;
            continue;
        }
        let end = at + count(at, shape.length + 1, &shape.class);
        let filling = count(end, shape.filling + 1, &|byte| byte == b'=');
        if end - at == shape.length && filling == shape.filling {
            return Some(at..end + filling);
        }
        // markup may begin with a mark that is part of the class: `</td>`
        let marks = count(at, FAR, &|byte| is_part && (shape.class)(byte) && !byte.is_ascii_alphanumeric());
        let word =
            &bytes[at + marks..at + marks + count(at + marks, FAR, &|byte| byte.is_ascii_alphanumeric())];
        if !word.is_empty() && !LINKS.iter().any(|link| word.eq_ignore_ascii_case(link.as_bytes())) {
            return None;
        }
        at += marks + word.len();
    }
    None
}

/// Alphabet of AWS secret keys: base64 without its filling.
const fn unpadded(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/')
}

const fn hex(byte: u8) -> bool {
    byte.is_ascii_digit() || matches!(byte, b'a'..=b'f')
}

const fn in_uuid(byte: u8) -> bool {
    byte.is_ascii_hexdigit() || byte == b'-'
}

/// Whether there are letters of both cases, and digits or marks: a word, a path or a hash is none.
pub(super) fn is_mixed(value: &str) -> bool {
    let has = |class: fn(&u8) -> bool| value.bytes().any(|byte| class(&byte));
    has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase) && has(|byte| !byte.is_ascii_alphabetic())
}

/// The end of a name's next part, behind at most one mark or space, whatever its case.
fn part(text: &str, at: usize, word: &str) -> Option<usize> {
    let bytes = &text.as_bytes()[at..];
    let mark = usize::from(bytes.first().is_some_and(|byte| matches!(byte, b'_' | b'-' | b'.' | b' ')));
    let found = bytes.get(mark..mark + word.len())?;
    found.eq_ignore_ascii_case(word.as_bytes()).then_some(at + mark + word.len())
}

/// Whether one of these words stands in the text close before a place, whatever its case.
fn is_near(text: &str, at: usize, far: usize, words: &[&str]) -> bool {
    let before = &text.as_bytes()[at.saturating_sub(far)..at];
    words.iter().any(|word| before.windows(word.len()).any(|part| part.eq_ignore_ascii_case(word.as_bytes())))
}

/// The 40 characters behind a name of an AWS secret key, given its `ecret`: `AWS secret access key`, `aws.secretKey`,
/// `SECRET_KEY`, `AWS_SECRET`.
pub(super) fn aws_secret(text: &str, name: Range<usize>) -> Option<Range<usize>> {
    let access = part(text, name.end, "access").unwrap_or(name.end);
    let is_aws = || access == name.end && is_near(text, name.start, 6, &["aws"]);
    aws_value(text, part(text, access, "key").or_else(|| is_aws().then_some(name.end))?)
}

/// The same behind an access key id: `AKIA…:…`, `"AKIA…", "…"`, two cells of a table.
pub(super) fn aws_pair(text: &str, prefix: Range<usize>) -> Option<Range<usize>> {
    let id = run(text, prefix.end, |byte| byte.is_ascii_uppercase() || byte.is_ascii_digit(), 16, 16)?;
    if !boundary(text, prefix.start) {
        return None;
    }
    aws_value(text, id)
}

fn aws_value(text: &str, name: usize) -> Option<Range<usize>> {
    behind(text, name, SecretShape { class: unpadded, length: 40, filling: 0 })
        .filter(|value| is_mixed(&text[value.clone()]))
}

/// The 24 characters of an older Google client secret, near the id of a client.
pub(super) fn google_secret(text: &str, name: Range<usize>) -> Option<Range<usize>> {
    let is_secret = is_near(text, name.start, 8, &["client"])
        && is_near(text, name.start, 400, &["google"])
        && !text[name.end..].starts_with('s');
    let shape = SecretShape { class: url_safe, length: 24, filling: 0 };
    let value = is_secret.then(|| behind(text, name.end, shape)).flatten()?;
    is_mixed(&text[value.clone()]).then_some(value)
}

/// The 40 hexadecimal digits of an older GitHub token or client secret, given the `github_` before its name.
pub(super) fn github_secret(text: &str, prefix: Range<usize>) -> Option<Range<usize>> {
    const LONGEST: usize = 32;
    let named = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    let name = text.as_bytes()[prefix.end..].iter().take(LONGEST).take_while(named).count();
    let end = prefix.end + name;
    if !is_near(text, end, name, &["token", "secret", "pat", "key"]) {
        return None;
    }
    let value = behind(text, end, SecretShape { class: hex, length: 40, filling: 0 })?;
    let has_both =
        |value: &str| value.bytes().any(|byte| byte.is_ascii_digit()) && value.contains(char::is_alphabetic);
    has_both(&text[value.clone()]).then_some(value)
}

/// The UUID of an older npm token behind its name.
pub(super) fn npm_uuid(text: &str, name: Range<usize>) -> Option<Range<usize>> {
    let value = behind(text, name.end, SecretShape { class: in_uuid, length: 36, filling: 0 })?;
    let parts = text[value.clone()].split('-').map(str::len);
    parts.eq([8, 4, 4, 4, 12]).then_some(value)
}

/// The key of an Azure account or service behind its name: base64 of 64 or 32 bytes.
pub(super) fn azure_key(text: &str, name: Range<usize>) -> Option<Range<usize>> {
    // the keys of the emulators for storage and for Cosmos DB are the same everywhere
    const PUBLIC: [&str; 2] = ["Eby8vdM02xNOcqFlqUwJ", "C2y6yDjf5/R+ob0N8A7C"];
    let sized = |length, filling| behind(text, name.end, SecretShape { class: unpadded, length, filling });
    let value = sized(86, 2).or_else(|| sized(43, 1)).or_else(|| assigned_key(text, name.end))?;
    let shown = &text[value.clone()];
    (is_mixed(shown) && !PUBLIC.iter().any(|key| shown.starts_with(key))).then_some(value)
}

/// `=` and at least 40 characters of base64, of whatever length.
fn assigned_key(text: &str, name: usize) -> Option<Range<usize>> {
    let start = text[name..].starts_with('=').then_some(name + 1)?;
    Some(start..run(text, start, is_base64, 40, 120)?)
}

/// The secret of the address of an Azure App Configuration, given its host.
pub(super) fn azure_settings(text: &str, host: Range<usize>) -> Option<Range<usize>> {
    let settings = &text[host.end..text.floor_char_boundary(host.end + FAR)];
    let secret = settings.find(";Secret=").filter(|at| !settings[..*at].contains('\n'))?;
    let start = host.end + secret + ";Secret=".len();
    Some(start..run(text, start, is_base64, 40, 120)?)
}

/// The signature of an address that Azure storage grants access by, given its `sig=`: base64 of 32 bytes, percent-encoded.
pub(super) fn azure_signature(text: &str, name: Range<usize>) -> Option<Range<usize>> {
    const LONGEST: usize = 80;
    let encoded = |byte: u8| unpadded(byte) || byte == b'%';
    let length =
        text.as_bytes()[name.end..].iter().take(LONGEST + 1).take_while(|byte| encoded(**byte)).count();
    let value = &text[name.end..name.end + length];
    let is_signature = text[..name.start].ends_with(['?', '&', ';'])
        && (43..=LONGEST).contains(&value.len())
        && (value.ends_with("%3D") || value.ends_with("%3d") || text[name.end + length..].starts_with('='))
        && (is_near(text, name.start, 300, &["sv=", "se="]) || text[name.end + length..].starts_with("&s"));
    (is_signature && is_mixed(value)).then_some(name.end..name.end + length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_stands_in_a_later_cell_of_the_row() {
        let value = ["wJalrXUtnFEMI/K7MDENG/", "bPxRfiCYzN0tReal12"].concat();
        let found = |text: &str| {
            let at = text.find("ecret").map_or_else(|| text.find("ECRET"), Some).unwrap();
            aws_secret(text, at..at + "ecret".len()).map(|place| text[place].to_owned())
        };
        for (text, is_there) in [
            (format!("| `AWS_SECRET_ACCESS_KEY` | the key of CI, rotated by hand | `{value}` |\n"), true),
            (format!("| 1 | AWS secret access key | production | {value} |\n"), true),
            (format!("the AWS secret access key, see below | x | {value} |\n"), false),
            (format!("| AWS secret access key of the runner | x | sha of {value} |\n"), false),
            (format!("| AWS_SECRET_ACCESS_KEY | the key |\n\n| x | {value} |\n"), false),
        ] {
            assert_eq!(found(&text), is_there.then(|| value.clone()), "{text}");
        }
    }
}
