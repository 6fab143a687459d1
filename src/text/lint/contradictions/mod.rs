//! Facts of different entries that say different things about one subject: BRV005.
//!
//! Two facts contradict each other when they stand in two entries that are near each other, have the same subject and
//! category (in the form in which facts are compared), no statement in common, and statements that cannot both hold: one
//! rejects what the other states ([`relation`]), or their words say so ([`opposing`]). Entries are near if they are of one
//! domain or cite one file or folder; all are where the subject has two words or more. A subject that has many statements on
//! purpose, in one entry, is not a contradiction, and a marked statement claims nothing.

mod amounts;
mod claims;
mod kinds;
mod measures;
mod names;
mod opposing;
mod pair;
mod parts;
mod relation;
mod statement;
mod tokens;
mod vocabulary;

use brv_base::sorting;
pub use claims::Claims;
use claims::{ClaimKey, cite_common};
use relation::same_words;
pub use relation::{Relation, relation};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A subject about which two entries disagree, by their places in the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contradiction {
    /// The subject, as the first entry writes it.
    pub subject: String,
    /// The entries and the lines of their facts, in order of the entries.
    pub places: Vec<(usize, usize)>,
}

/// More entries than this that share a subject make it a heading, not a claim: `status`, `owner`, `port`.
const COMMON: usize = 8;

/// More entries than this that all say something else about a subject speak each of a thing of its own.
const DIFFERENT: usize = 3;

/// With more entries than this a subject of one word is compared within each domain only.
const CROSSED: usize = 32;

