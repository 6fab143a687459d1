//! JSON for the merge of another commit: shared by the data of `brv vc pull`, `brv vc merge` and `brv vc sync`.

use super::vc::diff::FileDifference;
use brv_commands::vc::diff::FileChange;
use brv_engine::merge::guards::{self, Rewrite};
use brv_engine::merge::integrate::{self, MOST_TOLD, Outcome};
use brv_engine::merge::reconcile::{Conflict, Record};
use brv_engine::outcome::bytes::text;
use brv_engine::write::overriding::Guard;
use brv_engine::write::written::Written;
use brv_text::diff::knowledge::Entry;
use bstr::BString;
use schemars::JsonSchema;
use serde::Serialize;

/// The result of merging another commit. Paths are relative to the tree.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Integrated {
    /// The branch's commit before.
    pub before: Option<String>,
    /// The branch's commit after.
    pub after: Option<String>,
    /// `up_to_date`, `fast_forward`, `merged`, `squashed`, `conflicted`, `followed` (the branch was switched to a
    /// rewritten history) or `stopped`.
    #[schemars(with = "&str")]
    pub relation: Relation,
    /// The changed files.
    files: Vec<FileDifference>,
    /// The changes by meaning, as in `brv vc diff`, without conflicts; absent if more than 200 files changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    entries: Option<Vec<Entry>>,
    /// Number of changed files if there are too many for `entries`; `brv vc diff` shows them by meaning.
    #[serde(skip_serializing_if = "Option::is_none")]
    more: Option<usize>,
    /// Files in conflict.
    pub conflicts: Vec<Conflict>,
    /// Differences that were settled automatically.
    pub records: Vec<Record>,
    /// The guard that stopped the merge; nothing was changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped: Option<Stopped>,
    /// Effects on files, and the operation.
    #[serde(flatten)]
    pub written: Written,
    /// All of `files`, for the text output.
    #[serde(skip)]
    pub counted: Vec<FileChange>,
    /// All of `entries`, for the text output.
    #[serde(skip)]
    pub told: Vec<Entry>,
}

/// How the two histories were related, and what was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Relation {
    /// The other side has no new commits.
    UpToDate,
    /// Only the other side has new commits.
    FastForward,
    /// The histories were merged.
    Merged,
    /// The changes were merged and staged, without a merge commit.
    Squashed,
    /// Some files are in conflict.
    Conflicted,
    /// The branch was switched to a rewritten history.
    Followed,
    /// A guard stopped the merge.
    Stopped,
}

/// A guard that stopped a command.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Stopped {
    /// The name of the guard, as `--allow` takes it. `rewrite`: the remote has dropped commits; `mass-delete`: a large
    /// part of the entries would be deleted or emptied.
    pub guard: &'static str,
    /// The ref that keeps the dropped commits; absent in a dry run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rescue: Option<String>,
    /// The remote-tracking branch that was rewritten.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// Its commit before.
    #[serde(skip_serializing_if = "Option::is_none")]
    old: Option<String>,
    /// Its commit now.
    #[serde(skip_serializing_if = "Option::is_none")]
    new: Option<String>,
    /// Number of commits that the remote has dropped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dropped: Option<usize>,
    /// The entries that would be deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deleted: Option<Vec<String>>,
    /// The entries of which most would be gone.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub emptied: Vec<String>,
    /// Number of all entries.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entries: Option<usize>,
}

impl Stopped {
    fn by(guard: Guard, rescue: Option<&BString>) -> Self {
        Self {
            guard: guard.word(),
            rescue: rescue.map(|name| text(name)),
            reference: None,
            old: None,
            new: None,
            dropped: None,
            deleted: None,
            emptied: Vec::new(),
            entries: None,
        }
    }
}

impl From<&Rewrite> for Stopped {
    fn from(rewrite: &Rewrite) -> Self {
        Self {
            reference: Some(text(&rewrite.reference)),
            old: Some(rewrite.old.to_string()),
            new: Some(rewrite.new.to_string()),
            dropped: Some(rewrite.dropped),
            ..Self::by(Guard::Rewrite, Some(&rewrite.rescue))
        }
    }
}

impl From<&guards::Stopped> for Stopped {
    fn from(stopped: &guards::Stopped) -> Self {
        match stopped {
            guards::Stopped::Rewrite(rewrite) => rewrite.into(),
            guards::Stopped::MassDelete(deletion) => Self {
                deleted: Some(deletion.deleted.iter().map(|path| text(path)).collect()),
                emptied: deletion.emptied.iter().map(|path| text(path)).collect(),
                entries: Some(deletion.entries),
                ..Self::by(stopped.guard(), stopped.rescue())
            },
        }
    }
}

impl From<Outcome> for Integrated {
    fn from(outcome: Outcome) -> Self {
        let is_large = outcome.files.len() > MOST_TOLD;
        Self {
            before: outcome.before.map(|id| id.to_string()),
            after: outcome.after.map(|id| id.to_string()),
            relation: match outcome.relation {
                integrate::Relation::UpToDate => Relation::UpToDate,
                integrate::Relation::FastForward => Relation::FastForward,
                integrate::Relation::Merged => Relation::Merged,
                integrate::Relation::Squashed => Relation::Squashed,
                integrate::Relation::Conflicted => Relation::Conflicted,
                integrate::Relation::Followed => Relation::Followed,
                integrate::Relation::Stopped => Relation::Stopped,
            },
            files: outcome.files.iter().map(|file| FileDifference::new(file, false)).collect(),
            entries: (!is_large).then(|| outcome.entries.clone()),
            more: is_large.then_some(outcome.files.len()),
            conflicts: outcome.conflicts,
            records: Record::all(&outcome.settled),
            stopped: outcome.stopped.as_ref().map(Stopped::from),
            written: Written::from(&outcome.written),
            counted: outcome.files,
            told: outcome.entries,
        }
    }
}
