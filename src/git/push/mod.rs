//! Pushing: what the remote lacks, as one pack, and what the server said about each ref.
//!
//! gitoxide has no push; connection, packet lines and reading objects are its own, the rest is here. Hooks of this
//! repository and checks of content are the caller's matter.

mod decide;
mod folder;
mod report;
mod send;

use super::config_file;
use super::error::{During, Error as GitError};
use super::fetch;
use super::id::ObjectName;
use super::network::{self, Network};
use super::refs;
use super::scope::Scope;
use super::transport::{self, Peer, Target};
use bstr::{BString, ByteSlice as _};
use gix::protocol::transport::Service;
use gix::refs::transaction::{PreviousValue, RefEdit};
use gix::remote::Direction;

/// What to push.
#[derive(Debug, Clone)]
pub struct Options {
    /// Where to.
    pub target: Target,
    /// The refs to move there.
    pub updates: Vec<RefUpdate>,
    /// Whether anything is sent.
    pub mode: Mode,
    /// What a refusal of one ref means for the others.
    pub atomicity: Atomicity,
}

/// One ref to move on the remote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefUpdate {
    /// What it shall name; `None` deletes it.
    pub source: Option<ObjectName>,
    /// Its full name there: `refs/heads/main`.
    pub destination: BString,
    /// Whether it may move to something that is no descendant.
    pub force: Force,
}

/// When a ref may move to something that is no descendant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Force {
    /// Never.
    #[default]
    No,
    /// Always.
    Yes,
    /// If the remote still has this (`None`: has no such ref).
    WithLease(Option<ObjectName>),
}

/// Whether anything is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// Yes.
    #[default]
    Send,
    /// The remote is asked what it has, no more.
    DryRun,
}

/// What a refusal of one ref means for the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Atomicity {
    /// Nothing.
    #[default]
    EachRef,
    /// None is moved.
    AllOrNothing,
}

/// What became of a push.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// In the order asked for.
    pub refs: Vec<RefOutcome>,
    /// How many objects were sent.
    pub objects: usize,
    /// How many bytes the pack had.
    pub bytes: u64,
    /// What the server said to people, free of control characters; also reported to the progress as it came.
    pub messages: Vec<String>,
}

/// What became of one ref.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefOutcome {
    /// Its name there.
    pub destination: BString,
    /// What it named before, as the server told.
    pub before: Option<ObjectName>,
    /// What it was to name.
    pub after: Option<ObjectName>,
    /// What was done.
    pub status: Status,
}

/// What was done with one ref.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Status {
    /// Moved (in a dry run: it would be asked for).
    Ok,
    /// The server had it already.
    UpToDate,
    /// Not asked for: it would lose commits of the remote.
    NonFastForward,
    /// Not asked for: the remote has commits that are not here.
    FetchFirst,
    /// Not asked for: the remote is not where the lease says.
    StaleLease,
    /// Not asked for: a tag of that name is there.
    TagExists,
    /// Not asked for: another ref of an atomic push was refused.
    NotAsked,
    /// Refused, with the server's reason.
    Rejected(String),
}

impl Status {
    /// Whether the remote has what it was to have.
    #[must_use]
    pub const fn is_done(&self) -> bool {
        matches!(self, Self::Ok | Self::UpToDate)
    }
}

/// Why nothing is known to have been pushed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The conversation.
    #[error(transparent)]
    Network(#[from] network::Error),
    /// It is this machine's own.
    #[error("`{0}` belongs to this machine and is never sent")]
    Own(BString),
    /// Not the full name of a ref.
    #[error("`{0}` is not the full name of a ref")]
    RefName(String),
    /// The server cannot do what was asked.
    #[error("the remote cannot {0}")]
    Incapable(&'static str),
    /// Anything else.
    #[error(transparent)]
    Git(#[from] GitError),
}

/// Push. Tracking refs follow what the server accepted; setting an upstream is [`super::remotes::set_upstream`], after
/// the outcome.
///
/// # Errors
/// [`Error`]; refusals of refs are part of the outcome.
pub fn push(scope: &Scope, options: &Options, network: &Network<'_>) -> Result<Outcome, Error> {
    check(&options.updates)?;
    let repo = config_file::reloaded(scope)?;
    let endpoint = transport::endpoint(&repo, &options.target, Direction::Push)?;
    let outcome = match transport::open(&repo, &endpoint, Service::ReceivePack, network)? {
        Peer::Session(session) => send::push(&repo, session, options, network)?,
        Peer::Folder(folder) => folder::push(&repo, &folder, options, network)?,
    };
    if options.mode == Mode::Send
        && let Target::Named(name) = &options.target
    {
        remember(&repo, name.as_str(), &outcome.refs)?;
    }
    Ok(outcome)
}

fn check(updates: &[RefUpdate]) -> Result<(), Error> {
    for update in updates {
        let name = update.destination.as_bstr();
        if name.starts_with(b"refs/brv/") {
            return Err(Error::Own(name.to_owned()));
        }
        if !name.starts_with(b"refs/") || gix::refs::FullName::try_from(name).is_err() {
            return Err(Error::RefName(super::printable(name)));
        }
    }
    Ok(())
}

/// Let the tracking refs say what the server said.
fn remember(repo: &gix::Repository, remote: &str, refs: &[RefOutcome]) -> Result<(), GitError> {
    let mut repo = repo.clone();
    repo.committer_or_set_generic_fallback().during("prepare the log of refs")?;
    let mut edits = Vec::new();
    for reference in refs.iter().filter(|reference| reference.status.is_done()) {
        let Some(tracking) = fetch::tracking(&repo, remote, reference.destination.as_bstr())? else {
            continue;
        };
        let name = gix::refs::FullName::try_from(tracking.as_bstr()).during("name a tracking ref")?;
        let known = repo.try_find_reference(tracking.as_bstr()).during("read a tracking ref")?;
        let same = known.as_ref().and_then(|known| known.try_id().map(|id| ObjectName(id.detach())));
        match reference.after {
            Some(after) if same == Some(after) => {}
            Some(after) => {
                edits.push(RefEdit::update(name, after.0, PreviousValue::Any, "update by push"));
            }
            None if known.is_some() => edits.push(RefEdit::delete(name, PreviousValue::Any)),
            None => {}
        }
    }
    let names: Vec<BString> = edits.iter().map(|edit| edit.name.as_bstr().to_owned()).collect();
    repo.edit_references(edits).during("move tracking refs")?;
    refs::sync(&repo, &names)
}
