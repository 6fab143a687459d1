//! `brv status`: the whole picture of a project's tree.
//!
//! What `brv vc status` lists is counted here, from the same state.

use super::FailureKind;
use super::context::Context;
use super::steps::cause::{Cause, caused};
use super::steps::refresh;
use super::steps::telling::gc_advice::Tidying;
use super::steps::work_tree::state::{self, State};
use crate::config::{Shown, Source};
use crate::derive;
use crate::git;
use crate::git::remotes::{self, Remote};
use crate::journal::{self, Record};
use crate::path::Kind;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// There is nothing to choose.
#[derive(Debug, Clone, Default)]
pub struct Options {}

/// The whole picture.
#[derive(Debug)]
pub struct Outcome {
    /// The folder that holds `.brv/`.
    pub project: PathBuf,
    /// The folder of the tree.
    pub tree: PathBuf,
    /// The work tree of the repository that the tree is a folder of, if it has none of its own.
    pub host: Option<PathBuf>,
    /// How many entries there are, recorded or not.
    pub entries: usize,
    /// How many folders say what they are for, in a `context.md`.
    pub overviews: usize,
    /// How many folders there are in the root that hold knowledge.
    pub domains: usize,
    /// How the tree stands.
    pub state: State,
    /// Where it is shared, ordered by name.
    pub remotes: Vec<Remote>,
    /// Settings that somebody made.
    pub settings: Vec<Shown>,
    /// The newest operation.
    pub last: Option<Record>,
    /// One that was interrupted: the next command that writes puts it right.
    pub interrupted: Option<Record>,
    /// Whether many objects are loose, so that tidying up is due.
    pub tidying: Tidying,
    /// Versions.
    pub formats: Formats,
}

/// The versions of what this brv writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Formats {
    /// Of the program.
    pub program: &'static str,
    /// Of derived files.
    pub derived: u32,
}

/// Why there is no picture.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// What is no fault of the settings.
    #[error(transparent)]
    Cause(Cause),
    /// What the survey tells.
    #[error(transparent)]
    State(#[from] state::Error),
    /// The remotes.
    #[error(transparent)]
    Remotes(#[from] remotes::Error),
}

impl Error {
    /// What kind of failure it is.
    #[must_use]
    pub fn kind(&self) -> FailureKind {
        match self {
            Self::Cause(cause) => cause.kind(),
            Self::State(error) => error.kind(),
            Self::Remotes(error) => FailureKind::of_remotes(error),
        }
    }
}

caused!(Error);

/// Look at the project. Writes nothing but refreshed stats into the index.
///
/// # Errors
/// [`Error`]
pub fn run(cx: &Context<'_>, _options: &Options) -> Result<Outcome, Error> {
    let opened = cx.open()?;
    let scope = &opened.scope;
    let survey = refresh::quick_survey(&opened, git::index::read(scope)?)?;
    let curated = refresh::curated_paths(scope, &survey)?;
    let entries = curated.iter().filter(|path| path.kind() == Kind::Entry).count();
    let domains: BTreeSet<&str> =
        curated.iter().filter_map(|path| Some(path.as_str().split_once('/')?.0)).collect();
    let made = |shown: &Shown| shown.source != Source::Default;
    Ok(Outcome {
        project: opened.places.project.clone(),
        tree: scope.root(),
        host: (!scope.prefix().is_empty()).then(|| scope.work_tree().to_path_buf()),
        entries,
        overviews: curated.len() - entries,
        domains: domains.len(),
        state: state::of(&opened, &survey)?,
        remotes: remotes::list(scope)?,
        settings: opened.config.all().into_iter().filter(made).collect(),
        last: journal::latest(scope)?,
        interrupted: journal::pending(scope)?,
        tidying: if git::gc::is_due(scope) { Tidying::Due } else { Tidying::NotDue },
        formats: Formats { program: env!("CARGO_PKG_VERSION"), derived: derive::FORMAT },
    })
}
