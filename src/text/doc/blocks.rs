//! Split a body into blocks: paragraphs, list items, fences, tables and so on, each with its bytes.
//!
//! Blocks consist of whole lines and tile the body: the blank lines after a block belong to its span. Does not know
//! headings as a tree, nor the meaning of a block.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

/// An independent piece of the body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    pub kind: BlockKind,
    /// Its whole lines with the blank lines after it (for the first block also those before it), in bytes of the body.
    /// The spans of all blocks tile the body.
    pub span: Range<usize>,
    /// Its lines without the blank lines and without the last line ending.
    pub content: Range<usize>,
    /// The texts of its code spans, in order; line ends in them are blanks.
    pub code_spans: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BlockKind {
    /// A heading, with `#` or underlined.
    Heading {
        /// 1 to 6.
        level: u8,
        /// Its text without markup.
        title: String,
    },
    Paragraph,
    /// One list item, with everything nested in it.
    Item {
        /// The number of its list in the body, counted from 0: items of one list share it.
        list: usize,
        /// The number the list starts with; `None` for a bullet list.
        ordered: Option<u64>,
    },
    Fence {
        /// The words after the opening fence.
        info: String,
        /// False if it runs to the end of the body because the closing fence is missing.
        closed: bool,
    },
    Indented,
    Table,
    Html,
    Quote,
    Rule,
    /// Lines that render to nothing, such as link reference definitions.
    Definition,
    /// Blank lines only: the only block of a body without text.
    Blank,
}

struct BlockRange {
    kind: BlockKind,
    range: Range<usize>,
    code_spans: Vec<String>,
}

impl BlockRange {
    const fn new(kind: BlockKind, range: Range<usize>) -> Self {
        Self { kind, range, code_spans: Vec::new() }
    }
}

/// The blocks of `body`, in order.
pub(super) fn read(body: &str) -> Vec<Block> {
    let mut found = Vec::new();
    let mut covered = 0;
    for block in top_level(body) {
        let start = line_start(body, block.range.start).max(covered);
        push_definitions(body, covered..start, &mut found);
        covered = line_after(body, block.range.end.max(start));
        found.push(BlockRange { range: start..covered, ..block });
    }
    push_definitions(body, covered..body.len(), &mut found);
    if found.is_empty() && !body.is_empty() {
        found.push(BlockRange::new(BlockKind::Blank, 0..body.len()));
    }
    tile(body, found)
}

/// Add lines that belong to no block and are not blank.
fn push_definitions(body: &str, gap: Range<usize>, found: &mut Vec<BlockRange>) {
    let text = &body[gap.clone()];
    let blank = text.len() - text.trim_start().len();
    if blank < text.len() {
        let start = line_start(body, gap.start + blank).max(gap.start);
        found.push(BlockRange::new(BlockKind::Definition, start..gap.end));
    }
}

fn tile(body: &str, found: Vec<BlockRange>) -> Vec<Block> {
    let mut starts: Vec<usize> = found.iter().map(|block| block.range.start).collect();
    if let Some(first) = starts.first_mut() {
        *first = 0;
    }
    let ends = starts.iter().skip(1).copied().chain([body.len()]).collect::<Vec<_>>();
    let blocks = found.into_iter().zip(starts.into_iter().zip(ends));
    blocks
        .map(|(block, (start, end))| {
            let span = start..end;
            let from = if block.kind == BlockKind::Blank { end } else { block.range.start };
            let content = from..from + trim_blank_lines(&body[from..end]).len();
            let kind = closed(block.kind, &body[content.clone()]);
            Block { kind, span, content, code_spans: block.code_spans }
        })
        .collect()
}

/// The text without the blank lines and the line ending at its end.
fn trim_blank_lines(text: &str) -> &str {
    let trimmed = text.trim_end();
    let rest = &text[trimmed.len()..];
    let line = rest.find(['\n', '\r']).unwrap_or(rest.len());
    &text[..trimmed.len() + line]
}

/// Set on a fence whether its last line closes it.
fn closed(kind: BlockKind, content: &str) -> BlockKind {
    let BlockKind::Fence { info, .. } = kind else { return kind };
    let mut lines = content.lines();
    let opening = lines.next().unwrap_or("").trim_start();
    let mark = opening.chars().next().unwrap_or('`');
    let width = opening.len() - opening.trim_start_matches(mark).len();
    let closed = lines.next_back().is_some_and(|line| {
        let line = line.trim();
        line.len() >= width && line.chars().all(|c| c == mark)
    });
    BlockKind::Fence { info, closed }
}

/// The outermost blocks with their ranges from the markdown parser; lists are split into items.
fn top_level(body: &str) -> Vec<BlockRange> {
    let mut found: Vec<BlockRange> = Vec::new();
    let (mut depth, mut lists, mut ordered) = (0_usize, 0_usize, None);
    let mut title: Option<String> = None;
    for (event, range) in Parser::new_ext(body, Options::ENABLE_TABLES).into_offset_iter() {
        match event {
            Event::Start(Tag::List(start)) if depth == 0 => ordered = start,
            Event::End(TagEnd::List(_)) if depth == 0 => lists += 1,
            Event::Start(tag) => {
                if depth == 0 {
                    let kind = kind_of(tag, lists, ordered);
                    title = matches!(kind, BlockKind::Heading { .. }).then(String::new);
                    found.push(BlockRange::new(kind, range));
                }
                depth += 1;
            }
            Event::End(_) => {
                depth = depth.saturating_sub(1);
                if depth == 0
                    && let Some(text) = title.take()
                    && let Some(BlockRange { kind: BlockKind::Heading { title, .. }, .. }) = found.last_mut()
                {
                    *title = text.trim().to_owned();
                }
            }
            Event::Rule if depth == 0 => found.push(BlockRange::new(BlockKind::Rule, range)),
            Event::Html(_) if depth == 0 => found.push(BlockRange::new(BlockKind::Html, range)),
            Event::Code(text) => {
                if let Some(title) = &mut title {
                    title.push_str(&text);
                }
                if let Some(block) = found.last_mut() {
                    block.code_spans.push(text.into_string());
                }
            }
            Event::Text(text) | Event::InlineHtml(text) => {
                if let Some(title) = &mut title {
                    title.push_str(&text);
                }
            }
            Event::SoftBreak | Event::HardBreak => {
                if let Some(title) = &mut title {
                    title.push(' ');
                }
            }
            _ => {}
        }
    }
    found
}

