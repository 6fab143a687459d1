//! Find the disputed subjects among the facts of three versions.
//!
//! The facts themselves are merged as a multimap by their blocks: additions of either side are kept, removals are
//! applied. This module only adds the records and exceptions.

use super::{Context, Removed, VersionBody};
use crate::doc::item::{Prefix, stated};
use crate::doc::saying::unmarked;
use crate::doc::{Document, normal};
use crate::merge::{Conflict, Disputes, MergePlace, Reason, Record, Settled, Side, Undecided};
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// The disputes found, and the exceptions they make.
#[derive(Debug, Default)]
pub(in crate::merge) struct FactMerge {
    pub records: Vec<Record>,
    pub conflicts: Vec<Conflict>,
    /// Exceptions for single facts by the dispute rules.
    pub verdicts: Verdicts,
    /// Subjects that this merge disputes, as written.
    disputed: Vec<String>,
    /// Normalised subjects with more than one statement in the result.
    several: BTreeSet<String>,
    /// All subjects of the three versions, normalised.
    known: BTreeSet<String>,
}

/// Facts kept or removed against the rule for blocks, each as (version, block).
#[derive(Debug, Default)]
pub(in crate::merge) struct Verdicts {
    pub dropped: HashSet<(usize, usize)>,
    /// Kept, though the other side removed them.
    pub held: HashSet<(usize, usize)>,
    /// Conflicts: the other side removed the statement that they replaced.
    pub open: HashSet<(usize, usize)>,
}

/// The statements about one subject in the three versions.
#[derive(Default)]
struct VersionClaims<'a> {
    subject: String,
    /// The statements of each version, and their blocks.
    by_version: [BTreeMap<&'a str, usize>; 3],
}

impl<'a> VersionClaims<'a> {
    fn set(&self, version: usize) -> BTreeSet<&'a str> {
        self.by_version[version].keys().copied().collect()
    }

    /// Leave out the statements that one version has marked, in all versions, and the prefixes that only tell a kind: who marks
    /// a statement disputes nothing, and neither does who calls it a rule.
    fn leave_marked(&mut self) {
        let all = self.by_version.iter().flat_map(BTreeMap::keys);
        let marked: BTreeSet<&str> =
            all.map(|claim| unmarked(claim)).filter_map(|(mark, text)| mark.map(|_| text)).collect();
        for version in &mut self.by_version {
            let claims = std::mem::take(version).into_iter();
            let stays = |claim: &str| !marked.contains(unmarked(claim).1);
            *version =
                claims.filter(|(claim, _)| stays(claim)).map(|(claim, at)| (said(claim), at)).collect();
        }
    }
}

/// A statement without a prefix that only tells its kind.
fn said(claim: &str) -> &str {
    let stated = stated(claim);
    match stated.prefix {
        Some(Prefix::Decision | Prefix::Rule | Prefix::Limit) => stated.text,
        _ => claim,
    }
}

