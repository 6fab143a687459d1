//! Where a body has code: code spans, fenced and indented blocks, also inside quotes and lists.
//!
//! A fence that is never closed is not code here, though CommonMark lets it run to the end: what it swallows was hardly
//! meant as code.

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag};
use std::ops::Range;

/// The pieces of code, in order, as bytes of the body; those of code spans and fences with their marks.
pub(super) fn read(body: &str) -> Vec<Range<usize>> {
    let events = Parser::new_ext(body, Options::ENABLE_TABLES).into_offset_iter();
    let code = events.filter_map(|(event, range)| {
        let is_code = match event {
            Event::Code(_) | Event::Start(Tag::CodeBlock(CodeBlockKind::Indented)) => true,
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(_))) => is_closed(&body[range.clone()]),
            _ => false,
        };
        is_code.then_some(range)
    });
    code.collect()
}

/// Whether the last line of a fenced block closes it.
fn is_closed(block: &str) -> bool {
    let mark = if block.starts_with('~') { '~' } else { '`' };
    let width = block.len() - block.trim_start_matches(mark).len();
    let last = block.trim_end().lines().skip(1).last().unwrap_or_default();
    let last = last.trim_start_matches([' ', '\t', '>']);
    last.len() >= width && last.chars().all(|c| c == mark)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(body: &str) -> Vec<&str> {
        read(body).into_iter().map(|range| body[range].trim_end()).collect()
    }

    #[test]
    fn spans_and_blocks_are_code_wherever_they_stand() {
        let body =
            "a `b` ``c`d``\n\n```sh\ne\n```\n\n- f\n\n  ~~~\n  g\n  ~~~\n\n> ```\n> h\n> ```\n\n    i\n";
        let expected = ["`b`", "``c`d``", "```sh\ne\n```", "~~~\n  g\n  ~~~", "```\n> h\n> ```", "i"];
        assert_eq!(code(body), expected);
        assert_eq!(code("`two\nlines`"), ["`two\nlines`"]);
    }

    #[test]
    fn a_mark_without_its_other_is_no_code() {
        for body in [
            "a ` b",
            "a \\`b` c",
            "a `` b ` c",
            "`a\n\nb`",
            "```\na\n",
            "~~~~\na\n~~~\n",
            "<!-- `a` -->",
            "```",
        ] {
            assert_eq!(code(body), [""; 0], "{body:?}");
        }
    }
}
