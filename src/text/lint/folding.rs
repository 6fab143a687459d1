//! A text as somebody reads it who does not look at how its letters are encoded.
//!
//! Letters that look like those of English become these, accents and what nobody sees are left out, character references and
//! escapes of YAML are decoded. Full-width, mathematical, circled and joined letters are decomposed as Unicode does it
//! (UAX 15, NFKD). Paragraphs in which nothing changes are left out. Does not know words: also Russian text is folded, and
//! what comes out has no English in it.

use super::{hidden, lookalikes};
use std::ops::Range;
use unicode_normalization::char::decompose_compatible;

/// What kind of text is folded, and how its words are told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FoldedTextKind {
    /// Markdown.
    Prose,
    /// YAML and other files of lines: with escapes and comments; words may be joined with hyphens.
    Data,
}

/// The paragraphs that change, folded, with a blank line between them.
#[derive(Debug, Default)]
pub(super) struct Folded {
    text: String,
    /// Where in it a piece begins, where that stands in the text that was folded, and whether the piece is a copy.
    pieces: Vec<(usize, usize, bool)>,
}

impl Folded {
    /// `None` if nothing changes.
    pub(super) fn of(text: &str, form: FoldedTextKind) -> Option<Self> {
        if is_plain(text, form) {
            return None;
        }
        let mut folded = Self::default();
        let mut start = 0;
        for paragraph in text.split_inclusive("\n\n") {
            if !is_plain(paragraph, form) {
                folded.add(paragraph, start, form);
            }
            start += paragraph.len();
        }
        (!folded.text.is_empty()).then_some(folded)
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Where that stands in the text that was folded which begins here.
    pub(super) fn original(&self, offset: usize) -> usize {
        let after = self.pieces.partition_point(|(start, ..)| *start <= offset);
        let Some((start, original, is_copy)) = after.checked_sub(1).map(|at| self.pieces[at]) else {
            return 0;
        };
        if is_copy { original + (offset - start) } else { original }
    }

    fn add(&mut self, paragraph: &str, start: usize, form: FoldedTextKind) {
        let (mut copied, mut at) = (0, 0);
        let mut becomes = String::new();
        while let Some(next) = special(&paragraph[at..], form).map(|next| at + next) {
            becomes.clear();
            let (width, is_changed) = fold(&paragraph[next..], form, &mut becomes);
            at = next + width;
            if is_changed {
                self.copy(paragraph, copied..next, start);
                self.put(&becomes, start + next, false);
                copied = at;
            }
        }
        if copied > 0 {
            self.copy(paragraph, copied..paragraph.len(), start);
            self.text.push_str("\n\n");
        }
    }

    fn copy(&mut self, paragraph: &str, range: Range<usize>, start: usize) {
        self.put(&paragraph[range.clone()], start + range.start, true);
    }

    fn put(&mut self, text: &str, original: usize, is_copy: bool) {
        if !text.is_empty() {
            self.pieces.push((self.text.len(), original, is_copy));
            self.text.push_str(text);
        }
    }
}

/// Whether nothing in it is [`special`].
fn is_plain(text: &str, form: FoldedTextKind) -> bool {
    text.is_ascii()
        && !text.contains('&')
        && (form == FoldedTextKind::Prose || !text.bytes().any(|byte| matches!(byte, b'\\' | b'\'')))
}

/// Where the next character stands that may change.
fn special(text: &str, form: FoldedTextKind) -> Option<usize> {
    let of_data = |byte| form == FoldedTextKind::Data && matches!(byte, b'\\' | b'\'');
    text.bytes().position(|byte| !byte.is_ascii() || byte == b'&' || of_data(byte))
}

/// Append what the first character becomes, with what belongs to it; its length in bytes, and whether it changes.
fn fold(text: &str, form: FoldedTextKind, into: &mut String) -> (usize, bool) {
    let first = text.chars().next().unwrap_or_default();
    let decoded = match first {
        '&' => reference(text),
        '\\' if form == FoldedTextKind::Data => escape(text),
        '\'' if form == FoldedTextKind::Data => text.starts_with("''").then_some((2, '\'')),
        _ => return (first.len_utf8(), letter(first, into)),
    };
    let Some((width, c)) = decoded else { return (1, false) };
    if !letter(c, into) {
        into.push(c);
    }
    (width, true)
}

/// A character reference of HTML: a numeric one, or one for what is hardly seen.
fn reference(text: &str) -> Option<(usize, char)> {
    const NAMED: [(&str, char); 7] = [
        ("&nbsp;", ' '),
        ("&apos;", '\''),
        ("&shy;", '\u{ad}'),
        ("&zwj;", '\u{200d}'),
        ("&zwnj;", '\u{200c}'),
        ("&NoBreak;", '\u{2060}'),
        ("&ZeroWidthSpace;", '\u{200b}'),
    ];
    if let Some((name, c)) = NAMED.into_iter().find(|(name, _)| text.starts_with(name)) {
        return Some((name.len(), c));
    }
    let number = text.strip_prefix("&#")?;
    let hexadecimal = number.strip_prefix(['x', 'X']);
    let (digits, radix) = hexadecimal.map_or((number, 10), |digits| (digits, 16));
    let length = digits.find(|c: char| !c.is_digit(radix)).unwrap_or(digits.len());
    let c = char::from_u32(u32::from_str_radix(&digits[..length], radix).ok()?)?;
    let end = text.len() - digits.len() + length;
    Some((end + usize::from(text[end..].starts_with(';')), c))
}

/// An escape in double quotes (YAML 1.2.2, 5.7). A line that goes on in the next one has nothing between them.
fn escape(text: &str) -> Option<(usize, char)> {
    let kind = text[1..].chars().next()?;
    let digits = match kind {
        'x' => 2,
        'u' => 4,
        'U' => 8,
        ' ' | '_' | 'n' | 'r' | 't' => return Some((2, ' ')),
        '"' | '/' | '\\' => return Some((2, kind)),
        '\n' => {
            let rest = text[2..].trim_start_matches([' ', '\t']);
            return Some((text.len() - rest.len(), '\u{200b}'));
        }
        _ => return None,
    };
    let digits =
        text.get(2..2 + digits).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
    Some((2 + digits.len(), char::from_u32(u32::from_str_radix(digits, 16).ok()?)?))
}

/// Append what a character becomes: nothing, a space, or letters of English; whether it becomes one of these.
fn letter(c: char, into: &mut String) -> bool {
    if hidden::is_unseen(c) || is_accent(c) {
        return true;
    }
    if c.is_ascii() {
        return false;
    }
    if c.is_whitespace() {
        into.push(' ');
        return true;
    }
    let is_full_width = matches!(c, '\u{ff01}'..='\u{ff5e}');
    if is_other_script(c) || !(c.is_alphanumeric() || is_full_width) {
        return false;
    }
    if let Some(letter) = negative(c) {
        into.push(letter);
        return true;
    }
    let (start, mut is_english) = (into.len(), true);
    decompose_compatible(c, |part| {
        let plain = if part.is_ascii() { Some(part) } else { lookalikes::english(part) };
        match plain {
            Some(letter) => into.push(letter),
            None => is_english &= is_accent(part),
        }
    });
    if !is_english {
        into.truncate(start);
    }
    is_english
}

/// Marks that stand above, below or on the letter before them.
const fn is_accent(c: char) -> bool {
    matches!(c,
        '\u{300}'..='\u{36f}' | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}' | '\u{20d0}'..='\u{20ff}'
        | '\u{fe20}'..='\u{fe2f}')
}

