//! Compare the bodies of two documents as changes of facts and sections.
//!
//! Does not pair anything; the matchers do. Knows the order in which changes are listed.

use super::blocks::{self, Fate, Matching, Partner};
use super::nested::{self, Move};
use super::order::{self, Row};
use super::sections::{self, Pairing};
use super::side::Side;
use super::{
    BlockChange, BlockEdit, BlockKind, Claim, FactChange, FactEdit, Fold, FoldKind, HeadingEdit, Inside,
    SectionChange, Spot, columns, facts, normal,
};
use crate::diff::{FileDiff, Hunk, LineKind, Word, compare, mark, words};

/// A block with more bytes than this is compared by line.
const MAX_WORDED: usize = 64 * 1024;

/// Unchanged lines around a change of code.
const CONTEXT: usize = 2;

/// Two bodies with their paired parts.
pub(super) struct Bodies<'s, 'a> {
    before: &'s Side<'a>,
    after: &'s Side<'a>,
    sections: Pairing,
    blocks: Matching,
    /// Whether each section of the side after was moved.
    moved: Vec<bool>,
    nested: Vec<Move>,
}

/// The differences between two bodies.
#[derive(Default)]
pub(super) struct Changes {
    pub facts: Vec<FactChange>,
    pub sections: Vec<SectionChange>,
    pub folded: Vec<Fold>,
}

pub(super) fn compare_bodies(before: &Side<'_>, after: &Side<'_>) -> Changes {
    // the same pairs whichever side is which: between equally good ways, the bytes decide
    let is_turned = before.document.body() > after.document.body();
    let (first, second) = if is_turned { (after, before) } else { (before, after) };
    let mut pairing = sections::pair(first, second);
    let mut matching = blocks::pair(first, second, &pairing);
    facts::pair(first, second, &mut matching);
    let mut moved = sections::moved(first, second, &pairing);
    let mut nested = nested::moves(first, second, &pairing, &matching);
    if is_turned {
        let of_after = |place: &Option<usize>| place.is_some_and(|place| moved[place]);
        moved = pairing.before.iter().map(of_after).collect();
        (pairing, matching) = (pairing.mirrored(), matching.mirrored());
        nested = nested.into_iter().map(Move::mirrored).collect();
        nested.sort_by_key(|moved| moved.after.bytes.start);
    }
    Bodies { before, after, sections: pairing, blocks: matching, moved, nested }.tell()
}

impl Bodies<'_, '_> {
    fn tell(&self) -> Changes {
        let mut changes = Changes::default();
        changes.facts = self.facts(&mut changes.folded);
        for row in order::together(&self.sections.before, self.after.sections().len()) {
            let (was, is) = match row {
                Row::After(is) => (self.sections.after[is], Some(is)),
                Row::Before(was) => (Some(was), None),
            };
            let (heading, spot) = self.heading(was, is, &mut changes.folded);
            let blocks = self.blocks_of(was, is, &mut changes.folded);
            if heading != HeadingEdit::Kept || !blocks.is_empty() {
                let path = match (was, is) {
                    (_, Some(is)) => self.after.path(is),
                    (Some(was), None) => self.before.path(was),
                    (None, None) => Vec::new(),
                };
                changes.sections.push(SectionChange { path, heading, spot, blocks });
            }
        }
        changes
    }

