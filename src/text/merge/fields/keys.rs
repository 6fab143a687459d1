//! Merge the fields of three frontmatters one by one.
//!
//! Knows the rule for each key. Does not know fences, nor how the result is checked.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::HashMap;

use super::alone::{self, Overlap};
use super::chunks::Chunk;
use super::pieces::{Both, FieldPiece, Made, Three, is_comment, lead, loses_comment};
use super::{commented, mapping, sets, times};
use crate::doc::{ARCHIVED, FIELD_ORDER, VERIFIED, Value};
use crate::merge::order::{self, Runs};
use crate::merge::{Conflict, MergePlace, Record, Rules, Settled, Side, Texts, Undecided};

const SETS: [&str; 6] = ["tags", "keywords", "related", "sources", "consolidated_from", "archived"];
/// Fields that are times, and which of two is taken.
const TIMES: [(&str, Ordering); 4] = [
    ("createdAt", Ordering::Less),
    ("updatedAt", Ordering::Greater),
    ("synthesized_at", Ordering::Greater),
    ("consolidated_at", Ordering::Greater),
];

/// Which of two values of a field is taken, if it is settled by the times in them: the one that compares as wanted.
fn by_times(key: &str, ours: &str, theirs: &str) -> Option<Side> {
    let (compared, wanted) = match TIMES.iter().find(|(name, _)| *name == key) {
        Some((_, wanted)) => (times::compare(ours, theirs), *wanted),
        None if key == VERIFIED => (times::compare_verified(ours, theirs), Ordering::Greater),
        None => return None,
    };
    Some(if compared == wanted { Side::Ours } else { Side::Theirs })
}

/// Merges fields and collects records and conflicts.
pub(super) struct Merger {
    /// How ours compares to theirs in time.
    later: Ordering,
    pub(super) undecided: Undecided,
    pub records: Vec<Record>,
    pub conflicts: Vec<Conflict>,
}

impl Merger {
    /// A side that left `updatedAt` unchanged, or has no readable one, counts with its commit time.
    pub fn new([base, ours, theirs]: Three<'_>, rules: &Rules<'_>) -> Self {
        let updated = |side: &[Chunk<'_>]| {
            let text = side.iter().find(|chunk| chunk.key == "updatedAt")?.value.scalar()?;
            crate::doc::instant(text)
        };
        let before = updated(base);
        let time = |side, committed| updated(side).filter(|at| Some(*at) != before).unwrap_or((committed, 0));
        let [ours_committed, theirs_committed] = rules.committed;
        let later = time(ours, ours_committed).cmp(&time(theirs, theirs_committed));
        Self { later, undecided: rules.undecided, records: Vec::new(), conflicts: Vec::new() }
    }

    /// The side taken if both changed something: the later one, else the one with the greater bytes.
    pub fn winner(&self, ours: &str, theirs: &str) -> Side {
        match self.later.then_with(|| ours.cmp(theirs)) {
            Ordering::Less => Side::Theirs,
            Ordering::Equal | Ordering::Greater => Side::Ours,
        }
    }

