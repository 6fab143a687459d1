//! Merge mappings below a key, in a block or in braces, key by key.
//!
//! Knows how a mapping is written. Does not know how its keys are merged.

use std::borrow::Cow;

use super::chunks::{self, Chunk};
use super::pieces::{self, Both, FieldPiece, Made, Three};
use crate::doc::Value;

struct Mapping<'a> {
    /// The line of the key; in braces, everything up to the first field.
    head: &'a str,
    chunks: Vec<Chunk<'a>>,
    /// What follows the last field: comments, or everything from the brace on.
    tail: &'a str,
    form: MappingForm<'a>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MappingForm<'a> {
    /// One field per line, with this indentation.
    Block { indent: usize },
    /// In braces on one line, with this text between two fields, if there are two.
    Inline { gap: Option<&'a str> },
    /// Nothing follows the key.
    Empty,
}

/// How the result is written.
#[derive(Debug, Clone, Copy)]
enum MappingStyle<'a> {
    Block,
    Inline { gap: &'a str },
}

/// Merges the fields of a mapping, whose path is given with a dot at its end.
type MappingMerger<'m> = dyn for<'b> FnMut(&str, Three<'b>) -> Vec<FieldPiece<'b>> + 'm;

/// Merge a field that is a mapping on both sides in the same form; `None` if it is not. Its fields are merged by
/// `level`.
pub(super) fn merge<'a>(
    path: &str,
    (base, ours, theirs): Both<'a>,
    level: &mut MappingMerger<'_>,
) -> Option<FieldPiece<'a>> {
    let b = base.and_then(Mapping::read);
    let (o, t) = (Mapping::read(ours)?, Mapping::read(theirs)?);
    let style = style(b.as_ref(), &o, &t)?;
    let head = one_of(b.as_ref().map(|b| b.head), o.head, t.head);
    let other = if head == o.head { t.head } else { o.head };
    if pieces::loses_comment(base, head, other) {
        return None;
    }
    let before = b.as_ref().map_or(&[][..], |b| &b.chunks);
    let tails = [b.as_ref().map_or("", |b| b.tail), o.tail, t.tail];
    let path = format!("{path}{}.", ours.key);
    let three = [before, &o.chunks, &t.chunks];
    let mut pieces = level(&path, three);
    let mut lines = head.to_owned();
    match style {
        MappingStyle::Block => {
            let tail = pieces::once(three, tails, &mut pieces);
            pieces::write(&pieces, &tail, &mut lines);
        }
        MappingStyle::Inline { gap } => {
            let tail = one_of(b.as_ref().map(|b| b.tail), o.tail, t.tail);
            let other = if tail == o.tail { t.tail } else { o.tail };
            if pieces::loses_comment(base, tail, other) {
                return None;
            }
            let texts: Vec<&str> = pieces.iter().map(|piece| &*piece.lines).collect();
            lines.push_str(&texts.join(gap));
            lines.push_str(tail);
        }
    }
    let entries: Vec<_> = pieces.iter().map(FieldPiece::to_entry).collect();
    let value = match style {
        MappingStyle::Block if entries.is_empty() => Value::Null,
        _ => Value::Map(entries),
    };
    let (lead, lines) = (Cow::Borrowed(""), Cow::Owned(lines));
    Some(FieldPiece { key: &ours.key, lead, lines, value: Made::New(value) })
}

/// The fields of a mapping; `None` if the field is none.
pub(super) fn fields<'a>(chunk: &Chunk<'a>) -> Option<Vec<Chunk<'a>>> {
    Mapping::read(chunk).map(|mapping| mapping.chunks)
}

/// The form of both sides, if it is the same. An empty value counts as an empty block if the base was a non-empty one.
fn style<'a>(
    base: Option<&Mapping<'a>>,
    ours: &Mapping<'a>,
    theirs: &Mapping<'a>,
) -> Option<MappingStyle<'a>> {
    let in_base = base.map(|base| base.form);
    match (ours.form, theirs.form) {
        (MappingForm::Block { indent }, MappingForm::Block { indent: other }) => {
            (indent == other).then_some(MappingStyle::Block)
        }
        (MappingForm::Inline { gap: ours }, MappingForm::Inline { gap: theirs }) => {
            let before = match in_base {
                Some(MappingForm::Inline { gap }) => gap,
                _ => None,
            };
            let gap = match (ours, theirs) {
                (Some(ours), Some(theirs)) => one_of(before, ours, theirs),
                (gap, other) => gap.or(other).unwrap_or(", "),
            };
            Some(MappingStyle::Inline { gap })
        }
        (MappingForm::Block { .. }, MappingForm::Empty) | (MappingForm::Empty, MappingForm::Block { .. }) => {
            matches!(in_base, Some(MappingForm::Block { .. })).then_some(MappingStyle::Block)
        }
        _ => None,
    }
}

/// The one that was changed, or the greater.
fn one_of<'a>(base: Option<&str>, ours: &'a str, theirs: &'a str) -> &'a str {
    match base {
        Some(base) if base == ours => theirs,
        Some(base) if base == theirs => ours,
        _ => ours.max(theirs),
    }
}

impl<'a> Mapping<'a> {
    fn read(chunk: &Chunk<'a>) -> Option<Self> {
        let bare =
            |head: &str| head.split(" #").next().is_some_and(|line| line.trim_ascii_end().ends_with(':'));
        if chunk.value.is_nothing() && bare(chunk.lines) {
            return Some(Self { head: chunk.lines, chunks: Vec::new(), tail: "", form: MappingForm::Empty });
        }
        let entries = chunk.value.map()?;
        let end = chunk.lines.find('\n').map_or(chunk.lines.len(), |at| at + 1);
        let (head, text) = chunk.lines.split_at(end);
        if text.is_empty() {
            let inline = chunks::inline(head, entries)?;
            let form = MappingForm::Inline { gap: inline.gap };
            return Some(Self { head: inline.open, chunks: inline.chunks, tail: inline.close, form });
        }
        let (chunks, tail) = chunks::nested(text, entries)?;
        let first = chunks.first()?.lines;
        let indent = first.len() - first.trim_start_matches(' ').len();
        bare(head).then_some(Self { head, form: MappingForm::Block { indent }, chunks, tail })
    }
}
