//! What of one entry another one does not say yet: the part of it that a merge adds.

use super::near::words_of;
use super::said::Said;
use crate::doc::Document;
use pulldown_cmark::{Event, Options, Parser, Tag};
use std::collections::BTreeSet;
use std::ops::Range;

/// A block of the body that no other block holds.
struct Block {
    bytes: Range<usize>,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// With its level.
    Heading(u8),
    Paragraph,
    Other,
}

/// `source` without its paragraphs of which each sentence stands in `target`, and without headings under which nothing else
/// is left and that `target` has, too. A merge by blocks would keep such a paragraph beside a longer one that holds it.
/// Everything else stays: the merge joins facts, rules, lists, tables and code one by one.
pub fn unsaid(source: &Document, target: &Document) -> Vec<u8> {
    if !source.is_utf8() {
        return source.as_bytes().to_vec();
    }
    let said = Said::of(target);
    let known: BTreeSet<String> = said.sentences.iter().map(|one| words_of(&one.text)).collect();
    let body = source.body();
    let blocks = blocks(body);
    let (mut kept, mut dropped): (Vec<&Block>, Vec<&Block>) = (Vec::new(), Vec::new());
    for (at, block) in blocks.iter().enumerate().rev() {
        let is_known = || is_said(&body[block.bytes.clone()], &known);
        let is_dropped = match block.kind {
            Kind::Other => false,
            Kind::Paragraph => is_known(),
            Kind::Heading(level) => {
                let is_next = |one: &&Block| matches!(one.kind, Kind::Heading(other) if other <= level);
                let is_empty = kept.last().is_none_or(is_next);
                is_empty && (level == 1 && at == 0 || is_known())
            }
        };
        if is_dropped { dropped.push(block) } else { kept.push(block) }
    }
    let mut rest = body.to_owned();
    for block in dropped {
        let after = &rest[block.bytes.end..];
        let blank = after.len() - after.trim_start_matches(['\n', '\r']).len();
        rest.replace_range(block.bytes.start..block.bytes.end + blank, "");
    }
    let head = source.as_bytes().len() - body.len();
    [&source.as_bytes()[..head], rest.as_bytes()].concat()
}

/// The blocks of a body, from the start of each one's first line.
fn blocks(body: &str) -> Vec<Block> {
    let (mut blocks, mut depth) = (Vec::new(), 0);
    for (event, bytes) in Parser::new_ext(body, Options::ENABLE_TABLES).into_offset_iter() {
        let kind = match &event {
            Event::Start(Tag::Heading { level, .. }) => Kind::Heading(*level as u8),
            Event::Start(Tag::Paragraph) => Kind::Paragraph,
            _ => Kind::Other,
        };
        let is_outermost = depth == 0 && !matches!(event, Event::End(_));
        match event {
            Event::Start(_) => depth += 1,
            Event::End(_) => depth -= 1,
            _ => {}
        }
        if is_outermost {
            let start = body[..bytes.start].rfind('\n').map_or(0, |end| end + 1);
            blocks.push(Block { bytes: start..bytes.end, kind });
        }
    }
    blocks
}

/// Whether a block says sentences only, all of which are known.
fn is_said(block: &str, known: &BTreeSet<String>) -> bool {
    let said = Said::of(&Document::parse(block));
    !said.sentences.is_empty()
        && said.facts.is_empty()
        && said.rules.is_empty()
        && said.codes.is_empty()
        && said.sentences.iter().all(|one| known.contains(&words_of(&one.text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TARGET: &str = "---\ntitle: How we deploy\n---\n\n# How we deploy\n\nOn Mondays. From the branch. On Fridays, too.\n\n## Why\n\nThe job rebuilds.\n";

    fn left(body: &str) -> String {
        let source = Document::parse(format!("---\ntitle: D\n---\n\n{body}"));
        let bytes = unsaid(&source, &Document::parse(TARGET));
        String::from_utf8(bytes).unwrap().strip_prefix("---\ntitle: D\n---\n").unwrap().to_owned()
    }

    #[test]
    fn only_what_the_target_does_not_say_is_left() {
        assert_eq!(
            left("# D\n\nOn *Mondays*. From\nthe branch.\n\n## Why\n\nThe job rebuilds.\n").trim(),
            ""
        );
        assert_eq!(left("# D\n\nOn Mondays.\n\n## New\n").trim(), "# D\n\n## New");
        let added = "# D\n\nOn Mondays. At nine.\n";
        assert_eq!(left(added).trim_start(), added);
        assert_eq!(left("# D\n\nOn Mondays.\n\n## Why\n\nIt must.\n").trim(), "# D\n\n## Why\n\nIt must.");
    }

    #[test]
    fn what_is_no_paragraph_stays_and_so_does_what_no_block_holds() {
        for body in [
            "- On Mondays.\n",
            "> On Mondays.\n",
            "```\nOn Mondays.\n```\n",
            "[x]: https://example.com\n",
            "## Facts\n\n- **day**: Monday\n",
        ] {
            assert_eq!(left(body).trim_start(), body);
            let both = left(&format!("On Mondays.\n\n{body}"));
            assert_eq!(both.trim_start(), body);
        }
        assert_eq!(left("On Mondays.\r\n\r\nAt nine.\r\n").trim_start(), "At nine.\r\n");
    }
}
