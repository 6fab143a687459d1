//! Survey the tree: staged, changed, new, conflicted and unmanaged files. Status, add, commit and pull start here.

use crate::open::tree::{self, Unfit};
use brv_base::fs::{self, Listing};
use brv_base::path::{self, PathKind};
use brv_git as git;
use brv_git::pathspec::Pathspec;
use brv_git::status::{self, Now, StatusChange, StatusError, WorkTree};
use brv_git::trees::{self, Change, Renames};
use brv_git::{Head, Index, Scope, TreeId, Version};
use bstr::{BString, ByteSlice};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The result of comparing disk, index and `HEAD`.
pub struct Survey {
    /// The position of `HEAD`.
    pub head: Head,
    /// The tree of `HEAD`, empty on an unborn branch.
    pub head_tree: TreeId,
    pub index: Index,
    /// The differences between disk and index.
    pub work_tree: WorkTree,
}

/// Compare disk, index and `HEAD`. `listing` selects the untracked files to list.
pub fn survey(scope: &Scope, mut index: Index, listing: Listing<'_>) -> Result<Survey, StatusError> {
    let head = scope.head()?;
    let head_tree = head.commit().map_or(Ok(TreeId::empty()), |commit| scope.tree_of(commit))?;
    let work_tree = status::work_tree(scope, &index, listing)?;
    work_tree.settle(scope, &mut index);
    Ok(Survey { head, head_tree, index, work_tree })
}

/// As [`survey`], but reads the disk only at or below `specs` if they are plain paths.
pub fn survey_at(scope: &Scope, index: Index, specs: &[Pathspec]) -> Result<Survey, StatusError> {
    let is_plain = |spec: &Pathspec| !spec.has_wildcard() && !spec.as_bstr().is_empty();
    if specs.is_empty() || !specs.iter().all(is_plain) {
        return survey(scope, index, Listing::Everything);
    }
    let head = scope.head()?;
    let head_tree = head.commit().map_or(Ok(TreeId::empty()), |commit| scope.tree_of(commit))?;
    let paths: Vec<_> = specs.iter().map(Pathspec::as_bstr).collect();
    let work_tree = status::work_tree_at(scope, &index, &paths)?;
    Ok(Survey { head, head_tree, index, work_tree })
}

/// A tracked file that differs on disk.
#[derive(Debug, Clone)]
pub struct UnstagedFile<'a> {
    pub changed: &'a StatusChange,
    /// The path before, if it moved.
    pub renamed_from: Option<BString>,
}

/// An untracked file on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UntrackedFile {
    /// Relative to the tree.
    pub path: BString,
    pub class: Class,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// Curated or support: `add` stages it.
    Untracked,
    /// The name of a derived file; its stamp tells whether brv wrote it.
    Derived,
    /// Covered by an ignore rule.
    Ignored,
    /// Anything else, with the reason.
    Foreign(&'static str),
}

/// The reason for a symlink, a device or a nested repository.
pub const NOT_A_FILE: &str = "not a regular file";

/// The most new files whose content is checked; beyond it, only their names are.
const LOOKED_INTO: usize = 1000;

impl Survey {
    /// The staged changes, with renames.
    pub fn staged(&self, scope: &Scope, renames: Renames) -> Result<Vec<Change>, git::Error> {
        trees::diff_index(scope, self.head_tree, &self.index, renames)
    }

    /// Whether a file that differs on disk has only an intent to add: all of its content is on disk.
    pub fn is_meant_to_be_added(&self, scope: &Scope, changed: &StatusChange) -> bool {
        let is_there = matches!(changed.now, Now::Modified(..));
        is_there && self.index.is_intended(scope.full(&changed.path).as_bstr())
    }

