//! Operations: every command that changes the tree is recorded as ordinary git commits before it writes anything.
//!
//! An operation is one commit below `refs/brv/ops/<id>`. Its parents are the snapshot before and the snapshot after
//! (a snapshot is the commit of `HEAD` itself wherever that says it all); its tree is that of the snapshot after, so
//! that `git show` and `git diff` read it; its trailers say what happened. `refs/brv/pending` points to it from
//! before the first write until it is published, so whoever takes the lock after a crash finishes it or, where
//! somebody has worked on since, only puts it on record.
//!
//! Knows bytes and references, no markdown and no command. Nothing here is ever sent to a remote.

mod begin;
mod discarded;
mod draft;
mod driver_log;
mod ending;
mod id;
mod index_sides;
mod kept_tags;
mod kind;
mod latest;
mod list;
mod prune;
mod record;
mod recover;
mod ref_move;
mod touches;
mod transition;
mod undoes;

pub use begin::{Pending, begin, reserve};
pub use discarded::{Discarded, TRAILER as DISCARDED};
pub use draft::{Draft, Side};
pub use driver_log::{driver_log, log_discarded};
pub use ending::footprint;
pub use id::OperationId;
pub use index_sides::{IndexSide, IndexSides, Staged, Waiting};
pub use kept_tags::keep_tags;
pub use kind::Kind;
pub use latest::{latest, pending};
pub use list::{Listed, list, undone};
pub use prune::{KEPT, KEPT_DAYS, expired, forget, holding, is_in_head, prune};
pub use record::{Record, first, one_line, read};
pub use recover::{Recovered, Resolution, Untouched, recover};
pub use ref_move::RefMove;
pub use touches::{Part, Touches};
pub use transition::{Transition, transition};
pub use undoes::{Extent, Undoes};

pub use crate::git::settings_moves::{Owner, Setting, SettingsMove};

use crate::content::ContentId;
use crate::git::{self, Scope};
use bstr::BString;

/// The namespace of published operations.
pub const OPERATIONS: &str = "refs/brv/ops/";
/// Points to the operation that is under way.
const PENDING: &str = "refs/brv/pending";

/// The ref that points to the operation that is under way. Trees that are folders of one repository, and its linked work
/// trees, have one each: only who can write the files may finish it.
fn pending_ref(scope: &Scope) -> BString {
    match place(scope) {
        Some(place) => {
            let id = ContentId::of(place.as_bytes()).to_string();
            format!("{PENDING}/{}", &id[..PLACE_DIGITS]).into()
        }
        None => PENDING.into(),
    }
}

/// So many digits tell one tree of a repository from another.
const PLACE_DIGITS: usize = 12;

/// Which tree of a bigger repository the scope is: its folder, and the work tree if it is a linked one. `None` for a tree
/// with a repository of its own.
fn place(scope: &Scope) -> Option<String> {
    let prefix = scope.prefix();
    if prefix.is_empty() {
        return None;
    }
    Some(match git::worktrees::linked(scope) {
        Some(name) => one_line(&format!("{prefix} in {name}")),
        None => one_line(prefix),
    })
}

/// Where an operation was made that was not made in the tree that the scope is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Elsewhere {
    /// In the main work tree of the repository.
    Main,
    /// In a linked work tree, by the name that git has for it.
    Linked(String),
    /// In one that git knows no more.
    Removed(String),
    /// In a tree in another folder.
    Folder(String),
}

impl std::fmt::Display for Elsewhere {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Main => f.write_str("the main work tree"),
            Self::Linked(name) => write!(f, "the work tree `{name}`"),
            Self::Removed(name) => write!(f, "the removed work tree `{name}`"),
            Self::Folder(name) => write!(f, "the tree `{name}`"),
        }
    }
}

/// What a [`place`] is that is not the scope's own.
fn elsewhere(scope: &Scope, of: Option<&str>) -> Option<Elsewhere> {
    if of == place(scope).as_deref() {
        return None;
    }
    let of = of.unwrap_or_default();
    let Some(rest) = of.strip_prefix(&one_line(scope.prefix())) else {
        return Some(Elsewhere::Folder(of.to_owned()));
    };
    Some(match rest.strip_prefix(" in ") {
        Some(name) if git::worktrees::is_known(scope, name) => Elsewhere::Linked(name.to_owned()),
        Some(name) => Elsewhere::Removed(name.to_owned()),
        None if rest.is_empty() => Elsewhere::Main,
        None => Elsewhere::Folder(of.to_owned()),
    })
}

/// Committer time of snapshots and operations: fetch negotiation walks newest first, and so never offers them.
const SNAPSHOT_SECONDS: i64 = 1;

/// What the journal could not do.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The repository.
    #[error(transparent)]
    Git(#[from] git::Error),
    /// A file.
    #[error(transparent)]
    File(#[from] crate::fs::Error),
    /// A recorded operation that this version does not understand.
    #[error("operation {id} was not written by this version of brv: {reason}")]
    Unreadable {
        /// The commit.
        id: git::CommitId,
        /// What is missing or wrong.
        reason: &'static str,
    },
    /// Another operation is pending though the lock is held: recover first.
    #[error("another operation is pending")]
    AlreadyPending,
}
