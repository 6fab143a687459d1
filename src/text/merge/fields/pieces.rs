//! A field of the merged frontmatter, and the comments and blank lines around fields.
//!
//! Does not decide which side's value is taken.

use std::borrow::Cow;
use std::collections::HashMap;

use super::chunks::{self, Chunk, Node};
use crate::doc::Value;

#[derive(Debug)]
pub(super) struct FieldPiece<'a> {
    pub key: &'a str,
    pub lead: Cow<'a, str>,
    pub lines: Cow<'a, str>,
    pub value: Made<'a>,
}

/// The value that a field of the result must have when parsed.
#[derive(Debug)]
pub(super) enum Made<'a> {
    Kept(&'a Node<'a>),
    /// A value combined from both sides.
    New(Value),
}

/// The fields of the three versions to merge.
pub(super) type Three<'a> = [&'a [Chunk<'a>]; 3];

/// A field in the three versions; the base may not have it.
pub(super) type Both<'a> = (Option<&'a Chunk<'a>>, &'a Chunk<'a>, &'a Chunk<'a>);

/// Write the fields, each after its comments, and the text after the last. Blank lines that would become part of the
/// field above are left out.
pub(super) fn write(pieces: &[FieldPiece<'_>], tail: &str, into: &mut String) {
    let mut above = "";
    for piece in pieces {
        lead_below(above, &piece.lead, into);
        into.push_str(&piece.lines);
        above = &piece.lines;
    }
    lead_below(above, tail, into);
}

fn lead_below(above: &str, lead: &str, into: &mut String) {
    let skipped = if chunks::keeps_blank_lines(above) { chunks::blank_lines(lead) } else { 0 };
    into.push_str(&lead[skipped..]);
}

impl FieldPiece<'_> {
    /// True if the value, parsed again, is the expected one.
    pub fn reads_as(&self, found: &Node<'_>) -> bool {
        match &self.value {
            Made::Kept(node) => node.same(found),
            Made::New(value) => found.to_value() == *value,
        }
    }

    /// The key and value as the parser must see them.
    pub(super) fn to_entry(&self) -> (Value, Value) {
        let value = match &self.value {
            Made::Kept(node) => node.to_value(),
            Made::New(value) => value.clone(),
        };
        (Value::Scalar(self.key.to_owned()), value)
    }
}

/// Merge comments and blank lines line by line: one side's change is taken; if both changed them, the result has the
/// lines of both, without those that either side removed.
pub(super) fn lead<'a>(base: &str, ours: &'a str, theirs: &'a str) -> Cow<'a, str> {
    if ours == theirs || base == theirs {
        return Cow::Borrowed(ours);
    }
    if base == ours {
        return Cow::Borrowed(theirs);
    }
    let (first, second) = if ours >= theirs { (ours, theirs) } else { (theirs, ours) };
    let has = |text: &str, line: &str| text.split_inclusive('\n').any(|known| known == line);
    let stays = |line: &&str| !is_comment(line) || !has(base, line) || has(second, line);
    let new = |line: &&str| is_comment(line) && !has(first, line) && !has(base, line);
    let lines = first.split_inclusive('\n').filter(stays).chain(second.split_inclusive('\n').filter(new));
    Cow::Owned(lines.collect())
}

/// Merge what follows the last field, and drop repeated comments, so that none occurs more often than the sides have
/// it: a comment that one side left in place, or put a field below, would otherwise come with both fields.
pub(super) fn once<'a>(
    sides: Three<'_>,
    [base, ours, theirs]: [&'a str; 3],
    pieces: &mut [FieldPiece<'a>],
) -> Cow<'a, str> {
    let mut end = lead(base, ours, theirs);
    let mut counts: HashMap<String, usize> = HashMap::new();
    for text in pieces.iter().map(|piece| &piece.lead).chain([&end]) {
        for line in text.lines().filter(|line| is_comment(line)) {
            *counts.entry(line.to_owned()).or_default() += 1;
        }
    }
    counts.retain(|line, count| {
        let [before, ours, theirs] =
            [(sides[0], base), (sides[1], ours), (sides[2], theirs)].map(|(side, tail)| {
                let texts = side.iter().map(|chunk| chunk.lead).chain([tail]);
                texts.flat_map(str::lines).filter(|own| own == line).count()
            });
        // what both sides added to different fields may occur twice
        let allowed = ours.max(theirs).max((ours + theirs).saturating_sub(before));
        let doubled = *count > allowed;
        *count = allowed;
        doubled
    });
    if counts.is_empty() {
        return end;
    }
    for text in pieces.iter_mut().map(|piece| &mut piece.lead).chain([&mut end]) {
        let mut fits = |line: &&str| match counts.get_mut(line.trim_end_matches(['\n', '\r'])) {
            Some(left) => left.checked_sub(1).map(|less| *left = less).is_some(),
            None => true,
        };
        let rest: String = text.split_inclusive('\n').filter(&mut fits).collect();
        *text = Cow::Owned(rest);
    }
    end
}

pub(super) fn is_comment(line: &str) -> bool {
    line.trim_ascii_start().starts_with('#')
}

/// True if `lost` has a comment after a value that `kept` does not have, and that was not in the base.
pub(super) fn loses_comment(base: Option<&Chunk<'_>>, kept: &str, lost: &str) -> bool {
    let comments = lost.lines().filter_map(|line| line.find(" #").map(|at| &line[at..]));
    let mut lost = comments.chain(lost.lines().filter(|line| line.starts_with('#')));
    lost.any(|comment| !kept.contains(comment) && !base.is_some_and(|base| base.lines.contains(comment)))
}
