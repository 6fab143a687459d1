//! What of one entry another one does not say yet: the part of it that a merge adds.

use super::pieces::{BodyPiece, PieceForm, Pieces};
use super::said::{Fact, Said};
use super::same_pieces::same_pieces;
use super::words_of::words_of;
use crate::doc::Document;
use pulldown_cmark::{Event, Options, Parser, Tag};
use std::collections::BTreeSet;
use std::ops::Range;

/// A block of a body that no other block holds.
struct Block {
    bytes: Range<usize>,
    kind: UnsaidBlockKind,
    /// The words of the headings above it, or of itself and those above, but for the title.
    section: Vec<String>,
    /// What two blocks that say the same have in common: the words of its sentences in order, or its lines.
    says: Vec<String>,
    /// Whether it introduces what follows: `Never do this:`.
    is_label: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum UnsaidBlockKind {
    /// The heading of the first level at the start.
    Title,
    Heading,
    Paragraph,
    Other,
}

/// `source` without what `target` says, word by word, under the same headings, and without headings that become
/// empty. A merge by blocks would keep a paragraph beside a longer one that holds it, and tear lists from what
/// introduces them. What belongs together goes together: a list, a table or code with the paragraphs around it.
pub fn unsaid(source: &Document, target: &Document) -> Vec<u8> {
    let whole = || source.as_bytes().to_vec();
    if !source.is_utf8() || !target.is_utf8() {
        return whole();
    }
    let head = source.as_bytes().len() - source.body().len();
    if is_all_said(source, target) {
        return source.as_bytes()[..head].to_vec();
    }
    let (own, theirs) = (blocks(source.body()), blocks(target.body()));
    let facts = Said::of(target).facts;
    let mut dropped = Vec::with_capacity(own.len());
    for group in own.chunk_by(belong_together) {
        let is_said = match group {
            [Block { kind: UnsaidBlockKind::Title | UnsaidBlockKind::Heading, .. }] => false,
            [one] if is_fact_list(one) => has_facts(&facts, one),
            [one] if one.kind == UnsaidBlockKind::Paragraph => is_part_of_any(one, &theirs),
            _ => stands_in(group, &theirs),
        };
        dropped.extend(group.iter().map(|_| is_said));
    }
    if !dropped.contains(&true) {
        return whole();
    }
    let sections: BTreeSet<&[String]> = theirs.iter().map(|block| &block.section[..]).collect();
    let titles = [source.meta().title, target.title()];
    let is_told = |block: &Block| titles.iter().flatten().any(|title| block.says == [words_of(title)]);
    for at in (0..own.len()).rev() {
        let block = &own[at];
        let is_below = |one: &(usize, &Block)| one.1.section.starts_with(&block.section);
        let rest = own.iter().enumerate().skip(at + 1);
        dropped[at] = match block.kind {
            UnsaidBlockKind::Title => is_told(block) && rest.clone().all(|(at, _)| dropped[at]),
            UnsaidBlockKind::Heading => {
                sections.contains(&block.section[..])
                    && rest.clone().take_while(is_below).all(|(at, _)| dropped[at])
            }
            UnsaidBlockKind::Paragraph | UnsaidBlockKind::Other => dropped[at],
        };
    }
    without(source, own.iter().zip(dropped).filter(|(_, is_dropped)| *is_dropped).map(|(block, _)| block))
}

/// Whether the target says each piece and each fact of the source, in any form that says the same.
fn is_all_said(source: &Document, target: &Document) -> bool {
    let [own, theirs] = [source, target].map(|document| Pieces::of(document.body()));
    let facts = Said::of(target).facts;
    let is_known = |fact: Fact| {
        let words = words_of(&fact.text);
        facts.iter().any(|other| words_of(&other.text) == words && other.category == fact.category)
    };
    let titles = [source.meta().title, target.title()];
    let said = Said::of(source);
    let is_titled =
        said.title().is_none_or(|own| titles.iter().flatten().any(|title| words_of(title) == words_of(own)));
    is_titled
        && same_pieces(&own, &theirs, &[]).is_some_and(|share| share >= 1.0)
        && said.facts.into_iter().all(is_known)
        && are_together(&own, &theirs)
        && definitions(source).is_subset(&definitions(target))
}

/// Whether the sentences that follow one another in the one do so in the other: text between them may reverse them.
fn are_together(own: &Pieces, theirs: &Pieces) -> bool {
    let prose = |pair: &&[BodyPiece]| pair.iter().all(|one| one.form == PieceForm::Prose);
    let is_there = |pair: &[BodyPiece]| {
        theirs.all.windows(2).any(|other| pair.iter().zip(other).all(|(one, other)| one.is_said_by(other)))
    };
    own.all.windows(2).filter(prose).filter(|pair| pair[0].section == pair[1].section).all(is_there)
}

/// The definitions of links, which are not text.
fn definitions(document: &Document) -> BTreeSet<(String, String)> {
    let parser = Parser::new_ext(document.body(), Options::ENABLE_TABLES);
    let all = parser.reference_definitions().iter();
    all.map(|(label, definition)| (label.to_owned(), definition.dest.to_string())).collect()
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

/// Whether the first of two neighbours means something else without the second, or the second without the first.
fn belong_together(one: &Block, next: &Block) -> bool {
    let is_text = |block: &Block| matches!(block.kind, UnsaidBlockKind::Paragraph | UnsaidBlockKind::Other);
    is_text(one)
        && is_text(next)
        && (one.is_label || one.kind == UnsaidBlockKind::Other || next.kind == UnsaidBlockKind::Other)
}

/// The places of the target where blocks may begin that stand for others: not behind a paragraph that introduces them.
fn places(theirs: &[Block], count: usize) -> impl Iterator<Item = &[Block]> {
    let is_open = |at: usize| at.checked_sub(1).is_none_or(|before| !theirs[before].is_label);
    theirs.windows(count).enumerate().filter(move |(at, _)| is_open(*at)).map(|(_, blocks)| blocks)
}

fn is_part_of_any(block: &Block, theirs: &[Block]) -> bool {
    let is_part = |other: &Block| {
        other.kind == UnsaidBlockKind::Paragraph
            && !other.is_label
            && block.section == other.section
            && other.says.windows(block.says.len().max(1)).any(|part| part == block.says)
    };
    !block.is_label && places(theirs, 1).any(|one| is_part(&one[0]))
}

fn stands_in(group: &[Block], theirs: &[Block]) -> bool {
    let says_it = |one: &Block, other: &Block| {
        let is_shorter = || is_list(one) && is_list(other) && is_part_in_order(&one.says, &other.says);
        one.kind == other.kind && one.section == other.section && (one.says == other.says || is_shorter())
    };
    let is_open = group.last().is_some_and(|last| last.is_label);
    let stands = |part: &[Block]| group.iter().zip(part).all(|(one, other)| says_it(one, other));
    !is_open && places(theirs, group.len()).any(stands)
}

/// Whether a block is a list with one line to an item.
fn is_list(block: &Block) -> bool {
    block.kind == UnsaidBlockKind::Other
        && block.says.iter().all(|line| line.starts_with("- ") || line.starts_with("* "))
}

fn is_part_in_order(lines: &[String], others: &[String]) -> bool {
    let mut others = others.iter();
    lines.iter().all(|line| others.any(|other| other == line))
}

fn is_fact_list(block: &Block) -> bool {
    is_list(block) && block.section.last().is_some_and(|last| last == "facts")
}

fn has_facts(known: &[Fact], list: &Block) -> bool {
    let own = Said::of(&Document::parse(format!("## Facts\n\n{}\n", list.says.join("\n")))).facts;
    let is_known = |fact: &Fact| {
        let is_same = |other: &Fact| {
            (&other.subject, &other.statement, other.category)
                == (&fact.subject, &fact.statement, fact.category)
        };
        known.iter().any(is_same)
    };
    own.len() == list.says.len() && own.iter().all(is_known)
}

/// The blocks of a body, each from the start of its first line.
fn blocks(body: &str) -> Vec<Block> {
    let (mut blocks, mut depth): (Vec<Block>, usize) = (Vec::new(), 0);
    let mut section: Vec<(u8, String)> = Vec::new();
    for (event, bytes) in Parser::new_ext(body, Options::ENABLE_TABLES).into_offset_iter() {
        if depth == 0 && !matches!(event, Event::End(_)) {
            let start = body[..bytes.start].rfind('\n').map_or(0, |end| end + 1);
            let text = &body[start..bytes.end];
            let kind = match event {
                Event::Start(Tag::Heading { level, .. }) if level as u8 == 1 && blocks.is_empty() => {
                    UnsaidBlockKind::Title
                }
                Event::Start(Tag::Heading { level, .. }) => {
                    section.retain(|(above, _)| *above < level as u8);
                    section.push((level as u8, sentences(text).join(" ")));
                    UnsaidBlockKind::Heading
                }
                Event::Start(Tag::Paragraph) => UnsaidBlockKind::Paragraph,
                _ => UnsaidBlockKind::Other,
            };
            blocks.push(Block {
                bytes: start..bytes.end,
                kind,
                section: section.iter().map(|(_, words)| words.clone()).collect(),
                says: if kind == UnsaidBlockKind::Other { lines(text) } else { sentences(text) },
                is_label: kind == UnsaidBlockKind::Paragraph && is_label(text),
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

fn sentences(text: &str) -> Vec<String> {
    Said::of(&Document::parse(text)).sentences.iter().map(|one| words_of(&one.text)).collect()
}

fn lines(text: &str) -> Vec<String> {
    text.trim_end().lines().map(|line| line.trim_end().to_owned()).collect()
}

fn is_label(text: &str) -> bool {
    text.trim_end().trim_end_matches(['*', '_']).ends_with(':')
}

#[cfg(test)]
mod tests {
    use super::*;

    const TARGET: &str = "---\ntitle: How we deploy\n---\n\n# How we deploy\n\nOn Mondays. From the branch. On Fridays, too.\n\n## Why\n\nThe job rebuilds. Do we wait?\n\n## Staging\n\nIt waits.\n\n**Late:**\n\nIt fails.\n\n## Commands\n\nNever do this:\n\n- squash\n\n```sh\nmake\n```\n\n## Rules\n\n- a\n- b\n\n## Facts\n\n- **day**: Monday\n- **week**: every second\n";

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
        let commands = "# D\n\n## Commands\n\n**Never** do this:\n\n- squash\n\n```sh\nmake\n```\n\n## Rules\n\n- b\n\n## Facts\n\n- **Day**: Monday\n";
        assert_eq!(left(commands), "");
        assert_eq!(left("## Rules\n\n* b\n\n* a\n"), "", "marks and order of bullets say nothing");
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
            "## Commands\n\nNever do this:\n\n- force a push\n",
            "Never do this:\n\n- squash\n",
            "## Commands\n\nAlways do this:\n\n- squash\n",
            "## Commands\n\n- squash\n",
            "## Facts\n\n- **hour**: nine\n",
            "- stop\n\nOn Mondays.\n\n    make all\n",
            "- On Mondays.\n",
            "> On Mondays.\n",
            "```\nOn Mondays.\n```\n",
        ] {
            assert_eq!(left(body), body);
        }
        let untitled = "# Deploying the worker\n\nOn Mondays.\n";
        let bytes = unsaid(&Document::parse(untitled), &Document::parse(TARGET));
        assert_eq!(String::from_utf8(bytes).unwrap(), "# Deploying the worker\n\n");
    }
}
