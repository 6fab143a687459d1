//! Merge a list that is not a set as a sequence: what either side added is in it, what either side removed is not.
//!
//! Items are whole: texts, mappings or lists. Items that both sides put in the place of the same item of the base are
//! not a sequence of both. Does not decide whose style is kept.

use std::collections::HashSet;

use super::alone;
use super::chunks::Chunk;
use super::items::{self, List, ListItemKey};
use super::pieces::Both;
use super::sets;
use crate::doc::Value;
use crate::merge::order;

/// The items of the three versions.
pub(super) struct Sequences([Vec<Value>; 3]);

pub(super) struct MergedSequence<'a> {
    pub wanted: Vec<ListItemKey<'a>>,
    /// Whether both sides replaced one item of the base by different ones.
    pub is_contested: bool,
    /// Whether ours, or theirs, replaced an item that the other side removed.
    pub stays: [bool; 2],
}

impl Sequences {
    /// The items of a field that is a list on both sides; nothing is an empty list, and a lone text in the base is one
    /// item.
    pub fn of((base, ours, theirs): Both<'_>) -> Option<Sequences> {
        let list = |chunk: &Chunk<'_>| match chunk.value.to_value() {
            Value::List(items) => Some(items),
            Value::Null => Some(Vec::new()),
            Value::Scalar(_) | Value::Map(_) => None,
        };
        let before = match base {
            Some(base) => match base.value.scalar() {
                Some(text) => vec![Value::Scalar(text.to_owned())],
                None => list(base)?,
            },
            None => Vec::new(),
        };
        Some(Sequences([before, list(ours)?, list(theirs)?]))
    }

    /// Whether the side (1 or 2) has no items.
    pub fn is_empty(&self, side: usize) -> bool {
        self.0[side].is_empty()
    }

    /// Whether the side (1 or 2) has exactly these items.
    pub fn is(&self, side: usize, wanted: &[ListItemKey<'_>]) -> bool {
        items::keys(&self.0[side]) == wanted
    }

    pub fn merge(&self) -> MergedSequence<'_> {
        let keys = self.0.each_ref().map(|values| items::keys(values));
        let [base, ours, theirs] = keys.each_ref().map(|keys| keys.iter().copied().collect::<HashSet<_>>());
        let wanted = order::united(keys.each_ref().map(Vec::as_slice));
        let (mut is_contested, mut stays) = (false, [false; 2]);
        let removed = |key: &ListItemKey<'_>| !ours.contains(key) && !theirs.contains(key);
        for (at, _) in keys[0].iter().enumerate().filter(|(_, key)| removed(key)) {
            let [mine, yours] = [(&keys[1], &ours), (&keys[2], &theirs)].map(|(side, own)| {
                let anchor = keys[0][..at].iter().rfind(|key| own.contains(*key));
                new_behind(side, anchor, &base)
            });
            let replaces = |new: &[ListItemKey<'_>], other: &HashSet<ListItemKey<'_>>| {
                new.iter().any(|key| !other.contains(key))
            };
            let replaced = [replaces(mine, &theirs), replaces(yours, &ours)];
            is_contested |= replaced == [true; 2];
            stays[0] |= replaced[0] && yours.is_empty();
            stays[1] |= replaced[1] && mine.is_empty();
        }
        MergedSequence { wanted, is_contested, stays }
    }

    /// The lines of a list of `wanted` in the form of `template`, the version with this number.
    pub fn write(&self, all: Both<'_>, template: usize, wanted: &[ListItemKey<'_>]) -> Option<String> {
        let (base, ours, theirs) = all;
        let (own, other) = if template == 1 { (ours, theirs) } else { (theirs, ours) };
        let [before, mine, yours] = [0, template, 3 - template].map(|version| &self.0[version]);
        let values = || wanted.iter().map(|(value, _)| (*value).clone()).collect();
        let reads = |lines: &String| alone::read(lines, &own.key) == Some(Value::List(values()));
        let lists = List::of(own.lines, mine).zip(List::of(other.lines, yours));
        let known = base.and_then(|base| List::of(base.lines, before)).unwrap_or_default();
        let merged = lists.and_then(|(own, other)| List::merged([&known, &own, &other], wanted));
        merged.filter(reads).or_else(|| {
            let texts = wanted.iter().map(|(value, _)| value.as_str()).collect::<Option<Vec<_>>>()?;
            sets::write(own, Some(other), &texts).filter(reads)
        })
    }
}

/// The new items of a side directly behind an item that it kept, or at its start.
fn new_behind<'k, 'v>(
    side: &'k [ListItemKey<'v>],
    anchor: Option<&ListItemKey<'v>>,
    base: &HashSet<ListItemKey<'v>>,
) -> &'k [ListItemKey<'v>] {
    let place = anchor.and_then(|anchor| side.iter().position(|key| key == anchor));
    let rest = &side[place.map_or(0, |place| place + 1)..];
    let end = rest.iter().position(|key| base.contains(key)).unwrap_or(rest.len());
    &rest[..end]
}
