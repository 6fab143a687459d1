//! What bringing another commit in did: the part that the data of `brv vc pull` and `brv vc merge` share.

use super::decision::{Conflict, Record, records};
use super::knowledge::Entry;
use super::text;
use super::vc::diff::FileDifference;
use super::written::Written;
use crate::diff::knowledge as model;
use crate::ops::steps::merging::guards::{self, Guard, Rewrite};
use crate::ops::steps::merging::integrate::{self, MOST_TOLD, Outcome};
use crate::ops::vc::diff::FileChange;
use bstr::BString;
use schemars::JsonSchema;
use serde::Serialize;

/// Paths are relative to the tree.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Integrated {
    /// Where the branch was.
    pub before: Option<String>,
    /// Where it is.
    pub after: Option<String>,
    /// `up_to_date`, `fast_forward`, `merged`, `squashed`, `conflicted`, `followed` (the branch went over to a history that
    /// was rewritten) or `stopped`.
    #[schemars(with = "&str")]
    pub relation: Relation,
    /// The files that changed here.
    files: Vec<FileDifference>,
    /// The same by meaning, as in `brv vc diff`, without what must be decided; absent where more than 200 files changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    entries: Option<Vec<Entry>>,
    /// How many files are too many to be told by meaning here: `brv vc diff` does.
    #[serde(skip_serializing_if = "Option::is_none")]
    more: Option<usize>,
    /// What must be decided.
    pub conflicts: Vec<Conflict>,
    /// What was settled without a person.
    pub records: Vec<Record>,
    /// Which guard stopped it, so that nothing was done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped: Option<Stopped>,
    /// The rest.
    #[serde(flatten)]
    pub written: Written,
    /// All of `files`, as the screen counts them.
    #[serde(skip)]
    pub counted: Vec<FileChange>,
    /// All of `entries`, as the screen tells them.
    #[serde(skip)]
    pub told: Vec<model::Entry>,
}

/// How the two histories stood to each other, and what was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Relation {
    /// The other side has nothing that is not here.
    UpToDate,
    /// Only the other side has new commits.
    FastForward,
    /// They were merged.
    Merged,
    /// They were merged, and the result is staged.
    Squashed,
    /// Some files must be decided.
    Conflicted,
    /// The branch went over to a history that was rewritten.
    Followed,
    /// A guard stopped it.
    Stopped,
}

/// A guard that stopped.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Stopped {
    /// `rewrite`: the remote has dropped commits that it had; `mass-delete`: a large part of the entries would be deleted.
    /// Also what `--allow` takes.
    pub guard: &'static str,
    /// The ref that keeps what would be lost; absent in a dry run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rescue: Option<String>,
    /// The ref here that remembers the branch that was rewritten.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// Where that was.
    #[serde(skip_serializing_if = "Option::is_none")]
    old: Option<String>,
    /// Where it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    new: Option<String>,
    /// How many commits the remote has dropped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dropped: Option<usize>,
    /// The entries that would be deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deleted: Option<Vec<String>>,
    /// How many entries there are.
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
            entries: (!is_large).then(|| outcome.entries.iter().map(Entry::from).collect()),
            more: is_large.then_some(outcome.files.len()),
            conflicts: outcome.conflicts.iter().map(Conflict::from).collect(),
            records: records(&outcome.settled),
            stopped: outcome.stopped.as_ref().map(Stopped::from),
            written: Written::from(&outcome.written),
            counted: outcome.files,
            told: outcome.entries,
        }
    }
}
