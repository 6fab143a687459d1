//! JSON of `brv review show` and `brv review reject`.

use super::undo::Undo;
use brv_commands::review::{Decided, Row, reject, show};
use brv_engine::merge::reconcile::Conflict;
use brv_engine::read::history::knowledge::Told;
use brv_engine::review::Standing;
use brv_text::diff::knowledge::{Entry, Place};
use schemars::JsonSchema;
use serde::Serialize;

/// `brv.review.show/1`
#[derive(Debug, Serialize, JsonSchema)]
pub struct ReviewShow {
    /// The id, as typed.
    pub id: String,
    /// The changes that it names.
    pub items: Vec<ReviewItem>,
}

/// A change with its effect.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ReviewItem {
    #[serde(flatten)]
    pub row: Row,
    /// The change by meaning, as in `brv vc diff`.
    pub entry: Option<Entry>,
    /// What became of it, in a word; printed in the heading.
    #[serde(skip)]
    pub standing: &'static str,
    /// All that belongs to it, for the text output.
    #[serde(skip)]
    pub told: Told,
}

/// `brv.review.reject/1`; paths are relative to the tree.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ReviewReject {
    /// What was rejected; nothing if there are conflicts.
    pub decided: Vec<Decided>,
    /// The operation that takes it back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operation: Option<String>,
    /// Its commit, if one was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// Files in conflict: nothing was written.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conflicts: Vec<Conflict>,
    /// Files that were restored but not committed, because they have uncommitted edits.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub uncommitted: Vec<String>,
    /// What was taken back, for the text output.
    #[serde(skip)]
    pub undone: Option<Box<Undo>>,
}

impl From<show::Outcome> for ReviewShow {
    fn from(outcome: show::Outcome) -> Self {
        Self { id: outcome.id, items: outcome.items.into_iter().map(ReviewItem::from).collect() }
    }
}

impl From<show::Item> for ReviewItem {
    fn from(item: show::Item) -> Self {
        let show::Item { row, standing, told } = item;
        let is_at =
            |place: &Option<Place>| place.as_ref().is_some_and(|place| place.path == *row.path.as_bytes());
        let own = |entry: &&Entry| is_at(&entry.after) || is_at(&entry.before);
        let entry = told.entries.iter().find(own).cloned();
        Self { row, entry, standing: word(standing), told }
    }
}

const fn word(standing: Standing) -> &'static str {
    match standing {
        Standing::Pending => "pending",
        Standing::Published => "published",
        Standing::Approved => "approved",
        Standing::TakenBack => "rejected or undone",
    }
}

impl From<reject::Outcome> for ReviewReject {
    fn from(outcome: reject::Outcome) -> Self {
        let mut undone = outcome.undone.map(|undone| Box::new(Undo::from(undone)));
        let conflicts = undone.as_mut().map(|undone| std::mem::take(&mut undone.conflicts));
        Self {
            decided: outcome.decided,
            operation: undone.as_ref().and_then(|undone| undone.written.rewritten.operation.clone()),
            commit: undone.as_ref().and_then(|undone| undone.commit.clone()),
            conflicts: conflicts.unwrap_or_default(),
            uncommitted: undone.as_ref().map(|undone| undone.uncommitted.clone()).unwrap_or_default(),
            undone,
        }
    }
}
