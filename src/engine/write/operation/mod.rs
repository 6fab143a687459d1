//! Change files, index, merge state, references and settings together, as one operation that can be undone.
//!
//! [`Writing`] begins with the lock and ends with the derived files; in between it carries out one [`Work`] for one
//! [`Purpose`]. The new versions are stored and the operation is logged before the first write. If a write fails, all is
//! put back; after a crash the next command finishes the operation. What another program wrote meanwhile stops the
//! operation and is never overwritten.
//!
//! Not everything is an operation: [`Writing::write_index`] writes the index alone, and rescue refs, signals and the
//! search index are written where they belong.

mod disk;
mod engine;
pub mod files_only;
mod index_edits;
pub mod index_only;
mod plan;
mod record;
pub mod recovery;
mod session;
pub mod settings_only;

pub use disk::on_disk;
pub use plan::{HIDDEN, plan, plan_of, screen};
pub use record::side;
pub use session::{Derived, WriteOutcome, Writing, recover};

use crate::journal::{
    CodeHead, Discarded, DreamId, Note, OperationId, OperationKind, Side, SourceCommit, Transition, Undoes,
};
use crate::read::history::reflog::Reflog;
use crate::write::policy::incoming;
use crate::{FailureKind, OrStop, Stop};
use brv_git as git;
use brv_git::Signature;
use brv_git::held::ApplyError;
use brv_git::switch::{Admit, Obstacles, Plan};
use bstr::BString;

pub struct Work<'a> {
    /// Index, merge state, references and settings, and the files where [`Ground::Exact`].
    pub transition: Transition,
    /// The source of the file changes.
    pub ground: Ground,
    /// Which files may be written to disk; files kept earlier may in any case.
    pub admit: &'a Admit<'a>,
    /// What happens to an exact change of a file whose place is taken.
    obstacles: Obstacles,
}

/// The source of the file changes of a [`Work`].
pub enum Ground {
    /// The transition. Its old versions are those on disk: a file that has changed meanwhile is left alone. A file
    /// whose sides are equal is not written, only stored in the operation.
    Exact,
    /// The plan, which has been checked. Index entries that the transition does not list follow the files.
    Planned {
        plan: Plan,
        /// The states before and after.
        sides: [Side; 2],
    },
    /// No file changes, and the index is written as the caller edited it; the transition lists its changes.
    Untouched {
        /// The states before and after.
        sides: [Side; 2],
    },
}

impl<'a> Work<'a> {
    /// Exactly this transition, under the tree's policy.
    pub fn exact(transition: Transition) -> Self {
        Self { transition, ground: Ground::Exact, admit: &incoming::admit, obstacles: Obstacles::Stop }
    }

    /// Whether nothing changes. A plan, or an edited index, is logged even if it changes no file.
    fn is_empty(&self) -> bool {
        matches!(self.ground, Ground::Exact) && self.transition.is_empty()
    }

    /// The same work with another policy for files on disk.
    pub fn admitting(self, admit: &'a Admit<'a>) -> Self {
        Self { admit, ..self }
    }

    /// The same work, but a file whose place is taken is reported and does not stop the rest.
    pub fn reporting_obstacles(self) -> Self {
        Self { obstacles: Obstacles::Report, ..self }
    }

    /// A planned change, under the tree's policy.
    pub fn planned(plan: Plan, sides: [Side; 2], transition: Transition) -> Self {
        Self {
            transition,
            ground: Ground::Planned { plan, sides },
            admit: &incoming::admit,
            obstacles: Obstacles::Stop,
        }
    }

    /// No file changes; the index is written as the caller edited it.
    pub fn untouched(sides: [Side; 2], transition: Transition) -> Self {
        Self {
            transition,
            ground: Ground::Untouched { sides },
            admit: &incoming::admit,
            obstacles: Obstacles::Stop,
        }
    }
}

/// The reason for an operation: for the operation log and the reflogs.
#[derive(Debug, Clone)]
pub struct Purpose {
    kind: OperationKind,
    reason: String,
    id: Option<OperationId>,
    undoes: Vec<Undoes>,
    discarded: Vec<Discarded>,
    notes: Vec<Note>,
    source_commit: Option<SourceCommit>,
    /// The head of the code at which it was written.
    code_head: Option<CodeHead>,
    dream: Option<DreamId>,
    job: Option<String>,
    reflog: Reflog,
    who: Option<Signature>,
}

