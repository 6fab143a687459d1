//! Split a text into words.
//!
//! A word is a run of letters, digits and combining marks. An apostrophe inside it is dropped, the possessive `'s` too;
//! `1,000`, `3.14` and `2.1.3` stay whole, and so do `C++` and `C#`; `.net` and `notepad++` are words with and without their
//! signs. A pictograph is a word of its own. Everything else separates, so the parts of paths and of `snake_case` are
//! words of their own; [`parts`] splits `camelCase`. Scripts without spaces between words become pairs of characters.
//! Knows neither stems nor function words. [`brv_text::words`] splits for comparing texts: without
//! numbers like `3.14` and without single letters.

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

use brv_text::words::is_unspaced;

/// The maximum length of a word in bytes; the rest of a longer one is dropped.
const LONGEST: usize = 64;

#[derive(Debug)]
pub struct TextToken<'a> {
    /// As written, without apostrophes and thousands separators.
    pub raw: &'a str,
    /// In lower case, composed, without forms for compatibility (NFKC).
    pub low: &'a str,
    /// Whether it begins a sentence or a line, where a capital letter means nothing.
    pub opens: bool,
    pub kind: TokenKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenKind {
    Word,
    /// A word again with the signs beside it (`.net`, `notepad++`), to distinguish it from others.
    Variant,
    /// A pictograph.
    Mark,
    /// Two neighbouring characters of a script without spaces, or one that stands alone.
    Pair,
    /// The last character of a run in such a script, which begins no pair: for questions of one character only.
    Tail,
}

impl TokenKind {
    /// Whether it counts as a word of the text.
    pub const fn is_plain(self) -> bool {
        matches!(self, Self::Word | Self::Pair)
    }
}

