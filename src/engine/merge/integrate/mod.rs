//! Integrate another commit into the current branch: the code that `pull` and `merge` share.
//!
//! Fast-forwards where possible, else makes a merge commit or leaves a merge in progress with conflicts. Knows no
//! remote and no user-visible text.

mod message;
mod prepare;
mod step;
mod write;

pub use message::of_branch;
pub use prepare::{Prepared, prepare};
pub use step::MOST_TOLD;

use super::guards::{Rewrite, Stopped};
use crate::derive::{self, Disk};
use crate::dream;
use crate::journal::{self, SettingsMove};
use crate::merge::reconcile::{Conflict, Settled};
use crate::open::context::Parts;
use crate::outcome::cause::{Cause, caused};
use crate::read::history::changes::FileChange;
use crate::read::history::knowledge::Told;
use crate::write::operation::{self, Derived, WriteOutcome, Writing};
use crate::write::overriding::Allowed;
use crate::{Fails, FailureKind, Mode};
use brv_git::identity;
pub use brv_git::signing::SigningError;
use brv_git::{CommitId, Head};
use brv_text::diff::knowledge::Entry;
use bstr::BString;

pub use brv_git::Forward;
pub use brv_text::merge::Undecided;

/// How the commit is brought in.
#[derive(Debug, Clone, Copy, Default)]
pub struct MergeOptions {
    /// Whether a fast-forward is allowed or required.
    pub forward: Forward,
    pub result: Made,
    /// What to do where a person would have to decide.
    pub undecided: Undecided,
    /// Whether histories without a common ancestor may be merged.
    pub unrelated: Unrelated,
    /// Whether derived files are regenerated.
    pub derive: Derive,
    /// Whether anything is written.
    pub mode: Mode,
}

/// Whether derived files are regenerated.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Derive {
    #[default]
    Now,
    /// Leave them to `brv derive` or the next pull (`--no-derive`).
    Later,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Made {
    /// A commit, if there are no conflicts.
    #[default]
    Commit,
    /// Staged changes, for a commit with one parent (`--squash`).
    Staged,
}

/// Whether histories without a common ancestor may be merged.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Unrelated {
    #[default]
    Refuse,
    /// They are merged, as if both had begun with an empty tree.
    Allow,
}

#[derive(Debug, Clone)]
pub struct Incoming {
    pub theirs: CommitId,
    pub name: String,
    /// The message of a merge commit; ends with a newline.
    pub message: String,
    /// The operation kind, for the operation log.
    pub kind: journal::Kind,
    /// The reason, for the operation log.
    pub reason: String,
    /// The start of the reflog line: `pull`, `merge topic`.
    pub action: String,
    /// Changes of the branch's upstream that go with it.
    pub settings: Vec<SettingsMove>,
    /// What was settled already, if the commit is a merge with ours that was made in memory.
    pub settled: Vec<Settled>,
    /// The remote-tracking ref of the branch, if the commit is from a remote.
    pub tracking: Option<BString>,
    /// The commits that the remote dropped since it was last integrated.
    pub rewrite: Option<Rewrite>,
    /// The guards that the user overrides.
    pub allowed: Allowed,
}

#[derive(Debug)]
pub struct Outcome {
    /// The commit of the branch before; `None`: it had no commits.
    pub before: Option<CommitId>,
    pub after: Option<CommitId>,
    /// The relation of the two histories, and what was done.
    pub relation: Relation,
    /// The files that changed here, with renames and line counts.
    pub files: Vec<FileChange>,
    /// The same changes by meaning, without conflicts; empty if there are too many files.
    pub entries: Vec<Entry>,
    /// Conflicts for a person to resolve; full paths.
    pub conflicts: Vec<Conflict>,
    /// What was settled without a person; full paths.
    pub settled: Vec<Settled>,
    /// Why nothing was done, if a guard stopped it.
    pub stopped: Option<Stopped>,
    /// What was written; in a dry run only what would be withheld.
    pub written: WriteOutcome,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// The other side has no new commits.
    UpToDate,
    /// Only the other side has new commits.
    FastForward,
    Merged,
    /// They were merged, and the result is staged: no commit was made.
    Squashed,
    /// Some files are in conflict; everything else is staged.
    Conflicted,
    /// The other side's history was rewritten and there were no local commits: the branch moved to the new history.
    Followed,
    Stopped,
}

