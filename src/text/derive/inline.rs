//! Convert any piece of an entry to one safe line of markdown.
//!
//! Text of entries is copied into other files, so none of it may become structure there: no heading, fence, list,
//! table, link, image, comment or HTML, and no control, bidirectional or invisible character. Code spans survive. Knows
//! nothing of sentences, nor of the meaning of a text.

use unicode_normalization::char::is_combining_mark;

use super::measures;
use crate::words::is_unspaced;
use std::borrow::Cow;

/// How far ahead to search for the end of a code span, a link or a comment; if it is not found, the opening is plain
/// text. Bounds the time on hostile input.
const WINDOW: usize = 400;

/// The text of `markdown` on one line: links and images reduced to their text, emphasis marks and comments removed,
/// other markup escaped. May begin with any character: see [`opening`].
pub(super) fn flat(markdown: &str) -> String {
    let mut line = InlineText { out: String::with_capacity(markdown.len() + 8) };
    line.push_markdown(markdown, 0);
    line.out.truncate(line.out.trim_end().len());
    line.out
}

/// The boxes of an open and of a done task, as they precede a [`flat`] text.
pub(super) const BOXES: [&str; 2] = ["[ ] ", "[x] "];

/// A [`flat`] text at the start of a line or list item: anything that would start a block is escaped, except a box.
pub(super) fn opening(flat: &str) -> String {
    if BOXES.iter().any(|mark| flat.starts_with(mark)) {
        return flat.to_owned();
    }
    let digits = flat.bytes().take_while(u8::is_ascii_digit).count();
    let after = &flat.as_bytes()[digits..];
    if (1..10).contains(&digits) && matches!(after, [b'.' | b')'] | [b'.' | b')', b' ', ..]) {
        return format!("{}\\{}", &flat[..digits], &flat[digits..]);
    }
    match flat.as_bytes() {
        [b'#' | b'>' | b'=' | b'~' | b'[' | b':', ..]
        | [b'-' | b'+' | b'*' | b'_']
        | [b'-' | b'+' | b'*' | b'_', b' ', ..]
        | [b'-', b'-', ..] => format!("\\{flat}"),
        [b'*' | b'_', ..] if flat.bytes().all(|byte| matches!(byte, b'*' | b'_' | b' ')) => {
            format!("\\{flat}")
        }
        _ => flat.to_owned(),
    }
}

/// `text` as a code span, with a fence of backticks longer than any in it.
pub(super) fn code(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let pad = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    let inner = visible(text);
    [fence.as_str(), pad, &inner, pad, &fence].concat()
}

/// A link to a file of the tree beside or below this one.
pub(super) fn link(label: &str, path: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '/' | '.' | '_' | '-');
    let label = label.replace('[', "(").replace(']', ")");
    let [open, close] = if path.chars().all(plain) { ["](", ")"] } else { ["](<", ">)"] };
    ["[", &label, open, path, close].concat()
}

/// At most `limit` characters of a [`flat`] text, cut between words and never inside a code span or a measurement; the
/// cut is marked.
pub(super) fn cut(flat: &str, limit: usize) -> String {
    let Some(room) = room_of(flat, limit) else { return flat.to_owned() };
    let bytes = flat.as_bytes();
    let is_best = |at: &usize| bytes[*at] == b' ' && !measures::is_split(&flat[..*at], &flat[*at + 1..]);
    let is_any = |at: &usize| bytes[*at] >= 0x80 && is_between_unspaced(flat, *at);
    // the last place of each kind: most texts have it near the limit
    let (best, any) = match flat[..room].contains('`') {
        false => ((0..room).rev().find(is_best), (0..room).rev().find(is_any)),
        true => {
            let outside = outside_code(bytes, room);
            (outside.iter().copied().rfind(is_best), outside.iter().copied().rfind(is_any))
        }
    };
    let (best, any) = (best.unwrap_or(0), any.unwrap_or(0));
    // scripts without spaces are cut anywhere, unless a word ends nearby
    let end = if any > best + 24 {
        any
    } else if best > 0 {
        best
    } else {
        any
    };
    let kept = flat[..end].trim_end_matches(|c: char| c.is_whitespace() || ",;:—–-([\\、，".contains(c));
    if kept.is_empty() { String::new() } else { [kept, "…"].concat() }
}

