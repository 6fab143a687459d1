//! Findings that only show beside other entries: contradictions (BRV005) and near-duplicates (BRV011).
//!
//! Compared with every entry, duplicates with those of the domain, and reported where at least one side is touched. Each has
//! one place, whichever
//! side is touched, so that its fingerprint stays: the first entry that disagrees, the newer one of two that have the same.

use super::changed::{ChangedPaths, domain};
use super::entries::Entry;
use crate::Stop;
use crate::vc::check::finding::CheckFinding;
use brv_base::parallel;
use brv_base::path::TreePath;
use brv_base::sorting;
use brv_git::Scope;
use brv_text::lint::{self, Claims, Duplicate, Fault, Rule, Runs};
use bstr::{BStr, ByteSlice as _};
use std::cmp::{Ordering, Reverse};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// What an entry says, as far as it is compared with others.
struct EntryRuns {
    path: TreePath,
    runs: Runs,
}

impl EntryRuns {
    fn bstr(&self) -> &BStr {
        self.path.as_bytes().as_bstr()
    }

    fn domain(&self) -> &str {
        domain_of(&self.path)
    }
}

fn domain_of(path: &TreePath) -> &str {
    &path.as_str()[..domain(path.as_bytes()).len()]
}

/// Near-duplicates in each domain, on all cores. `entries` has all of a domain; their runs are taken: to free them takes long,
/// too.
pub fn duplicates(
    scope: &Scope,
    entries: &mut [Entry],
    changed: &ChangedPaths,
    created: Created<'_>,
) -> Result<Vec<CheckFinding>, Stop> {
    let mut domains: BTreeMap<String, Vec<EntryRuns>> = BTreeMap::new();
    for entry in entries {
        let said = EntryRuns { path: entry.path.clone(), runs: std::mem::take(&mut entry.runs) };
        match domains.get_mut(said.domain()) {
            Some(domain) => domain.push(said),
            None => drop(domains.insert(said.domain().to_owned(), vec![said])),
        }
    }
    let mut domains: Vec<Mutex<Vec<EntryRuns>>> = domains.into_values().map(Mutex::new).collect();
    // the largest first, so that no thread waits for one at the end
    sorting::sort_by_key(&mut domains, |domain| {
        Reverse(domain.lock().unwrap_or_else(PoisonError::into_inner).len())
    });
    let each = |scope: &mut Scope, domain: &Mutex<Vec<EntryRuns>>| {
        let said = std::mem::take(&mut *domain.lock().unwrap_or_else(PoisonError::into_inner));
        if !said.iter().any(|entry| changed.has(entry.bstr())) {
            return Ok(Vec::new());
        }
        let created = |entry: &EntryRuns| created(scope, &entry.path);
        duplicates_of(&said, changed, &created)
    };
    let shared = scope.to_shared();
    Ok(parallel::try_map_long(&domains, || shared.to_local(), each)?.concat())
}

/// Contradictions between entries, and disputes that an entry itself lists.
pub fn contradictions(entries: &[Entry], changed: &ChangedPaths) -> Vec<CheckFinding> {
    let claims: Vec<(&str, &Claims)> =
        entries.iter().map(|entry| (domain_of(&entry.path), &entry.claims)).collect();
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
        Some(CheckFinding::present(fault.at(entries[first].bstr())))
    });
    let listed = entries.iter().filter(|entry| changed.has(entry.bstr())).flat_map(|entry| {
        entry.claims.disputed.iter().map(|(subject, line)| {
            let message = format!("`{subject}` is disputed");
            let fault = Fault::about_subject(Rule::Contradiction, (*line, 1), message, subject);
            CheckFinding::present(fault.at(entry.bstr()))
        })
    });
    between.chain(listed).collect()
}

/// When an entry was made, as its frontmatter says.
pub type Created<'c> = &'c (dyn Fn(&Scope, &TreePath) -> Result<Option<Time>, Stop> + Sync);

/// Seconds and nanoseconds since 1970.
type Time = (i64, u32);

/// When one of the entries was made.
type EntryTimeReader<'c> = &'c dyn Fn(&EntryRuns) -> Result<Option<Time>, Stop>;

/// Entries whose text mostly occurs in another one, each reported at the newer of the two.
fn duplicates_of(
    entries: &[EntryRuns],
    changed: &ChangedPaths,
    created: EntryTimeReader<'_>,
) -> Result<Vec<CheckFinding>, Stop> {
    let runs: Vec<(&str, &Runs)> = entries.iter().map(|entry| (entry.domain(), &entry.runs)).collect();
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
        found.push(CheckFinding::present(fault.at(place.bstr())));
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
fn newer(
    pair: [&EntryRuns; 2],
    changed: &ChangedPaths,
    created: EntryTimeReader<'_>,
) -> Result<Option<Newer>, Stop> {
    let [first, second] = [created(pair[0])?, created(pair[1])?];
    let order = match (first, second) {
        (Some(first), Some(second)) => first.cmp(&second),
        _ => Ordering::Equal,
    };
    let adds = |entry: &EntryRuns| changed.wrote(entry.bstr()) && !changed.edited(entry.bstr());
    Ok(match order.then(adds(pair[0]).cmp(&adds(pair[1]))) {
        Ordering::Less => Some(Newer::Second),
        Ordering::Greater => Some(Newer::First),
        Ordering::Equal => None,
    })
}
