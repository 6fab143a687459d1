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

use super::guards::{GuardStop, RemoteRewrite};
use crate::derive::{self, Disk};
use crate::dream;
use crate::journal::{self, SettingsMove};
use crate::merge::reconcile::{Conflict, Record, Settled};
use crate::open::context::Parts;
use crate::outcome::change::FileDifference;
use crate::read::history::changes::FileChange;
use crate::read::history::knowledge::ChangeReport;
use crate::write::operation::{self, Derived, WriteOutcome, Writing};
use crate::write::overriding::Allowed;
use crate::{Mode, Stop};
use brv_git::trees;
use brv_git::{CommitId, Head};
use brv_text::diff::knowledge::Entry;
use bstr::BString;
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

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
    pub kind: journal::OperationKind,
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
    pub rewrite: Option<RemoteRewrite>,
    /// The guards that the user overrides.
    pub allowed: Allowed,
}

/// The result of merging another commit. Paths are relative to the tree.
#[derive(Debug, Default, JsonSchema, Serialize)]
#[schemars(rename = "Integrated")]
pub struct Outcome {
    /// The branch's commit before.
    pub before: Option<CommitId>,
    /// The branch's commit after.
    pub after: Option<CommitId>,
    /// `up_to_date`, `fast_forward`, `merged`, `squashed`, `conflicted`, `followed` (the branch was switched to a
    /// rewritten history) or `stopped`.
    #[schemars(with = "&str")]
    pub relation: Relation,
    /// The changed files.
    #[serde(serialize_with = "files")]
    #[schemars(with = "Vec<FileDifference>")]
    pub files: Vec<FileChange>,
    /// The changes by meaning, as in `brv vc diff`, without conflicts; absent if more than 200 files changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entries: Option<Vec<Entry>>,
    /// Number of changed files if there are too many for `entries`; `brv vc diff` shows them by meaning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub more: Option<usize>,
    /// Files in conflict.
    pub conflicts: Vec<Conflict>,
    /// Differences that were settled automatically.
    #[serde(rename = "records", serialize_with = "records")]
    #[schemars(with = "Vec<Record>")]
    pub settled: Vec<Settled>,
    /// The guard that stopped the merge; nothing was changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped: Option<GuardStop>,
    /// Effects on files, and the operation; in a dry run only what would be withheld.
    #[serde(flatten)]
    pub written: WriteOutcome,
}

fn files<S: Serializer>(files: &[FileChange], serializer: S) -> Result<S::Ok, S::Error> {
    FileDifference::all(files, false).serialize(serializer)
}

fn records<S: Serializer>(settled: &[Settled], serializer: S) -> Result<S::Ok, S::Error> {
    Record::all(settled).serialize(serializer)
}

/// How the two histories were related, and what was done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Relation {
    /// The other side has no new commits.
    #[default]
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
    /// A guard stopped the merge.
    Stopped,
}

/// Integrate a commit into the current branch and update the files. No merge may be in progress.
///
/// # Errors
/// The histories cannot be merged here; conflicts are an outcome, not an error.
pub fn integrate(
    mut writing: Writing<'_>,
    head: &Head,
    incoming: &Incoming,
    manner: &MergeOptions,
) -> Result<Outcome, Stop> {
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
) -> Result<Derived, Stop> {
    let (scope, parts) = (writing.scope(), writing.parts());
    let survey = writing.survey(|index| derive::quick_survey(parts.opened, index))?;
    let (before, is_clean) = (survey.head_tree, survey.work_tree.is_empty());
    let stage_is_clean = || step::refuse_staged(scope, &survey);
    let step = step::decide(&parts, &survey.head, incoming, manner, &stage_is_clean)?;
    outcome.relation = step.relation(manner);
    outcome.settled = [&incoming.settled, step.settled()].concat();
    let compared = trees::compare(step.scope(scope), before, step.tree())?;
    let changes = compared.0.clone();
    let deletion = step::deletion(scope, &survey.head, (before, &changes), &step, incoming, manner.mode)?;
    if let step::Judged::Stop(stopped) = deletion {
        outcome.stop(stopped);
        outcome.settled.clear();
        return Ok(Derived::Leave);
    }
    let plan = operation::plan_of((step.scope(scope), &survey), compared, step.tree(), &step.in_conflict())?;
    let after = step.tree();
    if manner.mode == Mode::DryRun {
        outcome.written.withheld = plan.withheld;
        outcome.conflicts = step.conflicts().to_vec();
        outcome.tell(step::told(step.scope(scope), changes, step.conflicts())?);
        return Ok(Derived::Leave);
    }
    let told = Incoming { reason: step::reason(incoming, &deletion), ..incoming.clone() };
    write::write(writing, survey, (step, plan, changes), (&told, manner), outcome)?;
    step::take(scope, incoming)?;
    Ok(match is_clean && outcome.conflicts.is_empty() {
        true => Derived::Between(before, after, Disk::Same),
        false => Derived::Changed,
    })
}

/// As [`integrate`] if the other side has no new commits: generates what an earlier command could not derive.
pub fn nothing_new(parts: &Parts<'_>, head: &Head, mode: Mode) -> Result<Outcome, Stop> {
    let mut outcome = Outcome::of(head.commit());
    if let (Some(ours), Mode::Write) = (head.commit(), mode) {
        let missed = Derived::MissedFor(parts.scope().tree_of(ours)?);
        outcome.written = outcome.written.deriving(parts, missed);
    }
    Ok(outcome)
}

impl Outcome {
    fn of(head: Option<CommitId>) -> Self {
        Self { before: head, after: head, entries: Some(Vec::new()), ..Self::default() }
    }

    fn stop(&mut self, stopped: GuardStop) {
        self.relation = Relation::Stopped;
        self.stopped = Some(stopped);
    }

    fn tell(&mut self, told: ChangeReport) {
        let is_large = told.files.len() > MOST_TOLD;
        self.entries = (!is_large).then_some(told.entries);
        self.more = is_large.then_some(told.files.len());
        self.files = told.files;
    }
}