/// Call `visit` for each word of `text`, in order.
pub fn each(text: &str, visit: impl FnMut(&TextToken<'_>)) {
    // the first byte of wide and narrow forms
    match text.as_bytes().contains(&0xef) {
        true => each_of(&of_one_width(text), visit),
        false => each_of(text, visit),
    }
}

/// A text with full-width letters and half-width kana in their usual forms.
fn of_one_width(text: &str) -> String {
    let is_form = |c: char| matches!(c, '\u{ff01}'..='\u{ffef}');
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(is_form) {
        let (before, after) = rest.split_at(start);
        // a half-width kana and its voice mark become one character
        let (forms, after) = after.split_at(after.find(|c| !is_form(c)).unwrap_or(after.len()));
        kept.push_str(before);
        kept.extend(forms.nfkc());
        rest = after;
    }
    kept.push_str(rest);
    kept
}

fn each_of(text: &str, mut visit: impl FnMut(&TextToken<'_>)) {
    let (mut at, mut opens) = (0, true);
    while let Some(c) = text[at..].chars().next() {
        if is_pictograph(c) {
            let end = at + c.len_utf8();
            visit(&TextToken { raw: &text[at..end], low: &text[at..end], opens, kind: TokenKind::Mark });
            at = end;
        } else if c == '.' && is_dotted(text, at) {
            let (end, _) = word_end(text, at + 1);
            variant(&text[at..end], opens, &mut visit);
            at += 1;
        } else if !is_letter(c) {
            opens |= matches!(c, '.' | '?' | '!' | '\n' | ':');
            at += c.len_utf8();
        } else if is_unspaced(c) {
            at = unspaced(text, at, opens, &mut visit);
            opens = false;
        } else {
            let (end, plain) = word_end(text, at);
            let signs = signs(text, at, end);
            // `C++` is not `C`
            if signs == 0 || end - at > 1 {
                word(&text[at..end], plain, opens, &mut visit);
            }
            if signs > 0 {
                let kind = if end - at > 1 { TokenKind::Variant } else { TokenKind::Word };
                let raw = &text[at..end + signs];
                visit(&TextToken { raw, low: &lower(raw), opens, kind });
            }
            at = end + signs;
            opens = false;
        }
    }
}

fn is_letter(c: char) -> bool {
    match c.is_ascii() {
        true => c.is_ascii_alphanumeric(),
        false => c.is_alphanumeric() || is_combining_mark(c),
    }
}

/// Whether it is a symbol that is drawn as a picture; the tones of skin are none.
const fn is_pictograph(c: char) -> bool {
    matches!(c, '\u{2600}'..='\u{27bf}' | '\u{2b50}' | '\u{2b55}' | '\u{1f1e6}'..='\u{1f1ff}'
        | '\u{1f300}'..='\u{1f3fa}' | '\u{1f400}'..='\u{1f6ff}' | '\u{1f7e0}'..='\u{1f7eb}'
        | '\u{1f900}'..='\u{1faff}')
        && !matches!(c, '\u{2776}'..='\u{2793}')
}

/// Whether the dot at `at` belongs to the word after it: `.net`, `.gitignore`.
fn is_dotted(text: &str, at: usize) -> bool {
    let opens = |c: char| c.is_whitespace() || matches!(c, '(' | '[' | '"' | '\'' | '`' | '/' | '“' | '«');
    text[at + 1..].starts_with(|c: char| c.is_ascii_alphabetic())
        && text[..at].chars().next_back().is_none_or(opens)
}

/// The length of the signs after the word from `at` to `end` that belong to it: `++`, or `#` at its end.
fn signs(text: &str, at: usize, end: usize) -> usize {
    let after = text.as_bytes().get(end..).unwrap_or_default();
    if !matches!(after, [b'+' | b'#', ..]) || !text[at..end].bytes().all(|byte| byte.is_ascii_alphanumeric())
    {
        return 0;
    }
    let is_name = text.as_bytes()[at].is_ascii_alphabetic() && end - at <= LONGEST / 2;
    match after {
        [b'+', b'+', rest @ ..] if is_name && rest.first() != Some(&b'+') => 2,
        [b'#', rest @ ..]
            if is_name && !rest.first().is_some_and(|next| next.is_ascii_alphanumeric() || *next == b'#') =>
        {
            1
        }
        _ => 0,
    }
}

/// Visit a word with the dot before it.
fn variant(raw: &str, opens: bool, visit: &mut impl FnMut(&TextToken<'_>)) {
    if raw.len() <= LONGEST {
        visit(&TextToken { raw, low: &lower(raw), opens, kind: TokenKind::Variant });
    }
}

const fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '\u{2019}' | '\u{2018}')
}

/// The end of the word at `start`, and whether it has neither apostrophes nor commas.
fn word_end(text: &str, start: usize) -> (usize, bool) {
    // most words are plain, and end before a blank
    let plain = text.as_bytes()[start..].iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
    match text.as_bytes().get(start + plain) {
        Some(byte) if byte.is_ascii() && !matches!(byte, b'\'' | b',' | b'.') => {
            return (start + plain, true);
        }
        None => return (start + plain, true),
        Some(_) => {}
    }
    let (mut end, mut plain, mut before) = (start, true, ' ');
    while let Some(c) = text[end..].chars().next() {
        if is_letter(c) && !is_unspaced(c) {
            end += c.len_utf8();
            before = c;
            continue;
        }
        let next = text[end + c.len_utf8()..].chars().next();
        let joins = match c {
            ',' | '.' => before.is_ascii_digit() && next.is_some_and(|next| next.is_ascii_digit()),
            _ => is_apostrophe(c) && next.is_some_and(|next| is_letter(next) && !is_unspaced(next)),
        };
        if !joins {
            break;
        }
        plain &= c == '.';
        end += c.len_utf8();
        before = c;
    }
    (end, plain)
}

fn word(text: &str, plain: bool, opens: bool, visit: &mut impl FnMut(&TextToken<'_>)) {
    let mut raw = Cow::Borrowed(text);
    if !plain {
        let joined: String = text.chars().map(|c| if is_apostrophe(c) { '\'' } else { c }).collect();
        let stem = joined.strip_suffix("'s").or_else(|| joined.strip_suffix("'S")).unwrap_or(&joined);
        raw = Cow::Owned(stem.replace(['\'', ','], ""));
    }
    let mut raw = &*raw;
    if raw.len() > LONGEST {
        raw = &raw[..raw.floor_char_boundary(LONGEST)];
    }
    let low = lower(raw);
    if !low.is_empty() {
        visit(&TextToken { raw, low: &low, opens, kind: TokenKind::Word });
    }
}

/// In lower case, composed, without forms for compatibility: `ﬁ` is `fi`.
pub fn lower(raw: &str) -> Cow<'_, str> {
    if raw.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit()) {
        Cow::Borrowed(raw)
    } else if raw.is_ascii() {
        Cow::Owned(raw.to_ascii_lowercase())
    } else {
        Cow::Owned(raw.to_lowercase().nfkc().collect())
    }
}

