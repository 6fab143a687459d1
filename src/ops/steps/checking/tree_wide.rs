//! Findings that only show beside other entries: contradictions (BRV005) and near-duplicates (BRV011).
//!
//! Compared with every entry of the domain, reported where at least one side is touched. Each has one place, whichever
//! side is touched, so that its fingerprint stays: the first entry that disagrees, the newer one of two that have the same.

use super::changed::{Changed, domain};
use super::entries::Entry;
use super::found::Found;
use crate::lint::{self, Claims, Duplicate, Fault, Rule, Runs};
use crate::ops::cause::Cause;
use crate::path::TreePath;
use std::cmp::Ordering;

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

/// When an entry was made, as its frontmatter says, in seconds and nanoseconds since 1970.
pub type Created<'c> = &'c dyn Fn(&TreePath) -> Result<Option<(i64, u32)>, Cause>;

/// Entries of which most stands in another one, each reported at the newer of the two.
pub fn duplicates(entries: &[Entry], changed: &Changed, created: Created<'_>) -> Result<Vec<Found>, Cause> {
    let runs: Vec<(&str, &Runs)> = entries.iter().map(|entry| (domain_of(entry), &entry.runs)).collect();
    let mut found = Vec::new();
    for Duplicate { entry, other, percent } in lint::duplicates(&runs) {
        let (part, whole) = (&entries[entry], &entries[other]);
        if !changed.has(part.bstr()) && !changed.has(whole.bstr()) {
            continue;
        }
        let is_whole_newer = newer([part, whole], changed, created)? == Some(Newer::Second);
        let (place, message) = match is_whole_newer {
            true => (whole, format!("{percent} % of `{}` is also in the entry", part.path)),
            false => (part, format!("{percent} % of the entry is also in `{}`", whole.path)),
        };
        let about = if is_whole_newer { part } else { whole };
        let fault = Fault::about_subject(Rule::Duplicate, (1, 1), message, about.path.as_str());
        found.push(Found::present(fault.at(place.bstr())));
    }
    Ok(found)
}

/// Which of two entries is the newer one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Newer {
    First,
    Second,
}

/// By the times when they were made, which say the same whatever is checked; where these do not differ, by which one the
/// change adds. `None` if neither tells.
fn newer(pair: [&Entry; 2], changed: &Changed, created: Created<'_>) -> Result<Option<Newer>, Cause> {
    let [first, second] = [created(&pair[0].path)?, created(&pair[1].path)?];
    let order = match (first, second) {
        (Some(first), Some(second)) => first.cmp(&second),
        _ => Ordering::Equal,
    };
    let adds = |entry: &Entry| changed.wrote(entry.bstr()) && !changed.edited(entry.bstr());
    Ok(match order.then(adds(pair[0]).cmp(&adds(pair[1]))) {
        Ordering::Less => Some(Newer::Second),
        Ordering::Greater => Some(Newer::First),
        Ordering::Equal => None,
    })
}

fn domain_of(entry: &Entry) -> &str {
    let path = entry.path.as_str();
    &path[..domain(path.as_bytes()).len()]
}