    /// Merge the fields of one mapping; `path` names it, ending with a dot.
    pub fn level<'a>(
        &mut self,
        path: &str,
        sides: Three<'a>,
        disputed: Option<&[String]>,
    ) -> Vec<FieldPiece<'a>> {
        let [base, ours, theirs] = sides;
        let mut pieces: Vec<FieldPiece<'a>> = Vec::with_capacity(ours.len() + 2);
        for (at, o) in ours.iter().enumerate() {
            let (b, t) = (find(base, &o.key, at), find(theirs, &o.key, at));
            pieces.extend(self.field(path, [b, Some(o), t], disputed));
        }
        let same_order = ours.len() == theirs.len() && ours.iter().zip(theirs).all(|(o, t)| o.key == t.key);
        if !same_order {
            for (at, t) in theirs.iter().enumerate().filter(|(_, t)| find(ours, &t.key, 0).is_none()) {
                pieces.extend(self.field(path, [find(base, &t.key, at), None, Some(t)], disputed));
            }
            pieces = ordered(path, sides, pieces);
        }
        if let Some(wanted) = disputed
            && !wanted.is_empty()
            && !pieces.iter().any(|piece| piece.key == "disputed")
        {
            insert_disputed(&mut pieces, wanted);
        }
        pieces
    }

    fn field<'a>(
        &mut self,
        path: &str,
        [base, ours, theirs]: [Option<&'a Chunk<'a>>; 3],
        disputed: Option<&[String]>,
    ) -> Option<FieldPiece<'a>> {
        let key = &ours.or(theirs)?.key;
        if let Some(wanted) = disputed.filter(|_| key == "disputed") {
            return listed([base, ours, theirs], wanted);
        }
        match (ours, theirs) {
            (Some(ours), Some(theirs)) => self.both(path, (base, ours, theirs)),
            (Some(one), None) => self.one(path, base, one, Side::Ours),
            (None, Some(one)) => self.one(path, base, one, Side::Theirs),
            (None, None) => None,
        }
    }

    /// Merge a field that one side does not have: added by the other, or removed.
    fn one<'a>(
        &mut self,
        path: &str,
        base: Option<&Chunk<'_>>,
        one: &'a Chunk<'a>,
        side: Side,
    ) -> Option<FieldPiece<'a>> {
        if let Some(base) = base {
            let commented = one.lead.lines().any(|line| is_comment(line) && !base.lead.contains(line));
            if one.lines == base.lines && !commented {
                return None;
            }
            let texts = match side {
                Side::Ours => [Some(base), Some(one), None],
                Side::Theirs => [Some(base), None, Some(one)],
            };
            self.record(path, Settled::ChangeKept(side), texts);
        }
        Some(kept(one, Cow::Borrowed(one.lead)))
    }

    fn both<'a>(&mut self, path: &str, (base, ours, theirs): Both<'a>) -> Option<FieldPiece<'a>> {
        let lead = lead(base.map_or("", |base| base.lead), ours.lead, theirs.lead);
        if ours.lines == theirs.lines || base.is_some_and(|base| base.lines == theirs.lines) {
            return Some(kept(ours, lead));
        }
        if base.is_some_and(|base| base.lines == ours.lines) {
            return Some(kept(theirs, lead));
        }
        let merged = self.by_rule(path, (base, ours, theirs));
        let mut piece = merged.or_else(|| self.without_rule(path, (base, ours, theirs)))?;
        piece.lead = lead;
        Some(piece)
    }

    /// Merge a field that both sides changed to different bytes; `None` if no rule fits its value.
    fn by_rule<'a>(&mut self, path: &str, all: Both<'a>) -> Option<FieldPiece<'a>> {
        let (base, ours, theirs) = all;
        let top = path.is_empty();
        let is_set = top && SETS.contains(&&*ours.key);
        let has_comment = [ours, theirs].iter().any(|side| commented::has_comment(side.lines));
        if is_set
            && (has_comment || sets::restyled(base, ours, theirs).is_some())
            && let Some(piece) = self.set(path, all)
        {
            return Some(piece);
        }
        if let Some(side) = rewritten(all) {
            return Some(self.written_otherwise(path, all, side));
        }
        let set = is_set.then(|| self.set(path, all)).flatten();
        if let Some(piece) = set.or_else(|| self.mapping(path, all)) {
            return Some(piece);
        }
        if !is_one_text(ours) || !is_one_text(theirs) {
            return None;
        }
        if let (true, Some(o), Some(t)) = (top, ours.value.scalar(), theirs.value.scalar())
            && let Some(side) = by_times(&ours.key, o, t)
        {
            return Some(kept(if side == Side::Ours { ours } else { theirs }, Cow::Borrowed("")));
        }
        Some(self.later(path, all))
    }

    /// The later side's field, with a record of the other side's.
    pub(super) fn later<'a>(&mut self, path: &str, (base, ours, theirs): Both<'a>) -> FieldPiece<'a> {
        let side = match (ours.value.scalar(), theirs.value.scalar()) {
            (Some(o), Some(t)) => self.winner(o, t),
            _ => self.winner(ours.lines, theirs.lines),
        };
        self.record(path, Settled::Chosen(side), [base, Some(ours), Some(theirs)]);
        kept(if side == Side::Ours { ours } else { theirs }, Cow::Borrowed(""))
    }

    fn mapping<'a>(&mut self, path: &str, all: Both<'a>) -> Option<FieldPiece<'a>> {
        let (records, conflicts) = (self.records.len(), self.conflicts.len());
        let merged = mapping::merge(path, all, &mut |path, sides| self.level(path, sides, None));
        if merged.is_none() {
            self.records.truncate(records);
            self.conflicts.truncate(conflicts);
        }
        merged
    }

    /// Record a lost comment: losing one side's style without a value is not a loss, but losing a comment is.
    fn written_otherwise<'a>(
        &mut self,
        path: &str,
        (base, ours, theirs): Both<'a>,
        side: Side,
    ) -> FieldPiece<'a> {
        let (one, other) = if side == Side::Ours { (ours, theirs) } else { (theirs, ours) };
        if loses_comment(base, one.lines, other.lines) {
            let by_lines = alone::by_lines((base, ours, theirs), Overlap::Refused);
            if let Some((lines, value)) = by_lines.filter(|(_, value)| *value == one.value.to_value()) {
                return made(one, lines, value);
            }
            self.record(path, Settled::Chosen(side), [base, Some(ours), Some(theirs)]);
        }
        kept(one, Cow::Borrowed(""))
    }

    fn set<'a>(&mut self, path: &str, (base, ours, theirs): Both<'a>) -> Option<FieldPiece<'a>> {
        let before = base.and_then(sets::items).unwrap_or_default();
        let (o, t) = (sets::items(ours)?, sets::items(theirs)?);
        let mut wanted = order::united([&before, &o, &t]);
        if ours.key == ARCHIVED {
            wanted = sets::one_for_each_key(wanted);
        }
        let is = |side: &Chunk<'_>| side.value.list().is_some_and(|items| items == wanted);
        let one = |ours: bool, theirs: bool| match (ours, theirs) {
            (true, false) => Some(Side::Ours),
            (false, true) => Some(Side::Theirs),
            _ => None,
        };
        let side = sets::restyled(base, ours, theirs)
            .or_else(|| one(ours.value.list().is_some(), theirs.value.list().is_some()))
            // an earlier merge result that is merged again stays unchanged
            .or_else(|| one(is(ours), is(theirs)))
            .unwrap_or_else(|| self.winner(ours.lines, theirs.lines));
        let (template, other) = if side == Side::Ours { (ours, theirs) } else { (theirs, ours) };
        let lines = match commented::merge(base, template, other, &wanted) {
            Some(lines) => lines,
            None => {
                let written = match is(template) {
                    true => template.lines.to_owned(),
                    false => sets::write(template, Some(other), &wanted)?,
                };
                commented::behind([base, Some(template), Some(other)].map(|side| Some(side?.lines)), &written)
            }
        };
        if loses_comment(base, &lines, other.lines) || loses_comment(base, &lines, template.lines) {
            let place = MergePlace::Field { field: format!("{path}{}", ours.key) };
            let texts = commented::texts([base, Some(ours), Some(theirs)]);
            self.records.push(Record { place, settled: Settled::Chosen(side), texts });
        }
        Some(made_list(template, lines, &wanted))
    }

    pub(super) fn record(
        &mut self,
        path: &str,
        settled: Settled,
        [base, ours, theirs]: [Option<&Chunk<'_>>; 3],
    ) {
        let Some(known) = ours.or(theirs) else { return };
        let place = MergePlace::Field { field: format!("{path}{}", known.key) };
        let texts = Texts { base: base.map(shown), ours: ours.map(shown), theirs: theirs.map(shown) };
        self.records.push(Record { place, settled, texts });
    }
}

