//! What of one entry another one does not say yet: the part of it that a merge adds.

use super::near::words_of;
use super::said::Said;
use crate::doc::Document;
use pulldown_cmark::{Event, Options, Parser, Tag};
use std::collections::BTreeSet;
use std::ops::Range;

/// A block of a body that no other block holds.
struct Block {
    bytes: Range<usize>,
    kind: Kind,
    /// The words of the headings above it, or of itself and those above, but for the title.
    section: Vec<String>,
    /// The words of its sentences, in order.
    sentences: Vec<String>,
    /// Whether it introduces what follows: `Never do this:`.
    is_label: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// The heading of the first level at the start.
    Title,
    Heading,
    Paragraph,
    Other,
}

/// `source` without its paragraphs that `target` has, word by word, as a part of one paragraph under the same headings, and
/// without headings of which then nothing is left. A merge by blocks would keep such a paragraph beside the longer one.
/// Everything else stays: the merge joins facts, rules, lists, tables and code one by one. So does a paragraph that
/// introduces something, follows such a one, or stands beside a list, a table or code.
pub fn unsaid(source: &Document, target: &Document) -> Vec<u8> {
    let whole = || source.as_bytes().to_vec();
    if !source.is_utf8() || !target.is_utf8() {
        return whole();
    }
    let (own, theirs) = (blocks(source.body()), blocks(target.body()));
    let mut dropped = vec![false; own.len()];
    for at in 0..own.len() {
        dropped[at] = is_free(&own, at) && (0..theirs.len()).any(|other| is_part(&own[at], &theirs, other));
    }
    if !dropped.contains(&true) {
        return whole();
    }
    let sections: BTreeSet<&[String]> = theirs.iter().map(|block| &block.section[..]).collect();
    let titles = [source.meta().title, target.title()];
    let is_told = |block: &Block| titles.iter().flatten().any(|title| block.sentences == [words_of(title)]);
    for at in (0..own.len()).rev() {
        let block = &own[at];
        let is_below = |one: &&(usize, &Block)| one.1.section.starts_with(&block.section);
        let rest = own.iter().enumerate().skip(at + 1);
        let is_empty = match block.kind {
            Kind::Title => is_told(block) && rest.clone().all(|(at, _)| dropped[at]),
            Kind::Heading => {
                sections.contains(&block.section[..])
                    && rest.clone().take_while(|one| is_below(&one)).all(|(at, _)| dropped[at])
            }
            Kind::Paragraph | Kind::Other => continue,
        };
        dropped[at] = is_empty;
    }
    without(source, own.iter().zip(dropped).filter(|(_, is_dropped)| *is_dropped).map(|(block, _)| block))
}

/// The source without these blocks, and without the empty lines behind them.
fn without<'b>(source: &Document, dropped: impl DoubleEndedIterator<Item = &'b Block>) -> Vec<u8> {
    let mut rest = source.body().to_owned();
    for block in dropped.rev() {
        let after = &rest[block.bytes.end..];
        let blank = after.len() - after.trim_start_matches(['\n', '\r']).len();
        rest.replace_range(block.bytes.start..block.bytes.end + blank, "");
    }
    let head = source.as_bytes().len() - source.body().len();
    [&source.as_bytes()[..head], rest.as_bytes()].concat()
}

/// Whether a paragraph can be taken out and leaves the meaning of its neighbours.
fn is_free(blocks: &[Block], at: usize) -> bool {
    let is_neutral =
        |block: Option<&Block>| block.is_none_or(|block| block.kind != Kind::Other && !block.is_label);
    blocks[at].kind == Kind::Paragraph
        && !blocks[at].is_label
        && is_neutral(at.checked_sub(1).map(|before| &blocks[before]))
        && is_neutral(blocks.get(at + 1))
}

/// Whether a paragraph is a part of that one, under the same headings, without a label before it.
fn is_part(block: &Block, theirs: &[Block], at: usize) -> bool {
    let other = &theirs[at];
    let is_labelled = at.checked_sub(1).is_some_and(|before| theirs[before].is_label);
    other.kind == Kind::Paragraph
        && !other.is_label
        && !is_labelled
        && !block.sentences.is_empty()
        && block.section == other.section
        && other.sentences.windows(block.sentences.len()).any(|part| part == block.sentences)
}

