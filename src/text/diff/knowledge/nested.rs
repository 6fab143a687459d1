//! Find nested list items that moved: into another item, into another order, out of a list, or into a list that was
//! below them.
//!
//! Looks at items whose blocks differ or have no partner; in unchanged ones nothing moved.

use super::blocks::{Fate, Matching};
use super::sections::Pairing;
use super::side::DiffSide;
use super::{BlockKind, normal};
use crate::diff::edits;
use crate::diff::words::versions;
use bstr::BStr;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use std::collections::{HashMap, VecDeque};
use std::ops::Range;

/// Items with fewer words are not searched for in other sections: a match would be chance.
const FEW_WORDS: usize = 4;

/// Longer items are reported as a whole.
const MAX_BYTES: usize = 64 * 1024;

/// With more unmatched items than this, none is searched for, to limit the time.
const MAX_LOOSE: usize = 2_000;

/// An item that moved, with everything nested in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ItemMove {
    pub before: ItemSpot,
    pub after: ItemSpot,
}

/// The place of an item on one side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ItemSpot {
    /// Its block, or the block it is in.
    pub unit: usize,
    /// Its whole lines in bytes of the body, without the end of the last one.
    pub bytes: Range<usize>,
    /// The items it is nested in, outermost first.
    pub under: Vec<String>,
}

impl ItemMove {
    /// The same with the sides swapped.
    pub fn mirrored(self) -> ItemMove {
        ItemMove { before: self.after, after: self.before }
    }
}

struct Item {
    bytes: Range<usize>,
    /// Its text with everything nested in it, regardless of indentation and marker.
    said: String,
    /// Its text without nested content.
    head: String,
    nested: Vec<Item>,
}

/// The moved items, in the order of the side after.
pub(super) fn moves(
    before: &DiffSide<'_>,
    after: &DiffSide<'_>,
    sections: &Pairing,
    matching: &Matching,
) -> Vec<ItemMove> {
    let mut loose = UnmatchedItems::default();
    let may_move = |unit: &usize| matching.before[*unit].is_none_or(|partner| partner.fate != Fate::Same);
    for unit in (0..before.units.len()).filter(|unit| may_move(unit) && is_item(before, *unit)) {
        match matching.before[unit] {
            None => loose.before.extend(Item::of(before, unit).map(|item| loosened(unit, item))),
            Some(partner) if is_item(after, partner.place) => {
                let items = (Item::of(before, unit), Item::of(after, partner.place));
                if let (Some(old), Some(new)) = items {
                    loose.align((unit, old, &[]), (partner.place, new, &[]));
                }
            }
            Some(_) => {}
        }
    }
    let new = (0..after.units.len()).filter(|unit| matching.after[*unit].is_none() && is_item(after, *unit));
    loose.after.extend(new.filter_map(|unit| Some(loosened(unit, Item::of(after, unit)?))));
    loose.pair(
        |unit| matching.before[unit].map(|partner| partner.place),
        |unit| sections.before[before.units[unit].section],
        |unit| after.units[unit].section,
    )
}

fn is_item(side: &DiffSide<'_>, unit: usize) -> bool {
    let block = &side.units[unit];
    block.kind == BlockKind::Item && block.content.len() <= MAX_BYTES && side.claim(unit).is_none()
}

impl Item {
    fn of(side: &DiffSide<'_>, unit: usize) -> Option<Item> {
        let (raw, start) = (side.raw(unit), side.units[unit].content.start);
        let mut open: Vec<(Range<usize>, Vec<Item>)> = Vec::new();
        for (event, range) in Parser::new_ext(raw, Options::ENABLE_TABLES).into_offset_iter() {
            match event {
                Event::Start(Tag::Item) => open.push((range, Vec::new())),
                Event::End(TagEnd::Item) => {
                    let (range, nested) = open.pop()?;
                    let item = Item::new(raw, range, nested, start);
                    match open.last_mut() {
                        Some((_, siblings)) => siblings.extend(item),
                        None => return item,
                    }
                }
                _ => {}
            }
        }
        None
    }

