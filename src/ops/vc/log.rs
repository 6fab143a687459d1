//! `brv vc log`: the history, newest first.

pub use crate::git::commit::Commit;
use crate::git::{self, history, revision};
use crate::ops::FailureKind;
use crate::ops::context::{Context, OpenError};
use crate::ops::steps::names::{self, Name};
use crate::ops::steps::revisions;
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
    /// Whether the names that point to each commit are looked up.
    pub names: Names,
    /// Whether ids are shortened as far as they are unambiguous, or just cut.
    pub ids: Ids,
}

/// Names that point to commits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Names {
    /// Looked up.
    #[default]
    Pointing,
    /// Left out.
    Omitted,
}

/// Short forms of ids.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Ids {
    /// As short as is unambiguous.
    #[default]
    Unambiguous,
    /// Seven digits.
    Cut,
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
    /// The beginning of its id.
    pub short: String,
    /// The names that point to it.
    pub names: Vec<Name>,
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
    if range.paths.is_empty() && !scope.prefix().is_empty() {
        // the history of the folder, not of what is around it
        range.paths.push(Default::default());
    }
    let names = match options.names {
        Names::Pointing => names::pointing(scope)?,
        Names::Omitted => HashMap::new(),
    };
    let shorten = revision::shortener(scope);
    let entries = history::walk(scope, &range, options.limit)?
        .into_iter()
        .map(|commit| {
            Ok(Entry {
                short: match options.ids {
                    Ids::Unambiguous => shorten(commit.id.into())?,
                    Ids::Cut => commit.id.prefix(7),
                },
                names: names.get(&commit.id).cloned().unwrap_or_default(),
                commit,
            })
        })
        .collect::<Result<Vec<_>, git::Error>>()?;
    Ok(Outcome { entries })
}
