//! The outline of a body that shares its beginning and its end with another one, without parsing those again.
//!
//! A heading with `#` at the start of a line closes whatever is open, and nothing after its line changes it. So the text
//! between two such headings is parsed alike in every body, as long as none defines a link, which counts everywhere.

use std::ops::Range;

use super::blocks::{self, Block, BlockKind};
use super::sections::Outline;
use bstr::ByteSlice as _;

/// Bytes that are compared at once.
const RUN: usize = 64;

/// The part of two bodies that may differ, as indexes into the blocks of each. The blocks before it are the same on both
/// sides, in text and structure, and so are those after it. It is bounded by a heading on each side, which is the same
/// too, except at the start and at the end of the bodies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Middle {
    pub known: Range<usize>,
    pub other: Range<usize>,
    /// Whether a heading ends it.
    pub is_closed: bool,
}

/// The outline of `body`, given that of the body `known`, and the part in which they may differ; `None` if the whole has
/// to be parsed.
pub(super) fn read(known: &str, outline: &Outline, body: &str) -> Option<(Outline, Middle)> {
    if [known, body]
        .into_iter()
        .any(|text| text.as_bytes().find_byte(b'\r').is_some() || text.as_bytes().contains_str("]:"))
    {
        return None;
    }
    let blocks = outline.blocks();
    let (head, tail) = shared_ends(known.as_bytes(), body.as_bytes());
    let first = blocks.iter().rposition(|block| block.content.end < head && is_bound(known, block));
    let from = first.map_or(0, |first| blocks[first].span.start);
    let last =
        blocks.iter().position(|block| known.len() - tail <= block.content.start && is_bound(known, block));
    let last = last.filter(|last| first.is_none_or(|first| first < *last));
    let closed = last.and_then(|last| Some((closed_by(known, &blocks[last], &body[from..])?, last)));
    if first.is_none() && closed.is_none() {
        return None;
    }
    let (new, last) = match closed {
        Some((new, last)) => (new, Some(last)),
        None => (blocks::read(&body[from..]), None),
    };
    let first = first.unwrap_or(0);
    let middle = Middle {
        known: first..last.map_or(blocks.len(), |last| last + 1),
        other: first..first + new.len(),
        is_closed: last.is_some(),
    };
    let joined = joined(blocks, new, &middle, [known.len(), body.len()]);
    Some((Outline::of_blocks(joined), middle))
}

/// The lengths of the longest beginning and end that two texts share, which do not overlap in either.
fn shared_ends(one: &[u8], other: &[u8]) -> (usize, usize) {
    let same = |(a, b): &(&u8, &u8)| a == b;
    let whole = |(a, b): &(&[u8], &[u8])| a == b;
    let runs = one.chunks_exact(RUN).zip(other.chunks_exact(RUN)).take_while(whole).count();
    let start = runs * RUN;
    let head = start + one[start..].iter().zip(&other[start..]).take_while(same).count();
    let (one, other) = (&one[head..], &other[head..]);
    let runs = one.rchunks_exact(RUN).zip(other.rchunks_exact(RUN)).take_while(whole).count();
    let end = runs * RUN;
    let (one, other) = (&one[..one.len() - end], &other[..other.len() - end]);
    (head, end + one.iter().rev().zip(other.iter().rev()).take_while(same).count())
}

/// Whether the block is a heading on one line that starts with `#`.
fn is_bound(text: &str, block: &Block) -> bool {
    let line = &text[block.content.clone()];
    matches!(block.kind, BlockKind::Heading { .. }) && line.starts_with('#') && !line.contains('\n')
}

/// The blocks of `rest` up to and with the heading `bound` of `known`, which is as far from the end there; `None` if
/// something open takes that heading in.
fn closed_by(known: &str, bound: &Block, rest: &str) -> Option<Vec<Block>> {
    let start = rest.len() - (known.len() - bound.content.start);
    let line = start..start + bound.content.len();
    let text = &rest[..(line.end + 1).min(rest.len())];
    let mut blocks = blocks::read(text);
    let last = blocks.last_mut().filter(|last| last.content == line && is_bound(rest, last))?;
    last.span.end = rest.len() - (known.len() - bound.span.end);
    Some(blocks)
}

