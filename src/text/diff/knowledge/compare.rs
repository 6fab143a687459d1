//! Compare two versions of one document.
//!
//! Knows no other documents; [`super::entries`] joins them.

use super::side::{self, DiffSide};
use super::{ByLine, Content, Fold, FoldKind, Knowledge, Spot, TokenCounts, body, facts, fields};
use crate::doc::{Document, LineEnding, verified_line};

/// A document with more bytes than this is compared by line.
pub const MAX_BYTES: usize = 1 << 20;

/// A document with more blocks than this is compared by line.
pub const MAX_BLOCKS: usize = 20_000;

const CHARS_PER_TOKEN: usize = 4;

/// Compare two versions of a document; a side that does not exist is empty.
///
/// Deterministic; swapping the sides gives the same pairs.
pub fn compare(before: &[u8], after: &[u8]) -> Content {
    compare_documents(&Document::parse(before), &Document::parse(after))
}

/// As [`compare`], for documents that are already parsed.
pub(super) fn compare_documents(old: &Document, new: &Document) -> Content {
    let (before, after) = (old.as_bytes(), new.as_bytes());
    if before.len().max(after.len()) > MAX_BYTES {
        return Content::Lines(ByLine::TooLarge);
    }
    if !old.is_utf8() || !new.is_utf8() {
        return Content::Lines(ByLine::NotUtf8);
    }
    if before == after {
        let tokens = TokenCounts { before: tokens(old), after: tokens(new) };
        return Content::Knowledge(Box::new(Knowledge { tokens, ..Knowledge::default() }));
    }
    // before anything asks for the blocks: what both sides share is then parsed once
    let middle = new.middle(old);
    if old.blocks().len().max(new.blocks().len()) > MAX_BLOCKS {
        return Content::Lines(ByLine::TooLarge);
    }
    if !old.conflicts().is_empty() || !new.conflicts().is_empty() {
        return Content::Lines(ByLine::InConflict);
    }
    Content::Knowledge(Box::new(documents(old, new, side::both(old, new, middle))))
}

/// As [`compare_documents`], for documents that can be compared by meaning.
pub(super) fn documents(old: &Document, new: &Document, [before, after]: [DiffSide<'_>; 2]) -> Knowledge {
    let mut folded = Vec::new();
    let fields = fields::compare_fields(old, new, &mut folded);
    let changes = body::compare_bodies(&before, &after);
    folded.extend(changes.folded);
    let mut knowledge = Knowledge {
        disputes: facts::disputes(&before, &after, &changes.facts),
        fields,
        facts: changes.facts,
        sections: changes.sections,
        dangling: Vec::new(),
        folded,
        tokens: TokenCounts { before: tokens(old), after: tokens(new) },
    };
    fold_form(old, new, &mut knowledge);
    knowledge
}

/// Fold differences that belong to no line: line endings and blank space.
fn fold_form(old: &Document, new: &Document, knowledge: &mut Knowledge) {
    let (was, is) = (old.attributes(), new.attributes());
    let ends = |ending: LineEnding| ending != LineEnding::Lf;
    let one_is_nothing = old.as_bytes().is_empty() || new.as_bytes().is_empty();
    if one_is_nothing && !knowledge.is_empty() {
        return;
    }
    if was.line_ending != is.line_ending && (ends(was.line_ending) || ends(is.line_ending)) {
        knowledge.folded.push(Fold { what: FoldKind::LineEndings, spot: Spot::default() });
    }
    let is_other = was.byte_order_mark != is.byte_order_mark || was.final_newline != is.final_newline;
    if is_other || knowledge.is_empty() {
        knowledge.folded.push(Fold { what: FoldKind::Space, spot: Spot::default() });
    }
}

/// Characters divided by four, rounded up: a token estimate that is the same everywhere. A confirmation counts as none.
fn tokens(document: &Document) -> u64 {
    let uncounted = verified_line(document.as_bytes()).chars().count();
    (document.text().chars().count() - uncounted).div_ceil(CHARS_PER_TOKEN) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, Instant};

    /// Compare input on which a quadratic comparison would take minutes.
    fn in_good_time(before: &str, after: &str) -> Content {
        let start = Instant::now();
        let found = compare(before.as_bytes(), after.as_bytes());
        assert!(start.elapsed() < Duration::from_secs(30), "{:?}", start.elapsed());
        found
    }

    #[test]
    fn what_is_too_large_is_told_by_line() {
        let long = "a b ".repeat(1 << 18);
        assert_eq!(in_good_time(&long, &format!("{long}c")), Content::Lines(ByLine::TooLarge));
        let blocks = "- x\n".repeat(100_000);
        assert_eq!(in_good_time(&blocks, "- y\n"), Content::Lines(ByLine::TooLarge));
        assert_eq!(compare(b"a\xff", b"a"), Content::Lines(ByLine::NotUtf8));
    }

    #[test]
    fn a_confirmation_is_a_field_of_its_own_and_no_tokens() {
        let before = "---\ntitle: t\n---\nText.\n";
        let after = before.replace("t\n---", &format!("t\nverified: {}\n---", "3f2a91c05d".repeat(4)));
        let Content::Knowledge(found) = compare(before.as_bytes(), after.as_bytes()) else { panic!() };
        assert_eq!((found.fields.len(), found.fields[0].key.as_str()), (1, "verified"));
        assert_eq!((found.telling_fields().count(), found.tokens.delta()), (1, 0));
    }

    #[test]
    fn markers_are_no_knowledge() {
        let marked = "# a\n\n<<<<<<< a\nx\n||||||| b\n=======\ny\n>>>>>>> c\n";
        for (before, after) in [("# a\n\nz\n", marked), (marked, "# a\n\nz\n")] {
            assert_eq!(compare(before.as_bytes(), after.as_bytes()), Content::Lines(ByLine::InConflict));
        }
        let fenced = format!("```\n{}```\n", marked.replace("||||||| b\n", ""));
        assert!(matches!(compare(b"# a\n", fenced.as_bytes()), Content::Knowledge(_)));
    }

    #[test]
    fn a_huge_block_is_compared_by_line_inside() {
        let long = "a b ".repeat(200_000);
        let Content::Knowledge(found) = in_good_time(&long, &format!("{long}c")) else {
            panic!("a document")
        };
        let block = &found.sections[0].blocks[0];
        assert!(block.words.is_empty() && !block.lines.is_empty());
    }

    #[test]
    fn many_blocks_without_order_are_compared_in_good_time() {
        let items = |word: &str, step: usize| -> String {
            (0..15_000).map(|n| format!("- item {} says {word} today\n", n * step % 15_000)).collect()
        };
        for (before, after) in [
            (items("yes", 1), items("yes", 7_001)),
            (items("yes", 1), items("no", 1)),
            (items("yes", 1), items("no", 7_001)),
            (format!("## Facts\n{}", items("yes", 1)), format!("## Facts\n{}", items("no", 7_001))),
            (
                "## Facts\n".to_owned() + &"- **a**: b\n".repeat(9_000),
                "## Facts\n".to_owned() + &"- **a**: c\n".repeat(9_000),
            ),
            ("# a\nb\n".repeat(6_000), "# a\nc\n".repeat(6_000)),
        ] {
            assert!(matches!(in_good_time(&before, &after), Content::Knowledge(_)));
        }
    }
}
