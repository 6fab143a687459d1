//! Writer for markdown text, which escapes untrusted text.
//!
//! brv's own markdown is written with [`Paper::own`], which takes only text of this program; untrusted text with
//! [`Paper::value`], [`Paper::code`] and [`Paper::fence`]. A value stays on its line, is neither markup nor a link, and
//! mentions nobody: a host looks for `@name`, `#12`, addresses and `:names:` even after a backslash, but not in code.
//! So words that look like one of these become code, and only the rest is escaped by backslashes.

use brv_base::escape::{entities, escape, escape_line};
use std::borrow::Cow;
use std::fmt::Write as _;

/// A page, or a part of it.
#[derive(Debug, Default)]
pub(in crate::say) struct Paper(String);

impl Paper {
    pub(in crate::say) fn own(&mut self, markdown: &'static str) -> &mut Self {
        self.0.push_str(markdown);
        self
    }

    pub(in crate::say) fn number(&mut self, number: usize) -> &mut Self {
        write!(self.0, "{number}").expect("memory takes all text");
        self
    }

    /// Write untrusted text on one line; white space becomes a single space.
    pub(in crate::say) fn value(&mut self, text: impl AsRef<[u8]>) -> &mut Self {
        let shown = inline(text.as_ref());
        self.0.push_str(&shown);
        self
    }

    /// Write untrusted text as code, on one line.
    pub(in crate::say) fn code(&mut self, text: impl AsRef<[u8]>) -> &mut Self {
        code(&mut self.0, &escape_line(text.as_ref()));
        self
    }

    /// Write untrusted text between marks, `~~gone~~` or `**new**`, or between tags where marks would not be parsed.
    pub(super) fn marked(&mut self, text: &[u8], mark: ChangeMark) -> &mut Self {
        let core = text.trim_ascii();
        let shown = inline(core);
        let is_word = |char: Option<char>| char.is_some_and(char::is_alphanumeric);
        let by_signs = is_word(shown.chars().next()) && is_word(shown.chars().next_back());
        let (open, close) = match (mark, by_signs) {
            (ChangeMark::Gone, true) => ("~~", "~~"),
            (ChangeMark::New, true) => ("**", "**"),
            (ChangeMark::Gone, false) => ("<del>", "</del>"),
            (ChangeMark::New, false) => ("<ins>", "</ins>"),
        };
        let edge = |is_there: bool| if is_there { " " } else { "" };
        let before = edge(!core.is_empty() && text.first().is_some_and(u8::is_ascii_whitespace));
        let after = edge(!core.is_empty() && text.last().is_some_and(u8::is_ascii_whitespace));
        let shown = if core.is_empty() { " " } else { &shown };
        for part in [before, open, shown, close, after] {
            self.0.push_str(part);
        }
        self
    }

    /// Write untrusted lines as a block of code, each after its sign, indented by `indent` spaces.
    pub(super) fn fence<'a>(
        &mut self,
        indent: usize,
        lines: impl IntoIterator<Item = (char, Cow<'a, [u8]>)>,
    ) -> &mut Self {
        let lines: Vec<String> = lines
            .into_iter()
            .map(|(sign, line)| {
                format!("{sign} {}", escape(&line).replace('\n', "\\n")).trim_end().to_owned()
            })
            .collect();
        let longest = lines.iter().map(|line| longest_run(line)).max().unwrap_or_default();
        let fence = "`".repeat((longest + 1).max(3));
        let margin = " ".repeat(indent);
        writeln!(self.0, "{margin}{fence}diff").expect("memory takes all text");
        for line in &lines {
            writeln!(self.0, "{margin}{line}").expect("memory takes all text");
        }
        writeln!(self.0, "{margin}{fence}").expect("memory takes all text");
        self
    }

    /// Write untrusted text inside an HTML element, where markdown is not parsed but names are still looked for; on one
    /// line, as white space becomes a single space.
    pub(in crate::say) fn html_value(&mut self, text: impl AsRef<[u8]>) -> &mut Self {
        let words = text.as_ref().split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        for (number, word) in words.enumerate() {
            self.0.push_str(if number > 0 { " " } else { "" });
            match escape(word) {
                Cow::Borrowed(word) if !is_telling(word) => entities(&mut self.0, word),
                word => self.html_code_of(&word),
            }
        }
        self
    }

    /// Write untrusted text as code inside an HTML element, on one line.
    pub(in crate::say) fn html_code(&mut self, text: impl AsRef<[u8]>) -> &mut Self {
        self.html_code_of(&escape_line(text.as_ref()));
        self
    }

    fn html_code_of(&mut self, text: &str) {
        self.0.push_str("<code>");
        entities(&mut self.0, text);
        self.0.push_str("</code>");
    }

