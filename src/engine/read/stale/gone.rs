//! Which files that entries cite are gone from the code, and where git says that they went: of many at once, in one walk
//! through the history.

use super::code::{CodeSide, CodeTree, Now, meanings, project_below, target};
use super::past_paths::PastPaths;
use crate::open::tree::host_work_tree;
use brv_base::environment::Environment;
use brv_base::fs;
use brv_git as git;
use brv_git::commit::Commit;
use brv_git::history::{self, Range};
use brv_git::trees::{self, Change, Renames};
use brv_git::{CommitId, Scope, TreeId};
use bstr::{BString, ByteSlice as _};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// The code whose files entries cite, as it is on disk.
#[derive(Debug, Clone)]
pub struct CitedCode {
    /// A folder of the code: the project, or its root. A cited path is below it, or below the root of its work tree.
    pub folder: PathBuf,
    /// The file in which the paths of this code's history are kept; `None`: nothing is written.
    pub kept: Option<PathBuf>,
}

/// How many names of a file are followed.
const MOST_NAMES: usize = 8;

/// How many files whose removal only a merge may have are looked for, each by itself.
const MOST_ALONE: usize = 200;

/// What became of a cited path that is not there.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GoneCitation {
    /// Whether the history of the code had it.
    pub was_there: bool,
    /// The path that it has now, in the meaning in which it is cited, where git knows exactly one.
    pub now: Option<String>,
}

/// The cited paths that the code does not have.
pub fn gone<'p>(
    environment: &Environment,
    sources: &CitedCode,
    cited: &BTreeSet<&'p str>,
) -> BTreeMap<&'p str, GoneCitation> {
    let root = host_work_tree(&sources.folder);
    let scope = root.and_then(|root| git::open(root, "", environment).ok());
    let root = root.unwrap_or(&sources.folder);
    let project = project_below(root, &sources.folder);
    let is_missing = |path: &&&str| !meanings(&project, path).iter().any(|path| is_there(root, path));
    let mut gone: BTreeMap<&str, GoneCitation> =
        cited.iter().filter(is_missing).map(|path| (*path, GoneCitation::default())).collect();
    if let Some(scope) = scope.filter(|_| !gone.is_empty()) {
        // what cannot be found out is not known
        let _ = look(&scope, sources.kept.as_deref(), &project, &mut gone);
    }
    gone
}

/// Find out what became of paths that are missing on disk. One that the checkout only leaves out is not gone.
fn look(
    scope: &Scope,
    kept: Option<&Path>,
    project: &str,
    gone: &mut BTreeMap<&str, GoneCitation>,
) -> Result<(), git::Error> {
    let Some(tip) = scope.head()?.commit() else { return Ok(()) };
    let past = PastPaths::read(kept, scope, Some(tip), None)?;
    // the nearest meaning that the code had
    let had = |path: &str| meanings(project, path).into_iter().find(|meant| past.has(meant));
    let had: BTreeMap<&str, String> = gone.keys().filter_map(|path| Some((*path, had(path)?))).collect();
    let mut code = CodeTree::new(scope, CodeSide::WorkTree, Some(tip), project.to_owned(), false);
    let mut removals = CodeRemovals::read(scope, tip, had.values())?;
    for (path, meant) in had {
        if matches!(code.now(&meant), Now::File(..) | Now::Large) {
            gone.remove(path);
            continue;
        }
        let now = removals.now(&code, &meant)?.and_then(|now| as_cited(&code, (project, path), &meant, now));
        gone.insert(path, GoneCitation { was_there: true, now });
    }
    Ok(())
}

/// A new path in the meaning of the cited one, if it is read as that file.
fn as_cited(code: &CodeTree<'_>, (project, path): (&str, &str), meant: &str, now: String) -> Option<String> {
    let written = match now.strip_prefix(project) {
        Some(below) if meant != path => below.to_owned(),
        _ => now.clone(),
    };
    let read = code.meanings(&written).into_iter().find(|path| code.is_there(path))?;
    (read == now).then_some(written)
}

fn is_there(root: &Path, path: &str) -> bool {
    fs::below(root, path.as_bytes().as_bstr()).is_ok_and(|place| place.symlink_metadata().is_ok())
}

