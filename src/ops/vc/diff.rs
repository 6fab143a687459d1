//! `brv vc diff`: show the differences between two states of the tree.

use crate::diff::knowledge::Entry;
use crate::fs::Listing;
use crate::git::pathspec::Pathspecs;
use crate::git::trees::{self, Change, Renames};
use crate::git::{self, CommitId, Scope, TreeId, history};
use crate::ops::cause::{Cause, caused};
use crate::ops::context::Context;
use crate::ops::steps::history::changes::Contents;
pub use crate::ops::steps::history::changes::{Detail, FileChange};
use crate::ops::steps::history::knowledge;
pub use crate::ops::steps::history::states::{Names, State};
use crate::ops::steps::naming::revisions::{self, Arguments, Revision};
use crate::ops::steps::survey;
use crate::ops::steps::work_tree::on_disk;
use crate::ops::{Fails, FailureKind};
use bstr::{BString, ByteSlice};

#[derive(Debug, Clone)]
pub struct Options {
    /// Revisions, then paths, as typed before `--`.
    pub arguments: Vec<String>,
    /// Paths, as typed after `--`.
    pub paths: Vec<String>,
    /// The state to compare the revisions with.
    pub against: Against,
    /// How much detail to show.
    pub detail: Detail,
}

/// The state to compare the revisions with (or the index, if there are none).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Against {
    #[default]
    WorkTree,
    /// What is staged (`--staged`).
    Index,
}

/// The differences, sorted by path.
#[derive(Debug)]
pub struct Outcome {
    pub before: State,
    pub after: State,
    pub names: Names,
    pub files: Vec<FileChange>,
    /// The changed entries; empty if only lines were requested.
    pub entries: Vec<Entry>,
    pub unmerged: Vec<BString>,
}

/// Why nothing was compared.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Cause(Cause),
    #[error(transparent)]
    Arguments(#[from] revisions::Error),
    #[error("a diff compares two states, but more were given")]
    TooManyRevisions,
    #[error("the two revisions have no common ancestor")]
    NoMergeBase,
}

impl Error {
    pub fn kind(&self) -> FailureKind {
        match self {
            Self::Cause(cause) => cause.kind(),
            Self::Arguments(error) => error.kind(),
            Self::TooManyRevisions => FailureKind::Usage,
            Self::NoMergeBase => FailureKind::Failed,
        }
    }
}

caused!(Error);

/// Compare two states of the tree.
pub fn run(cx: &Context<'_>, options: &Options) -> Result<Outcome, Error> {
    let opened = cx.open()?;
    let scope = &opened.scope;
    let arguments = revisions::sort(scope, &cx.cwd, &options.arguments, &options.paths)?;
    match (states(scope, &arguments)?, options.against) {
        (States::Two(before, after), Against::WorkTree) => {
            let changes = trees::diff(scope, scope.tree_of(before)?, scope.tree_of(after)?, Renames::Detect)?;
            finish(
                scope,
                options,
                &arguments,
                Found {
                    before: State::Commit(Some(before)),
                    after: State::Commit(Some(after)),
                    changes,
                    unmerged: Vec::new(),
                },
            )
        }
        (States::Two(..), Against::Index) => Err(Error::TooManyRevisions),
        (States::One(before), Against::Index) => staged(scope, options, &arguments, before),
        (States::One(before), Against::WorkTree) => disk(scope, options, &arguments, Some(before)),
        (States::None, Against::Index) => {
            let head = scope.head()?.commit();
            match head {
                Some(head) => staged(scope, options, &arguments, head),
                None => staged_on(scope, options, &arguments, None, TreeId::empty()),
            }
        }
        (States::None, Against::WorkTree) => disk(scope, options, &arguments, None),
    }
}

enum States {
    None,
    One(CommitId),
    Two(CommitId, CommitId),
}

fn states(scope: &Scope, arguments: &Arguments) -> Result<States, Error> {
    Ok(match arguments.revisions[..] {
        [] => States::None,
        [Revision::Single(one)] => States::One(one),
        [Revision::Single(before), Revision::Single(after)] => States::Two(before, after),
        [Revision::Range(before, after)] => States::Two(before, after),
        [Revision::Symmetric(left, right)] => {
            let base =
                history::merge_bases(scope, left, right)?.first().copied().ok_or(Error::NoMergeBase)?;
            States::Two(base, right)
        }
        _ => return Err(Error::TooManyRevisions),
    })
}

struct Found {
    before: State,
    after: State,
    changes: Vec<Change>,
    unmerged: Vec<BString>,
}

fn finish(scope: &Scope, options: &Options, arguments: &Arguments, found: Found) -> Result<Outcome, Error> {
    let changes = selected(arguments, found.changes);
    let told = knowledge::tell(scope, &changes, options.detail, &Contents::default())?;
    Ok(Outcome {
        before: found.before,
        after: found.after,
        names: Names::of(&arguments.typed),
        files: told.files,
        entries: told.entries,
        unmerged: found.unmerged,
    })
}

fn selected(arguments: &Arguments, changes: Vec<Change>) -> Vec<Change> {
    let paths = Pathspecs::of(&arguments.paths);
    let is_selected = |path: &BString| paths.is_empty() || paths.matches(path.as_bstr());
    changes
        .into_iter()
        .filter(|change| is_selected(&change.path) || change.renamed_from.as_ref().is_some_and(is_selected))
        .collect()
}

fn staged(
    scope: &Scope,
    options: &Options,
    arguments: &Arguments,
    before: CommitId,
) -> Result<Outcome, Error> {
    staged_on(scope, options, arguments, Some(before), scope.tree_of(before)?)
}

fn staged_on(
    scope: &Scope,
    options: &Options,
    arguments: &Arguments,
    commit: Option<CommitId>,
    tree: TreeId,
) -> Result<Outcome, Error> {
    let index = git::index::read(scope)?;
    let changes = trees::diff_index(scope, tree, &index, Renames::Detect)?;
    let unmerged = unmerged(scope, &index);
    finish(
        scope,
        options,
        arguments,
        Found { before: State::Commit(commit), after: State::Index, changes, unmerged },
    )
}

fn unmerged(scope: &Scope, index: &git::Index) -> Vec<BString> {
    index.unmerged().iter().filter_map(|path| Some(scope.strip(path.as_bstr())?.to_owned())).collect()
}

/// Compare the work tree with the index, or with a commit.
fn disk(
    scope: &Scope,
    options: &Options,
    arguments: &Arguments,
    commit: Option<CommitId>,
) -> Result<Outcome, Error> {
    let survey = survey::survey(scope, git::index::read(scope)?, Listing::Nothing)?;
    let unmerged = unmerged(scope, &survey.index);
    let changes = selected(arguments, on_disk::changes(scope, commit, &survey)?);
    let read = on_disk::reader(scope, &survey);
    let told = knowledge::tell(scope, &changes, options.detail, &Contents::with_disk(&read))?;
    let before = commit.map_or(State::Index, |commit| State::Commit(Some(commit)));
    let after = State::WorkTree;
    let names = Names::of(&arguments.typed);
    Ok(Outcome { before, after, names, files: told.files, entries: told.entries, unmerged })
}
