//! Sparse checkouts: the patterns that leave paths off the disk, and a sparse index, which holds a folder outside of
//! them as one entry.

use super::edit::{self, empty_state};
use crate::Scope;
use crate::error::{During, Error};
use crate::id::TreeId;
use crate::objects::folder;
use brv_base::fs;
use bstr::{BStr, BString, ByteSlice};
use gix::glob::pattern::Case;
use gix::ignore::Search;
use gix::index::State;
use gix::index::entry::Flags;

/// The patterns of `info/sparse-checkout`; without a sparse checkout, all paths are on disk.
#[derive(Debug, Clone, Default)]
pub struct SparseCheckout {
    patterns: Option<Search>,
    /// Where the tree is in the repository, as a path without its name: the patterns are those of the repository.
    prefix: BString,
}

impl SparseCheckout {
    /// Reads the patterns, if `core.sparseCheckout` is set.
    pub fn read(scope: &Scope) -> Result<Self, fs::Error> {
        if !is_on(scope) {
            return Ok(Self::default());
        }
        let file = scope.git_dir().join("info").join("sparse-checkout");
        // without the file git checks everything out
        let patterns = fs::read_if_there(&file)?.map(|bytes| {
            let mut patterns = Search::default();
            patterns
                .add_patterns_buffer(&bytes, file, None, gix::ignore::search::Ignore::default())
                .expect("only a root can be invalid");
            patterns
        });
        let name = scope.full(b"_");
        Ok(Self { patterns, prefix: name[..name.len() - 1].into() })
    }

    /// Whether a path of the tree is left off the disk. As in git, the patterns are matched against the path, then each
    /// folder above it; the first match decides. The patterns of a cone are read the same way.
    pub fn leaves_out(&self, path: &BStr) -> bool {
        let Some(patterns) = &self.patterns else { return false };
        let path = [self.prefix.as_bytes(), path].concat();
        let (mut part, mut is_folder) = (path.as_bstr(), false);
        loop {
            let found = patterns.pattern_matching_relative_path(part, Some(is_folder), Case::Sensitive);
            if let Some(found) = found {
                return found.pattern.is_negative();
            }
            let Some(slash) = part.rfind_byte(b'/') else { return true };
            (part, is_folder) = (part[..slash].as_bstr(), true);
        }
    }
}

pub(super) fn is_on(scope: &Scope) -> bool {
    scope.repo.config_snapshot().boolean("core.sparseCheckout") == Some(true)
}

/// The same index with an entry for every file: a sparse index has one for a whole folder, with its tree.
pub(super) fn expand(scope: &Scope, sparse: State) -> Result<State, Error> {
    if !sparse.is_sparse() {
        return Ok(sparse);
    }
    let mut full = empty_state()?;
    for entry in sparse.entries() {
        let path = entry.path(&sparse);
        if !entry.mode.is_sparse() {
            full.dangerously_push_entry(entry.stat, entry.id, entry.flags, entry.mode, path);
            continue;
        }
        let inside = folder::list_folder(scope, TreeId(entry.id))
            .during(|| format!("expand the folder `{path}` of the sparse index"))?;
        for (name, version) in inside {
            let path = BString::from([path.as_bytes(), name.as_bytes()].concat());
            edit::push_withheld(&mut full, path.as_bstr(), version, Flags::empty());
        }
    }
    full.set_timestamp(sparse.timestamp());
    Ok(full)
}