/// Subjects about which entries disagree. `entries` has the domain of each and what it claims; the result follows
/// their order.
pub fn contradictions(entries: &[(&str, &Claims)]) -> Vec<Contradiction> {
    let all = entries.iter().enumerate();
    let mut claimed: Vec<(ClaimKey<'_>, usize)> =
        all.flat_map(|(place, (_, claims))| claims.keys().map(move |key| (key, place))).collect();
    claimed.sort_unstable();
    let mut found: Vec<Contradiction> = Vec::new();
    for shared in claimed.chunk_by(|one, other| one.0 == other.0).filter(|shared| shared.len() > 1) {
        let key = shared[0].0;
        let places: Vec<usize> = shared.iter().map(|(_, place)| *place).collect();
        let groups = groups(entries, key, &places).into_iter();
        found.extend(groups.filter_map(|places| disagreeing(entries, key, &places)));
    }
    sorting::sort_by(&mut found, |a, b| (&a.places, &a.subject).cmp(&(&b.places, &b.subject)));
    found
}

/// Forget what is stated about each subject that too many entries of one domain share: [`contradictions`] never compares it.
/// `entries` has the domain of each and what it claims, and all entries of these domains.
pub fn forget_common(entries: &mut [(&str, &mut Claims)]) {
    // only looked up
    let mut counts: HashMap<(&str, ClaimKey<'_>), usize> = HashMap::new();
    for (domain, claims) in &*entries {
        claims.keys().for_each(|key| *counts.entry((domain, key)).or_default() += 1);
    }
    let common = |(domain, claims): &(&str, &mut Claims)| {
        let keys = claims.keys().enumerate();
        keys.filter(|(_, key)| counts[&(*domain, *key)] > COMMON).map(|(place, _)| place).collect()
    };
    let common: Vec<BTreeSet<usize>> = entries.iter().map(common).collect();
    entries.iter_mut().zip(common).for_each(|((_, claims), places)| claims.forget(&places));
}

/// The places that are compared with each other: those of entries that are near each other; where these are too many, those
/// of each domain.
fn groups(entries: &[(&str, &Claims)], key: ClaimKey<'_>, places: &[usize]) -> Vec<Vec<usize>> {
    let by_domain = || {
        let mut domains: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for place in places {
            domains.entry(entries[*place].0).or_default().push(*place);
        }
        domains.into_values()
    };
    let is_told = key.0.split_whitespace().nth(1).is_some();
    let mut near: Vec<Vec<usize>> = Vec::new();
    if is_told && places.len() <= COMMON {
        near.push(places.to_vec());
    } else if !is_told && places.len() <= CROSSED {
        let files = |place: &usize| &entries[*place].1.files;
        for mut own in by_domain() {
            let meets = |other: &Vec<usize>| {
                own.iter().any(|one| other.iter().any(|other| cite_common(files(one), files(other))))
            };
            let (meeting, rest): (Vec<_>, Vec<_>) = near.into_iter().partition(meets);
            own.extend(meeting.into_iter().flatten());
            near = rest;
            near.push(own);
        }
        near.iter_mut().for_each(|group| group.sort_unstable());
    }
    if near.is_empty() || near.iter().any(|group| group.len() > COMMON) {
        near = by_domain().collect();
    }
    near.retain(|group| (2..=COMMON).contains(&group.len()));
    near
}

fn disagreeing(entries: &[(&str, &Claims)], key: ClaimKey<'_>, places: &[usize]) -> Option<Contradiction> {
    let claim = |place: &usize| entries[*place].1.claim(key);
    let both = |one: &usize, other: &usize| claim(one).zip(claim(other));
    let agree = |one: &usize, other: &usize| both(one, other).is_some_and(|(one, other)| one.agrees(other));
    let pairs = || {
        places.iter().enumerate().flat_map(|(at, one)| places[at + 1..].iter().map(move |other| (one, other)))
    };
    if places.len() > DIFFERENT && !pairs().any(|(one, other)| agree(one, other)) {
        return None;
    }
    let oppose = |one: &usize, other: &usize| {
        let Some((one, other)) = both(one, other) else { return false };
        let against = |said| other.statements().any(|other| cannot_both_hold(key.0, said, other));
        one.statements().any(against)
    };
    // no order matters
    let mut disagreeing: BTreeSet<usize> = BTreeSet::new();
    for (one, other) in pairs() {
        let is_told = disagreeing.contains(one) && disagreeing.contains(other);
        if !is_told && !agree(one, other) && oppose(one, other) {
            disagreeing.extend([one, other]);
        }
    }
    let found: Vec<_> = disagreeing.iter().filter_map(|place| Some((*place, claim(place)?))).collect();
    let subject = found.first()?.1.written().to_owned();
    Some(Contradiction {
        subject,
        places: found.iter().map(|(place, claim)| (*place, claim.line())).collect(),
    })
}

/// Statements, each with whether it is rejected.
fn cannot_both_hold(subject: &str, one: (bool, &str), other: (bool, &str)) -> bool {
    match (one.0, other.0) {
        (false, false) => opposing::oppose(subject, one.1, other.1),
        (true, true) => false,
        _ => same_words(one.1, other.1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doc::Document;

    fn claims(facts: &str) -> Claims {
        Claims::of(&Document::parse(format!("## Facts\n\n{facts}")))
    }

    #[test]
    fn entries_of_one_domain_that_disagree_are_found() {
        let a = claims("- **Token lifetime**: 12 hours [project]\n- **x**: y\n");
        let b = claims("- **token  lifetime**: 24 hours [project]\n");
        let same = claims("- **token lifetime**: 12 Hours. [project]\n");
        let other = claims("- **token lifetime**: 24 hours [team]\n");
        let found = |entries: &[(&str, &Claims)]| {
            contradictions(entries).into_iter().map(|one| (one.subject, one.places)).collect::<Vec<_>>()
        };
        let expected = vec![("Token lifetime".to_owned(), vec![(0, 3), (1, 3)])];
        assert_eq!(found(&[("auth", &a), ("auth", &b)]), expected);
        assert_eq!(found(&[("auth", &a), ("auth", &b), ("auth", &same)])[0].1.len(), 3);
        assert_eq!(found(&[("auth", &a), ("auth", &same)]), []);
        assert_eq!(found(&[("auth", &a), ("auth", &other)]), []);
        assert_eq!(
            found(&[("auth", &a), ("billing", &b)]),
            expected,
            "a subject of two words is one everywhere"
        );
    }

    #[test]
    fn a_subject_of_one_word_is_one_where_entries_cite_the_same() {
        let of = |fact: &str, file: &str| {
            let text = format!("## Raw Concept\n\n**Files:**\n- {file}\n\n## Facts\n\n- **ttl**: {fact}\n");
            Claims::of(&Document::parse(text))
        };
        let one = of("12 hours", "src/auth/token.rs");
        for (file, expected) in
            [("src/auth/token.rs", 1), ("src/auth/", 1), ("src/billing/ttl.rs", 0), ("src/auth/t.rs", 0)]
        {
            let other = of("24 hours", file);
            assert_eq!(contradictions(&[("auth", &one), ("billing", &other)]).len(), expected, "{file}");
            assert_eq!(contradictions(&[("auth", &one), ("auth", &other)]).len(), 1, "{file}");
        }
    }

    #[test]
    fn what_too_many_entries_of_a_domain_state_is_forgotten_and_changes_nothing() {
        let facts = |n: usize| {
            let same = if n < 14 { "- **port**: 1\n" } else { "- **port**: 2\n" };
            let few = if n.is_multiple_of(5) {
                format!("- **token lifetime**: {} hours\n", 12 + n / 10)
            } else {
                String::new()
            };
            claims(&format!("{same}{few}- **Heap limit**: {} MB\n", n % 3))
        };
        let each: Vec<Claims> = (0..20).map(facts).collect();
        let mut less = each.clone();
        let domain = |n: usize| if n < 11 { "a" } else { "b" };
        let all = |claims: &[Claims]| {
            let entries: Vec<_> = claims.iter().enumerate().map(|(n, claims)| (domain(n), claims)).collect();
            contradictions(&entries)
        };
        forget_common(
            &mut less.iter_mut().enumerate().map(|(n, claims)| (domain(n), claims)).collect::<Vec<_>>(),
        );
        assert_ne!(less, each);
        assert!(!all(&each).is_empty());
        assert_eq!(all(&less), all(&each));
    }

    #[test]
    fn a_rejection_contradicts_what_it_rejects_and_a_marked_statement_nothing() {
        let found = |one: &str, other: &str| {
            let [one, other] = [one, other].map(|text| claims(&format!("- **session cache**: {text}\n")));
            contradictions(&[("a", &one), ("a", &other)]).len()
        };
        assert_eq!(found("decision: redis", "rejected: redis"), 1);
        assert_eq!(found("decision: redis", "memcached"), 1);
        assert_eq!(found("decision: redis", "rule: redis"), 0);
        assert_eq!(found("redis", "rejected: memcached"), 0);
        assert_eq!(found("rejected: redis", "rejected: memcached"), 0);
        assert_eq!(found("reverted 2026-02-04: redis", "memcached"), 0);
        assert_eq!(found("redis", "reverted 2026-02-04: slow; was: rejected: redis"), 0);
    }

    #[test]
    fn a_subject_about_which_everybody_says_something_else_is_no_claim() {
        let each: Vec<Claims> = (0..=COMMON).map(|n| claims(&format!("- **port**: {n}\n"))).collect();
        let entries: Vec<_> = each.iter().map(|claims| ("auth", claims)).collect();
        assert_eq!(contradictions(&entries), []);
        assert_eq!(contradictions(&entries[..=DIFFERENT]), []);
        assert_eq!(contradictions(&entries[..DIFFERENT]).len(), 1);
        let again = [entries[0], entries[0], entries[1], entries[1]];
        assert_eq!(contradictions(&again)[0].places.len(), 4);
    }

    /// The entry that has these facts, ` + ` between two.
    fn entry(facts: &str) -> Claims {
        let facts = facts.split(" + ").map(|fact| {
            let (subject, statement) = fact.split_once(": ").unwrap();
            format!("- **{subject}**: {statement}\n")
        });
        claims(&facts.collect::<String>())
    }

    /// How many pairs contradict each other, and of how many that is found; the same of those that do not.
    fn measured<'a>(pairs: impl Iterator<Item = (bool, &'a str, &'a str)>) -> [(usize, usize); 2] {
        let mut counts = [(0, 0); 2];
        for (is_true, one, other) in pairs {
            let hits = contradictions(&[("a", &entry(one)), ("a", &entry(other))]).len();
            let count = &mut counts[usize::from(!is_true)];
            *count = (count.0 + 1, count.1 + hits);
            if (hits == 1) != is_true {
                println!("{}: {one} ~ {other}", if is_true { "not found" } else { "alarm" });
            }
        }
        let [(all, found), (others, alarms)] = counts;
        let percent = |part: usize, whole: usize| part * 100 / whole.max(1);
        let (precision, recall) = (percent(found, found + alarms), percent(found, all));
        println!(
            "{found} of {all} found, {alarms} alarms in {others}: precision .{precision}, recall .{recall}"
        );
        counts
    }

    /// `true|false ~ facts ~ facts`: what two entries of a domain say.
    const PLANTED: &str = include_str!("../../../../fixtures/contradictions.txt");

    #[test]
    fn of_planted_contradictions_most_are_found_and_nine_in_ten_findings_are_right() {
        let cases = PLANTED.lines().filter(|line| !line.starts_with('#'));
        let [(all, found), (others, alarms)] = measured(cases.map(|line| {
            let parts: Vec<&str> = line.split(" ~ ").collect();
            (parts[0] == "true", parts[1], parts[2])
        }));
        assert!(all >= 30 && others >= 30);
        assert!(found * 10 >= (found + alarms) * 9, "{alarms} alarms beside {found} hits");
        assert!(found * 100 >= all * 85, "{found} of {all}");
    }

    /// `dev|held contradict|compatible ~ fact ~ fact ~ source`.
    const CLAIMS: &str = include_str!("../../../../fixtures/claims.txt");

    #[test]
    fn nine_in_ten_findings_are_right_on_pairs_that_were_not_made_from_the_rule() {
        for (half, recall) in [("dev", 80), ("held", 65)] {
            let pairs = CLAIMS.lines().filter_map(|line| line.strip_prefix(half)?.strip_prefix(' '));
            let [(all, found), (others, alarms)] = measured(pairs.map(|line| {
                let parts: Vec<&str> = line.split(" ~ ").collect();
                (parts[0] == "contradict", parts[1], parts[2])
            }));
            assert!(all >= 30 && others >= 30, "{half}");
            assert!(found * 10 >= (found + alarms) * 9, "{half}: {alarms} alarms beside {found} hits");
            assert!(found * 100 >= all * recall, "{half}: {found} of {all}");
        }
    }
}
