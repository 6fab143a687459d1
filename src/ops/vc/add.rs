//! `brv vc add`: record files of the work tree in the index.

use crate::fs;
use crate::git;
use crate::git::status::StatusError;
use crate::journal::{OperationId, Recovered};
use crate::ops::FailureKind;
use crate::ops::context::{Context, OpenError};
use crate::ops::steps::flaws::{self, Flaw};
use crate::ops::steps::naming::{self, Outside};
use crate::ops::steps::recording::{self, Hands};
use crate::ops::steps::staging::{self, Wanted};
use crate::ops::steps::tidying::{Tidying, tidying};
use crate::ops::steps::{recovery, survey};

pub use crate::ops::steps::staging::{Content, Mode, Reason, Refused, Selection, Staged, Unusual};

/// What to record.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// As typed; see [`naming::pathspecs`]. Empty only with another selection than [`Selection::Paths`].
    pub paths: Vec<String>,
    /// All of the tree, what is recorded of it, or what the paths name.
    pub selection: Selection,
    /// Whether ignored and foreign files are taken when they are named.
    pub unusual: Unusual,
    /// Whether their bytes are recorded.
    pub content: Content,
    /// Whether anything is written.
    pub mode: Mode,
}

/// What was recorded.
#[derive(Debug, Default)]
pub struct Outcome {
    /// The files.
    pub staged: Staged,
    /// What a push would stop at in them.
    pub flaws: Vec<Flaw>,
    /// The operation in the journal, if anything new was recorded.
    pub operation: Option<OperationId>,
    /// A command that a crash had interrupted.
    pub recovered: Option<Recovered>,
    /// Whether `brv vc gc` is due.
    pub tidying: Tidying,
}

/// Why nothing was recorded.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No tree.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// Locked, or not recovered.
    #[error(transparent)]
    Lock(#[from] recovery::Error),
    /// A path that is not in the tree.
    #[error(transparent)]
    Outside(#[from] Outside),
    /// What was named, or a file.
    #[error(transparent)]
    Stage(#[from] staging::Error),
    /// Disk or index.
    #[error(transparent)]
    Survey(#[from] StatusError),
    /// The index, or the journal.
    #[error(transparent)]
    Recording(#[from] recording::Error),
    /// The repository.
    #[error(transparent)]
    Git(#[from] git::Error),
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
            Self::Outside(_) => FailureKind::Usage,
            Self::Stage(error) => error.kind(),
            Self::Recording(error) => error.kind(),
            Self::Git(error) => FailureKind::of_git(error),
            _ => FailureKind::Failed,
        }
    }
}

/// Record what the options name. Objects are durable before the index names them.
///
/// # Errors
/// [`Error`]; a file that is refused is part of the outcome.
pub fn run(cx: &mut Context<'_>, options: &Options) -> Result<Outcome, Error> {
    let opened = cx.open()?;
    let scope = &opened.scope;
    let specs = naming::pathspecs(&scope.root(), &cx.cwd, &options.paths)?;
    let (guard, recovered) = recovery::lock(&opened)?;
    let mut locked = git::index::lock(scope, &guard)?;
    let index = std::mem::replace(&mut locked.index, git::index::empty());
    let survey = survey::survey_at(scope, index, &specs)?;
    let wanted = Wanted {
        specs,
        selection: options.selection,
        unusual: options.unusual,
        content: options.content,
        mode: options.mode,
        ..Wanted::default()
    };
    let (staged, edits) = staging::stage(scope, &survey, &wanted, cx.progress)?;
    let mut operation = None;
    if options.mode == Mode::Write && !edits.is_empty() {
        let hands = Hands { scope, guard: &guard, clock: cx.clock, actor: &cx.actor };
        operation = recording::carry_out(&hands, locked, survey, &edits)?;
    }
    let tidying =
        if options.mode == Mode::Write { tidying(scope, cx.clock.seconds()) } else { Tidying::NotDue };
    let flaws = flaws::on_disk(scope, staged.added.iter().chain(&staged.updated));
    Ok(Outcome { staged, flaws, operation, recovered, tidying })
}
