//! JSON for the merge of another commit: shared by the data of `brv vc pull`, `brv vc merge` and `brv vc sync`.

use brv_commands::vc::diff::FileChange;
use brv_engine::merge::guards::Stopped;
use brv_engine::merge::integrate::{self, MOST_TOLD, Outcome};
use brv_engine::merge::reconcile::{Conflict, Record};
use brv_engine::outcome::change::FileDifference;
use brv_engine::write::written::Written;
use brv_text::diff::knowledge::Entry;
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
            stopped: outcome.stopped,
            written: Written::from(&outcome.written),
            counted: outcome.files,
            told: outcome.entries,
        }
    }
}