/// The text of a field for a record: the value of a scalar, unless a comment follows it.
pub(super) fn shown(chunk: &Chunk<'_>) -> String {
    let text = chunk.value.scalar().filter(|_| !chunk.lines.contains(" #"));
    text.unwrap_or_else(|| chunk.lines.trim_end_matches(['\r', '\n'])).to_owned()
}

pub(super) fn kept<'a>(chunk: &'a Chunk<'a>, lead: Cow<'a, str>) -> FieldPiece<'a> {
    let value = Made::Kept(&chunk.value);
    FieldPiece { key: &chunk.key, lead, lines: Cow::Borrowed(chunk.lines), value }
}

fn made_list<'a>(template: &'a Chunk<'a>, lines: String, wanted: &[&str]) -> FieldPiece<'a> {
    let items = wanted.iter().map(|item| Value::Scalar((*item).to_owned())).collect();
    made(template, lines, Value::List(items))
}

/// A field with the key of `template` and these lines.
pub(super) fn made<'a>(template: &'a Chunk<'a>, lines: String, value: Value) -> FieldPiece<'a> {
    let lead = Cow::Borrowed(template.lead);
    FieldPiece { key: &template.key, lead, lines: Cow::Owned(lines), value: Made::New(value) }
}

/// The side to take if the other one only wrote the same value in another way.
fn rewritten((base, ours, theirs): Both<'_>) -> Option<Side> {
    let is_as_before = |side: &Chunk<'_>| base.is_some_and(|base| base.value.same(&side.value));
    if ours.value.same(&theirs.value) {
        return Some(if ours.lines >= theirs.lines { Side::Ours } else { Side::Theirs });
    }
    match (is_as_before(ours), is_as_before(theirs)) {
        (true, _) => Some(Side::Theirs),
        (_, true) => Some(Side::Ours),
        _ => None,
    }
}

