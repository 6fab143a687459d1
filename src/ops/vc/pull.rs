//! `brv vc pull`: fetch, fast-forward or merge, bring the files over, regenerate.

use crate::git::fetch;
use crate::git::host_remote::Naming;
use crate::git::merge_state;
use crate::git::{self, CommitId, Door, End, Head, Scope, Target};
use crate::journal::{Kind, Recovered};
use crate::merge::Undecided;
use crate::ops::FailureKind;
use crate::ops::context::{Context, OpenError};
use crate::ops::steps::integrate::{self, Forward, Hands, Incoming};
use crate::ops::steps::manner::{History, Impossible, Manner};
use crate::ops::steps::tidying::{Tidying, tidying};
use crate::ops::steps::{recovery, remote_choice, remote_failure};
use bstr::{BString, ByteSlice};

pub use crate::ops::steps::integrate::{Mode, Relation};

/// What to pull.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// A remote or an address; `None`: the one that the branch follows.
    pub remote: Option<String>,
    /// A branch there; `None`: the one that the branch follows, or of the same name.
    pub branch: Option<String>,
    /// What is said of its fetch.
    pub manner: Manner,
    /// Whether the branch may or must only move forward; `None`: as the settings say.
    pub forward: Option<Forward>,
    /// What is done where a person would have to decide.
    pub undecided: Undecided,
    /// Whether anything is written here; objects are fetched in any case.
    pub mode: Mode,
}

/// What came and what became of it.
#[derive(Debug)]
pub struct Outcome {
    /// What was fetched.
    pub fetched: fetch::Outcome,
    /// How far the history goes back since then.
    pub history: History,
    /// From where, without secrets.
    pub source: String,
    /// The branch that was pulled, without `refs/heads/`.
    pub branch: String,
    /// How it was brought into the current branch.
    pub brought: integrate::Outcome,
    /// A command that a crash had interrupted.
    pub recovered: Option<Recovered>,
    /// Whether `brv vc gc` is due.
    pub tidying: Tidying,
}

