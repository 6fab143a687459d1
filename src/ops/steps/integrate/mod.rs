//! Bringing another commit into the current branch: what `pull` and `merge` share.
//!
//! Forward where that is enough, else a merge commit, or a merge that waits for decisions. Knows no remote and no words.

mod message;
mod prepare;
mod step;
mod write;

pub use message::of_branch;
pub use prepare::{Prepared, prepare};
pub use step::MOST_TOLD;

use super::changes::FileChange;
use super::guards::{Allowed, Rewrite, Stopped};
use super::knowledge::Told;
use super::reconcile::{Conflict, Settled};
use super::refresh;
use super::writing;
use crate::diff::knowledge::Entry;
use crate::fs::WriteGuard;
use crate::git::identity;
pub use crate::git::signing::SigningError;
use crate::git::status::StatusError;
use crate::git::{self, CommitId, Head};
use crate::journal::{self, OperationId, SettingsMove};
use crate::ops::FailureKind;
use crate::ops::context::Parts;
use bstr::BString;

pub use crate::git::Forward;
pub use crate::merge::Undecided;

/// How the commit is brought in.
#[derive(Debug, Clone, Copy, Default)]
pub struct Manner {
    /// Whether the branch may or must only move forward.
    pub forward: Forward,
    /// What is made of the result.
    pub result: Made,
    /// What is done where a person would have to decide.
    pub undecided: Undecided,
    /// Whether histories without a common commit are brought together.
    pub unrelated: Unrelated,
    /// Whether the derived files are made again.
    pub derive: Derive,
    /// Whether anything is written.
    pub mode: Mode,
}

/// Whether the derived files are made again.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Derive {
    /// They are.
    #[default]
    Now,
    /// Later, by `brv derive` or the next pull (`--no-derive`).
    Later,
}

/// What is made of the result.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Made {
    /// A commit, if nothing must be decided.
    #[default]
    Commit,
    /// Staged changes, for a commit with one parent (`--squash`).
    Staged,
}

/// Whether histories without a common commit are brought together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Unrelated {
    /// No.
    #[default]
    Refuse,
    /// Yes, as if both had begun with an empty tree.
    Allow,
}

/// Whether anything is written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Mode {
    /// It is.
    #[default]
    Write,
    /// It is only told what would be (`--dry-run`).
    DryRun,
}

/// What is brought in.
#[derive(Debug, Clone)]
pub struct Incoming {
    /// The commit.
    pub theirs: CommitId,
    /// What it is called in conflict markers.
    pub name: String,
    /// The message of a merge commit; ends with a newline.
    pub message: String,
    /// For the journal.
    pub kind: journal::Kind,
    /// For the journal.
    pub reason: String,
    /// What begins the line of the reflog: `pull`, `merge topic`.
    pub action: String,
    /// What the branch follows then.
    pub settings: Vec<SettingsMove>,
    /// What was settled already, where the commit is a merge of ours that was made in memory.
    pub settled: Vec<Settled>,
    /// The ref here that remembers the branch of a remote that this is.
    pub tracking: Option<BString>,
    /// The commits that the remote dropped since it was last taken in.
    pub rewrite: Option<Rewrite>,
    /// The guards that somebody has opened.
    pub allowed: Allowed,
}

/// What became of it.
#[derive(Debug)]
pub struct Outcome {
    /// Where the branch was; `None`: it had no commits.
    pub before: Option<CommitId>,
    /// Where it is now.
    pub after: Option<CommitId>,
    /// How the two histories stood to each other, and what was done.
    pub relation: Relation,
    /// The files that changed here, with renames and line counts.
    pub files: Vec<FileChange>,
    /// The same by meaning, without what must be decided; none where the files are too many.
    pub entries: Vec<Entry>,
    /// What a person must decide; paths are full.
    pub conflicts: Vec<Conflict>,
    /// What was settled without a person; paths are full.
    pub settled: Vec<Settled>,
    /// Files that stay in the commit without being written, with the reason.
    pub withheld: Vec<(BString, &'static str)>,
    /// Files that were saved while the tree was brought over, and left as they are: they show as changed.
    pub left_alone: Vec<BString>,
    /// Files that are not there, since others were put into a folder of that name meanwhile.
    pub blocked: Vec<BString>,
    /// The operation in the journal, if anything was written.
    pub operation: Option<OperationId>,
    /// Why nothing was done, if a guard stopped it.
    pub stopped: Option<Stopped>,
    /// The derived files; `None` in a dry run, or when they are left for later. A failure is a warning: the merge stands.
    pub derived: Option<Result<refresh::Outcome, refresh::Error>>,
}

/// How the two histories stood to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// The other side has nothing that is not here.
    UpToDate,
    /// Only the other side has new commits.
    FastForward,
    /// They were merged.
    Merged,
    /// They were merged, and the result is staged: no commit was made.
    Squashed,
    /// Some files must be decided, all else is staged.
    Conflicted,
    /// The other side's history was rewritten, and nothing here was ours alone: the branch went over to it.
    Followed,
    /// A guard stopped it.
    Stopped,
}

