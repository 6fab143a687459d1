//! The password in a list of settings: `Server=…;User ID=…;Password=…` (ADO.NET, OLE DB, ODBC), the properties of a JDBC
//! address, `host=… dbname=… password=…` (libpq), `host:6380,password=…` (Redis).

use super::connection::{is_template, is_word_for_a_password};
use brv_base::english::list;
use std::ops::Range;

/// How far around a password its other settings are looked for, in bytes.
const AROUND: usize = 300;

/// Settings that say where to connect to. Beside a password they make a connection string.
static PLACES: list::Set = list::Set::of_lines(include_str!("lists/connection_settings.txt"));

/// What stands between two settings.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Between {
    Semicolon,
    /// `&`, in an address
    Ampersand,
    Space,
    Comma,
}

/// The value of a setting `Password` or `Pwd`, given a part of its name, if it is one of a connection string.
pub(super) fn password(text: &str, part: Range<usize>) -> Option<Range<usize>> {
    let name = name(text, part)?;
    let (length, is_spaced) = equals(&text[name.end..])?;
    let value = name.end + length;
    let (left, right) = around(text, name.start, value);
    let between = between(left, right)?;
    if let Some(close) = right.chars().next().and_then(closing) {
        let quoted = right[1..].split([close, '\n']).next().unwrap_or_default();
        // with spaces it is code
        let is_password = length == 1 && between == Between::Semicolon && is_password(quoted);
        return is_password.then_some(value + 1..value + 1 + quoted.len());
    }
    // code has a space on both sides, too
    if is_spaced && !(between == Between::Semicolon && places(left, ';') + places(right, ';') > 1) {
        return None;
    }
    let ends = |c: char| {
        c.is_whitespace()
            || matches!(c, ';' | '"' | '\'' | '`' | '<' | '\\' | '|')
            || (c == '&' && between == Between::Ampersand)
            || (c == ',' && between == Between::Comma)
    };
    let length = right.find(ends).unwrap_or(right.len());
    let password = right[..length].trim_end_matches([')', '.', ',']);
    is_password(password).then_some(value..value + password.len())
}

/// What closes a quoted value: `Password="…"`, `Pwd={…}`.
const fn closing(open: char) -> Option<char> {
    match open {
        '"' | '\'' => Some(open),
        '{' => Some('}'),
        _ => None,
    }
}

fn is_password(text: &str) -> bool {
    text.chars().count() >= 6
        && is_mixed(text)
        && !text.starts_with(['%', '@', '(', '#', '-', '/'])
        && !text.ends_with('(')
        && !text.contains(char::is_whitespace)
        && !is_template(text)
        && !is_word_for_a_password(text)
}

/// The place of the whole name; `None` if it is part of another or belongs to code: `db_password`, `$pwd`, `--password`.
fn name(text: &str, part: Range<usize>) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let start = match bytes[part.start] {
        b'a' | b'A' => part.start.checked_sub(1).filter(|at| bytes[*at].eq_ignore_ascii_case(&b'p'))?,
        _ => part.start,
    };
    let is_open = |byte: &u8| {
        matches!(byte, b' ' | b'\t' | b'\n' | b';' | b'"' | b'\'' | b'`' | b'?' | b'&' | b',' | b'>' | b'|')
    };
    bytes[..start].last().is_none_or(is_open).then_some(start..part.end)
}

/// The length of the `=` behind a name, with at most a space on each side, and whether there is one on both.
fn equals(text: &str) -> Option<(usize, bool)> {
    let before = usize::from(text.starts_with(' '));
    let rest = text[before..].strip_prefix('=')?;
    let after = usize::from(rest.starts_with(' '));
    let is_set = !rest[after..].starts_with(['=', '>', ' ']);
    is_set.then_some((before + 1 + after, before + after == 2))
}

/// The text before the name and that from the value on, as far as the string may reach: not over an empty line.
fn around(text: &str, name: usize, value: usize) -> (&str, &str) {
    let start = text.floor_char_boundary(name.saturating_sub(AROUND));
    let end = text.floor_char_boundary(value + AROUND);
    let left = &text[start..name];
    let left = left.rfind("\n\n").map_or(left, |at| &left[at + 2..]);
    let right = &text[value..end];
    (left, right.find("\n\n").map_or(right, |at| &right[..at]))
}

/// What stands between the settings, if this is a connection string.
fn between(left: &str, right: &str) -> Option<Between> {
    // the last of the string before, where one is put together from several
    let before = left.trim_end_matches([' ', '\t', '\n', '\r', '"', '\'', '+', '&', '_', '.']);
    let line = left.rfind('\n').map_or(left, |at| &left[at + 1..]);
    let word = line.rsplit([' ', '"', '\'', '`', '(', '>', '|']).next().unwrap_or_default();
    let is_address = |word: &str| {
        let scheme = word.find("://").map(|at| &word[..at]);
        word.starts_with("jdbc:")
            || scheme.is_some_and(|scheme| !scheme.is_empty() && !scheme.starts_with("http"))
    };
    if left.ends_with(['?', '&']) || left.ends_with("&amp;") {
        return is_address(word).then_some(Between::Ampersand);
    }
    let follows = right.split([' ', '"', '\'', '`', '\n']).next().unwrap_or_default();
    let has_next = follows.split_once(';').is_some_and(|(_, next)| next.is_empty() || next.contains('='));
    if before.ends_with(';') || has_next {
        let is_jdbc = before.to_ascii_lowercase().contains("jdbc:");
        return (is_jdbc || places(left, ';') + places(right, ';') > 0).then_some(Between::Semicolon);
    }
    if left.ends_with(',') {
        let is_redis = word.contains(':') || word.contains("ssl=") || follows.contains("ssl=");
        return (is_redis && !word.contains('(')).then_some(Between::Comma);
    }
    let follows = right.lines().next().unwrap_or_default();
    (line.ends_with(' ') && places(line, ' ') + places(follows, ' ') > 0).then_some(Between::Space)
}

/// How many settings of a text say where to connect to. Where spaces are between them there are none around `=`.
fn places(text: &str, between: char) -> usize {
    let lower = text.to_ascii_lowercase();
    let names = lower.split('=').rev().skip(1).map(|before| match between {
        ';' => before.trim_end(),
        _ => before,
    });
    let name = |before: &str| {
        PLACES.iter().any(|place| {
            let rest = before.strip_suffix(place);
            rest.is_some_and(|rest| {
                !rest.ends_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '-' | '.'))
            })
        })
    };
    names.filter(|before| name(before)).count()
}

/// Whether a password is more than one word in small letters.
fn is_mixed(password: &str) -> bool {
    !password.bytes().all(|byte| byte.is_ascii_lowercase())
}

/// The password of `jdbc:oracle:thin:user/password@host`, given the `jdbc:oracle:`.
pub(super) fn oracle(text: &str, prefix: Range<usize>) -> Option<Range<usize>> {
    let rest = &text[prefix.end..text.floor_char_boundary(prefix.end + AROUND)];
    let ends = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '<');
    let rest = &rest[..rest.find(ends).unwrap_or(rest.len())];
    let account = &rest[..rest.find('@')?];
    let (user, password) = account.split_once('/')?;
    let start = prefix.end + user.len() + 1;
    let is_password = password.len() >= 6 && !is_template(password) && !is_word_for_a_password(password);
    is_password.then_some(start..start + password.len())
}
