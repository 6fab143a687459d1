//! Which entries may leave the tree: committed as they are on disk, and known to the upstream.

use crate::Stop;
use crate::derive;
use crate::open::naming::upstream;
use crate::open::survey::Survey;
use brv_base::fs;
use brv_base::path::{PathKind, TreePath};
use brv_git as git;
use brv_git::trees::{self, Renames};
use brv_git::{BlobId, FileMode, Scope, remotes};
use bstr::{BString, ByteSlice as _};
use serde::Serialize;
use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    NotCommitted,
    #[serde(rename = "not_committed")]
    Archived,
    /// Not pushed yet: a squash would leave no other clone with its bytes.
    Unpublished,
    /// It, or the overview of its folder, has uncommitted changes.
    Dirty,
    /// It, or the overview of its folder, is kept off this disk.
    NotOnDisk,
    Maturity,
    Importance,
    /// This machine has known it for less than 30 days.
    YoungSignals,
    Pinned,
    /// It is the overview of a folder, or a folder; or that overview cannot record it.
    Overview,
    /// So many were archived already.
    Limit,
    /// Another program changed it, or its folder's `context.md`, again and again.
    Changed,
}

impl Why {
    pub const fn words(self) -> &'static str {
        match self {
            Self::NotCommitted => "no commit has it",
            Self::Archived => "it is archived already",
            Self::Unpublished => "the upstream does not have it yet",
            Self::Dirty => "it, or the context.md of its folder, has uncommitted changes",
            Self::NotOnDisk => "a sparse checkout, or the flag skip-worktree, keeps it off this disk",
            Self::Maturity => "it is not a draft",
            Self::Importance => "it is too important",
            Self::YoungSignals => "this machine has known it for less than 30 days",
            Self::Pinned => "it is pinned",
            Self::Overview => "a folder, its overview, or an overview that cannot be edited",
            Self::Limit => "20 entries were archived already",
            Self::Changed => "another program changed it, or the context.md of its folder, at the same time",
        }
    }
}

/// The commit that is checked out, compared with the disk and the upstream.
pub struct Committed {
    pub(super) root: PathBuf,
    pub(super) files: BTreeMap<BString, BlobId>,
    pub(super) dirty: HashSet<BString>,
    /// What is kept off this disk.
    pub(super) absent: HashSet<TreePath>,
    /// What the upstream has; `None` without an upstream.
    pub(super) published: Option<HashSet<BlobId>>,
}

impl Committed {
    /// Look at `HEAD`, at the index, at the disk and at the upstream.
    pub fn of(scope: &Scope, survey: &Survey) -> Result<Self, Stop> {
        let is_file = |mode: FileMode| matches!(mode, FileMode::Regular | FileMode::Executable);
        let listed = trees::list(scope, survey.head_tree)?.into_iter();
        let files =
            listed.filter(|(_, version)| is_file(version.mode)).map(|(path, version)| (path, version.id));
        let staged = trees::diff_index(scope, survey.head_tree, &survey.index, Renames::Ignore)?;
        let mut dirty: HashSet<BString> = staged.into_iter().map(|change| change.path).collect();
        dirty.extend(survey.work_tree.changed.iter().map(|changed| changed.path.clone()));
        let unmerged = survey.index.unmerged().into_iter();
        dirty.extend(unmerged.filter_map(|full| Some(scope.strip(full.as_ref())?.to_owned())));
        let published = published(scope, &survey.head)?;
        let absent = derive::absent_paths(scope, &survey.index).into_iter().collect();
        Ok(Self { root: scope.root(), files: files.collect(), dirty, absent, published })
    }

    pub fn version(&self, path: &TreePath) -> Option<BlobId> {
        self.files.get(path.as_bytes().as_bstr()).copied()
    }

    /// The entries, without those that are kept off this disk.
    pub fn entries(&self) -> Vec<TreePath> {
        let paths = self.files.keys().filter_map(|path| TreePath::parse(path).ok());
        paths.filter(|path| path.kind() == PathKind::Entry && !self.is_absent(path)).collect()
    }

    /// Whether it is kept off this disk.
    pub fn is_absent(&self, path: &TreePath) -> bool {
        self.absent.contains(path)
    }

    /// Whether it has uncommitted changes.
    pub fn is_dirty(&self, path: &TreePath) -> bool {
        self.dirty.contains(path.as_bytes().as_bstr())
    }

    /// Why an entry cannot be archived, even if it is named.
    pub fn hinders(&self, path: &TreePath) -> Option<Why> {
        if path.kind() == PathKind::NodeOverview {
            return Some(Why::Overview);
        }
        if self.version(path).is_none() || path.kind() != PathKind::Entry {
            return Some(Why::NotCommitted);
        }
        let overview = super::overview_of(path);
        if self.is_absent(path) || self.is_absent(&overview) {
            return Some(Why::NotOnDisk);
        }
        let is_dirty = |path: &TreePath| self.dirty.contains(path.as_bytes().as_bstr());
        (is_dirty(path) || is_dirty(&overview) || self.is_new(&overview)).then_some(Why::Dirty)
    }

    /// Whether a file is on disk that no commit has.
    fn is_new(&self, path: &TreePath) -> bool {
        self.version(path).is_none() && !matches!(fs::stat(&path.on_disk(&self.root)), Ok(None))
    }

    /// Whether there is an upstream that lacks the bytes of an entry.
    pub fn is_unpublished(&self, path: &TreePath) -> bool {
        let version = self.version(path);
        self.published.as_ref().zip(version).is_some_and(|(published, id)| !published.contains(&id))
    }
}

/// The blobs of the upstream's tip; empty if it was never fetched.
fn published(scope: &Scope, head: &git::Head) -> Result<Option<HashSet<BlobId>>, Stop> {
    let upstream = match upstream::of(scope, head) {
        Ok(upstream) => upstream,
        Err(remotes::Error::Git(error)) => return Err(error.into()),
        // settings that name no usable remote: nothing is known to be anywhere else
        Err(_) => return Ok(Some(HashSet::new())),
    };
    let Some(upstream) = upstream else { return Ok(None) };
    let tip = match &upstream.tracking {
        Some(tracking) => git::refs::commit(scope, tracking.as_bstr())?,
        None => None,
    };
    let Some(tip) = tip else { return Ok(Some(HashSet::new())) };
    let listed = trees::list(scope, scope.tree_of(tip)?)?;
    Ok(Some(listed.into_iter().map(|(_, version)| version.id).collect()))
}