impl Purpose {
    /// A command, and its reason in one line.
    pub fn new(kind: OperationKind, reason: impl Into<String>) -> Self {
        Self {
            kind,
            reason: reason.into(),
            id: None,
            undoes: Vec::new(),
            discarded: Vec::new(),
            notes: Vec::new(),
            source_commit: None,
            code_head: None,
            dream: None,
            job: None,
            reflog: Reflog::default(),
            who: None,
        }
    }

    /// Set the operation id, if it had to be known beforehand.
    pub fn named(self, id: Option<OperationId>) -> Self {
        Self { id, ..self }
    }

    /// Set the operations that this one undoes.
    pub fn undoing(self, undoes: Vec<Undoes>) -> Self {
        Self { undoes, ..self }
    }

    /// Set the values that are discarded.
    pub fn discarding(self, discarded: Vec<Discarded>) -> Self {
        Self { discarded, ..self }
    }

    /// Set the notes about single paths, for a later commit.
    pub fn noting(self, notes: Vec<Note>) -> Self {
        Self { notes, ..self }
    }

    /// Set the commit of the code that the knowledge comes from.
    pub fn learned_from(self, source_commit: Option<SourceCommit>) -> Self {
        Self { source_commit, ..self }
    }

    /// Set the head of the code at which it was written.
    pub fn written_at(self, code_head: Option<CodeHead>) -> Self {
        Self { code_head, ..self }
    }

    /// Set the dream that the operation is.
    pub fn dreamed(self, dream: Option<DreamId>) -> Self {
        Self { dream, ..self }
    }

    /// Set the job that the operation is.
    pub fn done_as(self, job: Option<String>) -> Self {
        Self { job, ..self }
    }

    pub fn logged(self, reflog: impl Into<Reflog>) -> Self {
        Self { reflog: reflog.into(), ..self }
    }

    /// Set the identity for the reflogs; the default is git's committer.
    pub fn signed(self, who: Signature) -> Self {
        Self { who: Some(who), ..self }
    }
}

/// When git's `index.lock` is held, which a hand-run git does not wait for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Locking {
    /// From now until the end.
    Throughout,
    /// Only while index and references are written. What was read is compared then, and if somebody has written it
    /// meanwhile, nothing is done.
    Briefly,
}

/// How often a command begins again before it holds the index throughout.
const TRIES: u32 = 4;

/// Run a command, and run it again while it fails only because another program wrote what it had read. Nothing is
/// written by a run that fails so.
///
/// # Errors
/// The error of the last run.
pub fn settle<T, E>(
    kind: impl Fn(&E) -> FailureKind,
    mut once: impl FnMut(Locking) -> Result<T, E>,
) -> Result<T, E> {
    for _ in 0..TRIES {
        match once(Locking::Briefly) {
            Err(error) if kind(&error) == FailureKind::Changed => {}
            other => return other,
        }
    }
    once(Locking::Throughout)
}

/// What another program did between the reading and the writing; all is as before.
#[derive(Debug)]
pub enum Interference {
    /// It saved these files (relative to the tree).
    Saved { paths: Vec<BString>, message: String },
    /// It moved the branch.
    Overtaken(git::Error),
}

impl Interference {
    pub(crate) fn saved(paths: Vec<BString>) -> Self {
        Self::Saved { message: git::held::changed(&paths), paths }
    }
}

impl From<Interference> for Stop {
    fn from(found: Interference) -> Self {
        match found {
            Interference::Saved { message, .. } => Self::new(FailureKind::Changed, message),
            Interference::Overtaken(error) => error.into(),
        }
    }
}

impl From<ApplyError> for OrStop<Interference> {
    fn from(error: ApplyError) -> Self {
        match error {
            ApplyError::Changed(paths) => Self::This(Interference::saved(paths)),
            ApplyError::Git(error) => error.into(),
            ApplyError::File(error) => error.into(),
        }
    }
}

/// One command carries out one thing, with the index that it has locked for it; nothing was written.
fn out_of_turn() -> Stop {
    Stop::failed("the index is not locked, or something was written already")
}

/// Another program, git perhaps, wrote the index or moved the branch meanwhile; all is as before.
fn moved() -> Stop {
    Stop::new(FailureKind::Changed, "another program changed the index or the branch at the same time")
}

/// Not everything could be put back: the next command that writes completes the operation.
fn unfinished(why: impl Into<Stop>) -> Stop {
    // never the kind of its cause: what is completed later must not be begun again
    Stop::failed(format!(
        "stopped halfway; the next brv command that writes completes it: {}",
        why.into().message
    ))
}
