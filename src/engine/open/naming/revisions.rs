//! Sort typed arguments into revisions and paths, and parse revision ranges.

use super::paths;
use crate::Stop;
use crate::outcome::unknown_name::UnknownName;
use brv_base::fs;
use brv_git::pathspec::Pathspec;
use brv_git::revision::{self, RevisionError};
use brv_git::{CommitId, Index, Scope, history};
use bstr::ByteSlice as _;
use std::cell::OnceCell;
use std::path::Path;

/// What stops a command that takes revisions and paths.
pub fn behind_dashes(stop: Stop) -> Stop {
    stop.hint("use `--` before paths that no longer exist or that look like a revision")
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Revision {
    /// `A`
    Single(CommitId),
    /// `^A`
    Without(CommitId),
    /// `A..B`
    Range(CommitId, CommitId),
    /// `A...B`
    Symmetric(CommitId, CommitId),
}

/// Arguments sorted into revisions and paths.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Arguments {
    /// In the order typed.
    pub revisions: Vec<Revision>,
    pub typed: Vec<String>,
    pub paths: Vec<Pathspec>,
}

/// Sort `mixed` as git does: revisions come first; from the first argument that is not a revision on, all are paths and
/// must exist. Paths typed after `--` are in `paths` and need not exist.
pub fn sort(scope: &Scope, cwd: &Path, mixed: &[String], paths: &[String]) -> Result<Arguments, Stop> {
    let root = scope.root();
    let mut arguments = Arguments::default();
    let mut rest = mixed.iter();
    let mut typed_paths: Vec<String> = Vec::new();
    for argument in rest.by_ref() {
        match parse(scope, argument) {
            Ok(revision) => {
                arguments.revisions.push(revision);
                arguments.typed.push(argument.clone());
            }
            Err(RevisionError::Unknown(_)) if paths.is_empty() => {
                typed_paths.push(argument.clone());
                break;
            }
            Err(error) => return Err(error.into()),
        }
    }
    typed_paths.extend(rest.cloned());
    let read = OnceCell::new();
    let index = || read.get_or_init(|| brv_git::index::read(scope).ok()).as_ref();
    for path in &typed_paths {
        let specs = paths::pathspecs(&root, cwd, std::slice::from_ref(path))?;
        if !names_something(scope, &root, index, &specs[0]) {
            let message = format!("`{path}` is neither a revision nor a path in the tree");
            return Err(Stop::usage(message).seeking(UnknownName::RevisionOrPath(path.clone())));
        }
        arguments.paths.extend(specs);
    }
    arguments.paths.extend(paths::pathspecs(&root, cwd, paths)?);
    Ok(arguments)
}

fn names_something<'a>(
    scope: &Scope,
    root: &Path,
    index: impl Fn() -> Option<&'a Index>,
    spec: &Pathspec,
) -> bool {
    if spec.has_wildcard() || spec.as_bstr().is_empty() {
        return true;
    }
    let is_there = fs::below(root, spec.as_bstr()).is_ok_and(|file| file.symlink_metadata().is_ok());
    is_there || index().is_some_and(|index| index.names_something(scope.full(spec.as_bstr()).as_bstr()))
}

/// Parse an argument that can only be a revision.
pub fn parse(scope: &Scope, text: &str) -> Result<Revision, RevisionError> {
    let or_head = |name: &str| revision::commit(scope, if name.is_empty() { "HEAD" } else { name });
    if let Some((from, to)) = text.split_once("...") {
        return Ok(Revision::Symmetric(or_head(from)?, or_head(to)?));
    }
    if let Some((from, to)) = text.split_once("..") {
        if from.contains('/') && text.starts_with("../") {
            return Err(RevisionError::Unknown(text.to_owned()));
        }
        return Ok(Revision::Range(or_head(from)?, or_head(to)?));
    }
    if let Some(name) = text.strip_prefix('^') {
        return Ok(Revision::Without(revision::commit(scope, name)?));
    }
    Ok(Revision::Single(revision::commit(scope, text)?))
}

/// The commits that a list of revisions selects for `log`.
///
/// # Errors
/// A merge base that cannot be found.
pub fn range(scope: &Scope, revisions: &[Revision]) -> Result<history::Range, brv_git::Error> {
    let mut range = history::Range::default();
    for revision in revisions {
        match revision {
            Revision::Single(id) => range.tips.push(*id),
            Revision::Without(id) => range.hidden.push(*id),
            Revision::Range(from, to) => {
                range.hidden.push(*from);
                range.tips.push(*to);
            }
            Revision::Symmetric(left, right) => {
                range.tips.extend([*left, *right]);
                range.hidden.extend(history::merge_bases(scope, *left, *right)?);
            }
        }
    }
    Ok(range)
}