    /// `None` for an item that starts after the marker of another: it has no line of its own.
    fn new(raw: &str, range: Range<usize>, nested: Vec<Item>, start: usize) -> Option<Item> {
        let line = raw[..range.start].rfind('\n').map_or(0, |end| end + 1);
        let indent = range.start - line;
        let text = raw[line..range.end].trim_end();
        if !raw[line..range.start].trim().is_empty() {
            return None;
        }
        let first = nested.first().map_or(text.len(), |item| item.bytes.start - start - line);
        let said = |text: &str| -> String {
            let lines = text.lines().filter(|line| !line.trim().is_empty());
            let lines = lines.map(|line| {
                let blanks = line.len() - line.trim_start().len();
                let words: Vec<&str> = line.split_whitespace().collect();
                format!("{}{}", " ".repeat(blanks.saturating_sub(indent)), words.join(" "))
            });
            let text = lines.collect::<Vec<_>>().join("\n");
            without_marker(&text).to_owned()
        };
        let head = said(&text[..first]).split_whitespace().collect::<Vec<_>>().join(" ");
        Some(Item { bytes: start + line..start + line + text.len(), said: said(text), head, nested })
    }
}

/// The text of an item after its marker.
fn without_marker(item: &str) -> &str {
    let digits = item.bytes().take_while(u8::is_ascii_digit).count();
    let rest = &item[digits..];
    let rest = if digits > 0 { rest.strip_prefix(['.', ')']) } else { rest.strip_prefix(['-', '*', '+']) };
    rest.unwrap_or(item).trim_start()
}

struct ItemCandidate {
    spot: ItemSpot,
    said: String,
    /// Whether it is a block of its own.
    is_block: bool,
    is_taken: bool,
}

/// Items with those nested in them, outermost first.
type Candidates = Vec<ItemCandidate>;

fn loosened(unit: usize, item: Item) -> Candidates {
    let mut found = Vec::new();
    gather(unit, item, &[], &mut found);
    found[0].is_block = true;
    found
}

fn gather(unit: usize, item: Item, under: &[String], found: &mut Candidates) {
    let spot = ItemSpot { unit, bytes: item.bytes, under: under.to_vec() };
    found.push(ItemCandidate { spot, said: item.said, is_block: false, is_taken: false });
    let under = [under, &[item.head]].concat();
    item.nested.into_iter().for_each(|nested| gather(unit, nested, &under, found));
}

/// The unmatched items of both sides.
#[derive(Default)]
struct UnmatchedItems {
    before: Vec<Candidates>,
    after: Vec<Candidates>,
}

impl UnmatchedItems {
    /// Match the nested items of an item and its new version: unchanged ones in order, ones edited in place, and the
    /// rest as unmatched.
    fn align(&mut self, old: (usize, Item, &[String]), new: (usize, Item, &[String])) {
        let ((b, old, under_old), (a, new, under_new)) = (old, new);
        let (under_old, under_new) = ([under_old, &[old.head]].concat(), [under_new, &[new.head]].concat());
        let said = |items: &[Item]| -> Vec<String> { items.iter().map(|item| item.said.clone()).collect() };
        let gaps = edits::changes(&said(&old.nested), &said(&new.nested));
        let (mut old, mut new): (Vec<_>, Vec<_>) =
            (old.nested.into_iter().map(Some).collect(), new.nested.into_iter().map(Some).collect());
        for gap in gaps {
            let (was, is) = (&mut old[gap.before], &mut new[gap.after]);
            for (x, y) in same_items(was, is) {
                if let (Some(was), Some(is)) = (was[x].take(), is[y].take()) {
                    self.align((b, was, &under_old), (a, is, &under_new));
                }
            }
            let gathered = |items: &mut [Option<Item>], unit, under: &[String]| -> Vec<Candidates> {
                let rest = items.iter_mut().filter_map(Option::take);
                rest.map(|item| {
                    let mut found = Vec::new();
                    gather(unit, item, under, &mut found);
                    found
                })
                .collect()
            };
            self.before.extend(gathered(was, b, &under_old));
            self.after.extend(gathered(is, a, &under_new));
        }
    }