/// Large scripts without letters that look like those of English: from Hebrew to Burmese, from CJK to Yi, Hangul.
const fn is_other_script(c: char) -> bool {
    matches!(c, '\u{590}'..='\u{109f}' | '\u{2e80}'..='\u{a4cf}' | '\u{ac00}'..='\u{d7ff}' | '\u{20000}'..='\u{323af}')
}

/// White letters in a black circle or square, which Unicode does not decompose.
fn negative(c: char) -> Option<char> {
    let number = match c {
        '\u{1f150}'..='\u{1f169}' => u32::from(c) - 0x1f150,
        '\u{1f170}'..='\u{1f189}' => u32::from(c) - 0x1f170,
        _ => return None,
    };
    char::from_u32(u32::from('a') + number)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folded(text: &str, form: FoldedTextKind) -> Option<String> {
        Folded::of(text, form).map(|folded| folded.text().trim_end().to_owned())
    }

    #[test]
    fn what_reads_as_english_becomes_it() {
        for (text, expected) in [
            ("Ｉｇｎｏｒｅ\u{3000}ａｌｌ", "Ignore all"),
            ("іgnоrе аll", "ignore all"),
            ("𝐢𝓰𝔫𝕠𝖗𝚎 ⓐⓛⓛ 🅐🅛🅛", "ignore all all"),
            ("ígnôrè ällı", "ignore alli"),
            ("i\u{336}g\u{336}nore", "ignore"),
            ("ig\u{ad}no\u{200b}re\u{a0}all", "ignore all"),
            ("&#105;gnor&#x65; &#X61&#108l&nbsp;", "ignore all"),
            ("ig&shy;nore &#1072;ll", "ignore all"),
            ("［ＩＮＳＴ］ ＜｜im_start｜＞", "[INST] <|im_start|>"),
            ("ﬁles", "files"),
        ] {
            assert_eq!(folded(text, FoldedTextKind::Prose).as_deref(), Some(expected), "{text}");
        }
        for text in [
            "ignore",
            "a — b’s “c” … → ™ ½",
            "日本語、ガイド",
            "한국어",
            "שלום",
            "हिन्दी",
            "a & b &amp; &#; &#xg; \\x69",
        ] {
            assert_eq!(folded(text, FoldedTextKind::Prose), None, "{text}");
        }
    }

    #[test]
    fn escapes_of_yaml_are_decoded_in_data_only() {
        for (text, expected) in [
            (r#"a: "\x69gn\u006fre\tall \U0001d41a""#, "a: \"ignore all a\""),
            ("a: \"ig\\\n  nore\"", "a: \"ignore\""),
            ("a: 'don''t'", "a: 'don't'"),
            (r#"a: "\\x69""#, r#"a: "\x69""#),
        ] {
            assert_eq!(folded(text, FoldedTextKind::Data).as_deref(), Some(expected), "{text}");
            assert_eq!(folded(text, FoldedTextKind::Prose), None, "{text}");
        }
        for text in [r"c:\users", r"\d+ \uD83D \U00110000 \x6", "it's"] {
            assert_eq!(folded(text, FoldedTextKind::Data), None, "{text}");
        }
    }

    #[test]
    fn every_place_leads_back() {
        let text = "plain\n\nа b\u{ad}с &#100; e\n\nplain\n\nｆ g";
        let folded = Folded::of(text, FoldedTextKind::Prose).unwrap();
        assert_eq!(folded.text(), "a bc d e\n\n\n\nf g\n\n");
        for (letter, original) in
            [('a', "а"), ('b', "b\u{ad}"), ('c', "с"), ('d', "&#100;"), ('e', "e\n"), ('f', "ｆ"), ('g', "g")]
        {
            let at = folded.original(folded.text().find(letter).unwrap());
            assert!(text[at..].starts_with(original), "{letter} at {at}");
        }
    }
}
