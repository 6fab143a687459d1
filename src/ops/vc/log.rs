//! `brv vc log`: the history, newest first.

pub use crate::git::commit::Commit;
use crate::git::{self, CommitId, Scope, history, revision};
use crate::ops::FailureKind;
use crate::ops::context::{Context, OpenError};
use crate::ops::steps::revisions;
use bstr::{BString, ByteSlice};
use std::collections::HashMap;

/// What to list.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Revisions, then paths, as typed before `--`. No revision: `HEAD`.
    pub arguments: Vec<String>,
    /// Paths, as typed behind `--`.
    pub paths: Vec<String>,
    /// At most so many.
    pub limit: Option<usize>,
}

/// The history.
#[derive(Debug)]
pub struct Outcome {
    /// Newest first.
    pub entries: Vec<Entry>,
}

/// One commit.
#[derive(Debug)]
pub struct Entry {
    /// What it says.
    pub commit: Commit,
    /// The shortest unambiguous form of its id.
    pub short: String,
    /// The names that point to it.
    pub names: Vec<Name>,
}

/// A name that points to a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Name {
    /// `HEAD` itself, detached.
    Head,
    /// The branch that `HEAD` is on.
    CurrentBranch(String),
    /// Another branch.
    Branch(String),
    /// A branch as a remote had it.
    RemoteBranch(String),
    /// A tag.
    Tag(String),
}

/// Why there is no history.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No tree.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// What was typed.
    #[error(transparent)]
    Arguments(#[from] revisions::Error),
    /// An unborn branch.
    #[error("the branch `{0}` has no commits yet")]
    Unborn(String),
    /// The repository.
    #[error(transparent)]
    Git(#[from] git::Error),
}

impl Error {
    /// What kind of failure it is.
    #[must_use]
    pub const fn kind(&self) -> FailureKind {
        match self {
            Self::Open(error) => error.kind(),
            Self::Arguments(error) => error.kind(),
            _ => FailureKind::Failed,
        }
    }
}

/// List the history.
///
/// # Errors
/// [`Error`]
pub fn run(cx: &mut Context<'_>, options: &Options) -> Result<Outcome, Error> {
    let opened = cx.open()?;
    let scope = &opened.scope;
    let arguments = revisions::sort(scope, &cx.cwd, &options.arguments, &options.paths)?;
    let mut range = revisions::range(scope, &arguments.revisions)?;
    if range.tips.is_empty() {
        let head = scope.head()?;
        let tip = head.commit().ok_or_else(|| Error::Unborn(head.short_branch().unwrap_or_default()))?;
        range.tips.push(tip);
    }
    range.paths = arguments
        .paths
        .iter()
        .map(|spec| spec.as_bstr().to_owned())
        .filter(|path| !path.is_empty())
        .collect();
    let names = names(scope)?;
    let entries = history::walk(scope, &range, options.limit)?
        .into_iter()
        .map(|commit| {
            Ok(Entry {
                short: revision::shorten(scope, commit.id)?,
                names: names.get(&commit.id).cloned().unwrap_or_default(),
                commit,
            })
        })
        .collect::<Result<Vec<_>, git::Error>>()?;
    Ok(Outcome { entries })
}

/// Which names point where: `HEAD` first, then branches, remote branches and tags.
pub(super) fn names(scope: &Scope) -> Result<HashMap<CommitId, Vec<Name>>, git::Error> {
    let mut names: HashMap<CommitId, Vec<Name>> = HashMap::new();
    let head = scope.head()?;
    let current = head.short_branch();
    if let (Some(commit), None) = (head.commit(), &current) {
        names.entry(commit).or_default().push(Name::Head);
    }
    if let (Some(commit), Some(branch)) = (head.commit(), &current) {
        names.entry(commit).or_default().push(Name::CurrentBranch(branch.clone()));
    }
    type Make = fn(String) -> Name;
    let kinds: [(&str, Make); 3] =
        [("refs/heads/", Name::Branch), ("refs/remotes/", Name::RemoteBranch), ("refs/tags/", Name::Tag)];
    for (prefix, make) in kinds {
        for (full, _) in git::refs::list(scope, prefix)? {
            let Some(commit) = commit_of(scope, &full) else { continue };
            let short = full.strip_prefix(prefix.as_bytes()).unwrap_or(&full).to_str_lossy().into_owned();
            let is_current = prefix == "refs/heads/" && current.as_ref() == Some(&short);
            if !is_current && !short.ends_with("/HEAD") {
                names.entry(commit).or_default().push(make(short));
            }
        }
    }
    Ok(names)
}

/// A tag may name something that is no commit: then it names none here.
fn commit_of(scope: &Scope, full: &BString) -> Option<CommitId> {
    git::refs::commit(scope, full.as_ref()).ok().flatten()
}
