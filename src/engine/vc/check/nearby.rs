//! The entries that a change does not touch: which of them may concern it, and their runs of words. The analyses of their blobs
//! are kept, so that each is read only once.

use super::entries::EntryReader;
use super::state::CheckedTree;
use crate::Stop;
use crate::read::analysis::{Analyses, AnalysisKind, NearSet};
use brv_base::path::TreePath;
use brv_git::trees::Change;
use brv_git::{Scope, SharedScope};
use brv_text::doc::Document;
use brv_text::lint::{Claims, RunSet, Runs};
use bstr::{BStr, ByteSlice as _};
use std::collections::BTreeSet;
use std::path::Path;

/// The untouched entries of a state.
pub struct Nearby<'a> {
    state: &'a CheckedTree,
    shared: SharedScope,
    near: Analyses,
    runs: Analyses,
}

/// What a change is about: what the touched entries claim, and links to the changed paths and to `folders`, those that came or
/// went. `archives`: whether it may archive or restore something, which no path tells.
pub fn sought<'c>(
    touched: impl Iterator<Item = &'c Claims>,
    changes: &[Change],
    folders: &BTreeSet<&BStr>,
    archives: bool,
) -> NearSet {
    let mut sought = NearSet::default();
    touched.flat_map(Claims::subjects).for_each(|subject| sought.seek_subject(subject));
    for change in changes {
        let paths = [Some(&change.path), change.renamed_from.as_ref()].into_iter().flatten();
        paths.for_each(|path| sought.seek_path(&path.to_str_lossy()));
    }
    folders.iter().for_each(|folder| sought.seek_folder(&folder.to_str_lossy()));
    if archives {
        sought.seek_links();
    }
    sought
}

impl<'a> Nearby<'a> {
    /// Of the tree with this cache, if it has one, which has so many entries.
    pub fn of(scope: &Scope, cache: Option<&Path>, state: &'a CheckedTree, entries: usize) -> Self {
        let open = |kind| match cache {
            Some(cache) => Analyses::open(scope, cache, kind, entries),
            None => Analyses::none(kind),
        };
        let [near, runs] = [AnalysisKind::Near, AnalysisKind::Runs].map(open);
        Self { state, shared: scope.to_shared(), near, runs }
    }

    /// Those of these entries that may concern what is sought.
    pub fn concerned<'p>(&self, paths: &[&'p TreePath], sought: &NearSet) -> Result<Vec<&'p TreePath>, Stop> {
        let blob = |path: &TreePath| self.state.blob(path.as_bytes().as_bstr());
        let texts: Vec<_> = paths.iter().map(|path| (*path, blob(path))).collect();
        let start = || EntryReader::of(&self.shared, self.state);
        self.near.concerned(&texts, sought, start, |reader, path, _| reader.read_blob(path))
    }

    /// The runs of an entry that are sought.
    pub fn runs(&self, reader: &mut EntryReader<'_>, path: &TreePath, sought: &RunSet) -> Result<Runs, Stop> {
        let known = self.state.blob(path.as_bytes().as_bstr());
        let known = known.and_then(|blob| Runs::unpacked(&self.runs.get(path, blob)?, sought));
        if let Some(known) = known {
            return Ok(known);
        }
        let (bytes, blob) = reader.read_blob(path)?;
        let packed = Runs::of(Document::parse(bytes).body()).packed();
        let found = Runs::unpacked(&packed, sought).unwrap_or_default();
        blob.into_iter().for_each(|blob| self.runs.add(path, blob, packed.clone()));
        Ok(found)
    }

    /// Keep what was made.
    pub fn keep(self) {
        self.near.keep();
        self.runs.keep();
    }
}