    /// Pair equal items: within an item and its new version, then within a section, then anywhere.
    fn pair(
        mut self,
        partner: impl Fn(usize) -> Option<usize>,
        section_before: impl Fn(usize) -> Option<usize>,
        section_after: impl Fn(usize) -> usize,
    ) -> Vec<ItemMove> {
        let count = |side: &[Candidates]| side.iter().map(Vec::len).sum::<usize>();
        if count(&self.before).max(count(&self.after)) > MAX_LOOSE {
            return Vec::new();
        }
        let mut moves = Vec::new();
        self.pair_by(partner, Some, 0, &mut moves);
        self.pair_by(section_before, |unit| Some(section_after(unit)), 0, &mut moves);
        self.pair_by(|_| Some(0), |_| Some(0), FEW_WORDS, &mut moves);
        moves.sort_by_key(|moved| moved.after.bytes.start);
        moves
    }

    fn pair_by(
        &mut self,
        before: impl Fn(usize) -> Option<usize>,
        after: impl Fn(usize) -> Option<usize>,
        words: usize,
        moves: &mut Vec<ItemMove>,
    ) {
        let mut waiting: HashMap<(usize, String), VecDeque<(usize, usize)>> = HashMap::new();
        let says_enough = |said: &str| normal::words(said).nth(words.saturating_sub(1)).is_some();
        for (tree, items) in self.before.iter().enumerate() {
            for (at, item) in
                items.iter().enumerate().filter(|(_, item)| !item.is_taken && says_enough(&item.said))
            {
                if let Some(scope) = before(item.spot.unit) {
                    waiting.entry((scope, item.said.clone())).or_default().push_back((tree, at));
                }
            }
        }
        for items in &mut self.after {
            for at in 0..items.len() {
                let Some(scope) = after(items[at].spot.unit).filter(|_| !items[at].is_taken) else {
                    continue;
                };
                let Some(places) = waiting.get_mut(&(scope, items[at].said.clone())) else { continue };
                let fits = |(tree, place): &(usize, usize)| {
                    let item = &self.before[*tree][*place];
                    !(item.is_taken || item.is_block && items[at].is_block)
                };
                let Some((tree, place)) = places.iter().position(fits).and_then(|at| places.remove(at))
                else {
                    continue;
                };
                let spot = |items: &mut Candidates, at: usize| {
                    take(items, at);
                    items[at].spot.clone()
                };
                moves.push(ItemMove { before: spot(&mut self.before[tree], place), after: spot(items, at) });
            }
        }
    }
}

/// Mark a moved item as taken with everything nested in it; the items around it can no longer move as a whole.
fn take(items: &mut Candidates, at: usize) {
    let bytes = items[at].spot.bytes.clone();
    let overlaps =
        |item: &ItemCandidate| item.spot.bytes.start < bytes.end && bytes.start < item.spot.bytes.end;
    items.iter_mut().filter(|item| overlaps(item)).for_each(|item| item.is_taken = true);
}

/// Pair the items of a gap: by their own text, then by similarity.
fn same_items(before: &[Option<Item>], after: &[Option<Item>]) -> Vec<(usize, usize)> {
    let heads = |items: &[Option<Item>]| -> Vec<String> {
        items.iter().flatten().map(|item| item.head.clone()).collect()
    };
    let (old, new) = (heads(before), heads(after));
    let mut pairs = Vec::new();
    let (mut b, mut a) = (0, 0);
    for gap in edits::changes(&old, &new) {
        pairs.extend((b..gap.before.start).zip(a..gap.after.start));
        let said = |items: &[Option<Item>], range: Range<usize>| -> Vec<String> {
            items[range].iter().flatten().map(|item| item.said.clone()).collect()
        };
        let (was, is) = (said(before, gap.before.clone()), said(after, gap.after.clone()));
        let (was, is): (Vec<&BStr>, Vec<&BStr>) =
            (was.iter().map(BStr::new).collect(), is.iter().map(BStr::new).collect());
        let found = versions(&was, &is).into_iter();
        pairs.extend(found.map(|(b, a)| (gap.before.start + b, gap.after.start + a)));
        (b, a) = (gap.before.end, gap.after.end);
    }
    pairs.extend((b..old.len()).zip(a..new.len()));
    pairs
}