/// The bytes of all characters but the last that fit into the limit; `None` if all fit.
fn room_of(flat: &str, limit: usize) -> Option<usize> {
    if flat.len() <= limit {
        return None;
    }
    if flat.is_ascii() {
        return Some(limit.saturating_sub(1));
    }
    let mut starts = flat.char_indices().map(|(at, _)| at).skip(limit.saturating_sub(1));
    let room = starts.next();
    if limit == 0 { room } else { starts.next().and(room) }
}

/// The places before `end` that are in no code span.
fn outside_code(bytes: &[u8], end: usize) -> Vec<usize> {
    let (mut open, mut at, mut outside) = (0, 0, Vec::new());
    while at < end {
        let width = run(bytes, at, b'`');
        if width > 0 && (at == 0 || bytes[at - 1] != b'\\') {
            open = if open == 0 {
                width
            } else if open == width {
                0
            } else {
                open
            };
            at += width;
            continue;
        }
        if open == 0 {
            outside.push(at);
        }
        at += 1;
    }
    outside
}

/// Whether a text may be cut before the character at `at`: between two characters of a script without spaces, or after
/// its punctuation. A digit before it may still need its unit.
fn is_between_unspaced(flat: &str, at: usize) -> bool {
    let (Some(before), Some(after)) = (flat.get(..at), flat.get(at..)) else { return false };
    let before = before.chars().next_back();
    let splits = |c: char| is_unspaced(c) && !is_combining_mark(c);
    after.starts_with(splits)
        && before.is_some_and(|c| {
            is_unspaced(c) || c.is_ascii_alphabetic() || "、。，！？」』）・：；".contains(c)
        })
}

/// Invisible characters: controls, bidirectional marks, zero-width characters except the joiners that scripts and emoji
/// need, tags, and the byte order mark.
pub(super) const fn is_hidden(c: char) -> bool {
    matches!(c,
        '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}'
        | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// `text` without hidden characters and escape sequences.
fn visible(text: &str) -> Cow<'_, str> {
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return Cow::Borrowed(text);
    }
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let length = escape_sequence(rest);
        if length == 0 && !is_hidden(c) {
            kept.push(c);
        }
        rest = &rest[length.max(c.len_utf8())..];
    }
    Cow::Owned(kept)
}

/// The single-character form of `ESC [`.
const CONTROL_SEQUENCE: char = '\u{9b}';

/// The length in bytes of the escape sequence at the beginning of `text`; 0 if there is none.
///
/// Source: ECMA-48, 5.4 (control sequences: parameters, intermediates, one final byte), 5.6 (control strings, which end
/// with `ESC \`, or with BEL as terminals allow). A sequence without an end is its introducer alone, so that nothing
/// after it is lost.
fn escape_sequence(text: &str) -> usize {
    let bytes = text.as_bytes();
    let start = match bytes {
        [0x1b, b'[', ..] => 2,
        _ if text.starts_with(CONTROL_SEQUENCE) => CONTROL_SEQUENCE.len_utf8(),
        [0x1b, b']' | b'P' | b'X' | b'^' | b'_', ..] => {
            let end = (2..bytes.len().min(WINDOW))
                .find(|at| bytes[*at] == 7 || bytes[*at] == 0x1b && bytes.get(at + 1) == Some(&b'\\'));
            return end.map_or(2, |at| at + if bytes[at] == 7 { 1 } else { 2 });
        }
        [0x1b, b' '..=b'/', 0x30..=0x7e, ..] => return 3,
        [0x1b, 0x30..=0x7e, ..] => return 2,
        [0x1b, ..] => return 1,
        _ => return 0,
    };
    let inner = bytes[start..].iter().take(WINDOW).take_while(|byte| matches!(byte, b' '..=b'?')).count();
    match bytes.get(start + inner) {
        Some(b'@'..=b'~') => start + inner + 1,
        _ => start,
    }
}

