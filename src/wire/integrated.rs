//! What bringing another commit in did: the part that the data of `brv vc pull` and `brv vc merge` share.

use super::decision::{Conflict, Record, records};
use super::knowledge::Entry;
use super::text;
use super::vc::diff::FileDifference;
use super::written::Written;
use crate::ops::steps::merging::guards::{self, Guard, Rewrite};
use crate::ops::steps::merging::integrate::{MOST_TOLD, Outcome, Relation};
use bstr::BString;
use schemars::JsonSchema;
use serde::Serialize;

/// Paths are relative to the tree.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Integrated {
    before: Option<String>,
    after: Option<String>,
    /// `up_to_date`, `fast_forward`, `merged`, `squashed`, `conflicted`, `followed` (the branch went over to a history that
    /// was rewritten) or `stopped`.
    relation: &'static str,
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

impl From<&Outcome> for Integrated {
    fn from(outcome: &Outcome) -> Self {
        let is_large = outcome.files.len() > MOST_TOLD;
        Self {
            before: outcome.before.map(|id| id.to_string()),
            after: outcome.after.map(|id| id.to_string()),
            relation: match outcome.relation {
                Relation::UpToDate => "up_to_date",
                Relation::FastForward => "fast_forward",
                Relation::Merged => "merged",
                Relation::Squashed => "squashed",
                Relation::Conflicted => "conflicted",
                Relation::Followed => "followed",
                Relation::Stopped => "stopped",
            },
            files: outcome.files.iter().map(|file| FileDifference::new(file, false)).collect(),
            entries: (!is_large).then(|| outcome.entries.iter().map(Entry::from).collect()),
            more: is_large.then_some(outcome.files.len()),
            conflicts: outcome.conflicts.iter().map(Conflict::from).collect(),
            records: records(&outcome.settled),
            stopped: outcome.stopped.as_ref().map(Stopped::from),
            written: Written::from(&outcome.written),
        }
    }
}