    /// The changes that are not staged, without files in conflict and hidden edits; with renames if the new name has an
    /// intent to add.
    pub fn unstaged(&self, scope: &Scope, renames: Renames) -> Result<Vec<UnstagedFile<'_>>, git::Error> {
        let unmerged = self.index.unmerged();
        let is_unmerged =
            |changed: &&StatusChange| unmerged.binary_search(&scope.full(&changed.path)).is_ok();
        let changed: Vec<&StatusChange> =
            self.work_tree.shown().filter(|changed| !is_unmerged(changed)).collect();
        let one_sided = changed.iter().filter_map(|changed| {
            let change =
                |before, after| Change { path: changed.path.clone(), renamed_from: None, before, after };
            match changed.now {
                Now::Modified(id, _) if self.is_meant_to_be_added(scope, changed) => {
                    Some(change(None, Some(Version { id, ..changed.recorded })))
                }
                Now::Deleted => Some(change(Some(changed.recorded), None)),
                Now::Modified(..) | Now::NotAFile => None,
            }
        });
        let on_disk = self.work_tree.new_bytes();
        let joined = trees::join_renames_on_disk(scope, one_sided.collect(), renames, &on_disk)?;
        let mut sources: BTreeMap<BString, BString> =
            joined.into_iter().filter_map(|change| Some((change.path, change.renamed_from?))).collect();
        let moved: BTreeSet<BString> = sources.values().cloned().collect();
        let left = changed.into_iter().filter(|changed| !moved.contains(&changed.path));
        Ok(left
            .map(|changed| UnstagedFile { changed, renamed_from: sources.remove(&changed.path) })
            .collect())
    }

    /// The untracked files with their class, sorted.
    pub fn unrecorded(&self, scope: &Scope) -> Result<Vec<UntrackedFile>, git::Error> {
        let mut found: Vec<UntrackedFile> = self
            .work_tree
            .unexpected
            .iter()
            .map(|file| UntrackedFile {
                path: file.path.clone(),
                class: classify(&file.path, file.is_regular),
            })
            .collect();
        let untracked: Vec<usize> =
            (0..found.len()).filter(|at| !matches!(found[*at].class, Class::Derived)).collect();
        if untracked.is_empty() {
            return Ok(found);
        }
        let paths: Vec<_> = untracked.iter().map(|at| found[*at].path.as_bstr()).collect();
        let ignored = status::ignored(scope, &self.index, &paths)?;
        for (at, is_ignored) in untracked.into_iter().zip(ignored) {
            if is_ignored {
                found[at].class = Class::Ignored;
            }
        }
        Ok(found)
    }

    /// As [`Survey::unrecorded`]; new files whose content `add` would reject are classed as foreign, as long as there
    /// are few.
    pub fn unrecorded_and_fit(&self, scope: &Scope) -> Result<Vec<UntrackedFile>, StatusError> {
        let mut found = self.unrecorded(scope)?;
        let root = scope.root();
        let untracked = found.iter_mut().filter(|file| file.class == Class::Untracked);
        for file in untracked.take(LOOKED_INTO) {
            if let Some(unfit) = unfit(&root, &file.path)? {
                file.class = Class::Foreign(unfit);
            }
        }
        Ok(found)
    }
}

/// Why the content of a file is not valid for an entry.
fn unfit(root: &Path, path: &BString) -> Result<Option<&'static str>, StatusError> {
    let kind = path::kind_of(&path.to_str_lossy());
    let place = fs::below(root, path.as_bstr())?;
    if !kind.is_curated() {
        return Ok(None);
    }
    let is_large = fs::stat(&place)?.is_some_and(|stat| stat.size > tree::MAX_BYTES as u64);
    let judged = match is_large {
        true => Err(Unfit::TooLarge),
        false => fs::read_if_there(&place)?.map_or(Ok(()), |bytes| tree::check_content(kind, &bytes)),
    };
    Ok(judged.err().map(|unfit| match unfit {
        Unfit::TooLarge => "larger than 1 MiB",
        Unfit::Nul => "contains a NUL byte",
        Unfit::NotUtf8 => "not valid UTF-8",
    }))
}

fn classify(path: &BString, is_regular: bool) -> Class {
    if !is_regular {
        return Class::Foreign(NOT_A_FILE);
    }
    match path::check(path) {
        Err(_) => Class::Foreign("not a portable path"),
        Ok(path) => match path::kind_of(path) {
            PathKind::Entry | PathKind::NodeOverview | PathKind::Support => Class::Untracked,
            PathKind::Derived(_) => Class::Derived,
            PathKind::Foreign => Class::Foreign("not managed by brv"),
        },
    }
}
