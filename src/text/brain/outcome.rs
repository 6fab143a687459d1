//! The answer of `brv brain`, as JSON.

use crate::stale::Freshness;
use brv_base::json;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// `brv.brain/1`; paths are relative to the tree.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Brain")]
pub struct Outcome {
    /// The markdown; empty if it is not modified.
    pub document: String,
    /// The tokens of the document: its characters divided by four.
    pub token_estimate: u64,
    /// How many entries it shows or has statements of in layers 1 and 2.
    pub items_loaded: usize,
    /// The folders of these entries, at most two levels deep.
    pub schema_keys: Vec<String>,
    /// Changes if the document does.
    pub brain_hash: String,
    /// The folders of the entries that are not in layer 3.
    pub tree: Vec<FolderNode>,
    /// What each layer shows.
    pub layers: Vec<BrainLayer>,
    /// How many entries are in layer 3 or archived.
    pub archived: usize,
    /// How many entries are left out because nobody here has accepted them.
    pub withheld: usize,
    /// What is shown for the task, best first; of one entry there may be several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passages: Option<Vec<Needed>>,
    /// What changed since an earlier document or a commit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<Since>,
    /// Whether the caller has this document.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[schemars(with = "Option<bool>")]
    pub not_modified: bool,
    /// Why each entry is in, out or cut.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explain: Option<Vec<EntryExplanation>>,
    /// For an agent: who changed the entries last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Option<Vec<LastChange>>")]
    pub last_changes: Vec<LastChange>,
}

/// The last change of some entries, by one commit.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct LastChange {
    /// The entries, sorted.
    pub paths: Vec<String>,
    /// `null`: they have changes that are not committed.
    pub author: Option<String>,
    /// The agent that acted for the author.
    pub actor: Option<String>,
    pub commit: Option<String>,
}

/// A folder.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "BrainNode")]
pub struct FolderNode {
    /// Its path.
    pub key: String,
    /// How many entries that are not in layer 3 are in it or below it.
    pub items: usize,
    /// The folders in it.
    pub children: Vec<FolderNode>,
}

/// What a layer shows.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "BrainLayer")]
pub struct BrainLayer {
    /// From 0 to 2.
    pub layer: u8,
    /// The tokens of its text.
    pub tokens: u64,
    /// The most that it may have.
    pub budget: u64,
    /// How many of its statements or entries had no room.
    pub cut: usize,
    /// The statements or entries that are shown; a path may occur twice.
    pub items: Vec<Item>,
}

/// A statement that is shown, or in layer 2 an entry.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "BrainItem")]
pub struct Item {
    /// The path of its entry; others may have the same.
    pub path: String,
    /// What kind of knowledge the entry is.
    #[serde(rename = "type")]
    pub entry_kind: String,
    /// The subject of the fact or the lead of the item; the title of the entry, where its summary is shown. May be empty.
    pub title: String,
    /// What of it is shown, on one line of at most 240 characters; empty where it is shown above.
    pub text: String,
    /// `warning`, `disputed`, `rejected`, `decision`, `rule`, `limit`, `trap`, `effect` or `note`; of an entry that of its
    /// best statement.
    pub kind: String,
    /// The month that it is from, such as `2026-07`.
    pub date: String,
    /// Kind × writer × weight × recency × state; of an entry that of its best statement.
    pub score: f64,
    /// The importance of its entry, from 1 to 5.
    pub importance: u8,
    /// The confidence of its entry, from 0 to 1.
    pub confidence: f64,
    /// The days since the last change of its entry.
    pub age_days: i64,
    /// Why it is in this layer.
    pub why: String,
    /// Whether facts of its entry are disputed, by itself or by another statement that is shown.
    pub disputed: bool,
    /// The branch that its commit of the code was made on, if that commit is on no branch and in no tag now; `null` if
    /// that branch is not known.
    #[serde(default, deserialize_with = "json::some", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub unmerged: Option<Option<String>>,
    /// What became of the code that it cites; `null` if it cites nothing.
    pub freshness: Option<Freshness>,
}

/// A passage that a task needs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "BrainPassage")]
pub struct Needed {
    /// The path of its entry.
    pub path: String,
    /// The line that it begins at, from 1.
    pub line: usize,
    /// Whether facts of the entry are disputed.
    pub disputed: bool,
    /// The branch that its commit of the code was made on, if that commit is on no branch and in no tag now; `null` if
    /// that branch is not known.
    #[serde(default, deserialize_with = "json::some", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub unmerged: Option<Option<String>>,
    /// What became of the code that the entry cites; `null` if it cites nothing.
    pub freshness: Option<Freshness>,
}

/// What changed in the tree.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "BrainSince")]
pub struct Since {
    /// The hash or revision that was named.
    pub from: String,
    /// The paths of new entries.
    pub added: Vec<String>,
    /// The paths of entries with other content.
    pub changed: Vec<String>,
    /// The paths of entries that are gone.
    pub removed: Vec<String>,
    /// The entries of the unchanged text of a session whose code is not as that text says.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stale: Vec<Stale>,
    /// The comments that came, and wait for an answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub comments: Vec<SinceComment>,
}

/// A comment that waits for an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "BrainSinceComment")]
pub struct SinceComment {
    pub id: String,
    /// The entry.
    pub path: String,
}

/// An entry whose code moved on since its text was frozen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "BrainStale")]
pub struct Stale {
    /// Its path.
    pub path: String,
    /// What to know of it; `null` if it is not stale any more.
    pub line: Option<String>,
}

impl Since {
    pub const fn is_empty(&self) -> bool {
        self.added.is_empty()
            && self.changed.is_empty()
            && self.removed.is_empty()
            && self.stale.is_empty()
            && self.comments.is_empty()
    }
}

/// What became of an entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "BrainExplained")]
pub struct EntryExplanation {
    /// Its path.
    pub path: String,
    /// From 0 to 3.
    pub layer: u8,
    /// `in`, `out`, `cut`, `similar` or `withheld`.
    pub state: String,
    /// Why it is in this layer, or which entry stands for it.
    pub why: String,
}