/// Why nothing was pulled.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No tree.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// Which remote, which branch.
    #[error(transparent)]
    Choice(#[from] remote_choice::Error),
    /// The remote.
    #[error(transparent)]
    Fetch(#[from] fetch::Error),
    /// What was asked for.
    #[error(transparent)]
    Impossible(#[from] Impossible),
    /// Its history ends in the middle, before it meets ours.
    #[error("`{0}` has not all of its history, and what it lacks is not here")]
    ShallowRemote(String),
    /// It has no such branch.
    #[error("the remote has no branch `{0}`")]
    NoBranch(String),
    /// Locked, or not recovered.
    #[error(transparent)]
    Lock(#[from] recovery::Error),
    /// A merge waits already.
    #[error("a merge is still waiting for its decisions")]
    Merging,
    /// Somebody switched to another branch while the remote was asked.
    #[error("HEAD went to another branch while the remote was asked")]
    HeadMoved,
    /// Guards, merging, files.
    #[error(transparent)]
    Integrate(#[from] integrate::Error),
    /// The repository.
    #[error(transparent)]
    Git(#[from] git::Error),
    /// A file.
    #[error(transparent)]
    File(#[from] crate::fs::Error),
}

impl Error {
    /// What kind of failure it is.
    #[must_use]
    pub fn kind(&self) -> FailureKind {
        match self {
            Self::Open(error) => error.kind(),
            Self::Choice(error) => error.kind(),
            Self::Impossible(error) => error.kind(),
            Self::ShallowRemote(_) => FailureKind::Refused,
            Self::Fetch(error) => remote_failure::of_fetch(error),
            Self::Lock(error) => error.kind(),
            Self::Integrate(error) => error.kind(),
            Self::NoBranch(_) => FailureKind::Remote,
            Self::Merging => FailureKind::Conflict,
            Self::HeadMoved => FailureKind::Refused,
            Self::Git(error) => FailureKind::of_git(error),
            _ => FailureKind::Failed,
        }
    }
}

/// Fetch, then bring the current branch and the files up to it.
///
/// # Errors
/// [`Error`]; conflicts are an outcome.
pub fn run(cx: &mut Context<'_>, options: &Options) -> Result<Outcome, Error> {
    let opened = cx.open_whole("pull")?;
    let scope = &opened.scope;
    let wanted = wanted(scope, cx, options)?;
    let end = End::of(scope)?;
    let fetched = fetch(cx, scope, &wanted, options.manner)?;
    let history = History::since(&end, scope, options.manner.depth)?;
    let theirs = tip(&fetched, &wanted)?;
    let (guard, recovered) = recovery::lock(&opened)?;
    if merge_state::read(scope)?.is_some() {
        return Err(Error::Merging);
    }
    let head = scope.head()?;
    if head.branch() != wanted.into.as_ref().map(|name| name.as_bstr()) {
        return Err(Error::HeadMoved);
    }
    let tidying = match options.mode {
        Mode::Write => tidying(scope, cx.clock.seconds()),
        Mode::DryRun => Tidying::NotDue,
    };
    let forward = options.forward.map_or_else(|| git::forward(scope, Door::Pull), Ok)?;
    let Options { undecided, mode, .. } = *options;
    let manner = integrate::Manner { forward, undecided, mode, ..integrate::Manner::default() };
    let hands = Hands {
        opened: &opened,
        clock: cx.clock,
        progress: cx.progress,
        actor: &cx.actor,
        prompt: cx.prompt(),
    };
    let incoming = incoming(&wanted, &head, theirs);
    let brought = integrate::integrate(&hands, guard, &head, &incoming, &manner)?;
    Ok(Outcome {
        source: wanted.target.to_string(),
        branch: wanted.short(),
        fetched,
        history,
        brought,
        recovered,
        tidying,
    })
}

struct Wanted {
    target: Target,
    /// What the tree's branches are called there.
    naming: Naming,
    /// Full name.
    branch: BString,
    /// The full name of the branch here, `None` when detached.
    into: Option<BString>,
}

impl Wanted {
    /// The branch as people know it.
    fn short(&self) -> String {
        self.naming.short(self.branch.as_bstr())
    }
}

fn wanted(scope: &Scope, cx: &Context<'_>, options: &Options) -> Result<Wanted, Error> {
    let head = scope.head()?;
    let target = remote_choice::target(scope, &cx.cwd, &head, options.remote.as_deref())?;
    let into = head.branch().map(ToOwned::to_owned);
    let naming = Naming::of(scope, &target)?;
    if let Some(branch) = &options.branch {
        let branch = naming.branch(branch);
        naming.check(branch.as_bstr()).map_err(remote_choice::Error::from)?;
        return Ok(Wanted { target, naming, branch, into });
    }
    let current = head.short_branch().ok_or(remote_choice::Error::Detached)?;
    let followed = remote_choice::followed_branch(scope, &head, &target)?;
    let branch = match followed {
        Some(branch) => branch,
        None if options.remote.is_some() => naming.branch(&current),
        None => return Err(remote_choice::Error::NoUpstream(current).into()),
    };
    Ok(Wanted { target, naming, branch, into })
}

fn fetch(cx: &Context<'_>, scope: &Scope, wanted: &Wanted, manner: Manner) -> Result<fetch::Outcome, Error> {
    let refspecs = match &wanted.target {
        Target::Named(_) => Vec::new(),
        Target::Url(_) => vec![wanted.branch.to_str_lossy().into_owned()],
    };
    let options =
        fetch::Options { refspecs, ..manner.of(wanted.naming)?.options(scope, wanted.target.clone())? };
    Ok(fetch::fetch(scope, &options, &cx.network())?)
}

fn tip(fetched: &fetch::Outcome, wanted: &Wanted) -> Result<CommitId, Error> {
    let update = fetched.updates.iter().find(|update| update.remote == wanted.branch);
    if update.is_some_and(|update| update.kind == fetch::Kind::Refused(fetch::Refusal::ShallowRemote)) {
        return Err(Error::ShallowRemote(wanted.target.to_string()));
    }
    let id = update.and_then(|update| update.after);
    id.and_then(|id| CommitId::from_hex(&id.to_string())).ok_or_else(|| Error::NoBranch(wanted.short()))
}

fn incoming(wanted: &Wanted, head: &Head, theirs: CommitId) -> Incoming {
    let branch = wanted.short();
    let name = format!("{}/{branch}", wanted.target);
    let what = match &wanted.target {
        Target::Named(_) => format!("remote-tracking branch '{name}'"),
        Target::Url(url) => format!("branch '{branch}' of {url}"),
    };
    Incoming {
        theirs,
        message: integrate::of_branch(&what, head),
        kind: Kind::Pull,
        reason: format!("pull {name}"),
        action: "pull".into(),
        name,
    }
}
