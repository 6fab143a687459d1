//! Pair the blocks of both sides: equal ones in order, equal ones elsewhere, similar ones.
//!
//! Needs the paired sections. Facts are left to [`super::facts`] unless they are unchanged.

use super::BlockKind;
use super::like;
use super::sections::Pairing;
use super::side::{DiffSide, is_shared};
use crate::diff::bag::Bag;
use crate::diff::edits;
use crate::diff::words::versions;
use bstr::BStr;
use std::collections::{HashMap, VecDeque};

/// Blocks in different places are versions of each other if they are at least this similar.
const ALIKE: f64 = 0.6;

/// Blocks with fewer words are not searched for in other sections: a match would be chance.
const FEW_WORDS: usize = 4;

/// The partner of a block, and how the block changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Partner {
    pub place: usize,
    pub fate: Fate,
}

/// How a block on both sides changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    /// Unchanged in meaning and order.
    Same,
    Edited,
    Moved,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Matching {
    pub before: Vec<Option<Partner>>,
    pub after: Vec<Option<Partner>>,
}

impl Matching {
    pub(super) fn join(&mut self, before: usize, after: usize, fate: Fate) {
        self.before[before] = Some(Partner { place: after, fate });
        self.after[after] = Some(Partner { place: before, fate });
    }

    /// The same with the sides swapped.
    pub(super) fn mirrored(self) -> Matching {
        Matching { before: self.after, after: self.before }
    }
}

/// Pair the blocks, headings aside.
pub(super) fn pair(before: &DiffSide<'_>, after: &DiffSide<'_>, sections: &Pairing) -> Matching {
    let mut matching =
        Matching { before: vec![None; before.units.len()], after: vec![None; after.units.len()] };
    let mut gaps = Vec::new();
    for (section, partner) in sections.before.iter().enumerate() {
        if let Some(partner) = partner {
            in_order(before, after, (section, *partner), &mut matching, &mut gaps);
        }
    }
    equal_elsewhere(before, after, sections, &mut matching);
    for (removed, added) in gaps {
        alike_in_gap(before, after, &removed, &added, &mut matching);
    }
    alike_elsewhere(before, after, &mut matching);
    matching
}

/// On both sides, a run of blocks of one section without an equal partner in order.
type UnpairedBlocks = (Vec<usize>, Vec<usize>);

fn in_order(
    before: &DiffSide<'_>,
    after: &DiffSide<'_>,
    (section, partner): (usize, usize),
    matching: &mut Matching,
    gaps: &mut Vec<UnpairedBlocks>,
) {
    let (old, new) = (before.blocks(section), after.blocks(partner));
    if is_shared(before, after, section, partner) {
        return old.zip(new).for_each(|(b, a)| matching.join(b, a, Fate::Same));
    }
    let (mut b, mut a) = (old.start, new.start);
    for change in edits::changes(&forms(before, &old), &forms(after, &new)) {
        while b < old.start + change.before.start {
            matching.join(b, a, Fate::Same);
            (b, a) = (b + 1, a + 1);
        }
        let end = (old.start + change.before.end, new.start + change.after.end);
        gaps.push(((b..end.0).collect(), (a..end.1).collect()));
        (b, a) = end;
    }
    while b < old.end {
        matching.join(b, a, Fate::Same);
        (b, a) = (b + 1, a + 1);
    }
}

fn forms<'a>(side: &'a DiffSide<'_>, blocks: &std::ops::Range<usize>) -> Vec<&'a str> {
    blocks.clone().map(|unit| side.form(unit)).collect()
}

/// Whether the block can be paired: it has no partner yet, is neither a heading nor a fact, and has content.
fn is_loose(side: &DiffSide<'_>, partners: &[Option<Partner>], unit: usize) -> bool {
    let block = &side.units[unit];
    partners[unit].is_none() && !block.is_heading && side.claim(unit).is_none() && !side.form(unit).is_empty()
}

/// Pair equal blocks in different places: first in the same section, then in any section unless they are too short.
fn equal_elsewhere(before: &DiffSide<'_>, after: &DiffSide<'_>, sections: &Pairing, matching: &mut Matching) {
    for is_near in [true, false] {
        let mut waiting: HashMap<(Option<usize>, &str), VecDeque<usize>> = HashMap::new();
        let is_told = |side: &DiffSide<'_>, unit: usize| {
            is_near || super::normal::words(side.form(unit)).nth(FEW_WORDS - 1).is_some()
        };
        for unit in (0..before.units.len()).filter(|unit| is_loose(before, &matching.before, *unit)) {
            if !is_told(before, unit) {
                continue;
            }
            let section = if is_near { sections.before[before.units[unit].section] } else { None };
            if section.is_some() == is_near {
                waiting.entry((section, before.form(unit))).or_default().push_back(unit);
            }
        }
        for unit in 0..after.units.len() {
            if !is_loose(after, &matching.after, unit) {
                continue;
            }
            let section = is_near.then_some(after.units[unit].section);
            let found = waiting.get_mut(&(section, after.form(unit)));
            if let Some(partner) = found.and_then(|places| places.pop_front()) {
                matching.join(partner, unit, Fate::Moved);
            }
        }
    }
}