#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The histories went apart, and only a fast-forward was wanted.
    #[error("cannot fast-forward: both sides have commits of their own")]
    NotForward,
    #[error("the two histories have no common ancestor")]
    Unrelated,
    #[error("staged changes would be mixed into the merge")]
    Staged(Vec<BString>),
    /// There is nothing that the changes could be staged on.
    #[error("the branch has no commits yet, so there is nothing to squash onto")]
    UnbornSquash,
    #[error(transparent)]
    Identity(#[from] identity::Error),
    #[error(transparent)]
    Signing(#[from] SigningError),
    #[error(transparent)]
    Cause(Cause),
}

impl Fails for Error {
    fn kind(&self) -> FailureKind {
        match self {
            Self::NotForward | Self::Unrelated | Self::Staged(_) => FailureKind::Refused,
            Self::UnbornSquash => FailureKind::Usage,
            Self::Identity(_) | Self::Signing(_) => FailureKind::Failed,
            Self::Cause(cause) => cause.kind(),
        }
    }
}

caused!(Error);

/// Integrate a commit into the current branch and update the files. No merge may be in progress.
///
/// # Errors
/// [`Error`]; conflicts are an outcome, not an error.
pub fn integrate(
    mut writing: Writing<'_>,
    head: &Head,
    incoming: &Incoming,
    manner: &MergeOptions,
) -> Result<Outcome, Error> {
    let mut outcome = Outcome::of(head.commit());
    let derived = match (step::rewrite(incoming), head.commit()) {
        (Some(stopped), _) => {
            outcome.stop(stopped);
            Derived::Leave
        }
        (None, Some(ours)) if step::has_nothing_new(writing.scope(), ours, incoming)? => {
            if manner.mode == Mode::Write {
                step::take(writing.scope(), incoming)?;
            }
            Derived::MissedFor(writing.scope().tree_of(ours)?)
        }
        (None, _) => bring_in(&mut writing, incoming, manner, &mut outcome)?,
    };
    let is_later = manner.mode == Mode::DryRun || manner.derive == Derive::Later;
    let would_be_withheld = std::mem::take(&mut outcome.written.withheld);
    let opened = writing.parts().opened;
    outcome.written = writing.finish(if is_later { Derived::Leave } else { derived });
    outcome.written.withheld.extend(would_be_withheld);
    if manner.mode == Mode::Write {
        dream::follow(opened);
    }
    Ok(outcome)
}

/// Integrate new commits. Returns which derived files to regenerate.
fn bring_in(
    writing: &mut Writing<'_>,
    incoming: &Incoming,
    manner: &MergeOptions,
    outcome: &mut Outcome,
) -> Result<Derived, Error> {
    let (scope, parts) = (writing.scope(), writing.parts());
    let survey = writing.survey(|index| derive::quick_survey(parts.opened, index))?;
    let (before, is_clean) = (survey.head_tree, survey.work_tree.is_empty());
    let stage_is_clean = || step::refuse_staged(scope, &survey);
    let step = step::decide(&parts, &survey.head, incoming, manner, &stage_is_clean)?;
    outcome.relation = step.relation(manner);
    outcome.settled = [&incoming.settled, step.settled()].concat();
    let deletion = step::deletion(scope, &survey.head, before, &step, incoming, manner.mode)?;
    if let step::Judged::Stop(stopped) = deletion {
        outcome.stop(stopped);
        outcome.settled.clear();
        return Ok(Derived::Leave);
    }
    let plan = operation::plan(step.scope(scope), &survey, step.tree(), &step.in_conflict())?;
    let after = step.tree();
    if manner.mode == Mode::DryRun {
        outcome.written.withheld = plan.withheld;
        outcome.conflicts = step.conflicts().to_vec();
        outcome.tell(step::told(step.scope(scope), &survey, after, step.conflicts())?);
        return Ok(Derived::Leave);
    }
    let told = Incoming { reason: step::reason(incoming, &deletion), ..incoming.clone() };
    write::write(writing, survey, (step, plan), (&told, manner), outcome)?;
    step::take(scope, incoming)?;
    Ok(match is_clean && outcome.conflicts.is_empty() {
        true => Derived::Between(before, after, Disk::Same),
        false => Derived::Changed,
    })
}

/// As [`integrate`] if the other side has no new commits: generates what an earlier command could not derive.
pub fn nothing_new(parts: &Parts<'_>, head: &Head, mode: Mode) -> Result<Outcome, Error> {
    let mut outcome = Outcome::of(head.commit());
    if let (Some(ours), Mode::Write) = (head.commit(), mode) {
        let missed = Derived::MissedFor(parts.scope().tree_of(ours)?);
        outcome.written = outcome.written.deriving(parts, missed);
    }
    Ok(outcome)
}

impl Outcome {
    fn of(head: Option<CommitId>) -> Self {
        Self {
            before: head,
            after: head,
            relation: Relation::UpToDate,
            files: Vec::new(),
            entries: Vec::new(),
            conflicts: Vec::new(),
            settled: Vec::new(),
            stopped: None,
            written: WriteOutcome::default(),
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
