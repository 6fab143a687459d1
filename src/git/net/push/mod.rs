//! Pushing: sends the objects that the remote lacks as one pack, and returns the server's result for each ref. gitoxide
//! has no push; connection, packet lines and reading objects are its own, the rest is here.
//!
//! Hooks of this repository and checks of content are up to the caller.

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

pub use connection::{Connection, KnownRef, connect};
pub use decide::{Decided, Leaving};
pub use expand::{
    FollowTags, Forcing, LeaseExpectation, PlannedPush, PushLease, PushRequest, Unmatched, check_sources,
};
pub use sent::published;
pub use settings::{PushAddress, addresses};

use super::network;
use crate::error::Error as GitError;
use crate::history::revision::RevisionError;
use crate::id::ObjectName;
use bstr::{BStr, BString};

/// One ref to move on the remote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefUpdate {
    /// The new value; `None` deletes it.
    pub source: Option<ObjectName>,
    /// Its full name on the remote: `refs/heads/main`.
    pub destination: BString,
    /// Whether a non-fast-forward update is allowed.
    pub force: Force,
}

/// When a non-fast-forward update is allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Force {
    #[default]
    No,
    Yes,
    /// If the remote still has this value (`None`: no such ref).
    WithLease(Option<ObjectName>),
}

/// What the rejection of one ref means for the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Atomicity {
    #[default]
    EachRef,
    /// None is moved (`--atomic`).
    AllOrNothing,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Outcome {
    /// In the order of the request.
    pub refs: Vec<RefOutcome>,
    /// How many objects were sent.
    pub objects: usize,
    /// How many bytes the pack had.
    pub bytes: u64,
    /// The server's messages, free of control characters; also sent to the progress as they came.
    pub messages: Vec<String>,
    /// How the results are known.
    pub evidence: PushEvidence,
}

/// How the results of a push are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PushEvidence {
    /// The server reported them, or nothing was requested.
    #[default]
    Reported,
    /// The connection broke before the report, so the remote's refs were read again.
    SeenAgain,
}

/// How the reason of [`Status::Rejected`] begins where the server could not take in the pack.
pub const NOT_UNPACKED: &str = "unpacker error";
/// The reason of [`Status::Rejected`] where the server has the old value and said nothing.
pub const NOT_UPDATED: &str = "not updated, and the server gave no reason";

/// The reason of [`Status::Rejected`] where the server said nothing and has neither the old value nor the new one.
pub const OVERTAKEN: &str = "the server did not answer, and the ref has changed meanwhile";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefOutcome {
    pub destination: BString,
    /// Its value before, as listed by the server.
    pub before: Option<ObjectName>,
    pub after: Option<ObjectName>,
    pub status: Status,
    pub course: Course,
    /// The rescue ref that keeps the old value, if it would be lost.
    pub rescue: Option<BString>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Course {
    /// A fast-forward; also for a new, deleted or unchanged ref.
    #[default]
    Forward,
    /// Not a fast-forward: commits may be lost.
    Elsewhere,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Status {
    /// Moved (in a dry run: it would be requested).
    Ok,
    UpToDate,
    /// Not requested: commits of the remote would be lost.
    NonFastForward,
    /// Not requested: the remote has commits that are not here.
    FetchFirst,
    /// Not requested: stale lease.
    StaleLease,
    /// Not requested: the tag exists.
    TagExists,
    /// Not requested: another ref of an atomic push was rejected.
    NotAsked,
    /// Rejected, with the server's reason.
    Rejected(String),
}

impl Status {
    /// Whether the remote has the requested value.
    pub const fn is_done(&self) -> bool {
        matches!(self, Self::Ok | Self::UpToDate)
    }
}

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Network(#[from] network::Error),
    #[error("`{0}` is local to this machine and is never pushed")]
    Own(BString),
    #[error("`{0}` is not a full ref name")]
    RefName(String),
    #[error(transparent)]
    Refspec(#[from] refspec::MalformedRefspec),
    #[error(transparent)]
    Source(#[from] RevisionError),
    #[error("`{}` is ambiguous: more than one local ref has this name", crate::printable(.0))]
    AmbiguousHere(BString),
    #[error("`{}` is ambiguous: more than one ref of the remote has this name", crate::printable(.0))]
    AmbiguousThere(BString),
    #[error("`{}` is not a branch or tag: a destination is required", crate::printable(.0))]
    Nameless(BString),
    /// A new ref that could be a branch or a tag.
    #[error(
        "`{}` is not a full ref name, and `{}` is neither a branch nor a tag",
        crate::printable(destination),
        crate::printable(source_name)
    )]
    Unqualified { source_name: BString, destination: BString },
    #[error("the remote has no ref `{}` to delete", crate::printable(.0))]
    NotThere(BString),
    #[error("more than one source for `{}` of the remote", crate::printable(.0))]
    Twice(BString),
    #[error("invalid value for `{key}`: `{value}`")]
    Setting { key: &'static str, value: String },
    #[error("the remote cannot {0}")]
    Incapable(&'static str),
    /// All was sent, the answer did not come, and the remote could not be looked at again.
    #[error("{0}; everything was sent, but the result is unknown")]
    Unanswered(network::Error),
    #[error(transparent)]
    Git(#[from] GitError),
}

/// Refs of operations must not be pushed.
fn check_own(name: &BStr) -> Result<(), Error> {
    if crate::refs::rescue::is_own(name) { Err(Error::Own(name.to_owned())) } else { Ok(()) }
}