/// Whether a value is one text on one line, or nothing.
fn is_one_text(chunk: &Chunk<'_>) -> bool {
    let is_scalar = chunk.value.scalar().is_some() || chunk.value.is_nothing();
    is_scalar && !chunk.lines.trim_ascii_end().contains('\n')
}

fn find<'a>(chunks: &'a [Chunk<'a>], key: &str, likely: usize) -> Option<&'a Chunk<'a>> {
    match chunks.get(likely) {
        Some(chunk) if chunk.key == key => Some(chunk),
        _ => chunks.iter().find(|chunk| chunk.key == key),
    }
}

fn ordered<'a>(path: &str, sides: Three<'a>, pieces: Vec<FieldPiece<'a>>) -> Vec<FieldPiece<'a>> {
    let names = sides.map(|side| side.iter().map(|chunk| &*chunk.key).collect::<Vec<_>>());
    let mut by_key: HashMap<&str, FieldPiece<'a>> =
        pieces.into_iter().map(|piece| (piece.key, piece)).collect();
    let [base, ours, theirs] = &names;
    let canonical = if path.is_empty() { &FIELD_ORDER[..] } else { &[] };
    let order = order::names([base, ours, theirs], &Runs::Sorted(canonical), |key| by_key.contains_key(key));
    order.into_iter().filter_map(|key| by_key.remove(key)).collect()
}

/// The field `disputed` with the wanted items: as written if it is already right, else edited; removed if nothing is
/// disputed.
fn listed<'a>(all: [Option<&'a Chunk<'a>>; 3], wanted: &[String]) -> Option<FieldPiece<'a>> {
    let [base, ours, theirs] = all;
    let is = |chunk: &Chunk<'_>| chunk.value.list().is_some_and(|items| items == wanted);
    let unchanged = |side: &Chunk<'_>| base.is_some_and(|base| base.lines == side.lines);
    let (first, second) = match (ours, theirs) {
        (Some(o), Some(t)) if unchanged(t) || (!unchanged(o) && o.lines >= t.lines) => (o, theirs),
        (Some(_), Some(t)) => (t, ours),
        (Some(o), None) => (o, None),
        (None, t) => (t?, None),
    };
    let lead = match (ours, theirs) {
        (Some(o), Some(t)) => lead(base.map_or("", |base| base.lead), o.lead, t.lead),
        _ => Cow::Borrowed(first.lead),
    };
    if let Some(right) = [Some(first), second].into_iter().flatten().find(|chunk| is(chunk)) {
        return Some(kept(right, lead));
    }
    let wanted: Vec<&str> = wanted.iter().map(String::as_str).collect();
    if wanted.is_empty() {
        return None;
    }
    let lines = sets::write(first, second, &wanted)?;
    let mut piece = made_list(first, lines, &wanted);
    piece.lead = lead;
    Some(piece)
}

fn insert_disputed(pieces: &mut Vec<FieldPiece<'_>>, wanted: &[String]) {
    let wanted: Vec<&str> = wanted.iter().map(String::as_str).collect();
    let crlf = pieces.first().is_some_and(|piece| piece.lines.ends_with("\r\n"));
    let Some(lines) = sets::write_new("disputed", &wanted, if crlf { "\r\n" } else { "\n" }) else { return };
    let known = FIELD_ORDER.iter().take_while(|key| **key != "disputed");
    let before = pieces.iter().rposition(|piece| known.clone().any(|key| *key == piece.key));
    let at = before.map_or(pieces.len(), |at| at + 1);
    let items = wanted.iter().map(|item| Value::Scalar((*item).to_owned())).collect();
    let value = Made::New(Value::List(items));
    pieces
        .insert(at, FieldPiece { key: "disputed", lead: Cow::Borrowed(""), lines: Cow::Owned(lines), value });
}