struct InlineText {
    out: String,
}

impl InlineText {
    fn push_markdown(&mut self, text: &str, depth: usize) {
        let bytes = text.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            let plain = bytes[at..].iter().position(|byte| is_special(*byte)).unwrap_or(bytes.len() - at);
            if plain > 0 {
                self.out.push_str(&text[at..at + plain]);
                at += plain;
                continue;
            }
            at += match bytes[at] {
                b' ' | b'\t' | b'\n' | b'\r' => self.space(),
                b'`' => self.code_span(text, at),
                b'*' => self.stars(bytes, at),
                b'!' if bytes.get(at + 1) == Some(&b'[') => 1,
                b'[' => self.bracket(text, at, depth),
                b'<' => self.angle(text, at),
                b'\\' => self.escaped(text, at),
                b'|' => self.push("\\|", 1),
                0x1b => escape_sequence(&text[at..]),
                b'!' | b']' => self.single(bytes[at]),
                0x80.. => self.wide(text, at),
                _ => 1,
            };
        }
    }

    fn push(&mut self, text: &str, consumed: usize) -> usize {
        self.out.push_str(text);
        consumed
    }

    /// `](` and `][` would make a link of leftover brackets.
    fn single(&mut self, byte: u8) -> usize {
        self.out.push(char::from(byte));
        1
    }

    fn space(&mut self) -> usize {
        if !self.out.is_empty() && !self.out.ends_with(' ') {
            self.out.push(' ');
        }
        1
    }

    fn wide(&mut self, text: &str, at: usize) -> usize {
        let Some(c) = text[at..].chars().next() else { return 1 };
        if c == CONTROL_SEQUENCE {
            return escape_sequence(&text[at..]);
        }
        if c.is_whitespace() {
            self.space();
        } else if !is_hidden(c) {
            self.out.push(c);
        }
        c.len_utf8()
    }

    fn code_span(&mut self, text: &str, at: usize) -> usize {
        let bytes = text.as_bytes();
        let width = run(bytes, at, b'`');
        let start = at + width;
        let end = (bytes.len()).min(start + WINDOW);
        let mut close = start;
        while close < end {
            let here = run(bytes, close, b'`');
            if here == width {
                let inner: Vec<&str> = text[start..close].split_whitespace().collect();
                let inner = inner.join(" ");
                let inner = visible(&inner);
                if !inner.is_empty() {
                    self.out.push_str(&code(&inner));
                }
                return close + width - at;
            }
            close += here.max(1);
        }
        for _ in 0..width {
            self.out.push_str("\\`");
        }
        width
    }

    /// Remove emphasis; keep a single star that touches no word, as in a product, or that begins a glob.
    fn stars(&mut self, bytes: &[u8], at: usize) -> usize {
        let width = run(bytes, at, b'*');
        let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte >= 0x80;
        let before = at.checked_sub(1).map(|at| bytes[at]).filter(|byte| !byte.is_ascii_whitespace());
        let after = bytes.get(at + 1).copied().filter(|byte| !byte.is_ascii_whitespace());
        let opens = before.is_none_or(|byte| !is_word(byte))
            && after.is_some_and(|byte| !matches!(byte, b'.' | b'/'));
        let closes = before.is_some() && after.is_none_or(|byte| !is_word(byte));
        if width == 1 && !opens && !closes {
            self.out.push_str("\\*");
        }
        width
    }

    fn bracket(&mut self, text: &str, at: usize, depth: usize) -> usize {
        let bytes = text.as_bytes();
        let Some(close) = matching(bytes, at, b'[', b']').filter(|_| depth < 3) else {
            return self.push("\\[", 1);
        };
        let inner = &text[at + 1..close];
        let target = match bytes.get(close + 1) {
            Some(b'(') => matching(bytes, close + 1, b'(', b')'),
            Some(b'[') => matching(bytes, close + 1, b'[', b']'),
            _ => None,
        };
        if let Some(end) = target {
            self.push_markdown(inner, depth + 1);
            return end + 1 - at;
        }
        if let Some(wiki) = inner.strip_prefix('[').and_then(|inner| inner.strip_suffix(']')) {
            let words = wiki.rsplit('|').next().unwrap_or(wiki);
            self.push_markdown(words, depth + 1);
            return close + 1 - at;
        }
        self.out.push_str("\\[");
        self.push_markdown(inner, depth + 1);
        self.out.push_str("\\]");
        close + 1 - at
    }

    fn angle(&mut self, text: &str, at: usize) -> usize {
        let rest = &text[at..];
        if rest.starts_with("<!--") {
            return rest.find("-->").map_or(rest.len(), |end| end + 3);
        }
        let end = rest.bytes().take(WINDOW).position(|byte| byte == b'>');
        if let Some(end) = end {
            let inner = &rest[1..end];
            if inner.contains("://") && !inner.contains(char::is_whitespace) {
                self.push_markdown(inner, 3);
                return end + 1;
            }
            if inner.trim_end_matches(['/', ' ']).eq_ignore_ascii_case("br") {
                self.space();
                return end + 1;
            }
        }
        // even if the text in between is removed: `<*!x` is `<!x` once the star is gone
        let harmless = matches!(rest.as_bytes().get(1), None | Some(b' ' | b'=' | b'-' | b'0'..=b'9'));
        self.push(if harmless { "<" } else { "\\<" }, 1)
    }

    fn escaped(&mut self, text: &str, at: usize) -> usize {
        match text[at + 1..].chars().next() {
            Some(c) if c.is_ascii_punctuation() => {
                self.out.push('\\');
                self.out.push(c);
                2
            }
            Some(c) if c.is_whitespace() => 1,
            _ => self.push("\\\\", 1),
        }
    }
}

