//! The normal form of a block: two blocks with the same normal form render the same.
//!
//! It leaves out wrapping, list markers and numbers, emphasis marks, heading styles, fence marks and padding; it keeps
//! words, code, links and the nesting of lists. Knows one body only.

use crate::doc;
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

/// Escapes a control character of the text itself, so that it is not taken for a mark.
const LITERAL: char = '\u{1f}';

/// The marks of structure in a normal form, all different.
mod mark {
    pub const PARAGRAPH: char = '\u{1}';
    pub const ITEM: char = '\u{2}';
    pub const LIST: char = '\u{3}';
    pub const LIST_END: char = '\u{4}';
    pub const QUOTE: char = '\u{5}';
    pub const QUOTE_END: char = '\u{6}';
    pub const CODE: char = '\u{7}';
    pub const CODE_END: char = '\u{8}';
    pub const ROW: char = '\u{e}';
    pub const CELL: char = '\u{f}';
    pub const EMPHASIS: char = '\u{10}';
    pub const EMPHASIS_END: char = '\u{11}';
    pub const STRONG: char = '\u{12}';
    pub const STRONG_END: char = '\u{13}';
    pub const LINK: char = '\u{14}';
    pub const TARGET: char = '\u{15}';
    pub const LINK_END: char = '\u{16}';
    pub const SPAN: char = '\u{17}';
    pub const RULE: char = '\u{18}';
    pub const IMAGE: char = '\u{19}';
    pub const HEADING: char = '\u{1a}';
}

/// The normal form of each of `blocks`, neighbours in `body`. They are read as if they were all of it.
pub(crate) fn forms(body: &str, blocks: &[doc::Block]) -> Vec<String> {
    let (Some(first), Some(last)) = (blocks.first(), blocks.last()) else { return Vec::new() };
    let (from, text) = (first.span.start, &body[first.span.start..last.span.end]);
    let form = |block: &doc::Block| String::with_capacity(block.content.len());
    let mut writer = Writer { forms: blocks.iter().map(form).collect(), at: 0, depth: 0, code: 0 };
    for (event, range) in Parser::new_ext(text, Options::ENABLE_TABLES).into_offset_iter() {
        // a cell that a row lacks is told at the end of the row, where the next block may begin
        if writer.depth == 0 && !matches!(event, Event::End(_)) {
            while writer.at + 1 < blocks.len() && blocks[writer.at].span.end <= from + range.start {
                writer.at += 1;
            }
        }
        writer.event(event);
    }
    let mut forms = writer.forms;
    for (form, block) in forms.iter_mut().zip(blocks) {
        form.truncate(form.trim_end_matches([' ', '\n']).len());
        if form.is_empty() {
            // nothing that renders, such as a link definition
            *form = body[block.content.clone()].split_whitespace().collect::<Vec<_>>().join(" ");
        }
    }
    forms
}

/// The words of a normal form: its text without the marks.
pub(super) fn words(form: &str) -> impl Iterator<Item = &str> {
    form.split(|char: char| char.is_control() || char.is_whitespace()).filter(|word| !word.is_empty())
}

/// The normal form of an item without its nested lists.
pub(super) fn head(form: &str) -> &str {
    form.split(mark::LIST).next().unwrap_or(form)
}

/// Whether a normal form is one run of prose, in which line breaks do not matter.
pub(super) fn is_plain(form: &str) -> bool {
    let is_structure =
        |char: char| matches!(char, mark::PARAGRAPH | mark::LIST..=mark::CELL | mark::RULE) || char == '\n';
    !form.contains(is_structure)
}

struct Writer {
    forms: Vec<String>,
    /// The block being written.
    at: usize,
    /// The number of open elements; top-level lists do not count, as their items are blocks.
    depth: usize,
    code: usize,
}

