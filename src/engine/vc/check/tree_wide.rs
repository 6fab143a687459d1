//! Contradictions (BRV005), which only show beside other entries.
//!
//! Compared with every entry, and reported where at least one side is touched. Each has one place, whichever side is touched, so
//! that its fingerprint stays: the first entry that disagrees.

use super::changed::{ChangedPaths, domain};
use super::entries::Entry;
use crate::Stop;
use crate::vc::check::finding::CheckFinding;
use brv_base::path::TreePath;
use brv_git::Scope;
use brv_text::lint::{self, Claims, Fault, Rule};

/// The domain of an entry: its first folder.
pub(super) fn domain_of(path: &TreePath) -> &str {
    &path.as_str()[..domain(path.as_bytes()).len()]
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

/// Forget what entries claim as far as [`contradictions`] never compares it. `entries` are all of their domains.
pub fn forget_common(entries: &mut [Entry]) {
    let claims = entries.iter_mut().map(|entry| (domain_of(&entry.path), &mut entry.claims));
    lint::forget_common(&mut claims.collect::<Vec<_>>());
}

/// When an entry was made, as its frontmatter says.
pub type Created<'c> = &'c (dyn Fn(&Scope, &TreePath) -> Result<Option<Time>, Stop> + Sync);

/// Seconds and nanoseconds since 1970.
pub type Time = (i64, u32);
