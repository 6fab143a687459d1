//! Finds the file of a parent that a file was made from, under the same name or another.
//!
//! [`Lineage`] walks from commit to commit for `blame` and `log --follow`. It follows a single file: as in git, no
//! other file takes part in the choice. `trees::renames` looks at all files of a difference instead.

use super::path_history::Paths;
use super::shallow::{self, Boundary};
use crate::Scope;
use crate::error::Error;
use crate::id::{CommitId, TreeId};
use crate::index::Index;
use crate::objects::commit::{self, Undecoded};
use crate::trees::pairing::{self, Limit, PairingSource, RenameFate};
use crate::trees::renames::Stored;
use crate::trees::{self, Change, Renames, TreeItem};
use crate::version::{FileMode, Version};
use brv_base::sorting;
use bstr::{BStr, BString, ByteSlice as _};
use std::collections::HashMap;

pub use crate::trees::pairing::Kinship;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    pub path: BString,
    pub version: Version,
}

/// The file of `before` that became the one at `path` of `after`, which is not in `before`.
pub fn source(
    scope: &Scope,
    before: TreeId,
    after: TreeId,
    path: &BStr,
    kinship: Kinship,
) -> Result<Option<File>, Error> {
    let Some(TreeItem::File(target)) = trees::find(scope, after, path)? else { return Ok(None) };
    let changes = trees::diff(scope, before, after, Renames::Ignore)?;
    chosen(scope, &sources(scope, before, changes, kinship)?, path, target, kinship)
}

/// The file of `before` that became the staged file at `path`, which is not in `before`.
pub fn source_of_recorded(
    scope: &Scope,
    before: TreeId,
    index: &Index,
    path: &BStr,
) -> Result<Option<File>, Error> {
    let Some(target) = index.version(scope.full(path).as_bstr()) else { return Ok(None) };
    let changes = trees::diff_index(scope, before, index, Renames::Ignore)?;
    chosen(scope, &sources(scope, before, changes, Kinship::Renamed)?, path, target, Kinship::Renamed)
}

/// Chooses as if the file were the only new one.
fn chosen(
    scope: &Scope,
    sources: &[(File, RenameFate)],
    path: &BStr,
    target: Version,
    kinship: Kinship,
) -> Result<Option<File>, Error> {
    let candidates: Vec<PairingSource<'_>> = sources
        .iter()
        .map(|(file, fate)| PairingSource { file: named(file.path.as_bstr(), file.version), fate: *fate })
        .collect();
    let found = pairing::pair(&candidates, &[named(path, target)], kinship, Limit::None, &mut Stored(scope))?;
    Ok(found[0].map(|source| sources[source].0.clone()))
}

const fn named(path: &BStr, version: Version) -> pairing::File<'_> {
    pairing::File { path, version }
}

/// Sorted by path.
fn sources(
    scope: &Scope,
    before: TreeId,
    changes: Vec<Change>,
    kinship: Kinship,
) -> Result<Vec<(File, RenameFate)>, Error> {
    let gone = changes.into_iter().filter(|change| change.after.is_none());
    let gone = gone.filter_map(|change| Some(File { path: change.path, version: change.before? }));
    let mut sources: Vec<(File, RenameFate)> = gone.map(|file| (file, RenameFate::Gone)).collect();
    if kinship == Kinship::Copied {
        let gone: std::collections::HashSet<BString> =
            sources.iter().map(|(file, _)| file.path.clone()).collect();
        let all = trees::list(scope, before)?.into_iter();
        let kept = all.filter(|(path, _)| !gone.contains(path));
        sources.extend(kept.map(|(path, version)| (File { path, version }, RenameFate::Stayed)));
        sorting::sort_by(&mut sources, |(one, _), (other, _)| one.path.cmp(&other.path));
    }
    Ok(sources)
}

/// The file's predecessors in the parents of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FilePredecessors {
    /// A parent has the same bytes: the content came from there.
    Same(CommitId, File),
    /// The versions that the parents have, in their order; if empty, the file is new.
    Other(Vec<(CommitId, File)>),
}

/// Follows files through a history.
pub struct Lineage<'a> {
    scope: &'a Scope,
    shallow: Boundary,
    commits: HashMap<CommitId, Undecoded>,
    paths: HashMap<BString, Paths<'a>>,
    buffer: Vec<u8>,
}

impl<'a> Lineage<'a> {
    /// For files of this repository.
    pub fn new(scope: &'a Scope) -> Result<Self, Error> {
        let shallow = shallow::read(&scope.repo)?;
        Ok(Self { scope, shallow, commits: HashMap::new(), paths: HashMap::new(), buffer: Vec::new() })
    }

    pub fn seconds(&mut self, id: CommitId) -> Result<i64, Error> {
        Ok(self.commit(id)?.seconds)
    }

    pub fn is_first(&mut self, id: CommitId) -> Result<bool, Error> {
        Ok(self.shallow.contains(&id.0) || self.commit(id)?.parents.is_empty())
    }

    pub fn file(&mut self, id: CommitId, path: &BStr) -> Result<Option<File>, Error> {
        let tree = self.commit(id)?.tree;
        let scope = self.scope;
        let paths =
            self.paths.entry(path.to_owned()).or_insert_with(|| Paths::new(scope, &[path.to_owned()]));
        Ok(paths.file(tree)?.map(|version| File { path: path.to_owned(), version }))
    }

    /// The predecessors of a file of a commit. As in `git blame` the same name comes first, then renames.
    pub fn before(&mut self, id: CommitId, file: &File) -> Result<FilePredecessors, Error> {
        let parents = if self.is_first(id)? { Vec::new() } else { self.commit(id)?.parents.clone() };
        let mut origins: Vec<_> = parents.into_iter().map(|parent| (parent, None)).collect();
        for find in [Self::namesake, Self::renamed] {
            for (parent, origin) in origins.iter_mut().filter(|(_, origin)| origin.is_none()) {
                *origin = find(self, id, file, *parent)?;
                if let Some(same) = origin.take_if(|origin| origin.version.id == file.version.id) {
                    return Ok(FilePredecessors::Same(*parent, same));
                }
            }
        }
        let known = origins.into_iter().filter_map(|(parent, origin)| Some((parent, origin?)));
        Ok(FilePredecessors::Other(known.collect()))
    }

    /// A symlink does not become a file.
    fn namesake(&mut self, _: CommitId, file: &File, parent: CommitId) -> Result<Option<File>, Error> {
        Ok(self.file(parent, file.path.as_bstr())?.filter(|origin| is_link(origin) == is_link(file)))
    }

    fn renamed(&mut self, id: CommitId, file: &File, parent: CommitId) -> Result<Option<File>, Error> {
        let (before, after) = (self.commit(parent)?.tree, self.commit(id)?.tree);
        source(self.scope, before, after, file.path.as_bstr(), Kinship::Renamed)
    }

    fn commit(&mut self, id: CommitId) -> Result<&Undecoded, Error> {
        if !self.commits.contains_key(&id) {
            let commit = commit::read_undecoded(self.scope, id, &mut self.buffer)?;
            self.commits.insert(id, commit);
        }
        Ok(&self.commits[&id])
    }
}

fn is_link(file: &File) -> bool {
    file.version.mode == FileMode::Symlink
}