fn kind_of(tag: Tag<'_>, list: usize, ordered: Option<u64>) -> BlockKind {
    match tag {
        Tag::Heading { level, .. } => BlockKind::Heading { level: level as u8, title: String::new() },
        Tag::Item => BlockKind::Item { list, ordered },
        Tag::CodeBlock(CodeBlockKind::Fenced(info)) => {
            BlockKind::Fence { info: info.trim().to_owned(), closed: false }
        }
        Tag::CodeBlock(CodeBlockKind::Indented) => BlockKind::Indented,
        Tag::Table(_) => BlockKind::Table,
        Tag::HtmlBlock => BlockKind::Html,
        Tag::BlockQuote(_) => BlockKind::Quote,
        _ => BlockKind::Paragraph,
    }
}

fn line_start(text: &str, at: usize) -> usize {
    text.as_bytes()[..at].iter().rposition(|byte| matches!(byte, b'\n' | b'\r')).map_or(0, |end| end + 1)
}

/// The start of the line after the one that ends at `end`, or `end` itself if it is a line start.
fn line_after(text: &str, end: usize) -> usize {
    let bytes = text.as_bytes();
    if end > 0 && matches!(bytes[end - 1], b'\n' | b'\r') {
        let split = bytes[end - 1] == b'\r' && bytes.get(end) == Some(&b'\n');
        return if split { end + 1 } else { end };
    }
    let Some(at) = bytes[end..].iter().position(|byte| matches!(byte, b'\n' | b'\r')) else {
        return bytes.len();
    };
    let at = end + at;
    if bytes[at] == b'\r' && bytes.get(at + 1) == Some(&b'\n') { at + 2 } else { at + 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(body: &str) -> Vec<(&'static str, &str)> {
        let name = |kind: &BlockKind| match kind {
            BlockKind::Heading { .. } => "heading",
            BlockKind::Paragraph => "paragraph",
            BlockKind::Item { .. } => "item",
            BlockKind::Fence { closed: true, .. } => "fence",
            BlockKind::Fence { closed: false, .. } => "open fence",
            BlockKind::Indented => "indented",
            BlockKind::Table => "table",
            BlockKind::Html => "html",
            BlockKind::Quote => "quote",
            BlockKind::Rule => "rule",
            BlockKind::Definition => "definition",
            BlockKind::Blank => "blank",
        };
        let blocks = read(body);
        assert_eq!(blocks.iter().map(|block| &body[block.span.clone()]).collect::<String>(), body);
        blocks.iter().map(|block| (name(&block.kind), &body[block.content.clone()])).collect()
    }

    #[test]
    fn every_kind_of_block_is_found() {
        let body = "\nText\nmore\n\n# A\nSetext\n===\n- a\n  - b\n\n- c\n1. d\n\n> q\n\n---\n```rust\nx\n\n```\n\n    code\n\n| a |\n|---|\n| b |\n\n<div>\n</div>\n\n[r]: http://x\n";
        let expected = [
            ("paragraph", "Text\nmore"),
            ("heading", "# A"),
            ("heading", "Setext\n==="),
            ("item", "- a\n  - b"),
            ("item", "- c"),
            ("item", "1. d"),
            ("quote", "> q"),
            ("rule", "---"),
            ("fence", "```rust\nx\n\n```"),
            ("indented", "    code"),
            ("table", "| a |\n|---|\n| b |"),
            ("html", "<div>\n</div>"),
            ("definition", "[r]: http://x"),
        ];
        assert_eq!(kinds(body), expected);
        assert_eq!(kinds(&body.replace('\n', "\r\n")).len(), expected.len());
    }

    #[test]
    fn a_fence_that_is_never_closed_runs_to_the_end() {
        assert_eq!(kinds("a\n\n~~~\nb\n# c\n"), [("paragraph", "a"), ("open fence", "~~~\nb\n# c")]);
        assert_eq!(kinds("````\n```\n"), [("open fence", "````\n```")]);
    }

    #[test]
    fn a_body_without_text_is_blank() {
        assert_eq!(kinds(""), []);
        assert_eq!(kinds("\n  \n"), [("blank", "")]);
    }

    #[test]
    fn code_spans_are_those_of_all_blocks_but_not_what_is_in_code() {
        let body =
            "# A `b`\n\ntext `c\nd` ``e ` f`` \\`g`\n- h\n  - `i`\n\n```\n`j`\n```\n\n|a|\n|-|\n|`k`|\n";
        let spans: Vec<String> = read(body).into_iter().flat_map(|block| block.code_spans).collect();
        assert_eq!(spans, ["b", "c d", "e ` f", "i", "k"]);
    }

    #[test]
    fn items_of_two_lists_are_told_apart() {
        let blocks = read("- a\n- b\n\ntext\n\n3. c\n");
        let items: Vec<_> = blocks
            .iter()
            .filter_map(|block| match block.kind {
                BlockKind::Item { list, ordered } => Some((list, ordered)),
                _ => None,
            })
            .collect();
        assert_eq!(items, [(0, None), (0, None), (1, Some(3))]);
    }
}