/// Compare the facts of base, first and second.
pub(in crate::merge) fn look(parts: [&VersionBody<'_>; 3], cx: &Context<'_>) -> FactMerge {
    let mut found = FactMerge::default();
    for (key, claims) in claims(parts) {
        found.known.insert(key.clone());
        let [base, first, second] = [0, 1, 2].map(|version| claims.set(version));
        let kept = first.intersection(&second).count();
        let added = first.difference(&base).chain(second.difference(&base)).collect::<BTreeSet<_>>();
        let new = added.iter().filter(|claim| !(first.contains(**claim) && second.contains(**claim))).count();
        if kept + new > 1 {
            found.several.insert(key.clone());
        }
        if kept + new == 0 && !first.is_empty() && !second.is_empty() {
            // each side removed what the other kept: neither wanted the subject gone
            for version in [1, 2] {
                found.verdicts.held.extend(claims.by_version[version].values().map(|at| (version, *at)));
            }
            found.several.insert(key);
            dispute(&mut found, parts, &claims, cx);
        } else if is_disputed(&base, &first, &second) {
            dispute(&mut found, parts, &claims, cx);
        } else if let Some(side) = changed_and_removed(&base, &first, &second) {
            removed(&mut found, parts, &claims, (side, cx));
        }
    }
    found
}

/// One side (0 or 1) changed the statement about a subject, and the other removed it.
fn removed(
    found: &mut FactMerge,
    parts: [&VersionBody<'_>; 3],
    claims: &VersionClaims<'_>,
    (side, cx): (usize, &Context<'_>),
) {
    let (base, version) = (claims.set(0), side + 1);
    let new = claims.by_version[version].iter().filter(|(claim, _)| !base.contains(*claim));
    let new = new.map(|(_, block)| (version, *block));
    let settled = match cx.removed() {
        Removed::Open => return found.verdicts.open.extend(new),
        Removed::Stays => Settled::ChangeKept(cx.side(side)),
        Removed::Taken(winner) => {
            if winner != cx.side(side) {
                found.verdicts.dropped.extend(new);
            }
            Settled::Chosen(winner)
        }
    };
    found.records.push(record(parts, claims, cx, settled));
}

fn claims<'a>(parts: [&'a VersionBody<'_>; 3]) -> BTreeMap<String, VersionClaims<'a>> {
    let mut found: BTreeMap<String, VersionClaims<'a>> = BTreeMap::new();
    for (version, part) in parts.into_iter().enumerate() {
        for (at, (key, named)) in part.facts.iter().zip(&part.named).enumerate() {
            let (Some(key), Some(written)) = (key, named) else { continue };
            let Some(subject) = &key.subject else { continue };
            let claims = found.entry(subject.clone()).or_default();
            if claims.subject.is_empty() || *written < claims.subject {
                claims.subject.clone_from(written);
            }
            claims.by_version[version].insert(&key.statement, at);
        }
    }
    found.values_mut().for_each(VersionClaims::leave_marked);
    found
}

/// Whether both sides replaced the same statement of the base, or both added the subject, and neither side has all
/// statements of the other.
fn is_disputed(base: &BTreeSet<&str>, first: &BTreeSet<&str>, second: &BTreeSet<&str>) -> bool {
    if first.is_subset(second) || second.is_subset(first) {
        return false;
    }
    let both_new = base.is_empty();
    let adds = |side: &BTreeSet<&str>, other: &BTreeSet<&str>| {
        side.iter().any(|claim| !base.contains(claim) && !other.contains(claim))
    };
    let both_replaced = base.iter().any(|claim| !first.contains(claim) && !second.contains(claim))
        && adds(first, second)
        && adds(second, first);
    both_new || both_replaced
}

/// The side that changed a statement that the other removed.
fn changed_and_removed(
    base: &BTreeSet<&str>,
    first: &BTreeSet<&str>,
    second: &BTreeSet<&str>,
) -> Option<usize> {
    let both_dropped = base.iter().any(|claim| !first.contains(claim) && !second.contains(claim));
    let adds = |side: &BTreeSet<&str>| side.iter().any(|claim| !base.contains(claim));
    match (adds(first), adds(second)) {
        (true, false) if both_dropped => Some(0),
        (false, true) if both_dropped => Some(1),
        _ => None,
    }
}

fn record(
    parts: [&VersionBody<'_>; 3],
    claims: &VersionClaims<'_>,
    cx: &Context<'_>,
    settled: Settled,
) -> Record {
    Record {
        place: MergePlace::Fact { subject: claims.subject.clone() },
        settled,
        texts: texts(parts, claims, cx),
    }
}

fn texts(parts: [&VersionBody<'_>; 3], claims: &VersionClaims<'_>, cx: &Context<'_>) -> super::Texts {
    let written = [0, 1, 2].map(|version| {
        let mut blocks: Vec<usize> = claims.by_version[version].values().copied().collect();
        blocks.sort_unstable();
        let lines: Vec<&str> = blocks.into_iter().map(|at| parts[version].block(at)).collect();
        (!lines.is_empty()).then(|| lines.join("\n"))
    });
    cx.texts(written.each_ref().map(Option::as_deref))
}

fn dispute(
    found: &mut FactMerge,
    parts: [&VersionBody<'_>; 3],
    claims: &VersionClaims<'_>,
    cx: &Context<'_>,
) {
    let losers = match (cx.rules.disputes, cx.rules.undecided) {
        (Disputes::Keep, _) | (Disputes::Conflict, Undecided::Both) => None,
        (Disputes::Conflict, Undecided::Mark) => {
            let texts = texts(parts, claims, cx);
            let place = MergePlace::Fact { subject: claims.subject.clone() };
            found.several.remove(&normal(&claims.subject));
            return found.conflicts.push(Conflict { place, reason: Reason::Fact, texts, span: None });
        }
        (Disputes::Conflict, Undecided::Ours) => Some((&[Side::Theirs][..], Settled::Chosen(Side::Ours))),
        (Disputes::Conflict, Undecided::Theirs) => Some((&[Side::Ours][..], Settled::Chosen(Side::Theirs))),
        (Disputes::Conflict, Undecided::Base) => Some((&[Side::Ours, Side::Theirs][..], Settled::BaseTaken)),
    };
    let Some((losers, settled)) = losers else {
        found.disputed.push(claims.subject.clone());
        return found.records.push(record(parts, claims, cx, Settled::Disputed));
    };
    let base = claims.set(0);
    found.verdicts.held.clear();
    for loser in losers {
        let losing = if cx.side(0) == *loser { 1 } else { 2 };
        let stays = |claim: &str| {
            base.contains(claim) || (losers.len() == 1 && claims.by_version[3 - losing].contains_key(claim))
        };
        let lost = claims.by_version[losing].iter().filter(|(claim, _)| !stays(claim));
        found.verdicts.dropped.extend(lost.map(|(_, block)| (losing, *block)));
    }
    found.several.remove(&normal(&claims.subject));
    found.records.push(record(parts, claims, cx, settled));
}

impl FactMerge {
    /// The value of the field `disputed` after the merge; `None` if the merge does not decide it. `undecided` are
    /// headings below which both versions of a block were kept.
    pub fn listed(&self, documents: [&Document; 3], undecided: &[String]) -> Option<Vec<String>> {
        // search for the word first: reading the frontmatter takes longer than everything else
        let list = |document: &Document| match document.text().contains("disputed") {
            true => document.meta().disputed,
            false => Vec::new(),
        };
        let [base, first, second] = documents.map(list);
        if base.is_empty()
            && first.is_empty()
            && second.is_empty()
            && self.disputed.is_empty()
            && undecided.is_empty()
        {
            return None;
        }
        let names = |list: &[String]| -> HashSet<String> { list.iter().map(|item| normal(item)).collect() };
        let listed = [&base, &first, &second].map(|list| names(list));
        let new: HashSet<String> = self.disputed.iter().chain(undecided).map(|item| normal(item)).collect();
        let stays = |item: &String| {
            let name = normal(item);
            let sides = [listed[1].contains(&name), listed[2].contains(&name)];
            let is_settled = listed[0].contains(&name) && sides != [true, true];
            let is_listed = sides != [false, false] && !is_settled;
            let is_open = !self.known.contains(&name) || self.several.contains(&name);
            new.contains(&name) || (is_listed && is_open)
        };
        let mut all: Vec<String> = base.iter().filter(|item| stays(item)).cloned().collect();
        let rest: BTreeSet<&String> = first
            .iter()
            .chain(&second)
            .chain(&self.disputed)
            .chain(undecided)
            .filter(|item| stays(item))
            .collect();
        let mut seen = names(&all);
        all.extend(rest.into_iter().filter(|item| seen.insert(normal(item))).cloned());
        Some(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set<'a>(claims: &[&'a str]) -> BTreeSet<&'a str> {
        claims.iter().copied().collect()
    }

    #[test]
    fn a_marked_claim_counts_in_no_version_and_a_kind_is_no_other_claim() {
        let version = |claims: &[&'static str]| claims.iter().copied().zip(0..).collect::<BTreeMap<_, _>>();
        let mut claims = VersionClaims {
            subject: "a".into(),
            by_version: [
                version(&["x"]),
                version(&["reverted 2026-02-04: x", "rule: z"]),
                version(&["y", "z"]),
            ],
        };
        claims.leave_marked();
        assert_eq!([0, 1, 2].map(|at| claims.set(at)), [set(&[]), set(&["z"]), set(&["y", "z"])]);
        assert_eq!(said("rejected: x"), "rejected: x");
    }

    #[test]
    fn a_dispute_is_two_replacements_of_one_claim_or_two_first_claims() {
        let disputed = |base: &[&str], first: &[&str], second: &[&str]| {
            is_disputed(&set(base), &set(first), &set(second))
        };
        assert!(disputed(&["a"], &["b"], &["c"]));
        assert!(disputed(&[], &["b"], &["c"]));
        assert!(disputed(&["a", "x"], &["b", "x"], &["c", "x"]));
        assert!(!disputed(&["a"], &["a", "b"], &["a", "c"]), "both only added");
        assert!(!disputed(&["a", "x"], &["b", "x"], &["a", "c"]), "they replaced different claims");
        assert!(!disputed(&[], &["b"], &["b", "c"]), "one says all that the other says");
        assert!(!disputed(&["a"], &["b"], &["a"]));
        assert!(!disputed(&["a", "b"], &["c", "d"], &["c", "b"]), "one side's new claim is the other's, too");
        assert_eq!(changed_and_removed(&set(&["a"]), &set(&[]), &set(&["b"])), Some(1));
        assert_eq!(changed_and_removed(&set(&["a"]), &set(&["a"]), &set(&["b"])), None);
    }
}
