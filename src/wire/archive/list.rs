//! JSON of `brv archive list`.

use crate::clock;
use crate::ops::archive::list::{Inventory, Item, Malformed, State};
use crate::path::TreePath;
use schemars::JsonSchema;
use serde::Serialize;

/// `brv.archive.list/1`; paths are relative to the tree.
#[derive(Debug, JsonSchema, Serialize)]
pub struct ArchiveList {
    /// The archived entries, by path; of several versions of one path the one archived last comes first.
    pub archived: Vec<ArchivedItem>,
    /// Items of the field `archived` that brv cannot read: kept, and of no effect.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub malformed: Vec<MalformedItem>,
}

/// An archived entry.
#[derive(Debug, JsonSchema, Serialize)]
pub struct ArchivedItem {
    /// The path that the entry had.
    pub path: String,
    /// The git blob ID of its content; `null` if only a stub of another tool is known.
    pub blob: Option<String>,
    /// Its importance when it was archived, 0 to 100.
    pub importance: Option<f64>,
    /// When it was archived: `2026-11-20T12:30:00Z`.
    pub archived_at: Option<String>,
    /// Its stub, if that is on disk.
    pub stub: Option<String>,
    /// Its full copy, if that is on disk.
    pub full: Option<String>,
    /// Estimated tokens of the entry: characters divided by four.
    pub tokens: Option<u64>,
    /// Who archived it, and whether its content is here.
    pub state: ArchivedState,
}

/// Who archived an entry, and whether its content is here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ArchivedState {
    /// brv, and the content is in this clone.
    Here,
    /// brv, and the content is not in this clone, such as a shallow one.
    Missing,
    /// Another tool: on disk, in the last commit, or in an earlier one.
    Foreign,
}

/// An item of the field `archived` that brv cannot read.
#[derive(Debug, JsonSchema, Serialize)]
pub struct MalformedItem {
    /// The `context.md` that has it.
    pub path: String,
    /// The item as written.
    pub item: String,
}

impl From<&Inventory> for ArchiveList {
    fn from(inventory: &Inventory) -> Self {
        Self {
            archived: inventory.items.iter().map(ArchivedItem::from).collect(),
            malformed: inventory.malformed.iter().map(MalformedItem::from).collect(),
        }
    }
}

impl From<&Item> for ArchivedItem {
    fn from(item: &Item) -> Self {
        let text = |path: &Option<TreePath>| path.as_ref().map(ToString::to_string);
        Self {
            path: item.path.to_string(),
            blob: item.blob.map(|blob| blob.to_string()),
            importance: item.importance,
            archived_at: item.archived_at.map(clock::format_utc),
            stub: text(&item.stub),
            full: text(&item.full),
            tokens: item.tokens,
            state: match item.state {
                State::Here => ArchivedState::Here,
                State::Missing => ArchivedState::Missing,
                State::Foreign => ArchivedState::Foreign,
            },
        }
    }
}

impl From<&Malformed> for MalformedItem {
    fn from(malformed: &Malformed) -> Self {
        Self { path: malformed.path.to_string(), item: malformed.item.clone() }
    }
}
