//! `brv vc merge`: merge another branch or commit into the current branch, or abort a merge.

use brv_engine::journal::Kind;
use brv_engine::merge::abort;
use brv_engine::merge::guards;
use brv_engine::merge::integrate::{self, Incoming};
use brv_engine::open::context::Context;
use brv_engine::outcome::cause::{Cause, caused};
use brv_engine::read::history::gc_advice::{Tidying, tidying};
use brv_engine::vc::work_tree::ongoing;
use brv_engine::write::operation::{self, Writing};
use brv_engine::{Fails, FailureKind, Stop};
use brv_git as git;
use brv_git::merge_state;
use brv_git::revision::{self, RevisionError};
use brv_git::{CommitId, Door, Head, Scope};
use bstr::ByteSlice as _;

pub use brv_engine::Mode;
pub use brv_engine::merge::abort::Aborted;
pub use brv_engine::merge::integrate::{Derive, Forward, Made, Undecided, Unrelated};
pub use brv_engine::merge::reconcile::Record;
pub use brv_engine::write::overriding::{Allowed, Guard};

/// What to merge, and how.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// A branch, a tag or a commit.
    pub revision: String,
    /// The paragraphs of the message; empty: git's default message.
    pub message: Vec<String>,
    /// Whether a fast-forward is allowed or required; `None`: as configured.
    pub forward: Option<Forward>,
    pub made: Made,
    /// What to do about changes that need a person's decision.
    pub undecided: Undecided,
    /// The guards to override (`--allow`).
    pub allowed: Allowed,
    /// Whether to merge histories without a common commit.
    pub unrelated: Unrelated,
    /// Whether to regenerate the derived files.
    pub derive: Derive,
    /// Whether anything is written.
    pub mode: Mode,
}

#[derive(Debug)]
pub struct Outcome {
    /// The name of what was merged, as typed.
    pub name: String,
    pub brought: integrate::Outcome,
    /// Whether `brv vc gc` is due.
    pub tidying: Tidying,
}

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Revision(#[from] RevisionError),
    #[error("a merge is already in progress")]
    Merging,
    #[error(transparent)]
    UnderWay(#[from] ongoing::Error),
    #[error(transparent)]
    Integrate(#[from] integrate::Error),
    #[error("{}", .0.message)]
    Stop(Stop),
    #[error(transparent)]
    Cause(Cause),
}

impl Error {
    pub fn kind(&self) -> FailureKind {
        match self {
            Self::UnderWay(error) => error.kind(),
            Self::Integrate(error) => error.kind(),
            Self::Stop(stop) => stop.kind,
            Self::Revision(error) => FailureKind::of_revision(error),
            Self::Merging => FailureKind::Conflict,
            Self::Cause(cause) => cause.kind(),
        }
    }
}

caused!(Error);

/// Merge.
///
/// # Errors
/// [`Error`]; conflicts are an outcome.
pub fn run(cx: &Context<'_>, options: &Options) -> Result<Outcome, Error> {
    operation::settle(Error::kind, |_| once(cx, options))
}

fn once(cx: &Context<'_>, options: &Options) -> Result<Outcome, Error> {
    let opened = cx.open_whole("merge")?;
    let scope = &opened.scope;
    let writing = Writing::begin(cx.parts(&opened))?;
    if merge_state::read(scope)?.is_some() {
        return Err(Error::Merging);
    }
    ongoing::refuse(scope)?;
    let head = scope.head()?;
    let theirs = revision::commit(scope, &options.revision)?;
    let forward = options.forward.map_or_else(|| git::forward(scope, Door::Merge), Ok)?;
    let Options { made, undecided, unrelated, derive, mode, .. } = *options;
    let manner = integrate::MergeOptions { forward, result: made, undecided, unrelated, derive, mode };
    let incoming = incoming(scope, &head, theirs, options)?;
    let brought = integrate::integrate(writing, &head, &incoming, &manner)?;
    let tidying = match mode {
        Mode::Write => tidying(scope, cx.clock.seconds()),
        Mode::DryRun => Tidying::NotDue,
    };
    Ok(Outcome { name: options.revision.clone(), brought, tidying })
}

pub fn abort(cx: &Context<'_>) -> Result<Aborted, Error> {
    let opened = cx.open_whole("merge")?;
    operation::settle(Stop::kind, |_| abort::abort(Writing::begin(cx.parts(&opened))?)).map_err(Error::Stop)
}

fn incoming(scope: &Scope, head: &Head, theirs: CommitId, options: &Options) -> Result<Incoming, git::Error> {
    let name = options.revision.clone();
    let given = options.message.iter().map(|part| part.trim_end()).collect::<Vec<_>>().join("\n\n");
    let given = given.trim();
    let message = if given.is_empty() {
        integrate::of_branch(&described(scope, &name), head)
    } else {
        format!("{given}\n")
    };
    let full = revision::full_reference(scope, &name);
    let tracking = full.filter(|name| name.starts_with(b"refs/remotes/"));
    let rewrite = match &tracking {
        Some(tracking) => guards::rewritten(scope, tracking.as_bstr(), Some(theirs), theirs)?,
        None => None,
    };
    Ok(Incoming {
        theirs,
        message,
        kind: Kind::Merge,
        reason: format!("merge {name}"),
        action: format!("merge {name}"),
        name,
        settings: Vec::new(),
        settled: Vec::new(),
        tracking,
        rewrite,
        allowed: options.allowed.clone(),
    })
}

/// `branch 'topic'`, `remote-tracking branch 'origin/topic'`, `tag 'v1'`, `commit '1a2b3c4'`, as in git's messages.
fn described(scope: &Scope, name: &str) -> String {
    let full = revision::full_reference(scope, name).unwrap_or_default();
    let kinds =
        [("refs/heads/", "branch"), ("refs/remotes/", "remote-tracking branch"), ("refs/tags/", "tag")];
    for (prefix, kind) in kinds {
        if let Some(short) = full.strip_prefix(prefix.as_bytes()) {
            return format!("{kind} '{}'", short.to_str_lossy());
        }
    }
    format!("commit '{name}'")
}