/// How files left the code: the newest removal of each path, as far as the history was walked.
struct CodeRemovals<'a> {
    scope: &'a Scope,
    /// The files of the last commit: what is gone of them is gone by the index, or only on disk.
    tree: TreeId,
    /// The commits that removed the others.
    commits: HashMap<BString, CommitId>,
    /// The files that these renamed.
    renames: HashMap<Option<CommitId>, Vec<Change>>,
    /// How many may still be looked for alone.
    alone: usize,
}

impl<'a> CodeRemovals<'a> {
    /// The removals of these paths, and all newer ones.
    fn read<'p>(
        scope: &'a Scope,
        tip: CommitId,
        paths: impl Iterator<Item = &'p String>,
    ) -> Result<Self, git::Error> {
        let tree = scope.tree_of(tip)?;
        let (commits, renames) = (HashMap::new(), HashMap::new());
        let mut removals = Self { scope, tree, commits, renames, alone: MOST_ALONE };
        let mut open = HashSet::new();
        for path in paths.filter(|path| !removals.is_committed(path)) {
            open.insert(BString::from(path.as_str()));
        }
        if open.is_empty() {
            return Ok(removals);
        }
        let mut failed = None;
        history::walk(scope, &Range { tips: vec![tip], ..Range::default() }, |walked| {
            match removals.add(&walked.commit, &mut open) {
                Ok(()) if !open.is_empty() => ControlFlow::Continue(()),
                result => {
                    failed = result.err();
                    ControlFlow::Break(())
                }
            }
        })?;
        failed.map_or(Ok(removals), Err)
    }

    /// A merge has the removals of its sides.
    fn add(&mut self, commit: &Commit, open: &mut HashSet<BString>) -> Result<(), git::Error> {
        let [parent] = commit.parents[..] else { return Ok(()) };
        let changes = trees::diff(self.scope, self.scope.tree_of(parent)?, commit.tree, Renames::Ignore)?;
        for change in changes.into_iter().filter(|change| change.after.is_none()) {
            open.remove(&change.path);
            self.commits.entry(change.path).or_insert(commit.id);
        }
        Ok(())
    }

    /// The path that a file has now which is gone from this one; `None` if it is not known, or gone as well.
    fn now(&mut self, code: &CodeTree<'_>, path: &str) -> Result<Option<String>, git::Error> {
        let (mut path, mut seen) = (path.to_owned(), BTreeSet::new());
        for _ in 0..MOST_NAMES {
            let commit =
                self.commits.get(path.as_bytes().as_bstr()).filter(|_| !self.is_committed(&path)).copied();
            if commit.is_none() && !self.is_committed(&path) {
                return Ok(self.alone(code, &path));
            }
            let Some(to) = target(self.renamed(commit)?, path.as_bytes().as_bstr()) else { return Ok(None) };
            if code.is_there(&to) {
                return Ok(Some(to));
            }
            seen.insert(path);
            if seen.contains(&to) {
                return Ok(None);
            }
            path = to;
        }
        Ok(None)
    }

    fn is_committed(&self, path: &str) -> bool {
        let found = trees::find(self.scope, self.tree, path.as_bytes().as_bstr());
        matches!(found, Ok(Some(trees::TreeItem::File(_))))
    }

    /// As [`Self::now`], of one whose removal no commit outside of merges has.
    fn alone(&mut self, code: &CodeTree<'_>, path: &str) -> Option<String> {
        self.alone = self.alone.checked_sub(1)?;
        code.moved(path).to.filter(|to| code.is_there(to))
    }

    /// What a commit, or the index, changes, with renames.
    fn renamed(&mut self, commit: Option<CommitId>) -> Result<&[Change], git::Error> {
        if !self.renames.contains_key(&commit) {
            let scope = self.scope;
            let changes = match commit {
                Some(id) => {
                    let commit = history::read(scope, id)?;
                    let parent =
                        commit.parents.first().map_or(Ok(TreeId::empty()), |id| scope.tree_of(*id))?;
                    trees::diff(scope, parent, commit.tree, Renames::Always)?
                }
                None => trees::diff_index(scope, self.tree, &git::index::read(scope)?, Renames::Always)?,
            };
            self.renames.insert(commit, changes);
        }
        Ok(&self.renames[&commit])
    }
}
