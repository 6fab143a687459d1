//! The roots of reachability: refs and `HEAD`s of all work trees, their indexes, the state of unfinished merges and
//! rebases, and the reflogs.
//!
//! Reads only, and does not walk from them.

use crate::Scope;
use crate::error::{During, Error};
use crate::refs;
use brv_base::fs;
use gix::ObjectId;
use std::path::{Path, PathBuf};

#[derive(Default)]
pub(super) struct GcRoots {
    /// Objects that refs and `HEAD`s name: all of them must exist.
    pub named: Vec<ObjectId>,
    /// Objects that indexes, reflogs and state files mention: kept if they exist.
    pub mentioned: Vec<ObjectId>,
    /// Whether refs are broken: nobody knows what they reached.
    pub has_broken_refs: bool,
}

/// Folders in which git keeps the state of an unfinished command.
const UNFINISHED: [&str; 3] = ["rebase-merge", "rebase-apply", "sequencer"];

/// All roots of a repository as they are now.
pub(super) fn read(scope: &Scope) -> Result<GcRoots, Error> {
    let mut roots = GcRoots::default();
    named(scope, &mut roots)?;
    let mut work_trees = vec![scope.common_dir().to_path_buf()];
    work_trees
        .extend(entries(&scope.common_dir().join("worktrees"))?.into_iter().filter(|path| path.is_dir()));
    for git_dir in &work_trees {
        of_work_tree(git_dir, &mut roots)?;
    }
    roots.mentioned.sort_unstable();
    roots.mentioned.dedup();
    Ok(roots)
}

fn named(scope: &Scope, roots: &mut GcRoots) -> Result<(), Error> {
    // a symbolic ref to an unborn branch names nothing
    roots.named.extend(refs::list(scope, "refs/")?.into_iter().map(|(_, id)| id.0));
    refs::set_aside::note_earlier(scope);
    roots.has_broken_refs = !scope.broken_refs().all().is_empty();
    roots.named.extend(scope.head()?.commit().map(|commit| commit.0));
    Ok(())
}

fn of_work_tree(git_dir: &Path, roots: &mut GcRoots) -> Result<(), Error> {
    of_index(&git_dir.join("index"), roots)?;
    for path in files(git_dir, ListingDepth::One)? {
        // MERGE_HEAD, ORIG_HEAD, FETCH_HEAD, AUTO_MERGE, …
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if name.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_') {
            mention(&path, roots)?;
        }
    }
    // refs of a single work tree, as `git bisect` and `git rebase` create them
    for folder in UNFINISHED.into_iter().chain(["logs", "refs"]) {
        for path in files(&git_dir.join(folder), ListingDepth::All)? {
            mention(&path, roots)?;
        }
    }
    Ok(())
}

fn of_index(path: &Path, roots: &mut GcRoots) -> Result<(), Error> {
    if !path.is_file() {
        return Ok(());
    }
    let act = || format!("read the index `{}`", path.display());
    let index = gix::index::File::at(path, gix::hash::Kind::Sha1, false, Default::default()).during(act)?;
    let of_files = index.entries().iter().filter(|entry| entry.mode != gix::index::entry::Mode::COMMIT);
    roots.mentioned.extend(of_files.map(|entry| entry.id));
    if let Some(tree) = index.tree() {
        let mut trees = vec![tree];
        while let Some(tree) = trees.pop() {
            roots.mentioned.extend(tree.num_entries.map(|_| tree.id));
            trees.extend(&tree.children);
        }
    }
    Ok(())
}

/// Adds every id found in a text file.
fn mention(path: &Path, roots: &mut GcRoots) -> Result<(), Error> {
    let Some(text) = fs::read_if_there(path).during("read a file that may name objects")? else {
        return Ok(());
    };
    let words = text.split(|byte| !byte.is_ascii_hexdigit()).filter(|word| word.len() == 40);
    roots.mentioned.extend(words.filter_map(|word| ObjectId::from_hex(word).ok()).filter(|id| !id.is_null()));
    Ok(())
}

/// The files in a folder, and in its subfolders if `depth` is [`ListingDepth::All`]; none if the folder does not exist.
fn files(folder: &Path, depth: ListingDepth) -> Result<Vec<PathBuf>, Error> {
    let mut found = Vec::new();
    for path in entries(folder)? {
        if !path.is_dir() {
            found.push(path);
        } else if depth == ListingDepth::All {
            found.extend(files(&path, depth)?);
        }
    }
    Ok(found)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ListingDepth {
    One,
    All,
}

/// A folder that cannot be read is an error: objects that it mentions would be taken for unreachable.
fn entries(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let act = || format!("list `{}`", folder.display());
    match std::fs::read_dir(folder) {
        Ok(entries) => {
            entries.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>().during(act)
        }
        Err(error) if fs::is_absence(&error) => Ok(Vec::new()),
        Err(error) => Err(error).during(act),
    }
}
