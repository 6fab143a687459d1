//! `brv vc add`: stage files of the work tree.

use brv_engine::open::context::Context;
use brv_engine::open::naming::paths;
use brv_engine::open::survey;
use brv_engine::outcome::cause::{Cause, caused};
use brv_engine::read::history::gc_advice::tidying;
use brv_engine::vc::work_tree::staging::{self, Wanted};
use brv_engine::write::operation::{Derived, WriteOutcome, Writing, index_only};
use brv_engine::{Fails, FailureKind};

pub use brv_engine::Mode;
pub use brv_engine::read::history::gc_advice::Tidying;
pub use brv_engine::vc::work_tree::staging::{Content, Reason, Refused, Selection, Staged, Unusual};
pub use brv_engine::write::overriding::{Allowed, Guard};

#[derive(Debug, Clone, Default)]
pub struct Options {
    /// As typed; see [`paths::pathspecs`]. May be empty only if the selection is not [`Selection::Paths`].
    pub paths: Vec<String>,
    /// The whole tree, the tracked files, or what the paths name.
    pub selection: Selection,
    /// Whether ignored files and files not managed by brv are staged when they are named.
    pub unusual: Unusual,
    /// Whether their content is staged, too.
    pub content: Content,
    /// Whether anything is written.
    pub mode: Mode,
    /// The secrets that may be staged (`--allow`).
    pub allowed: Allowed,
}

#[derive(Debug, Default)]
pub struct Outcome {
    pub staged: Staged,
    /// The allowed secrets that no file has.
    pub unused: Vec<Guard>,
    /// Whether `brv vc gc` is due.
    pub tidying: Tidying,
    /// What else was written: operation and derived files.
    pub written: WriteOutcome,
}

/// Why nothing was staged.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Cause(Cause),
    #[error(transparent)]
    Stage(#[from] staging::Error),
}

impl Error {
    pub fn kind(&self) -> FailureKind {
        match self {
            Self::Cause(cause) => cause.kind(),
            Self::Stage(error) => error.kind(),
        }
    }
}

caused!(Error);

/// Stage what the options name. Objects are durable before the index refers to them.
///
/// # Errors
/// [`Error`]; a file that is refused is part of the outcome.
pub fn run(cx: &Context<'_>, options: &Options) -> Result<Outcome, Error> {
    let opened = cx.open()?;
    let scope = &opened.scope;
    let specs = paths::pathspecs(&scope.root(), &cx.cwd, &options.paths)?;
    let mut writing = Writing::begin(cx.parts(&opened))?;
    let survey = writing.survey(|index| survey::survey_at(scope, index, &specs))?;
    let wanted = Wanted {
        specs,
        selection: options.selection,
        unusual: options.unusual,
        content: options.content,
        mode: options.mode,
        allowed: options.allowed.clone(),
        ..Wanted::default()
    };
    let (staged, edits) = staging::stage(scope, &survey, &wanted, cx.progress)?;
    if options.mode == Mode::Write && !edits.is_empty() {
        let told = |what: String| options.allowed.told(&what, &staged.opened);
        index_only::stage(&mut writing, survey, &edits, told)?;
    }
    let tidying =
        if options.mode == Mode::Write { tidying(scope, cx.clock.seconds()) } else { Tidying::NotDue };
    let unused = options.allowed.unused(&staged.opened);
    Ok(Outcome { staged, unused, tidying, written: writing.finish(Derived::Leave) })
}