/// The blocks of a whole body: those of the known one with its middle replaced. `lengths`: of both bodies, in bytes.
fn joined(known: &[Block], new: Vec<Block>, middle: &Middle, lengths: [usize; 2]) -> Vec<Block> {
    let mut joined = Vec::with_capacity(middle.known.start + new.len() + known.len() - middle.known.end);
    joined.extend_from_slice(&known[..middle.known.start]);
    let from = known.get(middle.known.start).map_or(0, |block| block.span.start);
    let counted = lists(&joined);
    joined.extend(new.into_iter().map(|block| moved(block, [0, from], [0, counted])));
    let counts = [lists(&known[..middle.known.end]), lists(&joined)];
    joined.extend(known[middle.known.end..].iter().map(|block| moved(block.clone(), lengths, counts)));
    joined
}

/// The number of lists that these blocks, the first of a body, are in.
fn lists(blocks: &[Block]) -> usize {
    let list = |block: &Block| match block.kind {
        BlockKind::Item { list, .. } => Some(list + 1),
        _ => None,
    };
    blocks.iter().rev().find_map(list).unwrap_or(0)
}

/// The block at another place: bytes and numbers of lists counted from the second of each pair instead of the first.
fn moved(mut block: Block, [bytes, to_bytes]: [usize; 2], [lists, to_lists]: [usize; 2]) -> Block {
    let shifted = |range: Range<usize>| range.start + to_bytes - bytes..range.end + to_bytes - bytes;
    (block.span, block.content) = (shifted(block.span), shifted(block.content));
    if let BlockKind::Item { list, .. } = &mut block.kind {
        *list = *list + to_lists - lists;
    }
    block
}

#[cfg(test)]
mod tests {
    use super::*;

    fn middle(known: &str, body: &str) -> Option<Middle> {
        let (found, middle) = read(known, &Outline::of(known), body)?;
        assert_eq!(found, Outline::of(body), "{known:?} {body:?}");
        Some(middle)
    }

    #[test]
    fn the_text_between_the_nearest_headings_is_parsed_again() {
        let known = "# A\n- a\n\n## B\n- b\n\n## C\n- c\n";
        let found = middle(known, &known.replace("- b", "- b\n\ntext"));
        assert_eq!(found, Some(Middle { known: 2..5, other: 2..6, is_closed: true }));
        let found = middle(known, &format!("{known}- d\n"));
        assert_eq!(found, Some(Middle { known: 4..6, other: 4..7, is_closed: false }));
        let found = middle(known, &format!("\nintro\n{known}"));
        assert_eq!(found, Some(Middle { known: 0..1, other: 0..2, is_closed: true }));
    }

    #[test]
    fn a_heading_that_something_open_takes_in_is_no_bound() {
        let known = "# A\na\n\n# B\n- b\n\n# C\n\n```\nx\n```\n";
        for open in ["```\n", "<!--\n", "~~~~\n"] {
            let found = middle(known, &known.replace("a\n", &format!("a\n{open}")));
            assert_eq!(found.map(|found| (found.known, found.is_closed)), Some((0..6, false)), "{open}");
        }
        assert_eq!(middle("# A\na\n# B\n", "# A\na\n## B\n").map(|found| found.is_closed), Some(false));
    }

    #[test]
    fn what_counts_everywhere_is_parsed_whole() {
        assert_eq!(middle("# [a]\nx\n", "# [a]\nx\n[a]: b\n"), None);
        assert_eq!(middle("# a\r\nx\r\n", "# a\r\ny\r\n"), None);
        assert_eq!(middle("a\n", "b\n"), None);
    }
}