/// Pair similar blocks between the same neighbours, by kind of block.
fn alike_in_gap(
    before: &DiffSide<'_>,
    after: &DiffSide<'_>,
    removed: &[usize],
    added: &[usize],
    matching: &mut Matching,
) {
    same_head(before, after, removed, added, matching);
    for of_kind in [is_prose, is_code, is_other] {
        let pick = |side: &DiffSide<'_>, partners: &[Option<Partner>], units: &[usize]| -> Vec<usize> {
            let fits = |unit: &usize| is_loose(side, partners, *unit) && of_kind(side.units[*unit].kind);
            units.iter().copied().filter(fits).collect()
        };
        let old = pick(before, &matching.before, removed);
        let new = pick(after, &matching.after, added);
        if old.is_empty() || new.is_empty() {
            continue;
        }
        let text = |side: &DiffSide<'_>, units: &[usize]| -> Vec<String> {
            units.iter().map(|unit| words_of(side, *unit)).collect()
        };
        let (old_text, new_text) = (text(before, &old), text(after, &new));
        let left: Vec<&BStr> = old_text.iter().map(BStr::new).collect();
        let right: Vec<&BStr> = new_text.iter().map(BStr::new).collect();
        for (b, a) in versions(&left, &right) {
            matching.join(old[b], new[a], Fate::Edited);
        }
    }
}

/// Pair items, in order, that are equal except for their nested content, however much of that was added or removed.
fn same_head(
    before: &DiffSide<'_>,
    after: &DiffSide<'_>,
    removed: &[usize],
    added: &[usize],
    matching: &mut Matching,
) {
    let pick = |side: &DiffSide<'_>, partners: &[Option<Partner>], units: &[usize]| -> Vec<usize> {
        let fits =
            |unit: &usize| is_loose(side, partners, *unit) && side.units[*unit].kind == BlockKind::Item;
        units.iter().copied().filter(fits).collect()
    };
    let (old, new) = (pick(before, &matching.before, removed), pick(after, &matching.after, added));
    let heads = |side: &DiffSide<'_>, units: &[usize]| -> Vec<String> {
        units.iter().map(|unit| super::normal::head(side.form(*unit)).to_owned()).collect()
    };
    let (mut b, mut a) = (0, 0);
    let end = edits::DiffRange { before: old.len()..old.len(), after: new.len()..new.len() };
    for change in edits::changes(&heads(before, &old), &heads(after, &new)).into_iter().chain([end]) {
        for (b, a) in (b..change.before.start).zip(a..change.after.start) {
            matching.join(old[b], new[a], Fate::Edited);
        }
        (b, a) = (change.before.end, change.after.end);
    }
}

/// The words of a block separated by single spaces: its marks would make short blocks look similar.
fn words_of(side: &DiffSide<'_>, unit: usize) -> String {
    super::normal::words(side.form(unit)).collect::<Vec<_>>().join(" ")
}

fn is_prose(kind: BlockKind) -> bool {
    matches!(kind, BlockKind::Paragraph | BlockKind::Item | BlockKind::Quote)
}

fn is_code(kind: BlockKind) -> bool {
    kind == BlockKind::Code
}

fn is_other(kind: BlockKind) -> bool {
    !is_prose(kind) && !is_code(kind)
}

/// Pair similar blocks in any place.
fn alike_elsewhere(before: &DiffSide<'_>, after: &DiffSide<'_>, matching: &mut Matching) {
    for of_kind in [is_prose, is_code, is_other] {
        let pick = |side: &DiffSide<'_>, partners: &[Option<Partner>]| -> (Vec<usize>, Vec<Bag>) {
            (0..side.units.len())
                .filter(|unit| is_loose(side, partners, *unit) && of_kind(side.units[*unit].kind))
                .map(|unit| (unit, side.bag(unit)))
                .filter(|(_, bag)| bag.len() >= FEW_WORDS)
                .unzip()
        };
        let (old, old_bags) = pick(before, &matching.before);
        let (new, new_bags) = pick(after, &matching.after);
        for (b, a) in like::pairs(&old_bags, &new_bags, ALIKE) {
            matching.join(old[b], new[a], Fate::Moved);
        }
    }
}
