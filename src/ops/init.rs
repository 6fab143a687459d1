//! `brv init`: make the tree of a project, set up one that is there, or take over one that another tool made.

use super::FailureKind;
use super::context::{Context, OpenError};
use super::steps::adoption::{self, Adopted};
use super::steps::host::{self, Exclusion};
use super::steps::{recovery, refresh, survey};
use crate::fs;
use crate::fs::Listing;
use crate::git::{self, InitError};
use crate::journal::Recovered;
use crate::process;
use crate::tree::{self, DiscoverError, Places};
use std::path::{Path, PathBuf};

/// How the tree is made.
#[derive(Debug, Clone)]
pub struct Options {
    /// The branch of a new repository.
    pub initial_branch: String,
    /// How the host repository is told to leave `.brv/` alone.
    pub host: HostRule,
}

/// How the host repository is told to leave `.brv/` alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HostRule {
    /// In its `info/exclude`, which nobody else sees.
    Exclude,
    /// In the project's `.gitignore` (`--gitignore`), which the team shares.
    Gitignore,
}

/// What was made.
#[derive(Debug)]
pub struct Outcome {
    /// The folder of the tree.
    pub tree: PathBuf,
    /// The branch it is on.
    pub branch: Option<String>,
    /// What was there before.
    pub origin: Origin,
    /// The file that tells the host repository to leave `.brv/` alone, if a line was added now.
    pub excluded_in: Option<PathBuf>,
    /// What was taken over.
    pub adopted: Option<Adopted>,
    /// A command that a crash had interrupted.
    pub recovered: Option<Recovered>,
    /// The derived files that were made; a failure does not undo the rest.
    pub derived: Result<refresh::Outcome, refresh::Error>,
}

/// What was there before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// Nothing.
    New,
    /// Files without a repository.
    Files,
    /// A repository.
    Repository,
}

/// Why there is no tree.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The folder belongs to somebody else, or its settings cannot be read.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The repository could not be made.
    #[error(transparent)]
    Init(#[from] InitError),
    /// Locked, or not recovered.
    #[error(transparent)]
    Lock(#[from] recovery::Error),
    /// What is there could not be looked at.
    #[error(transparent)]
    Survey(#[from] git::status::StatusError),
    /// It could not be taken over.
    #[error(transparent)]
    Adopt(#[from] adoption::Error),
    /// A file.
    #[error(transparent)]
    File(#[from] fs::Error),
}

impl Error {
    /// What kind of failure it is.
    #[must_use]
    pub fn kind(&self) -> FailureKind {
        match self {
            Self::Open(error) => error.kind(),
            Self::Lock(error) => error.kind(),
            Self::Init(error) => match error {
                InitError::BranchName(_) => FailureKind::Usage,
                InitError::Open(git::OpenError::Unsupported { .. } | git::OpenError::Foreign(_)) => {
                    FailureKind::Refused
                }
                _ => FailureKind::Failed,
            },
            _ => FailureKind::Failed,
        }
    }
}

/// Make or set up the tree. Running it again changes nothing.
///
/// # Errors
/// [`Error`]
pub fn run(cx: &mut Context<'_>, options: &Options) -> Result<Outcome, Error> {
    let places = match tree::discover(&cx.cwd) {
        Ok(places) => places,
        Err(DiscoverError::Absent(_)) => Places::of(&cx.cwd),
        Err(error) => return Err(OpenError::from(error).into()),
    };
    let origin = origin(&places.tree());
    let scope = git::init(&places.tree(), &options.initial_branch)?;
    git::merge_driver::register(&scope, process::own_program().as_deref()).map_err(InitError::from)?;
    let opened = cx.open()?;
    let (guard, recovered) = recovery::lock(&opened)?;
    let survey = survey::survey(
        &opened.scope,
        git::index::read(&opened.scope).map_err(git::status::StatusError::from)?,
        Listing::Everything,
    )?;
    let adopted = adoption::adopt(&opened.scope, &guard, &survey, cx.clock, &cx.actor)?;
    let excluded_in = tell_host(&places.project, options.host)?;
    drop(guard);
    let derived = refresh::refresh(&opened, refresh::Extent::Changed, cx.progress);
    Ok(Outcome {
        tree: places.tree(),
        branch: survey.head.short_branch(),
        origin,
        excluded_in,
        adopted,
        recovered,
        derived,
    })
}

fn origin(folder: &Path) -> Origin {
    if folder.join(".git").symlink_metadata().is_ok() {
        return Origin::Repository;
    }
    let is_empty = std::fs::read_dir(folder).map_or(true, |mut entries| entries.next().is_none());
    if is_empty { Origin::New } else { Origin::Files }
}

/// Add the line `.brv/` where it is missing. Returns the file if it was changed.
fn tell_host(project: &Path, rule: HostRule) -> Result<Option<PathBuf>, fs::Error> {
    let Some(exclude) = tree::host_exclude(project)? else { return Ok(None) };
    let file = match rule {
        HostRule::Exclude => exclude,
        HostRule::Gitignore => project.join(".gitignore"),
    };
    Ok((host::exclude(&file)? == Exclusion::Added).then_some(file))
}
