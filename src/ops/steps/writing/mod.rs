//! The one way to write: files, index, merge state, references and settings change together, as one operation.
//!
//! Everything is stored and on record before the first write; a crash is finished by the next command. A command says what
//! changes ([`Work`]) and why ([`Purpose`]); [`Writing`] does the rest.

mod disk;
mod engine;
pub mod files_only;
pub mod index_only;
mod plan;
mod record;
pub mod recovery;
mod session;
pub mod settings_only;

pub use disk::on_disk;
pub use plan::{Refused, plan, screen};
pub use record::side;
pub use session::{Derived, Writing, Written, recover};

use super::telling::reflog::Reflog;
use crate::fs;
use crate::git::switch::{Admit, ApplyError, Plan};
use crate::git::{self, Signature};
use crate::journal::{self, Discarded, Kind, OperationId, Side, Transition, Undoes};
use crate::ops::FailureKind;

/// What changes.
pub struct Work<'a> {
    /// Index, merge state, references and settings, and the files where [`Ground::Exact`].
    pub transition: Transition,
    /// Where the files stand.
    pub ground: Ground,
    /// What may stand on disk; what was kept here before may in any case.
    pub admit: &'a Admit<'a>,
}

/// Where the files of a [`Work`] stand.
pub enum Ground {
    /// They are those of the transition. The versions before are those that stand on disk: a file that holds something else
    /// by then is left alone. One whose sides are equal is not written, only kept in the record.
    Exact,
    /// In the plan, which has been checked. Entries of the index that the transition does not list follow the files.
    Planned {
        /// What is written and removed.
        plan: Plan,
        /// Before and after.
        sides: [Side; 2],
    },
    /// They stay, and the index is written as the caller has edited it; the transition lists what changed in it.
    Untouched {
        /// Before and after.
        sides: [Side; 2],
    },
}

impl<'a> Work<'a> {
    /// Exactly this transition, by the policy of the tree.
    #[must_use]
    pub fn exact(transition: Transition) -> Self {
        Self { transition, ground: Ground::Exact, admit: &super::remotes::incoming::admit }
    }

    /// Whether nothing changes. A plan, or an index as edited, is also put on record where it changes no file.
    fn is_empty(&self) -> bool {
        matches!(self.ground, Ground::Exact) && self.transition.is_empty()
    }

    /// As it is, but for what may stand on disk.
    #[must_use]
    pub fn admitting(self, admit: &'a Admit<'a>) -> Self {
        Self { admit, ..self }
    }

    /// The way of a plan, by the policy of the tree.
    #[must_use]
    pub fn planned(plan: Plan, sides: [Side; 2], transition: Transition) -> Self {
        Self { transition, ground: Ground::Planned { plan, sides }, admit: &super::remotes::incoming::admit }
    }

    /// No file changes; the index is written as the caller has edited it.
    #[must_use]
    pub fn untouched(sides: [Side; 2], transition: Transition) -> Self {
        Self { transition, ground: Ground::Untouched { sides }, admit: &super::remotes::incoming::admit }
    }
}

/// Why something changes: for the journal and the logs of references.
#[derive(Debug, Clone)]
pub struct Purpose {
    kind: Kind,
    reason: String,
    id: Option<OperationId>,
    undoes: Option<Undoes>,
    discarded: Vec<Discarded>,
    reflog: Reflog,
    who: Option<Signature>,
}

impl Purpose {
    /// A command, and why in a line.
    #[must_use]
    pub fn new(kind: Kind, reason: impl Into<String>) -> Self {
        Self {
            kind,
            reason: reason.into(),
            id: None,
            undoes: None,
            discarded: Vec::new(),
            reflog: Reflog::default(),
            who: None,
        }
    }

    /// The operation's name, where it had to be known beforehand.
    #[must_use]
    pub fn named(self, id: Option<OperationId>) -> Self {
        Self { id, ..self }
    }

    /// The operation that is taken back.
    #[must_use]
    pub fn undoing(self, undoes: Undoes) -> Self {
        Self { undoes: Some(undoes), ..self }
    }

    /// Values that lose by it.
    #[must_use]
    pub fn discarding(self, discarded: Vec<Discarded>) -> Self {
        Self { discarded, ..self }
    }

    /// What the logs of references say.
    #[must_use]
    pub fn logged(self, reflog: impl Into<Reflog>) -> Self {
        Self { reflog: reflog.into(), ..self }
    }

    /// In whose name the logs of references say it; else in that of whoever git would name.
    #[must_use]
    pub fn signed(self, who: Signature) -> Self {
        Self { who: Some(who), ..self }
    }
}

/// What went wrong.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// One command carries out one thing, with the index that it has locked for it; nothing was written.
    #[error("the index is not locked, or something was written already")]
    OutOfTurn,
    /// A guard refused it; nothing was written.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// The repository.
    #[error(transparent)]
    Git(#[from] git::Error),
    /// A file.
    #[error(transparent)]
    File(#[from] fs::Error),
    /// The journal.
    #[error(transparent)]
    Journal(#[from] journal::Error),
}

impl From<ApplyError> for Error {
    fn from(error: ApplyError) -> Self {
        match error {
            ApplyError::Git(error) => Self::Git(error),
            ApplyError::File(error) => Self::File(error),
        }
    }
}

impl Error {
    /// What kind of failure it is.
    #[must_use]
    pub fn kind(&self) -> FailureKind {
        match self {
            Self::Refused(_) => FailureKind::Refused,
            Self::Git(error) => FailureKind::of_git(error),
            Self::Journal(error) => FailureKind::of_journal(error),
            Self::File(_) | Self::OutOfTurn => FailureKind::Failed,
        }
    }
}