    fn heading(&self, was: Option<usize>, is: Option<usize>, folded: &mut Vec<Fold>) -> (HeadingEdit, Spot) {
        let lines = |side: &Side<'_>, section: Option<usize>| {
            section.and_then(|section| side.heading(section)).map(|unit| side.unit_lines(unit))
        };
        let spot = Spot { before: lines(self.before, was), after: lines(self.after, is) };
        let (Some(was), Some(is)) = (was, is) else {
            let edit = match (&spot.before, &spot.after) {
                (None, None) => HeadingEdit::Kept,
                (Some(_), _) => HeadingEdit::Removed,
                (None, Some(_)) => HeadingEdit::Added,
            };
            return (edit, spot);
        };
        let (Some(old), Some(new)) = (self.before.heading(was), self.after.heading(is)) else {
            return (HeadingEdit::Kept, Spot::default());
        };
        let is_renamed = self.before.units[old].form != self.after.units[new].form;
        if self.moved[is] {
            let spot = Spot {
                before: Some(self.before.section_lines(was)),
                after: Some(self.after.section_lines(is)),
            };
            return (HeadingEdit::Moved { from: self.before.path(was) }, spot);
        }
        if is_renamed {
            return (HeadingEdit::Renamed { before: heading_text(self.before, old, was) }, spot);
        }
        if self.before.raw(old) != self.after.raw(new) {
            folded.push(Fold { what: FoldKind::Heading, spot: spot.clone() });
        }
        (HeadingEdit::Kept, spot)
    }

    /// The blocks that differ in a section of both sides, or of one side.
    fn blocks_of(&self, was: Option<usize>, is: Option<usize>, folded: &mut Vec<Fold>) -> Vec<BlockChange> {
        let old = was.map_or(0..0, |section| self.before.blocks(section));
        let new = is.map_or(0..0, |section| self.after.blocks(section));
        let near = |unit: usize| -> Option<usize> {
            let partner = self.blocks.before[unit]?;
            new.contains(&partner.place).then(|| partner.place - new.start)
        };
        // a block that moved to another section is listed there: here it has no partner
        let partners: Vec<Option<usize>> = old.clone().map(near).collect();
        let mut changes = Vec::new();
        for row in order::together(&partners, new.len()) {
            match row {
                Row::After(place) => {
                    changes.extend(self.block_after(new.start + place, folded));
                    let moved = self.nested.iter().filter(|moved| moved.after.unit == new.start + place);
                    changes.extend(moved.map(|moved| self.nested(moved)));
                }
                Row::Before(place) => changes.extend(self.block_before(old.start + place)),
            }
        }
        changes
    }

    fn block_before(&self, unit: usize) -> Option<BlockChange> {
        let block = &self.before.units[unit];
        if self.blocks.before[unit].is_some() || block.claim.is_some() || block.content.is_empty() {
            return None;
        }
        Some(BlockChange {
            kind: block.kind,
            edit: BlockEdit::Removed { text: self.rest_before(unit)?, to: None },
            spot: Spot { before: Some(self.before.unit_lines(unit)), after: None },
        })
    }

    fn block_after(&self, unit: usize, folded: &mut Vec<Fold>) -> Option<BlockChange> {
        let block = &self.after.units[unit];
        if block.claim.is_some() && self.blocks.after[unit].is_none_or(|partner| partner.fate != Fate::Same) {
            return None;
        }
        let Some(Partner { place, fate }) = self.blocks.after[unit] else {
            let edit = BlockEdit::Added { text: self.rest_after(unit)?, from: None };
            let spot = Spot { before: None, after: Some(self.after.unit_lines(unit)) };
            return (!block.content.is_empty()).then_some(BlockChange { kind: block.kind, edit, spot });
        };
        let spot = self.spot(place, unit);
        let edit = match fate {
            Fate::Same => {
                self.fold(place, unit, spot, folded);
                return None;
            }
            Fate::Edited => match self.inside(place, unit) {
                Some(inside) => BlockEdit::Edited(inside),
                None => {
                    if self.rest_before(place) != self.rest_after(unit) {
                        self.fold(place, unit, spot, folded);
                    }
                    return None;
                }
            },
            Fate::Moved => BlockEdit::Moved {
                from: self.before.path(self.before.units[place].section),
                to: self.after.path(block.section),
                text: self.after.text(unit),
                inside: (self.before.units[place].form != block.form)
                    .then(|| self.inside(place, unit))
                    .flatten(),
            },
        };
        Some(BlockChange { kind: block.kind, edit, spot })
    }

    /// The change of an item that was or is nested in another one.
    fn nested(&self, moved: &Move) -> BlockChange {
        let place = |side: &Side<'_>, spot: &nested::Spot| {
            [side.path(side.units[spot.unit].section), spot.under.clone()].concat()
        };
        let text = &self.after.document.body()[moved.after.bytes.clone()];
        let (from, to) = (place(self.before, &moved.before), place(self.after, &moved.after));
        let text = text.trim_start().replace('\r', "");
        let spot = Spot {
            before: Some(self.before.body_lines(moved.before.bytes.clone())),
            after: Some(self.after.body_lines(moved.after.bytes.clone())),
        };
        BlockChange { kind: BlockKind::Item, edit: BlockEdit::Moved { from, to, text, inside: None }, spot }
    }

    /// The text of a block without the items that moved away; `None` if it is one of them.
    fn rest_before(&self, unit: usize) -> Option<String> {
        let gone = self.nested.iter().map(|moved| &moved.before).filter(|spot| spot.unit == unit);
        rest(self.before, unit, gone)
    }

    fn rest_after(&self, unit: usize) -> Option<String> {
        let come = self.nested.iter().map(|moved| &moved.after).filter(|spot| spot.unit == unit);
        rest(self.after, unit, come)
    }

    fn fold(&self, before: usize, after: usize, spot: Spot, folded: &mut Vec<Fold>) {
        let is_fact = self.after.units[after].claim.is_some();
        if self.before.text(before) != self.after.text(after) {
            let what = if is_fact { FoldKind::Facts } else { FoldKind::Block };
            folded.push(Fold { what, spot });
        }
    }

    fn spot(&self, before: usize, after: usize) -> Spot {
        Spot { before: Some(self.before.unit_lines(before)), after: Some(self.after.unit_lines(after)) }
    }

    /// The differences in a block apart from moved items; `None` if there are none.
    fn inside(&self, before: usize, after: usize) -> Option<Inside> {
        let (old, new) = (self.rest_before(before)?, self.rest_after(after)?);
        let is_whole =
            !self.nested.iter().any(|moved| moved.before.unit == before || moved.after.unit == after);
        if !is_whole && old.lines().filter(is_said).eq(new.lines().filter(is_said)) {
            return None;
        }
        let kind = self.after.units[after].kind;
        if kind == BlockKind::Table
            && let Some(columns) = columns::columns(&old, &new, by_line)
        {
            return Some(Inside::Columns(columns));
        }
        Some(self.inside_of(before, after, old, new))
    }

    fn inside_of(&self, before: usize, after: usize, old: String, new: String) -> Inside {
        let kind = self.after.units[after].kind;
        let is_prose = matches!(kind, BlockKind::Paragraph | BlockKind::Item | BlockKind::Quote);
        if !is_prose || old.len().max(new.len()) > MAX_WORDED {
            return Inside::Lines(by_line(&old, &new));
        }
        let (old, new) = match kind {
            BlockKind::Item => with_marker_of(&new, &old).map_or((old, new.clone()), |old| (old, new)),
            _ => (old, new),
        };
        let is_plain = |side: &Side<'_>, unit: usize| normal::is_plain(&side.units[unit].form);
        if is_plain(self.before, before) && is_plain(self.after, after) {
            let (old, new) = (single_spaced(&old), single_spaced(&new));
            return Inside::Words(words(old.as_bytes(), new.as_bytes()));
        }
        Inside::Words(words(old.as_bytes(), new.as_bytes()))
    }

    fn facts(&self, folded: &mut Vec<Fold>) -> Vec<FactChange> {
        let partners: Vec<Option<usize>> =
            self.blocks.before.iter().map(|partner| partner.map(|partner| partner.place)).collect();
        let rows = order::together(&partners, self.after.units.len());
        rows.into_iter().filter_map(|row| self.fact(row, folded)).collect()
    }

    fn fact(&self, row: Row, folded: &mut Vec<Fold>) -> Option<FactChange> {
        match row {
            Row::Before(unit) => {
                let claim = self.before.units[unit].claim.clone()?;
                let spot = Spot { before: Some(self.before.unit_lines(unit)), after: None };
                Some(FactChange { edit: FactEdit::Removed { claim, to: None }, spot })
            }
            Row::After(unit) => {
                let claim = self.after.units[unit].claim.clone()?;
                let Some(Partner { place, fate }) = self.blocks.after[unit] else {
                    let spot = Spot { before: None, after: Some(self.after.unit_lines(unit)) };
                    return Some(FactChange { edit: FactEdit::Added { claim, from: None }, spot });
                };
                let spot = self.spot(place, unit);
                match fate {
                    Fate::Same => None,
                    Fate::Moved => {
                        let (was, is) = (self.before.units[place].section, self.after.units[unit].section);
                        if self.sections.before[was] == Some(is) {
                            folded.push(Fold { what: FoldKind::Facts, spot });
                            return None;
                        }
                        let (from, to) = (self.before.path(was), self.after.path(is));
                        Some(FactChange { edit: FactEdit::Moved { claim, from, to }, spot })
                    }
                    Fate::Edited => {
                        let edit = changed(self.before.units[place].claim.clone()?, claim);
                        Some(FactChange { edit, spot })
                    }
                }
            }
        }
    }
}