/// The blocks of a body, each from the start of its first line.
fn blocks(body: &str) -> Vec<Block> {
    let (mut blocks, mut depth, mut section): (Vec<Block>, usize, Vec<(u8, String)>) =
        (Vec::new(), 0, Vec::new());
    for (event, bytes) in Parser::new_ext(body, Options::ENABLE_TABLES).into_offset_iter() {
        let is_outermost = depth == 0 && !matches!(event, Event::End(_));
        if is_outermost {
            let start = body[..bytes.start].rfind('\n').map_or(0, |end| end + 1);
            let text = &body[start..bytes.end];
            let said: Vec<String> =
                Said::of(&Document::parse(text)).sentences.into_iter().map(|one| one.text).collect();
            let kind = match event {
                Event::Start(Tag::Heading { level, .. }) if level as u8 == 1 && blocks.is_empty() => {
                    Kind::Title
                }
                Event::Start(Tag::Heading { level, .. }) => {
                    section.retain(|(above, _)| *above < level as u8);
                    section.push((level as u8, said.iter().map(|text| words_of(text)).collect()));
                    Kind::Heading
                }
                Event::Start(Tag::Paragraph) => Kind::Paragraph,
                _ => Kind::Other,
            };
            blocks.push(Block {
                bytes: start..bytes.end,
                kind,
                section: section.iter().map(|(_, words)| words.clone()).collect(),
                is_label: kind == Kind::Paragraph
                    && said.last().is_some_and(|last| last.trim_end().ends_with(':')),
                sentences: said.iter().map(|text| words_of(text)).collect(),
            });
        }
        match event {
            Event::Start(_) => depth += 1,
            Event::End(_) => depth -= 1,
            _ => {}
        }
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;

    const TARGET: &str = "---\ntitle: How we deploy\n---\n\n# How we deploy\n\nOn Mondays. From the branch. On Fridays, too.\n\n## Why\n\nThe job rebuilds. Do we wait?\n\n## Staging\n\nIt waits.\n\n**Late:**\n\nIt fails.\n";

    fn left(body: &str) -> String {
        let source = Document::parse(format!("---\ntitle: D\n---\n\n{body}"));
        let bytes = unsaid(&source, &Document::parse(TARGET));
        String::from_utf8(bytes)
            .unwrap()
            .strip_prefix("---\ntitle: D\n---\n")
            .unwrap()
            .trim_start()
            .to_owned()
    }

    #[test]
    fn only_what_the_target_does_not_say_is_left() {
        assert_eq!(left("# D\n\nOn *Mondays*. From\nthe branch.\n\n## Why\n\nThe job rebuilds.\n"), "");
        assert_eq!(left("# D\n\nOn Mondays.\n\n## New\n"), "# D\n\n## New\n");
        assert_eq!(left("# D\n\nOn Mondays.\n\n## Why\n\nIt must.\n"), "# D\n\n## Why\n\nIt must.\n");
        assert_eq!(left("On Mondays.\r\n\r\nAt nine.\r\n"), "At nine.\r\n");
        let both = "On Mondays.\n\n[x]: https://example.com\n";
        assert_eq!(left(both), "[x]: https://example.com\n");
    }

    #[test]
    fn what_stands_elsewhere_or_leads_to_something_else_stays() {
        for body in [
            "# D\n\nOn Mondays. At nine.\n",
            "On Mondays. On Fridays, too.\n",
            "## Staging\n\nThe job rebuilds.\n",
            "## Why\n\nDo we wait.\n",
            "## Staging\n\nIt fails.\n",
            "**Staging:**\n\nOn Mondays.\n",
            "On Mondays.\n\n- stop\n",
            "- stop\n\nOn Mondays.\n\n    make all\n",
            "- On Mondays.\n",
            "> On Mondays.\n",
            "```\nOn Mondays.\n```\n",
            "## Facts\n\n- **day**: Monday\n",
        ] {
            assert_eq!(left(body), body);
        }
        let untitled = "# Deploying the worker\n\nOn Mondays.\n";
        let bytes = unsaid(&Document::parse(untitled), &Document::parse(TARGET));
        assert_eq!(String::from_utf8(bytes).unwrap(), "# Deploying the worker\n\n");
    }
}
