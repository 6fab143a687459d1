//! Read the entries of a check: a few thousand at a time, so that a tree of any size is compared.

use super::compared::CheckStates;
use brv_base::path::{PathKind, TreePath};
use brv_base::sorting;
use brv_engine::Stop;
use brv_engine::read::links::references::Places;
use brv_engine::vc::check::changed::{ChangedPaths, domain};
use brv_engine::vc::check::entries::{self, Entry, EntryFilter, EntryReader, Link, Parts};
use brv_engine::vc::check::likeness::{self, OtherRuns};
use brv_engine::vc::check::links;
use brv_engine::vc::check::nearby::{self, Nearby};
use brv_engine::vc::check::state::CheckedTree as Files;
use brv_engine::vc::check::{CheckFinding, tree_wide};
use brv_git::Scope;
use brv_text::doc;
use brv_text::lint::{Claims, RunSet};
use bstr::{BString, ByteSlice as _};
use std::collections::HashSet;
use std::path::Path;

/// So many entries at least are compared at a time for what they have in common: the runs of no more are held than of these and
/// one domain.
const BATCH: usize = 2_000;

/// What entries are read with.
pub struct EntryReading<'a> {
    pub scope: &'a Scope,
    pub compared: &'a CheckStates,
    pub places: &'a Places<'a>,
    pub changed: &'a ChangedPaths,
    pub created: tree_wide::Created<'a>,
    /// Where what is known of entries is kept; `None`: nowhere.
    pub cache: Option<&'a Path>,
    /// What is read of a touched entry, beside what is compared with others.
    pub parts: Parts,
}

impl EntryReading<'_> {
    /// The entries that the change touches, of the others what may concern them, by path; and near-duplicates.
    pub fn touched_and_near(
        &self,
        (before, places_before): (&Files, &Places<'_>),
        curated: &[TreePath],
    ) -> Result<(Vec<Entry>, Vec<CheckFinding>), Stop> {
        let is_touched = |path: &&TreePath| self.changed.has(path.as_bytes().as_bstr());
        let (touched, others): (Vec<&TreePath>, Vec<&TreePath>) = curated.iter().partition(is_touched);
        let (mut entries, mut found) = (Vec::with_capacity(curated.len()), Vec::new());
        if others.is_empty() {
            for paths in batches(touched) {
                let mut read = self.read(paths, None)?;
                found.extend(self.duplicates(&mut read, &OtherRuns::none())?);
                tree_wide::forget_common(&mut read);
                entries.extend(read);
            }
        } else {
            entries.extend(self.read(touched, None)?);
            let folders = self.places.folders_unlike(places_before);
            let archives = may_archive(self.scope, self.compared, before)?;
            let claims = entries.iter().map(|entry| &entry.claims);
            let subjects = claims.clone().flat_map(Claims::subjects).map(str::to_owned).collect();
            let sought = nearby::sought(claims, &self.compared.changes, &folders, archives);
            let nearby = Nearby::of(self.scope, self.cache, &self.compared.files, curated.len());
            let near = nearby.concerned(&others, &sought)?;
            let read = |reader: &mut EntryReader<'_>, path: &TreePath, sought: &RunSet| {
                nearby.runs(reader, path, sought)
            };
            found = self.duplicates(&mut entries, &OtherRuns { paths: &others, read: &read })?;
            entries.extend(self.read(near, Some(&subjects))?);
            nearby.keep();
        }
        in_order(&mut entries);
        Ok((entries, found))
    }

    fn duplicates(&self, touched: &mut [Entry], others: &OtherRuns<'_>) -> Result<Vec<CheckFinding>, Stop> {
        let shared = self.scope.to_shared();
        let reader = || EntryReader::of(&shared, &self.compared.files);
        likeness::duplicates(reader, touched, others, self.changed, self.created)
    }

    /// Read these entries; `subjects`: what they claim about these alone.
    fn read(&self, paths: Vec<&TreePath>, subjects: Option<&HashSet<String>>) -> Result<Vec<Entry>, Stop> {
        let (changed, parts) = (self.changed, self.parts);
        let of_each = |path: &TreePath| match changed.has(path.as_bytes().as_bstr()) {
            true => Parts { claims: true, likeness: true, ..parts },
            false => Parts { claims: true, links: parts.links, ..Parts::default() },
        };
        let is_kept = |path: &TreePath, link: &Link| links::concerns(changed, path, link);
        let filter = EntryFilter { places: self.places, links: &is_kept, subjects };
        entries::read(self.scope, &self.compared.files, paths.into_iter(), filter, of_each)
    }
}

/// By path: of entries that disagree the first one has the finding.
fn in_order(entries: &mut [Entry]) {
    sorting::sort_by(entries, |one, other| one.path.cmp(&other.path));
}

/// Whole domains, in lists of at least [`BATCH`] paths but for the last one.
fn batches(mut paths: Vec<&TreePath>) -> Vec<Vec<&TreePath>> {
    fn first<'p>(path: &'p &TreePath) -> &'p [u8] {
        domain(path.as_bytes())
    }
    sorting::sort_by(&mut paths, |one, other| first(one).cmp(first(other)));
    let mut batches: Vec<Vec<&TreePath>> = Vec::new();
    for own in paths.chunk_by(|one, other| first(one) == first(other)) {
        match batches.last_mut().filter(|batch| batch.len() < BATCH) {
            Some(batch) => batch.extend(own),
            None => batches.push(own.to_vec()),
        }
    }
    batches
}

/// Whether a changed overview has records of archived entries, now or before.
fn may_archive(scope: &Scope, compared: &CheckStates, before: &Files) -> Result<bool, Stop> {
    let paths = compared.changes.iter().flat_map(|change| [Some(&change.path), change.renamed_from.as_ref()]);
    let is_overview =
        |path: &&BString| TreePath::parse(path).is_ok_and(|path| path.kind() == PathKind::NodeOverview);
    for path in paths.flatten().filter(is_overview) {
        for files in [&compared.files, before] {
            if files.read(scope, path.as_ref())?.is_some_and(|bytes| doc::may_archive(&bytes)) {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_domain_is_in_one_batch_and_small_ones_share_it() {
        let path = |domain: usize, at: usize| TreePath::parse(format!("d{domain}/{at:04}.md").as_bytes());
        let mut paths: Vec<TreePath> =
            (0..4).flat_map(|domain| (0..BATCH / 2).map(move |at| path(domain, at).unwrap())).collect();
        // at the root, between the domains
        paths.insert(BATCH, TreePath::parse(b"d2.md").unwrap());
        paths.push(TreePath::parse(b"z.md").unwrap());
        let batches = batches(paths.iter().collect());
        let sizes: Vec<usize> = batches.iter().map(Vec::len).collect();
        assert_eq!(sizes, [BATCH + 2, BATCH]);
        assert_eq!(
            batches[0][..2],
            [&paths[BATCH], &paths[paths.len() - 1]],
            "entries of the root are one domain"
        );
        assert!(super::batches(Vec::new()).is_empty());
    }
}