/// The pairs of the run of unspaced characters at `start`; returns its end.
fn unspaced(text: &str, start: usize, opens: bool, visit: &mut impl FnMut(&TextToken<'_>)) -> usize {
    let mut token = |range: std::ops::Range<usize>, kind| {
        visit(&TextToken { raw: &text[range.clone()], low: &text[range], opens, kind });
    };
    let (mut before, mut at, mut alone) = (start, start, true);
    while let Some(c) = text[at..].chars().next().filter(|&c| is_letter(c) && is_unspaced(c)) {
        let end = at + c.len_utf8();
        if at > start {
            token(before..end, TokenKind::Pair);
            alone = false;
        }
        (before, at) = (at, end);
    }
    token(before..at, if alone { TokenKind::Pair } else { TokenKind::Tail });
    at
}

/// The parts of a word in `camelCase`, each longer than one byte; none if it has one part only.
pub fn parts(raw: &str) -> impl Iterator<Item = &str> {
    let mut starts = Vec::new();
    if raw.len() > 3 && !raw.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit()) {
        let mut before = ' ';
        for (at, c) in raw.char_indices() {
            if c.is_uppercase() && before.is_lowercase() {
                starts.push(at);
            }
            before = c;
        }
    }
    let ends = starts.clone().into_iter().chain([raw.len()]);
    let begins = std::iter::once(0).chain(starts.clone());
    let several = !starts.is_empty();
    begins.zip(ends).filter(move |_| several).map(|(from, to)| &raw[from..to]).filter(|part| part.len() > 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lows(text: &str) -> Vec<String> {
        let mut lows = Vec::new();
        each(text, |token| lows.push(token.low.to_owned()));
        lows
    }

    #[test]
    fn words_are_runs_of_letters_and_digits() {
        assert_eq!(
            lows("Anna's `snake_case/path.md` don\u{2019}t"),
            ["anna", "snake", "case", "path", "md", "dont"]
        );
        assert_eq!(lows("1,000 or 3.14, v2.1.3. End"), ["1000", "or", "3.14", "v2.1.3", "end"]);
        assert_eq!(lows("Cafe\u{301} ÜBER"), ["café", "über"]);
        assert!(lows(" .,'\u{7}--").is_empty());
    }

    #[test]
    fn capitals_split_a_word_into_parts() {
        assert_eq!(
            parts("refreshTokenTTL").collect::<Vec<_>>(),
            ["refresh", "Token", "TTL"].map(|part| if part == "TTL" { "TTL" } else { part }).to_vec()
        );
        assert_eq!(parts("HTTP").count() + parts("plain").count() + parts("aB").count(), 0);
    }

    #[test]
    fn signs_that_tell_names_apart_stay() {
        assert_eq!(lows("C, C++11 or C#: F#."), ["c", "c++", "11", "or", "c#", "f#"]);
        assert_eq!(lows("(.NET) Notepad++"), [".net", "net", "notepad", "notepad++"]);
        assert_eq!(lows("fast 🚀👍🏽 done ✅"), ["fast", "🚀", "👍", "done", "✅"]);
        for plain in ["page.md#part", "a + b", "1++", "x+++y", "end. Next", "## A", "issue #12", "a.b"] {
            assert!(lows(plain).iter().all(|word| word.chars().all(char::is_alphanumeric)), "{plain}");
        }
    }

    #[test]
    fn a_sentence_opens_after_its_mark() {
        let mut opens = Vec::new();
        each("One two. Three\nFour", |token| opens.push(token.opens));
        assert_eq!(opens, [true, false, true, true]);
    }

    #[test]
    fn unspaced_scripts_are_pairs() {
        assert_eq!(lows("RA観測計画を"), ["ra", "観測", "測計", "計画", "画を", "を"]);
        assert_eq!(lows("茶"), ["茶"]);
        assert_eq!(lows("观测 计划").len(), 4);
    }

    #[test]
    fn width_makes_no_other_word() {
        assert_eq!(lows("ＡＰＩ ﾄﾞｱ ｶﾞ ﬁle"), ["api", "ドア", "ア", "ガ", "file"]);
        assert_eq!(lows("Node™ 3 ½"), ["node", "3", "½"].map(|low| if low == "½" { "1⁄2" } else { low }));
    }

    #[test]
    fn a_long_word_is_cut() {
        assert_eq!(lows(&"é".repeat(100))[0].len(), LONGEST);
    }
}
