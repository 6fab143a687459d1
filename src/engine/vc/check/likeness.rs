//! Near-duplicates (BRV011): entries of a domain whose text mostly occurs in another one. Reported where at least one of the two is
//! touched, each pair in one place, so that its fingerprint stays: the newer one.

use super::changed::ChangedPaths;
use super::entries::{Entry, EntryReader};
use super::tree_wide::{Created, Time, domain_of};
use crate::Stop;
use crate::vc::check::finding::CheckFinding;
use brv_base::parallel;
use brv_base::path::TreePath;
use brv_base::sorting;
use brv_text::lint::{self, Duplicate, Fault, Rule, RunSet, Runs};
use bstr::{BStr, ByteSlice as _};
use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

/// The runs of words of an entry.
struct EntryRuns {
    path: TreePath,
    runs: Runs,
    is_touched: bool,
}

impl EntryRuns {
    fn bstr(&self) -> &BStr {
        self.path.as_bytes().as_bstr()
    }
}

/// Entries that a change does not touch, and their runs, of which those are asked for that a touched one has.
pub struct OtherRuns<'o> {
    pub paths: &'o [&'o TreePath],
    pub read: &'o (dyn Fn(&mut EntryReader<'_>, &TreePath, &RunSet) -> Result<Runs, Stop> + Sync),
}

impl OtherRuns<'_> {
    /// Where all are touched.
    pub fn none() -> Self {
        Self { paths: &[], read: &|_, _, _| Ok(Runs::default()) }
    }
}

/// Near-duplicates in each domain, on all cores. `touched` has all that are touched; their runs are taken: to free them takes
/// long, too.
pub fn duplicates<'r>(
    reader: impl Fn() -> EntryReader<'r> + Sync,
    touched: &mut [Entry],
    others: &OtherRuns<'_>,
    changed: &ChangedPaths,
    created: Created<'_>,
) -> Result<Vec<CheckFinding>, Stop> {
    let mut domains: BTreeMap<String, (Vec<EntryRuns>, Vec<&TreePath>)> = BTreeMap::new();
    for entry in touched {
        let (path, runs) = (entry.path.clone(), std::mem::take(&mut entry.runs));
        let own = EntryRuns { path, runs, is_touched: true };
        match domains.get_mut(domain_of(&own.path)) {
            Some((domain, _)) => domain.push(own),
            None => drop(domains.insert(domain_of(&own.path).to_owned(), (vec![own], Vec::new()))),
        }
    }
    for path in others.paths {
        domains.get_mut(domain_of(path)).into_iter().for_each(|(_, others)| others.push(path));
    }
    let mut domains: Vec<LikenessDomain<'_>> =
        domains.into_values().map(|(own, others)| (Mutex::new(own), others)).collect();
    // the largest first, so that no thread waits for one at the end
    sorting::sort_by_key(&mut domains, |domain| {
        Reverse(domain.1.len() + domain.0.lock().unwrap_or_else(PoisonError::into_inner).len())
    });
    let each = |reader: &mut EntryReader<'r>, (own, paths): &LikenessDomain<'_>| {
        let own = std::mem::take(&mut *own.lock().unwrap_or_else(PoisonError::into_inner));
        let (entries, found) = compared(reader, own, &OtherRuns { paths, ..*others })?;
        let created = |entry: &EntryRuns| created(reader.scope(), &entry.path);
        duplicates_of(&entries, found, changed, &created)
    };
    Ok(parallel::try_map_long(&domains, reader, each)?.concat())
}

/// The touched entries of a domain, which are taken, and its other ones.
type LikenessDomain<'o> = (Mutex<Vec<EntryRuns>>, Vec<&'o TreePath>);

/// The entries of a domain by path, and the near-duplicates among them that involve a touched entry, or an untouched one that
/// nearly duplicates a touched one. Of two entries that say the same, the later one has the finding.
fn compared(
    reader: &mut EntryReader<'_>,
    touched: Vec<EntryRuns>,
    others: &OtherRuns<'_>,
) -> Result<(Vec<EntryRuns>, Vec<Duplicate>), Stop> {
    let mut hashes: Vec<u32> = touched.iter().flat_map(|entry| entry.runs.hashes()).copied().collect();
    let mut entries = touched;
    let other =
        |path: &&TreePath| EntryRuns { path: (*path).clone(), runs: Runs::default(), is_touched: false };
    entries.extend(others.paths.iter().map(other));
    sorting::sort_by(&mut entries, |one, other| one.path.cmp(&other.path));
    let mut also = BTreeSet::new();
    loop {
        let sought = RunSet::of(hashes.clone());
        for entry in entries.iter_mut().filter(|entry| !entry.is_touched) {
            entry.runs = (others.read)(reader, &entry.path, &sought)?;
        }
        let runs: Vec<(&str, &Runs)> =
            entries.iter().map(|entry| (domain_of(&entry.path), &entry.runs)).collect();
        let is_touched = |at: usize| entries[at].is_touched;
        let found = lint::duplicates(&runs, |at| is_touched(at) || also.contains(&at));
        // an entry is reported with the one that has most of it, touched or not
        let beside = found.iter().filter(|found| !is_touched(found.entry) && is_touched(found.other));
        let more: BTreeSet<usize> = beside.map(|found| found.entry).collect();
        if more.is_subset(&also) {
            return Ok((entries, found));
        }
        for at in more {
            hashes.extend((others.read)(reader, &entries[at].path, &RunSet::everything())?.hashes());
            also.insert(at);
        }
    }
}

/// When one of the entries was made.
type EntryTimeReader<'c> = &'c dyn Fn(&EntryRuns) -> Result<Option<Time>, Stop>;

/// Entries whose text mostly occurs in another one, each reported at the newer of the two.
fn duplicates_of(
    entries: &[EntryRuns],
    found: Vec<Duplicate>,
    changed: &ChangedPaths,
    created: EntryTimeReader<'_>,
) -> Result<Vec<CheckFinding>, Stop> {
    let mut findings = Vec::new();
    for Duplicate { entry, other, percent } in found {
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
        findings.push(CheckFinding::present(fault.at(place.bstr())));
    }
    Ok(findings)
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
