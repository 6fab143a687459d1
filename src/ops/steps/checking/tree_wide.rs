//! Findings that only show beside other entries: contradictions (BRV005) and near-duplicates (BRV011).
//!
//! Compared with every entry of the domain, reported where at least one side is touched. Each has one place, whichever
//! side is touched, so that its fingerprint stays: the first entry that disagrees, the entry that another one has.

use super::changed::{Changed, domain};
use super::entries::Entry;
use super::found::Found;
use crate::lint::{self, Claims, Fault, Rule, Runs};

/// Contradictions between entries, and disputes that an entry itself lists.
pub fn contradictions(entries: &[Entry], changed: &Changed) -> Vec<Found> {
    let claims: Vec<(&str, &Claims)> =
        entries.iter().map(|entry| (domain_of(entry), &entry.claims)).collect();
    let between = lint::contradictions(&claims).into_iter().filter_map(|found| {
        let is_touched = |(entry, _): &(usize, usize)| changed.has(entries[*entry].bstr());
        let ((first, line), others) = found.places.split_first().map(|(first, rest)| (*first, rest))?;
        if !found.places.iter().any(is_touched) {
            return None;
        }
        let others: Vec<String> =
            others.iter().map(|(entry, line)| format!("`{}:{line}`", entries[*entry].path)).collect();
        let message = match others.len() {
            1 => format!("{} says something else about `{}`", others[0], found.subject),
            _ => format!("{} say something else about `{}`", others.join(", "), found.subject),
        };
        let fault = Fault::about_subject(Rule::Contradiction, (line, 1), message, &found.subject);
        Some(Found::present(fault.at(entries[first].bstr())))
    });
    let listed = entries.iter().filter(|entry| changed.has(entry.bstr())).flat_map(|entry| {
        entry.claims.disputed.iter().map(|(subject, line)| {
            let message = format!("`{subject}` is disputed");
            let fault = Fault::about_subject(Rule::Contradiction, (*line, 1), message, subject);
            Found::present(fault.at(entry.bstr()))
        })
    });
    between.chain(listed).collect()
}

/// Entries of which most stands in another one.
pub fn duplicates(entries: &[Entry], changed: &Changed) -> Vec<Found> {
    let runs: Vec<(&str, &Runs)> = entries.iter().map(|entry| (domain_of(entry), &entry.runs)).collect();
    let found = lint::duplicates(&runs).into_iter().filter_map(|found| {
        let (entry, other) = (&entries[found.entry], &entries[found.other]);
        let is_touched = changed.has(entry.bstr()) || changed.has(other.bstr());
        let message = format!("{} % of the entry is also in `{}`", found.percent, other.path);
        let fault = Fault::about_subject(Rule::Duplicate, (1, 1), message, other.path.as_str());
        is_touched.then(|| Found::present(fault.at(entry.bstr())))
    });
    found.collect()
}

fn domain_of(entry: &Entry) -> &str {
    let path = entry.path.as_str();
    &path[..domain(path.as_bytes()).len()]
}
