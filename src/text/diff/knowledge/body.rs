//! Compare the bodies of two documents as changes of facts and sections.
//!
//! Does not pair anything; the matchers do. Knows the order in which changes are listed.

use super::blocks::{self, Fate, Matching, Partner};
use super::nested::{self, ItemMove};
use super::order::{self, CombinedRow};
use super::sections::{self, Pairing};
use super::side::{DiffSide, is_shared};
use super::{
    BlockChange, BlockKind, Claim, FactChange, Fold, FoldKind, How, SectionChange, Spot, columns, facts,
    normal,
};
use crate::diff::{FileDiff, Hunk, LineKind, Word, compare, mark, words};
use crate::doc::single_spaced;

/// A block with more bytes than this is compared by line.
const MAX_WORDED: usize = 64 * 1024;

/// Unchanged lines around a change of code.
const CONTEXT: usize = 2;

/// Two bodies with their paired parts.
pub(super) struct Bodies<'s, 'a> {
    before: &'s DiffSide<'a>,
    after: &'s DiffSide<'a>,
    sections: Pairing,
    blocks: Matching,
    /// Whether each section of the side after was moved.
    moved: Vec<bool>,
    nested: Vec<ItemMove>,
}

/// The differences between two bodies.
#[derive(Default)]
pub(super) struct BodyChanges {
    pub facts: Vec<FactChange>,
    pub sections: Vec<SectionChange>,
    pub folded: Vec<Fold>,
}

pub(super) fn compare_bodies(before: &DiffSide<'_>, after: &DiffSide<'_>) -> BodyChanges {
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
        nested = nested.into_iter().map(ItemMove::mirrored).collect();
        nested.sort_by_key(|moved| moved.after.bytes.start);
    }
    Bodies { before, after, sections: pairing, blocks: matching, moved, nested }.tell()
}

impl Bodies<'_, '_> {
    fn tell(&self) -> BodyChanges {
        let mut changes = BodyChanges::default();
        changes.facts = self.facts(&mut changes.folded);
        for row in order::together(&self.sections.before, self.after.sections().len()) {
            let (was, is) = match row {
                CombinedRow::After(is) => (self.sections.after[is], Some(is)),
                CombinedRow::Before(was) => (Some(was), None),
            };
            if let (Some(was), Some(is)) = (was, is)
                && is_shared(self.before, self.after, was, is)
                && !self.moved[is]
            {
                continue;
            }
            let section = self.heading(was, is, &mut changes.folded);
            let blocks = self.blocks_of(was, is, &mut changes.folded);
            if section.change != How::Kept || !blocks.is_empty() {
                changes.sections.push(SectionChange { blocks, ..section });
            }
        }
        changes
    }