/// The text of a block without some of its lines; `None` if none are left.
fn rest<'a>(side: &Side<'_>, unit: usize, moved: impl Iterator<Item = &'a nested::Spot>) -> Option<String> {
    let start = side.units[unit].content.start;
    let mut text = side.raw(unit).to_owned();
    let mut moved: Vec<_> = moved.map(|spot| spot.bytes.start - start..spot.bytes.end - start).collect();
    moved.sort_by_key(|range| std::cmp::Reverse(range.start));
    let is_whole = moved.is_empty();
    for range in moved {
        let end = text[range.end..].find('\n').map_or(text.len(), |end| range.end + end + 1);
        text.replace_range(range.start..end, "");
    }
    let text = text.replace('\r', "");
    if is_whole {
        return Some(text);
    }
    let text = text.trim_end();
    (!text.is_empty()).then(|| text.to_owned())
}

/// Whether a line of a list has content.
fn is_said(line: &&str) -> bool {
    !line.trim().is_empty()
}

fn changed(before: Claim, after: Claim) -> FactEdit {
    let long = before.statement.len().max(after.statement.len()) > MAX_WORDED;
    let words: Vec<Word> = if long {
        let word = |kind, text: &str| Word { kind, text: text.into() };
        vec![word(LineKind::Removed, &before.statement), word(LineKind::Added, &after.statement)]
    } else {
        words(before.statement.as_bytes(), after.statement.as_bytes())
    };
    FactEdit::Changed { before, after, words }
}

