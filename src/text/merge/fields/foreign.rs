//! Merge fields that no rule fits: git's merge of their lines, a sequence of both sides' items, or a conflict.
//!
//! Other tools write them: aliases, lists of mappings, texts of several lines. No value is dropped without a conflict.

use std::borrow::Cow;

use super::alone::{self, Overlap};
use super::keys::{Merger, kept, made, shown};
use super::pieces::{Both, FieldPiece, loses_comment};
use super::sequence::Sequences;
use super::{commented, sets};
use crate::doc::Value;
use crate::merge::{Conflict, MergePlace, Reason, Record, Settled, Side, Texts, Undecided};

impl Merger {
    /// Merge a field that both sides changed and no rule fits; `None` if the decision is to have no such field.
    pub(super) fn without_rule<'a>(&mut self, path: &str, all: Both<'a>) -> Option<FieldPiece<'a>> {
        let (_, ours, _) = all;
        let by_lines = alone::by_lines(all, Overlap::Refused);
        let merged = by_lines.map(|(lines, value)| made(ours, lines, value));
        match merged.or_else(|| self.sequence(path, all, Overlap::Refused)) {
            Some(piece) => Some(piece),
            None => self.contested(path, all),
        }
    }

    /// The items of both sides in one list; `None` if the field is not a list, if both sides replaced one item and
    /// `overlap` refuses that, or if the list cannot be written.
    fn sequence<'a>(&mut self, path: &str, all: Both<'a>, overlap: Overlap) -> Option<FieldPiece<'a>> {
        let (base, ours, theirs) = all;
        let sequences = Sequences::of(all)?;
        let merged = sequences.merge();
        if merged.is_contested && overlap == Overlap::Refused {
            return None;
        }
        let one = |[ours, theirs]: [bool; 2]| match (ours, theirs) {
            (true, false) => Some(Side::Ours),
            (false, true) => Some(Side::Theirs),
            _ => None,
        };
        let side = one([1, 2].map(|side| !sequences.is_empty(side)))
            .or_else(|| sets::restyled(base, ours, theirs))
            // an earlier merge result that is merged again stays unchanged
            .or_else(|| one([1, 2].map(|side| sequences.is(side, &merged.wanted))))
            .unwrap_or_else(|| self.winner(ours.lines, theirs.lines));
        let (template, other) = if side == Side::Ours { (ours, theirs) } else { (theirs, ours) };
        let lines = sequences.write(all, if side == Side::Ours { 1 } else { 2 }, &merged.wanted)?;
        let lines =
            commented::behind([base, Some(template), Some(other)].map(|side| Some(side?.lines)), &lines);
        let versions = [base, Some(ours), Some(theirs)];
        if loses_comment(base, &lines, ours.lines) || loses_comment(base, &lines, theirs.lines) {
            let place = MergePlace::Field { field: format!("{path}{}", ours.key) };
            let texts = commented::texts(versions);
            self.records.push(Record { place, settled: Settled::Chosen(side), texts });
        }
        for (stays, side) in merged.stays.into_iter().zip([Side::Ours, Side::Theirs]) {
            if stays {
                self.record(path, Settled::ChangeKept(side), versions);
            }
        }
        let items = merged.wanted.iter().map(|(value, _)| (*value).clone()).collect();
        Some(made(template, lines, Value::List(items)))
    }

    /// A field that only a person can merge: a conflict, or the version that was decided on beforehand.
    fn contested<'a>(&mut self, path: &str, all: Both<'a>) -> Option<FieldPiece<'a>> {
        let (base, ours, theirs) = all;
        let (settled, taken) = match self.undecided {
            Undecided::Mark => {
                let place = MergePlace::Field { field: format!("{path}{}", ours.key) };
                let [ours_text, theirs_text] = [ours, theirs].map(|side| Some(shown(side)));
                let texts = Texts { base: base.map(shown), ours: ours_text, theirs: theirs_text };
                self.conflicts.push(Conflict { place, reason: Reason::Field, texts, span: None });
                return Some(kept(ours, Cow::Borrowed("")));
            }
            Undecided::Ours => (Settled::Chosen(Side::Ours), Some(ours)),
            Undecided::Theirs => (Settled::Chosen(Side::Theirs), Some(theirs)),
            Undecided::Base => (Settled::BaseTaken, base),
            Undecided::Both => {
                let Some(piece) = self.both_kept(path, all) else { return Some(self.later(path, all)) };
                self.record(path, Settled::BothKept, [base, Some(ours), Some(theirs)]);
                return Some(piece);
            }
        };
        self.record(path, settled, [base, Some(ours), Some(theirs)]);
        taken.map(|taken| kept(taken, Cow::Borrowed("")))
    }

    /// Both versions in one field: all items, or the lines of ours and then of theirs; `None` if that cannot be read.
    pub(super) fn both_kept<'a>(&mut self, path: &str, all: Both<'a>) -> Option<FieldPiece<'a>> {
        let items = self.sequence(path, all, Overlap::Both);
        items.or_else(|| alone::by_lines(all, Overlap::Both).map(|(lines, value)| made(all.1, lines, value)))
    }
}