    /// The change of a section without its blocks.
    fn heading(&self, was: Option<usize>, is: Option<usize>, folded: &mut Vec<Fold>) -> SectionChange {
        let path = match (was, is) {
            (_, Some(is)) => self.after.path(is),
            (Some(was), None) => self.before.path(was),
            (None, None) => Vec::new(),
        };
        let told =
            |change, spot| SectionChange { path, change, was: None, from: None, blocks: Vec::new(), spot };
        let lines = |side: &DiffSide<'_>, section: Option<usize>| {
            section.and_then(|section| side.heading(section)).map(|unit| side.unit_lines(unit))
        };
        let spot = Spot { before: lines(self.before, was), after: lines(self.after, is) };
        let (Some(was), Some(is)) = (was, is) else {
            let change = match (&spot.before, &spot.after) {
                (None, None) => How::Kept,
                (Some(_), _) => How::Removed,
                (None, Some(_)) => How::Added,
            };
            return told(change, spot);
        };
        let (Some(old), Some(new)) = (self.before.heading(was), self.after.heading(is)) else {
            return told(How::Kept, Spot::default());
        };
        let is_renamed = self.before.form(old) != self.after.form(new);
        if self.moved[is] {
            let spot = Spot {
                before: Some(self.before.section_lines(was)),
                after: Some(self.after.section_lines(is)),
            };
            return SectionChange { from: Some(self.before.path(was)), ..told(How::Moved, spot) };
        }
        if is_renamed {
            let was = Some(heading_text(self.before, old, was));
            return SectionChange { was, ..told(How::Renamed, spot) };
        }
        if self.before.raw(old) != self.after.raw(new) {
            folded.push(Fold { what: FoldKind::Heading, spot: spot.clone() });
        }
        told(How::Kept, spot)
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
                CombinedRow::After(place) => {
                    changes.extend(self.block_after(new.start + place, folded));
                    let moved = self.nested.iter().filter(|moved| moved.after.unit == new.start + place);
                    changes.extend(moved.map(|moved| self.nested(moved)));
                }
                CombinedRow::Before(place) => changes.extend(self.block_before(old.start + place)),
            }
        }
        changes
    }

    fn block_before(&self, unit: usize) -> Option<BlockChange> {
        let block = &self.before.units[unit];
        if self.blocks.before[unit].is_some() || self.before.claim(unit).is_some() || block.content.is_empty()
        {
            return None;
        }
        let spot = Spot { before: Some(self.before.unit_lines(unit)), after: None };
        Some(BlockChange::new(block.kind, How::Removed, Some(self.rest_before(unit)?), spot))
    }

    fn block_after(&self, unit: usize, folded: &mut Vec<Fold>) -> Option<BlockChange> {
        let block = &self.after.units[unit];
        if self.blocks.after[unit].is_none_or(|partner| partner.fate != Fate::Same)
            && self.after.claim(unit).is_some()
        {
            return None;
        }
        let Some(Partner { place, fate }) = self.blocks.after[unit] else {
            let text = Some(self.rest_after(unit)?);
            let spot = Spot { before: None, after: Some(self.after.unit_lines(unit)) };
            let change = BlockChange::new(block.kind, How::Added, text, spot);
            return (!block.content.is_empty()).then_some(change);
        };
        let spot = self.spot(place, unit);
        match fate {
            Fate::Same => {
                self.fold(place, unit, spot, folded);
                None
            }
            Fate::Edited => {
                let mut change = BlockChange::new(block.kind, How::Changed, None, spot.clone());
                if self.inside(place, unit, &mut change) {
                    return Some(change);
                }
                if self.rest_before(place) != self.rest_after(unit) {
                    self.fold(place, unit, spot, folded);
                }
                None
            }
            Fate::Moved => {
                let mut change = BlockChange::new(block.kind, How::Moved, Some(self.after.text(unit)), spot);
                change.from = Some(self.before.path(self.before.units[place].section));
                change.to = Some(self.after.path(block.section));
                if self.before.form(place) != self.after.form(unit) {
                    self.inside(place, unit, &mut change);
                }
                Some(change)
            }
        }
    }

    /// The change of an item that was or is nested in another one.
    fn nested(&self, moved: &ItemMove) -> BlockChange {
        let place = |side: &DiffSide<'_>, spot: &nested::ItemSpot| {
            [side.path(side.units[spot.unit].section), spot.under.clone()].concat()
        };
        let text = &self.after.document.body()[moved.after.bytes.clone()];
        let (from, to) = (place(self.before, &moved.before), place(self.after, &moved.after));
        let text = text.trim_start().replace('\r', "");
        let spot = Spot {
            before: Some(self.before.body_lines(moved.before.bytes.clone())),
            after: Some(self.after.body_lines(moved.after.bytes.clone())),
        };
        let (from, to) = (Some(from), Some(to));
        BlockChange { from, to, ..BlockChange::new(BlockKind::Item, How::Moved, Some(text), spot) }
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
        if self.before.text(before) != self.after.text(after) {
            let is_fact = self.after.claim(after).is_some();
            let what = if is_fact { FoldKind::Facts } else { FoldKind::Block };
            folded.push(Fold { what, spot });
        }
    }

    fn spot(&self, before: usize, after: usize) -> Spot {
        Spot { before: Some(self.before.unit_lines(before)), after: Some(self.after.unit_lines(after)) }
    }

    /// Set the differences in a block apart from moved items. Returns whether there are any.
    fn inside(&self, before: usize, after: usize, change: &mut BlockChange) -> bool {
        let (Some(old), Some(new)) = (self.rest_before(before), self.rest_after(after)) else { return false };
        let is_whole =
            !self.nested.iter().any(|moved| moved.before.unit == before || moved.after.unit == after);
        if !is_whole && old.lines().filter(is_said).eq(new.lines().filter(is_said)) {
            return false;
        }
        let kind = self.after.units[after].kind;
        let is_prose = matches!(kind, BlockKind::Paragraph | BlockKind::Item | BlockKind::Quote);
        if kind == BlockKind::Table
            && let Some(columns) = columns::columns(&old, &new, by_line)
        {
            (change.columns, change.lines) = columns;
        } else if !is_prose || old.len().max(new.len()) > MAX_WORDED {
            change.lines = by_line(&old, &new);
        } else {
            change.words = self.words(before, after, old, new);
        }
        true
    }

    fn words(&self, before: usize, after: usize, old: String, new: String) -> Vec<Word> {
        let (old, new) = match self.after.units[after].kind {
            BlockKind::Item => with_marker_of(&new, &old).map_or((old, new.clone()), |old| (old, new)),
            _ => (old, new),
        };
        let is_plain = |side: &DiffSide<'_>, unit: usize| normal::is_plain(side.form(unit));
        if is_plain(self.before, before) && is_plain(self.after, after) {
            return words(single_spaced(&old).as_bytes(), single_spaced(&new).as_bytes());
        }
        words(old.as_bytes(), new.as_bytes())
    }

    fn facts(&self, folded: &mut Vec<Fold>) -> Vec<FactChange> {
        let partners: Vec<Option<usize>> =
            self.blocks.before.iter().map(|partner| partner.map(|partner| partner.place)).collect();
        let rows = order::together(&partners, self.after.units.len());
        rows.into_iter().filter_map(|row| self.fact(row, folded)).collect()
    }

    fn fact(&self, row: CombinedRow, folded: &mut Vec<Fold>) -> Option<FactChange> {
        match row {
            CombinedRow::Before(unit) => {
                let claim = self.before.claim(unit)?.clone();
                let spot = Spot { before: Some(self.before.unit_lines(unit)), after: None };
                Some(fact(How::Removed, Some(claim), None, spot))
            }
            CombinedRow::After(unit) => {
                if self.blocks.after[unit].is_some_and(|partner| partner.fate == Fate::Same) {
                    return None;
                }
                let claim = self.after.claim(unit)?.clone();
                let Some(Partner { place, fate }) = self.blocks.after[unit] else {
                    let spot = Spot { before: None, after: Some(self.after.unit_lines(unit)) };
                    return Some(fact(How::Added, None, Some(claim), spot));
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
                        let (from, to) = (Some(self.before.path(was)), Some(self.after.path(is)));
                        Some(FactChange {
                            from,
                            to,
                            ..fact(How::Moved, Some(claim.clone()), Some(claim), spot)
                        })
                    }
                    Fate::Edited => Some(changed(self.before.claim(place)?.clone(), claim, spot)),
                }
            }
        }
    }
}

/// The text of a block without some of its lines; `None` if none are left.
fn rest<'a>(
    side: &DiffSide<'_>,
    unit: usize,
    moved: impl Iterator<Item = &'a nested::ItemSpot>,
) -> Option<String> {
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

fn fact(change: How, before: Option<Claim>, after: Option<Claim>, spot: Spot) -> FactChange {
    FactChange { change, before, after, words: Vec::new(), from: None, to: None, elsewhere: None, spot }
}

fn changed(before: Claim, after: Claim, spot: Spot) -> FactChange {
    let long = before.statement.len().max(after.statement.len()) > MAX_WORDED;
    let words: Vec<Word> = if long && before.statement != after.statement {
        let word = |kind, text: &str| Word { kind, text: text.into() };
        vec![word(LineKind::Removed, &before.statement), word(LineKind::Added, &after.statement)]
    } else {
        words(before.statement.as_bytes(), after.statement.as_bytes())
    };
    FactChange { words, ..fact(How::Changed, Some(before), Some(after), spot) }
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
fn heading_text(side: &DiffSide<'_>, unit: usize, section: usize) -> String {
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