impl Writer {
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(Tag::List(_)) if self.depth == 0 => {}
            Event::End(TagEnd::List(_)) if self.depth == 0 => {}
            Event::Start(tag) => {
                self.depth += 1;
                self.start(tag);
            }
            Event::End(tag) => {
                self.depth = self.depth.saturating_sub(1);
                self.end(tag);
            }
            Event::Text(text) if self.code > 0 => self.verbatim(&text),
            Event::Text(text) => self.collapsed(&text),
            Event::Code(text) => {
                self.push(mark::SPAN);
                self.verbatim(&text);
                self.push(mark::SPAN);
            }
            Event::Html(text) => {
                for line in text.lines() {
                    self.verbatim(line.trim_end());
                    self.push('\n');
                }
            }
            Event::SoftBreak | Event::HardBreak => self.collapsed(" "),
            Event::Rule => self.block(mark::RULE),
            other => {
                if let Event::InlineHtml(text) | Event::InlineMath(text) | Event::DisplayMath(text) = other {
                    self.collapsed(&text);
                }
            }
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Paragraph if self.is_behind_text() => self.block(mark::PARAGRAPH),
            Tag::Heading { .. } => self.block(mark::HEADING),
            Tag::Item => self.block(mark::ITEM),
            Tag::List(_) => self.block(mark::LIST),
            Tag::BlockQuote(_) => self.block(mark::QUOTE),
            Tag::CodeBlock(kind) => {
                self.code += 1;
                self.block(mark::CODE);
                if let CodeBlockKind::Fenced(info) = kind {
                    self.collapsed(&info);
                }
                self.push('\n');
            }
            Tag::TableHead | Tag::TableRow => self.block(mark::ROW),
            Tag::TableCell => self.block(mark::CELL),
            Tag::Emphasis => self.push(mark::EMPHASIS),
            Tag::Strong => self.push(mark::STRONG),
            Tag::Link { dest_url, title, .. } => self.link(mark::LINK, &dest_url, &title),
            Tag::Image { dest_url, title, .. } => self.link(mark::IMAGE, &dest_url, &title),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::List(_) => self.block(mark::LIST_END),
            TagEnd::BlockQuote(_) => self.block(mark::QUOTE_END),
            TagEnd::CodeBlock => {
                self.code = self.code.saturating_sub(1);
                self.push(mark::CODE_END);
            }
            TagEnd::Emphasis => self.push(mark::EMPHASIS_END),
            TagEnd::Strong => self.push(mark::STRONG_END),
            TagEnd::Link | TagEnd::Image => self.push(mark::LINK_END),
            _ => {}
        }
    }

    fn is_behind_text(&self) -> bool {
        self.forms.get(self.at).is_some_and(|form| form.ends_with(|last: char| !last.is_control()))
    }

    fn link(&mut self, kind: char, target: &str, title: &str) {
        self.push(kind);
        self.verbatim(target);
        self.push(mark::TARGET);
        self.collapsed(title);
        self.push(mark::TARGET);
    }

    /// Write a mark between blocks; a space before it is dropped.
    fn block(&mut self, mark: char) {
        if let Some(form) = self.forms.get_mut(self.at) {
            form.truncate(form.trim_end_matches(' ').len());
            form.push(mark);
        }
    }

    fn push(&mut self, char: char) {
        if let Some(form) = self.forms.get_mut(self.at) {
            form.push(char);
        }
    }

    fn verbatim(&mut self, text: &str) {
        let Some(form) = self.forms.get_mut(self.at) else { return };
        let is_told = |char: char| !char.is_control() || matches!(char, '\n' | '\t');
        let mut rest = text;
        while let Some((at, char)) = rest.char_indices().find(|(_, char)| !is_told(*char)) {
            form.push_str(&rest[..at]);
            if char != '\r' {
                form.extend([LITERAL, char]);
            }
            rest = &rest[at + char.len_utf8()..];
        }
        form.push_str(rest);
    }

    /// Write text with white space collapsed.
    fn collapsed(&mut self, text: &str) {
        let Some(form) = self.forms.get_mut(self.at) else { return };
        // a run without blanks and control characters is copied whole; of those not in ASCII the first byte is 0xc2
        let is_plain = |byte: u8| byte > b' ' && !matches!(byte, 0x7f | 0xc2);
        let mut rest = text;
        while !rest.is_empty() {
            let run = rest.bytes().position(|byte| !is_plain(byte)).unwrap_or(rest.len());
            form.push_str(&rest[..run]);
            let mut chars = rest[run..].chars();
            let Some(char) = chars.next() else { break };
            if matches!(char, ' ' | '\t' | '\n' | '\r') {
                if form.ends_with(|last: char| last != ' ' && !is_block_mark(last)) {
                    form.push(' ');
                }
            } else if char.is_control() {
                form.extend([LITERAL, char]);
            } else {
                form.push(char);
            }
            rest = chars.as_str();
        }
    }
}

/// Whether a space after this mark is dropped.
fn is_block_mark(char: char) -> bool {
    matches!(char, mark::PARAGRAPH..=mark::QUOTE_END | mark::ROW | mark::CELL | mark::HEADING | '\n')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doc::Document;

    fn form(body: &str) -> String {
        let document = Document::parse(body);
        forms(document.body(), document.blocks()).concat()
    }

    #[test]
    fn what_renders_the_same_has_the_same_form() {
        for (left, right) in [
            ("a b\nc\n", "a\n  b   c\n"),
            ("- a\n  b\n- c\n", "* a b\n\n* c\n"),
            ("1. a\n2. b\n", "3) a\n4) b\n"),
            ("# A b #\n", "A  b\n===\n"),
            ("*a* __b__\n", "_a_ **b**\n"),
            ("```rust\nx  y\n```\n", "~~~ rust\nx  y\n~~~\n"),
            ("| a | b |\n|---|---|\n| c | d |\n", "|a|b|\n|-|:-:|\n|c     |d|\n"),
            ("---\n", "\n***\n"),
            ("[a](b.md)\n", "[a](<b.md>)\n"),
            ("- a\n  - b\n", "- a\n    - b\n"),
            ("a  \nb\r\n", "a\nb\n"),
        ] {
            assert_eq!(form(left), form(right), "{left:?} {right:?}");
        }
    }

    #[test]
    fn what_says_something_else_has_another_form() {
        for (left, right) in [
            ("a b\n", "ab\n"),
            ("- a\n  - b\n", "- a - b\n"),
            ("- a\n  - b\n    - c\n", "- a\n  - b\n  - c\n"),
            ("a *b*\n", "a b\n"),
            ("a `b`\n", "a b\n"),
            ("```\nx y\n```\n", "```\nx  y\n```\n"),
            ("[a](b.md)\n", "[a](c.md)\n"),
            ("- a\n", "a\n"),
            ("> a\n", "a\n"),
            ("- a\n\n  b\n", "- a b\n"),
            ("| a | b |\n|---|---|\n", "| a b | |\n|---|---|\n"),
        ] {
            assert_ne!(form(left), form(right), "{left:?} {right:?}");
        }
    }

    #[test]
    fn a_cell_that_is_missing_belongs_to_its_table() {
        let document = Document::parse("| a | b |\n|---|---|\n| c |\n# T\n");
        let forms = forms(document.body(), document.blocks());
        assert_eq!(forms[1], form("# T\n"));
    }

    #[test]
    fn a_control_character_of_the_text_is_no_mark() {
        assert_ne!(form("- a\u{3}\u{2}b\u{4}\n"), form("- a\n  - b\n"));
    }
}
