//! Pushing: what the remote lacks, as one pack, and what the server said about each ref.
//!
//! gitoxide has no push; connection, packet lines and reading objects are its own, the rest is here. Hooks of this
//! repository and checks of content are the caller's matter.

mod connection;
mod decide;
mod expand;
mod folder;
mod offered;
pub mod refspec;
mod remember;
mod report;
mod send;
mod sent;
pub mod settings;

pub use connection::{Connection, connect};
pub use decide::Decided;
pub use expand::{Expected, FollowTags, Forcing, Lease, Planned, Request, Unmatched, check_sources};
pub use sent::published;
pub use settings::{Address, addresses};

use super::network;
use crate::git::error::Error as GitError;
use crate::git::history::revision::RevisionError;
use crate::git::id::ObjectName;
use bstr::{BStr, BString};

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
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Outcome {
    /// In the order asked for.
    pub refs: Vec<RefOutcome>,
    /// How many objects were sent.
    pub objects: usize,
    /// How many bytes the pack had.
    pub bytes: u64,
    /// What the server said to people, free of control characters; also reported to the progress as it came.
    pub messages: Vec<String>,
    /// How it is known what became of the refs.
    pub evidence: Evidence,
}

/// How it is known what became of a push.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Evidence {
    /// The server said so, or nothing was asked of it.
    #[default]
    Reported,
    /// The connection broke before it said so; it was looked at again.
    SeenAgain,
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
    /// What kind of move it is.
    pub course: Course,
    /// The ref here that keeps what it named before, where that would be lost.
    pub rescue: Option<BString>,
}

/// Where a ref moves, seen from where it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Course {
    /// To a descendant, or it is new, deleted or left alone.
    #[default]
    Forward,
    /// To something else: what was there may be lost.
    Elsewhere,
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
    #[error("`{0}` is local to this machine and is never pushed")]
    Own(BString),
    /// Not the full name of a ref.
    #[error("`{0}` is not a full ref name")]
    RefName(String),
    /// Neither a name nor an expression for one.
    #[error(transparent)]
    Refspec(#[from] refspec::Malformed),
    /// Its source.
    #[error(transparent)]
    Source(#[from] RevisionError),
    /// More than one ref here has the name.
    #[error("`{}` is ambiguous: more than one local ref has this name", crate::git::printable(.0))]
    AmbiguousHere(BString),
    /// More than one ref there has the name.
    #[error("`{}` is ambiguous: more than one ref of the remote has this name", crate::git::printable(.0))]
    AmbiguousThere(BString),
    /// A source that is no ref, without a destination.
    #[error("`{}` is not a branch or tag: a destination is required", crate::git::printable(.0))]
    Nameless(BString),
    /// A new ref of which it is not clear whether it is a branch or a tag.
    #[error(
        "`{}` is not a full ref name, and `{}` is neither a branch nor a tag",
        crate::git::printable(destination),
        crate::git::printable(source_name)
    )]
    Unqualified {
        /// As written.
        source_name: BString,
        /// As written.
        destination: BString,
    },
    /// What is to be deleted is not there.
    #[error("the remote has no `{}` to delete", crate::git::printable(.0))]
    NotThere(BString),
    /// Two sources for one ref.
    #[error("more than one source for `{}` of the remote", crate::git::printable(.0))]
    Twice(BString),
    /// A setting that means nothing.
    #[error("invalid value for `{key}`: `{value}`")]
    Setting {
        /// Its name.
        key: &'static str,
        /// What it is.
        value: String,
    },
    /// The server cannot do what was asked.
    #[error("the remote cannot {0}")]
    Incapable(&'static str),
    /// All was sent, the answer did not come, and the remote could not be looked at again.
    #[error("{0}; everything was sent, but the result is unknown")]
    Unanswered(network::Error),
    /// Anything else.
    #[error(transparent)]
    Git(#[from] GitError),
}

/// What operations hold was never meant for others.
fn check_own(name: &BStr) -> Result<(), Error> {
    if crate::git::refs::rescue::is_own(name) { Err(Error::Own(name.to_owned())) } else { Ok(()) }
}