fn by_line(before: &str, after: &str) -> Vec<Hunk> {
    // the last line counts as ended, as it would be within a document
    let ended = |text: &str| format!("{text}\n").into_bytes();
    match compare(&ended(before), &ended(after), CONTEXT) {
        FileDiff::Text(mut hunks) => {
            mark(&mut hunks);
            hunks
        }
        FileDiff::Binary(_) => Vec::new(),
    }
}

/// A heading as written, without its `#` marks.
fn heading_text(side: &Side<'_>, unit: usize, section: usize) -> String {
    let raw = side.raw(unit).trim();
    match raw.strip_prefix('#') {
        Some(_) => raw.trim_matches('#').trim().to_owned(),
        None => side.sections()[section].title.clone(),
    }
}

/// `item` with the list marker of `other`; `None` if it has none.
fn with_marker_of(other: &str, item: &str) -> Option<String> {
    let marker = |text: &str| -> Option<usize> {
        let start = text.len() - text.trim_start().len();
        let digits = text[start..].bytes().take_while(u8::is_ascii_digit).count();
        let mark = text[start + digits..].bytes().next()?;
        let is_marker =
            if digits > 0 { matches!(mark, b'.' | b')') } else { matches!(mark, b'-' | b'*' | b'+') };
        is_marker.then_some(start + digits + 1)
    };
    Some(format!("{}{}", &other[..marker(other)?], &item[marker(item)?..]))
}

fn single_spaced(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