    pub(in crate::say) fn finish(self) -> String {
        self.0
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ChangeMark {
    Gone,
    New,
}

/// Put text on one line, keeping white space at its ends as one space.
fn inline(text: &[u8]) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    let words = text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    if text.first().is_some_and(u8::is_ascii_whitespace) {
        out.push(' ');
    }
    for (number, word) in words.enumerate() {
        if number > 0 {
            out.push(' ');
        }
        match escape(word) {
            Cow::Borrowed(word) if !is_telling(word) => plain(&mut out, word, number == 0),
            word => code(&mut out, &word),
        }
    }
    let is_blank = text.trim_ascii().is_empty();
    if !is_blank && text.last().is_some_and(u8::is_ascii_whitespace) {
        out.push(' ');
    }
    out
}

/// Escape a word: backslashes before characters that would be markup.
fn plain(out: &mut String, word: &str, is_first: bool) {
    let chars: Vec<char> = word.chars().collect();
    let is_word =
        |at: Option<usize>| at.and_then(|at| chars.get(at)).is_some_and(|char| char.is_alphanumeric());
    let digits = chars.iter().take_while(|char| char.is_ascii_digit()).count();
    for (at, char) in chars.iter().enumerate() {
        let is_markup = match char {
            '\\' | '`' | '*' | '[' | ']' | '<' | '>' | '&' | '|' | '~' | '^' => true,
            '_' => !(is_word(at.checked_sub(1)) && is_word(Some(at + 1))),
            // at the start of a line they would begin a list, a heading or a rule
            '-' | '+' | '=' | '#' => is_first && at == 0,
            '.' | ')' => is_first && at == digits && digits > 0,
            _ => false,
        };
        if is_markup {
            out.push('\\');
        }
        out.push(*char);
    }
}

/// Write a code span, delimited by more backticks than it contains.
fn code(out: &mut String, text: &str) {
    let fence = "`".repeat(longest_run(text) + 1);
    let needs_room = text.is_empty() || text.starts_with(['`', ' ']) || text.ends_with(['`', ' ']);
    let room = if needs_room { " " } else { "" };
    for part in [&fence, room, text, room, &fence] {
        out.push_str(part);
    }
}

fn longest_run(text: &str) -> usize {
    let (mut longest, mut run) = (0, 0);
    for byte in text.bytes() {
        run = if byte == b'`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}

/// Whether a git host would turn the word into more than text: a mention, an issue, a commit, a link, an emoji, a
/// formula, or markup of its own.
fn is_telling(word: &str) -> bool {
    let lower = word.to_ascii_lowercase();
    word.contains(['@', '#', '$'])
        || ["://", "www.", "{+", "{-", "[+", "[-", "mailto:", "xmpp:"].iter().any(|part| lower.contains(part))
        || has_reference(word.as_bytes())
        || has_emoji(word)
        || lower.split(|char: char| !char.is_ascii_alphanumeric()).any(is_commit)
        || lower
            .match_indices("gh-")
            .any(|(at, _)| lower[at + 3..].starts_with(|char: char| char.is_ascii_digit()))
}

/// Whether the word has `!12`, `&12`, `%name`, `~name` or `^name` after a character that is not a letter.
fn has_reference(word: &[u8]) -> bool {
    word.iter().enumerate().any(|(at, sign)| {
        let starts = at == 0 || !word[at - 1].is_ascii_alphanumeric();
        let next = word.get(at + 1).copied().unwrap_or_default();
        match sign {
            b'!' | b'&' => next.is_ascii_digit(),
            b'%' | b'~' | b'^' => starts && (next.is_ascii_alphanumeric() || next == b'"'),
            _ => false,
        }
    })
}

/// Whether the word has a `:name:`.
fn has_emoji(word: &str) -> bool {
    let is_name = |char: char| char.is_ascii_alphanumeric() || matches!(char, '_' | '+' | '-');
    word.split(':')
        .skip(1)
        .collect::<Vec<_>>()
        .split_last()
        .is_some_and(|(_, between)| between.iter().any(|name| !name.is_empty() && name.chars().all(is_name)))
}

/// Whether the word looks like a commit id: seven or more hex digits, at least one of them decimal.
fn is_commit(word: &str) -> bool {
    (7..=64).contains(&word.len())
        && word.bytes().all(|byte| byte.is_ascii_hexdigit())
        && word.bytes().any(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

    fn value(text: &str) -> String {
        inline(text.as_bytes())
    }

    #[test]
    fn what_a_host_would_link_or_call_is_code() {
        for text in [
            "@octocat",
            "a@b.example",
            "#12",
            "owner/repo#12",
            "GH-7",
            "https://x.example/a",
            "HTTP://x",
            "www.x.example",
            "1a2b3c4",
            "(1a2b3c4d)",
            ":smile:",
            "$x$",
            "!12",
            "~bug",
            "%v1",
            "{+a+}",
            "mailto:x",
            "a\u{202e}b",
            "\u{1b}[31m",
        ] {
            let shown = value(text);
            assert!(shown.starts_with('`') && shown.ends_with('`'), "{text:?}: {shown}");
        }
        assert_eq!(value("a\u{202e}b"), "`a\\u{202e}b`");
    }

    #[test]
    fn ordinary_words_stay_readable() {
        for text in [
            "tokens live 12 hours",
            "snake_case and 10:30",
            "50% (half)",
            "don't",
            "令牌 v1.2",
            "R\u{e9}sum\u{e9}!",
        ] {
            assert_eq!(value(text), text);
        }
    }

    #[test]
    fn markup_is_shown_and_not_done() {
        assert_eq!(value("**a** <b> [x](y) _z_ a|b"), "\\*\\*a\\*\\* \\<b\\> \\[x\\](y) \\_z\\_ a\\|b");
        assert_eq!([value("- a"), value("1. a"), value("# a")], ["\\- a", "1\\. a", "`#` a"]);
        // two of them would raise what is between them
        assert_eq!([value("^{^"), value("10^2^")], ["\\^{\\^", "10\\^2\\^"]);
        assert_eq!(value("a\n  b\n"), "a b ");
    }

    #[test]
    fn marks_become_tags_where_they_would_not_be_read() {
        let marked = |text: &str, mark| {
            let mut paper = Paper::default();
            paper.marked(text.as_bytes(), mark);
            paper.finish()
        };
        assert_eq!(marked("24", ChangeMark::Gone), "~~24~~");
        assert_eq!(marked(" new words ", ChangeMark::New), " **new words** ");
        assert_eq!(marked("(a)", ChangeMark::New), "<ins>(a)</ins>");
        assert_eq!(marked("  ", ChangeMark::Gone), "<del> </del>");
    }

    #[test]
    fn inside_an_element_nothing_is_markup_and_nobody_is_called() {
        let mut paper = Paper::default();
        paper.own("<b>").html_value(" a <i> *b*\n& @ada ").own("</b> ").html_code("</code>`#1`");
        assert_eq!(
            paper.finish(),
            "<b>a &lt;i&gt; *b* &amp; <code>@ada</code></b> <code>&lt;/code&gt;`#1`</code>"
        );
    }

    /// All extensions, but for quotes that become others.
    fn options() -> Options {
        Options::all() - Options::ENABLE_SMART_PUNCTUATION
    }

    /// The text that a reader sees, and whether it is nothing but text.
    fn read(markdown: &str) -> (String, bool) {
        let (mut text, mut is_text) = (String::new(), true);
        for event in Parser::new_ext(markdown, options()) {
            match event {
                Event::Text(part) | Event::Code(part) => text.push_str(&part),
                Event::SoftBreak => text.push('\n'),
                Event::Start(Tag::Paragraph) | Event::End(TagEnd::Paragraph) => {}
                _ => is_text = false,
            }
        }
        (text, is_text)
    }

    proptest! {
        #![proptest_config(crate::cases::held_to(256))]

        #[test]
        fn a_value_is_read_as_its_text_and_nothing_else(text in "[-a_*`<>&#@!|~\\[\\]()\\\\.:\\$1+= \n\"'^/é{}]{1,30}") {
            let markdown = value(&text);
            let words: Vec<&str> = text.split_ascii_whitespace().collect();
            let (shown, is_text) = read(&markdown);
            prop_assert!(is_text, "{markdown}");
            prop_assert_eq!(shown.split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>(), words, "{}", markdown);
        }

        #[test]
        fn nothing_that_calls_stays_outside_of_code(text in "[a@#:1w./h \n]{1,30}") {
            for event in Parser::new_ext(&value(&text), options()) {
                if let Event::Text(part) = event {
                    prop_assert!(!part.contains(['@', '#']) && !part.contains("://") && !part.contains("www."), "{}", part);
                }
            }
        }

        #[test]
        fn a_fence_holds_what_is_put_into_it(lines in prop::collection::vec("[`~a \t]{0,8}", 0..5)) {
            let mut paper = Paper::default();
            paper.fence(0, lines.iter().map(|line| ('+', Cow::from(line.as_bytes()))));
            let markdown = format!("{}after\n", paper.finish());
            let inside: String = Parser::new(&markdown).filter_map(|event| match event {
                Event::Text(text) => Some(text.into_string()),
                _ => None,
            }).collect();
            prop_assert!(inside.ends_with("after"));
            prop_assert_eq!(inside.lines().count(), lines.len() + 1);
        }
    }
}
