//! Pair the facts of both sides: by subject, then by statement.
//!
//! Knows claims; a subject may have several statements, in any order.

use super::blocks::{Fate, Matching};
use super::like;
use super::side::DiffSide;
use super::{Claim, DisputeChange, DisputeState, FactChange, How};
use crate::diff::bag::Bag;
use crate::doc::normal;
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

/// Facts without subject are versions of each other if their statements are at least this similar.
const ALIKE: f64 = 0.5;

/// Pair the facts that have no partner yet.
pub(super) fn pair(before: &DiffSide<'_>, after: &DiffSide<'_>, matching: &mut Matching) {
    let said = |claim: &Claim| Some(claim.clone());
    by_key(before, after, matching, Fate::Moved, said);
    by_subject(before, after, matching);
    let stated = |claim: &Claim| Some(Claim { subject: None, category: None, ..claim.clone() });
    by_key(before, after, matching, Fate::Edited, stated);
    by_likeness(before, after, matching);
}

fn claim<'a>(side: &'a DiffSide<'_>, unit: usize) -> Option<&'a Claim> {
    side.claim(unit)
}

/// The facts of both sides without partner.
fn loose(before: &DiffSide<'_>, after: &DiffSide<'_>, matching: &Matching) -> (Vec<usize>, Vec<usize>) {
    let is_loose = |side: &DiffSide<'_>, unit: usize| side.claim(unit).is_some();
    let of = |side: &DiffSide<'_>, partners: &[Option<super::blocks::Partner>]| -> Vec<usize> {
        (0..partners.len()).filter(|unit| partners[*unit].is_none() && is_loose(side, *unit)).collect()
    };
    (of(before, &matching.before), of(after, &matching.after))
}

/// Join facts with equal keys, in order.
fn by_key(
    before: &DiffSide<'_>,
    after: &DiffSide<'_>,
    matching: &mut Matching,
    fate: Fate,
    key: impl Fn(&Claim) -> Option<Claim>,
) {
    let (old, new) = loose(before, after, matching);
    let mut waiting: HashMap<Claim, VecDeque<usize>> = HashMap::new();
    for unit in old {
        if let Some(key) = claim(before, unit).and_then(&key) {
            waiting.entry(key).or_default().push_back(unit);
        }
    }
    for unit in new {
        let found = claim(after, unit).and_then(&key).and_then(|key| waiting.get_mut(&key)?.pop_front());
        if let Some(partner) = found {
            matching.join(partner, unit, fate);
        }
    }
}

/// Pair statements about one subject: the most similar first, then the rest in order.
fn by_subject(before: &DiffSide<'_>, after: &DiffSide<'_>, matching: &mut Matching) {
    let (old, new) = loose(before, after, matching);
    let group = |side: &DiffSide<'_>, units: Vec<usize>| -> BTreeMap<String, Vec<usize>> {
        let mut groups: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for unit in units {
            if let Some(subject) = claim(side, unit).and_then(|claim| claim.subject.as_deref()) {
                groups.entry(normal(subject)).or_default().push(unit);
            }
        }
        groups
    };
    let (old, mut new) = (group(before, old), group(after, new));
    for (subject, old) in old {
        let Some(new) = new.remove(&subject) else { continue };
        for (b, a) in like::pairs(&bags(before, &old), &bags(after, &new), 0.0) {
            matching.join(old[b], new[a], Fate::Edited);
        }
        let rest = |units: Vec<usize>, partners: &[Option<super::blocks::Partner>]| -> Vec<usize> {
            units.into_iter().filter(|unit| partners[*unit].is_none()).collect()
        };
        let (old, new) = (rest(old, &matching.before), rest(new, &matching.after));
        for (b, a) in old.into_iter().zip(new) {
            matching.join(b, a, Fate::Edited);
        }
    }
}

/// Pair similar facts, at least one of which has no subject.
fn by_likeness(before: &DiffSide<'_>, after: &DiffSide<'_>, matching: &mut Matching) {
    let (old, new) = loose(before, after, matching);
    for (b, a) in like::pairs(&bags(before, &old), &bags(after, &new), ALIKE) {
        let has_subject =
            |side: &DiffSide<'_>, unit: usize| claim(side, unit).is_some_and(|claim| claim.subject.is_some());
        if !(has_subject(before, old[b]) && has_subject(after, new[a])) {
            matching.join(old[b], new[a], Fate::Edited);
        }
    }
}

fn bags(side: &DiffSide<'_>, units: &[usize]) -> Vec<Bag> {
    let statement = |unit: &usize| claim(side, *unit).map_or("", |claim| claim.statement.as_str());
    units.iter().map(|unit| Bag::of(statement(unit).split_whitespace())).collect()
}

/// The subjects with more than one statement that this change affects, sorted.
pub(super) fn disputes(
    before: &DiffSide<'_>,
    after: &DiffSide<'_>,
    changes: &[FactChange],
) -> Vec<DisputeChange> {
    let listed = |side: &DiffSide<'_>| -> BTreeMap<String, String> {
        side.document.disputed().into_iter().map(|subject| (normal(&subject), subject)).collect()
    };
    let (was, is) = (listed(before), listed(after));
    if was.is_empty() && is.is_empty() && changes.iter().all(|change| change.change != How::Added) {
        return Vec::new();
    }
    let statements = statements(after);
    let mut states: BTreeMap<String, (String, DisputeState)> = BTreeMap::new();
    for (key, subject) in &was {
        if !is.contains_key(key) {
            states.insert(key.clone(), (subject.clone(), DisputeState::Settled));
        }
    }
    for (key, subject) in is.iter().filter(|(key, _)| !was.contains_key(*key)) {
        states.insert(key.clone(), (subject.clone(), DisputeState::Opened));
    }
    for change in changes {
        let Some(subject) = change.subject() else { continue };
        let key = normal(subject);
        let is_further = change.change == How::Added
            && statements.get(&key).is_some_and(|statements| statements.len() > 1);
        if is.contains_key(&key) {
            states.entry(key).or_insert((subject.to_owned(), DisputeState::Open));
        } else if is_further {
            states.entry(key).or_insert((subject.to_owned(), DisputeState::Unlisted));
        }
    }
    let dispute = |(key, (subject, state)): (String, (String, DisputeState))| DisputeChange {
        statements: statements.get(&key).cloned().unwrap_or_default(),
        subject,
        state,
    };
    states.into_iter().map(dispute).collect()
}

/// The different statements about each subject, in order.
fn statements(side: &DiffSide<'_>) -> HashMap<String, Vec<String>> {
    let mut statements: HashMap<String, Vec<String>> = HashMap::new();
    let mut seen = HashSet::new();
    for claim in (0..side.units.len()).filter_map(|unit| side.claim(unit)) {
        let Some(subject) = claim.subject.as_deref().map(normal) else { continue };
        if seen.insert((subject.clone(), claim.statement.as_str())) {
            statements.entry(subject).or_default().push(claim.statement.clone());
        }
    }
    statements
}