const fn is_special(byte: u8) -> bool {
    const SPECIAL: [bool; 256] = {
        let mut special = [false; 256];
        let mut byte = 0;
        while byte < 256 {
            special[byte] = matches!(byte as u8, 0..=b' ' | b'`' | b'*' | b'!' | b'[' | b']' | b'<' | b'\\' | b'|' | 0x7f..);
            byte += 1;
        }
        special
    };
    SPECIAL[byte as usize]
}

/// The length of the run of `byte` at `at`.
fn run(bytes: &[u8], at: usize, byte: u8) -> usize {
    bytes[at..].iter().take_while(|found| **found == byte).count()
}

/// The bracket that closes the one at `at`, within the window.
fn matching(bytes: &[u8], at: usize, open: u8, close: u8) -> Option<usize> {
    let (mut depth, mut skip) = (0_usize, false);
    for (offset, byte) in bytes[at..].iter().take(WINDOW).enumerate() {
        if skip {
            skip = false;
        } else if *byte == b'\\' {
            skip = true;
        } else if *byte == open {
            depth += 1;
        } else if *byte == close {
            depth -= 1;
            if depth == 0 {
                return Some(at + offset);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use pulldown_cmark::{Event, Options, Parser, Tag};

    #[test]
    fn markup_becomes_words() {
        for (markdown, line) in [
            ("a  b\n c\t d ", "a b c d"),
            ("**bold** and *soft* and `code  x`", "bold and soft and `code x`"),
            ("see [the *map*](a/b.md \"t\") and ![pic](http://evil/x.png)", "see the map and pic"),
            ("[[auth/jwt|tokens]] and [[x]]", "tokens and x"),
            ("[a][b] [convention]", "a \\[convention\\]"),
            ("a <!-- hidden --> b<br/>c <https://x.y/z>", "a b c https://x.y/z"),
            ("Vec<String> < 5 <script>", "Vec\\<String> < 5 \\<script>"),
            ("cost | value", "cost \\| value"),
            ("glob *.md and 2 * 3", "glob \\*.md and 2 \\* 3"),
            ("one ` tick", "one \\` tick"),
            ("``a`b``", "``a`b``"),
            ("re\u{202e}versed\u{200b}\u{7}", "reversed"),
            ("emoji 👩\u{200d}🚀", "emoji 👩\u{200d}🚀"),
            ("観測　計画", "観測 計画"),
        ] {
            assert_eq!(flat(markdown), line, "{markdown}");
        }
    }

    #[test]
    fn a_cut_falls_between_words_and_not_in_code() {
        assert_eq!(cut("short", 10), "short");
        assert_eq!(cut("one two three", 9), "one two…");
        assert_eq!(cut("say `one two` three", 12), "say…");
        assert_eq!(cut("望遠鏡の観測計画", 5), "望遠鏡…");
        assert_eq!(cut("unbreakable", 5), "");
    }

    /// The blocks that the line would become as a paragraph and as a list item.
    fn structures(line: &str) -> Vec<String> {
        let page = format!("before\n\n{line}\n\n- {line}\n  - {line}\n\nx | y\n{line}\n\nafter\n");
        let mut found = Vec::new();
        for event in Parser::new_ext(&page, Options::all() - Options::ENABLE_MATH) {
            match event {
                Event::Start(Tag::Paragraph | Tag::List(None) | Tag::Item | Tag::Emphasis | Tag::Strong)
                | Event::Start(Tag::Strikethrough | Tag::Superscript | Tag::Subscript) => {}
                Event::Start(tag) => found.push(format!("{tag:?}")),
                Event::Html(html) | Event::InlineHtml(html) => found.push(html.to_string()),
                Event::Rule => found.push("rule".into()),
                _ => {}
            }
        }
        found
    }

    #[test]
    fn hostile_lines_make_no_structure() {
        for markdown in [
            "---",
            "--- x",
            "# h",
            "###### h",
            "> q",
            "- item",
            "+ item",
            "* item",
            "1. item",
            "12) item",
            "```sh",
            "~~~",
            "~~~ x",
            "<div>",
            "<!-- c",
            "<?php",
            "[x]: http://evil",
            "[^1]: note",
            "| a | b |",
            "---|---",
            ":--",
            "===",
            "[x](http://evil)",
            "![x](http://evil)",
            "\\[x](http://evil)",
            "[a[b](c)",
            "]( x",
            "* * *",
            "_ _ _",
            "___",
            "\\",
            "[a`](b)`c",
            "<http://evil>",
            "</script>",
            "[x] (y)",
            "`[`](evil)",
            ": term",
            "[[wiki]]",
            "<a href='x'>",
            "<*!a",
            "<**script>",
            "<\u{200b}!a",
        ] {
            let line = opening(&flat(markdown));
            assert_eq!(structures(&line), Vec::<String>::new(), "{markdown:?} as {line:?}");
        }
    }

    #[test]
    fn escape_sequences_go_as_a_whole() {
        for (text, line) in [
            ("\u{1b}[31mred\u{1b}[0m", "red"),
            ("\u{9b}1;31mred and `\u{1b}[1mbold\u{1b}[m`", "red and `bold`"),
            ("a\u{1b}]0;title\u{7}b\u{1b}]8;;http://evil\u{1b}\\c", "abc"),
            ("\u{1b}(Bplain\u{1b}7 text\u{1b}", "plain text"),
            ("\u{1b}[12 é stays\u{1b}] so does this", "12 é stays so does this"),
        ] {
            assert_eq!(flat(text), line, "{text:?}");
        }
    }

    proptest! {
        #![proptest_config(crate::cases::held_to(256))]

        #[test]
        fn no_text_makes_structure(text in "[-#>+*=~_|\\[\\]()<!`\\\\:.0-9a \n{}^$&;x/\"'é観\u{202e}\u{1b}\u{9b}]{0,40}") {
            let line = opening(&flat(&text));
            prop_assert_eq!(structures(&line), Vec::<String>::new(), "{:?}", line);
            prop_assert!(!line.chars().any(is_hidden), "hidden");
        }

        #[test]
        fn no_cut_makes_structure(text in "[-#*`\\[\\]()<!|\\\\a é観]{0,60}", limit in 0_usize..40) {
            let line = opening(&cut(&flat(&text), limit));
            prop_assert_eq!(structures(&line), Vec::<String>::new(), "{:?}", line);
            prop_assert!(line.chars().count() <= limit + 1);
        }
    }
}
