//! Which paths a change touches: what a finding that compares entries is held against.

use brv_git::trees::Change;
use bstr::{BStr, BString};
use std::collections::{BTreeMap, BTreeSet};

/// The paths that a change touches, or all of them.
#[derive(Debug, Default)]
pub struct ChangedPaths {
    is_everything: bool,
    /// The path after the change, with the one before if there was a file.
    after: BTreeMap<BString, Option<BString>>,
    /// Paths of files that are gone, or stand elsewhere.
    gone: BTreeSet<BString>,
}

impl ChangedPaths {
    pub fn of(changes: &[Change]) -> Self {
        let mut changed = Self::default();
        for change in changes {
            let before = change.renamed_from.as_ref().unwrap_or(&change.path);
            if change.after.is_some() {
                let before = change.before.map(|_| before.clone());
                changed.after.insert(change.path.clone(), before);
            }
            if change.after.is_none() || change.renamed_from.is_some() {
                changed.gone.insert(before.clone());
            }
        }
        changed
    }

    /// The same, where every path counts as touched.
    pub fn and_everything(self) -> Self {
        Self { is_everything: true, ..self }
    }

    /// Whether every path counts as touched.
    pub const fn is_everything(&self) -> bool {
        self.is_everything
    }

    /// Whether a path of the state after is touched.
    pub fn has(&self, path: &BStr) -> bool {
        self.is_everything || self.after.contains_key(path)
    }

    /// Whether the change itself wrote the file.
    pub fn wrote(&self, path: &BStr) -> bool {
        self.after.contains_key(path)
    }

    /// Whether the change modified or moved the file, and did not add it.
    pub fn edited(&self, path: &BStr) -> bool {
        self.after.get(path).is_some_and(Option::is_some)
    }

    /// The first folders of all touched paths.
    pub fn domains(&self) -> BTreeSet<&[u8]> {
        self.after.keys().map(|path| domain(path)).collect()
    }

    /// Whether files came or went, so that links may lead somewhere else.
    pub fn moves_files(&self) -> bool {
        !self.gone.is_empty() || self.after.values().any(Option::is_none)
    }
}

/// The first folder of a path; empty at the root.
pub fn domain(path: &[u8]) -> &[u8] {
    match path.iter().position(|byte| *byte == b'/') {
        Some(end) => &path[..end],
        None => b"",
    }
}