/// Why nothing was brought in.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The histories went apart, and only a fast-forward was wanted.
    #[error("both sides have commits of their own, so the branch cannot only move forward")]
    NotForward,
    /// Two histories without a common commit.
    #[error("the two histories have no common ancestor")]
    Unrelated,
    /// Staged changes, and a merge with conflicts.
    #[error("staged files would get mixed up with the merge")]
    Staged(Vec<BString>),
    /// There is nothing that the changes could be staged on.
    #[error("the branch has no commit yet that the changes could be staged on")]
    UnbornSquash,
    /// Guards, files, the repository.
    #[error(transparent)]
    Write(#[from] writing::Error),
    /// Nobody to be the author of the merge.
    #[error(transparent)]
    Identity(#[from] identity::Error),
    /// The merge was to be signed, and was not.
    #[error(transparent)]
    Signing(#[from] SigningError),
    /// Disk or index.
    #[error(transparent)]
    Survey(#[from] StatusError),
    /// The repository.
    #[error(transparent)]
    Git(#[from] git::Error),
}

impl Error {
    /// What kind of failure it is.
    #[must_use]
    pub fn kind(&self) -> FailureKind {
        match self {
            Self::Write(error) => error.kind(),
            Self::NotForward | Self::Unrelated | Self::Staged(_) => FailureKind::Refused,
            Self::UnbornSquash => FailureKind::Usage,
            Self::Git(error) => FailureKind::of_git(error),
            _ => FailureKind::Failed,
        }
    }
}

/// Bring a commit into the current branch and the files up to it. No merge may be waiting.
///
/// # Errors
/// [`Error`]; conflicts are an outcome.
pub fn integrate(
    parts: &Parts<'_>,
    guard: WriteGuard,
    head: &Head,
    incoming: &Incoming,
    manner: &Manner,
) -> Result<Outcome, Error> {
    let scope = parts.scope();
    let mut outcome = Outcome::of(head.commit());
    if let Some(stopped) = step::rewrite(incoming) {
        outcome.stop(stopped);
        return Ok(outcome);
    }
    if let Some(ours) = head.commit()
        && step::has_nothing_new(scope, ours, incoming)?
    {
        drop(guard);
        if manner.mode == Mode::Write {
            step::take(scope, incoming)?;
        }
        if manner.mode == Mode::Write && manner.derive == Derive::Now {
            outcome.derived = Some(repair(parts, scope.tree_of(ours)?));
        }
        return Ok(outcome);
    }
    let mut locked = git::index::lock(scope, &guard)?;
    let survey = refresh::quick_survey(parts.opened, locked.take())?;
    let (before, is_clean) = (survey.head_tree, survey.work_tree.is_empty());
    let stage_is_clean = || step::refuse_staged(scope, &survey);
    let step = step::decide(parts, &survey.head, incoming, manner, &stage_is_clean)?;
    outcome.relation = step.relation(manner);
    outcome.settled = [&incoming.settled, step.settled()].concat();
    let deletion = step::deletion(scope, &survey.head, before, &step, incoming, manner.mode)?;
    if let step::Judged::Stop(stopped) = deletion {
        outcome.stop(stopped);
        outcome.settled.clear();
        return Ok(outcome);
    }
    let plan = writing::plan(step.scope(scope), &survey, step.tree(), step.conflicts())?;
    outcome.withheld.clone_from(&plan.withheld);
    let after = step.tree();
    if manner.mode == Mode::DryRun {
        outcome.conflicts = step.conflicts().to_vec();
        outcome.tell(step::told(step.scope(scope), &survey, after, step.conflicts())?);
        return Ok(outcome);
    }
    let told = Incoming { reason: step::reason(incoming, &deletion), ..incoming.clone() };
    write::write(parts, &guard, locked, survey, step, plan, (&told, manner), &mut outcome)?;
    step::take(scope, incoming)?;
    drop(guard);
    if manner.derive == Derive::Later {
        return Ok(outcome);
    }
    let is_same = outcome.left_alone.is_empty() && outcome.blocked.is_empty();
    let disk = if is_same { refresh::Disk::Same } else { refresh::Disk::Unknown };
    outcome.derived = Some(if is_clean && outcome.conflicts.is_empty() {
        refresh::follow(parts.opened, (before, after), disk, parts.progress)
    } else {
        refresh::refresh(parts.opened, refresh::Extent::Changed, parts.progress)
    });
    Ok(outcome)
}

/// As [`integrate`] where the other side has nothing that is not here.
///
/// # Errors
/// [`Error`]
pub fn nothing_new(parts: &Parts<'_>, head: &Head, mode: Mode) -> Result<Outcome, Error> {
    let mut outcome = Outcome::of(head.commit());
    if let (Some(ours), Mode::Write) = (head.commit(), mode) {
        outcome.derived = Some(repair(parts, parts.scope().tree_of(ours)?));
    }
    Ok(outcome)
}

/// Nothing came; but what an earlier command could not derive is made now.
fn repair(parts: &Parts<'_>, tree: git::TreeId) -> Result<refresh::Outcome, refresh::Error> {
    if refresh::is_made_for(parts.opened, tree) {
        return Ok(refresh::Outcome::default());
    }
    refresh::refresh(parts.opened, refresh::Extent::Changed, parts.progress)
}

impl Outcome {
    /// Nothing came.
    const fn of(head: Option<CommitId>) -> Self {
        Self {
            before: head,
            after: head,
            relation: Relation::UpToDate,
            files: Vec::new(),
            entries: Vec::new(),
            conflicts: Vec::new(),
            settled: Vec::new(),
            withheld: Vec::new(),
            left_alone: Vec::new(),
            blocked: Vec::new(),
            operation: None,
            stopped: None,
            derived: None,
        }
    }

    fn stop(&mut self, stopped: Stopped) {
        self.relation = Relation::Stopped;
        self.stopped = Some(stopped);
    }

    fn tell(&mut self, told: Told) {
        (self.files, self.entries) = (told.files, told.entries);
    }
}
