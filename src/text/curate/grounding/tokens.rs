//! Split a text into words and numbers, as two ways to write the same thing have them in common.
//!
//! `10,000`, `10_000` and `10k` are one number, `1.50` and `1.5` as well. A number ends where a letter begins, so that `12h`
//! and `12 hours` begin alike; a word goes on over digits (`sha256`).

use crate::words::is_unspaced;
use brv_base::english::{Unit, month, month_name, unit};

/// A word or a number of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Token<'t> {
    pub(super) text: &'t str,
    /// Where it begins, in bytes.
    pub(super) start: usize,
    pub(super) number: Option<Number>,
}

/// A number without its format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Number {
    pub(super) value: String,
    /// The numbers that it is if its separators separate: `80,443`.
    pub(super) parts: Vec<String>,
}

impl Token<'_> {
    pub(super) fn end(&self) -> usize {
        self.start + self.text.len()
    }

    /// The form in which words are compared.
    pub(super) fn lower(&self) -> String {
        lower(self.text)
    }
}

/// A word in the form in which words are compared: in lower case, a month by its whole name.
pub(super) fn lower(word: &str) -> String {
    let lower = word.to_lowercase();
    let month = month(&lower, word.starts_with(char::is_uppercase)).and_then(month_name);
    month.map_or(lower, str::to_owned)
}

/// The tokens of a text, in order.
pub(super) struct Tokens<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Tokens<'t> {
    pub(super) const fn of(text: &'t str) -> Self {
        Self { text, at: 0 }
    }
}

impl<'t> Iterator for Tokens<'t> {
    type Item = Token<'t>;

    fn next(&mut self) -> Option<Token<'t>> {
        let rest = &self.text[self.at..];
        let (skipped, first) = rest.char_indices().find(|(_, c)| c.is_alphanumeric())?;
        let (start, rest) = (self.at + skipped, &rest[skipped..]);
        let is_version = matches!(first, 'v' | 'V') && rest[1..].starts_with(|c: char| c.is_ascii_digit());
        let (start, rest) = if is_version { (start + 1, &rest[1..]) } else { (start, rest) };
        let (length, number) = if rest.starts_with(|c: char| c.is_ascii_digit()) {
            let (length, number) = number(rest);
            (length, Some(number))
        } else if is_unspaced(first) {
            (first.len_utf8(), None)
        } else {
            let is_end = |c: char| !c.is_alphanumeric() || is_unspaced(c);
            (rest.find(is_end).unwrap_or(rest.len()), None)
        };
        self.at = start + length;
        Some(Token { text: &rest[..length], start, number })
    }
}

/// The number at the start of a text, and its length in bytes.
fn number(text: &str) -> (usize, Number) {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let mut end = digits(text);
    let mut value = text[..end].to_owned();
    let mut parts = vec![value.clone()];
    while let Some(separator) = text[end..].chars().next() {
        let behind = end + separator.len_utf8();
        let more = digits(&text[behind..]);
        let is_group = matches!(separator, ',' | '_' | '\'' | '’' | '\u{a0}' | '\u{202f}') && more == 3;
        if more == 0 || !(is_group || separator == '.') {
            break;
        }
        let group = &text[behind..behind + more];
        if separator == '.' {
            value.push('.');
        }
        value.push_str(group);
        parts.push(plain(group));
        end = behind + more;
    }
    let is_dotted = value.contains('.');
    let is_thousand = text[end..].starts_with(['k', 'K'])
        && !text[end + 1..].starts_with(char::is_alphanumeric)
        && !is_dotted;
    if is_thousand {
        value.push_str("000");
        parts.clear();
        end += 1;
    }
    if parts.len() < 2 || is_dotted {
        parts.clear();
    }
    // 10.000 may be ten thousand
    if let Some((whole, rest)) = value.split_once('.')
        && rest.len() == 3
    {
        parts.push(plain(&format!("{whole}{rest}")));
    }
    (end, Number { value: plain(&value), parts })
}

/// A number without zeros that say nothing.
fn plain(value: &str) -> String {
    let value = match value.matches('.').count() {
        1 => value.trim_end_matches('0').trim_end_matches('.'),
        _ => value,
    };
    let value = value.trim_start_matches('0');
    if value.is_empty() || value.starts_with('.') { format!("0{value}") } else { value.to_owned() }
}

/// The unit behind a number: what follows it, at most a blank or a hyphen away.
pub(super) fn unit_behind(text: &str, number: &Token<'_>) -> Option<Unit> {
    let rest = &text[number.end()..];
    let rest = rest.strip_prefix([' ', '-', '\u{a0}', '\u{202f}']).unwrap_or(rest);
    let is_sign = rest.starts_with('%');
    let end = if is_sign { 1 } else { rest.find(|c: char| !c.is_alphabetic()).unwrap_or(rest.len()) };
    unit(&rest[..end])
}

/// The parts of a name in mixed case: `maxDepth` → `max`, `depth`; none of another word.
pub(super) fn humps(word: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    let mut was_lower = false;
    for c in word.chars() {
        if parts.is_empty() || (c.is_uppercase() && was_lower) {
            parts.push(String::new());
        }
        was_lower = c.is_lowercase() || c.is_numeric();
        if let Some(last) = parts.last_mut() {
            last.extend(c.to_lowercase());
        }
    }
    if parts.len() > 1 { parts } else { Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str) -> Vec<String> {
        Tokens::of(text).map(|token| token.number.map_or(token.text.to_owned(), |n| n.value)).collect()
    }

    #[test]
    fn formats_of_a_number_are_one_number() {
        for text in ["10,000", "10_000", "10'000", "10000", "10k", "10\u{a0}000"] {
            assert_eq!(said(text), ["10000"], "{text}");
        }
        assert_eq!(said("1.50 12.0 007 0.5 v1.2.3 1,234.50"), ["1.5", "12", "7", "0.5", "1.2.3", "1234.5"]);
        assert_eq!(said("ports 80,443"), ["ports", "80443"]);
        assert_eq!(Tokens::of("80,443").next().unwrap().number.unwrap().parts, ["80", "443"]);
        assert_eq!(Tokens::of("10.000").next().unwrap().number.unwrap().parts, ["10000"]);
        assert_eq!(said("12h sha256 a_b 12:30 x86"), ["12", "h", "sha256", "a", "b", "12", "30", "x86"]);
    }

    #[test]
    fn a_unit_is_the_same_in_short_and_in_words() {
        let unit = |text: &str| unit_behind(text, &Tokens::of(text).next().unwrap());
        for (short, long) in [("12h", "12 hours"), ("5%", "5 percent"), ("3-day", "3d"), ("2 MB", "2mb")] {
            assert!(unit(short).is_some(), "{short}");
            assert_eq!(unit(short), unit(long), "{short}");
        }
        assert_ne!(unit("2 MiB"), unit("2 MB"));
        assert_eq!(unit("12 files"), None);
        assert_eq!(humps("maxRetryDepth"), ["max", "retry", "depth"]);
        assert!(humps("Redis").is_empty() && humps("TTL").is_empty());
    }
}
