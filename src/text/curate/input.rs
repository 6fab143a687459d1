//! The shape of the JSON that `brv curate` reads, from which its schema is made.
//!
//! Knows names and types; what fields say together is checked elsewhere.

use crate::doc::{EntryBody, Status};
use schemars::JsonSchema;
use serde::Deserialize;

/// The input of `brv curate --ops`: operations, applied in order.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Operations {
    /// A bare array.
    List(Vec<OperationInput>),
    /// An object with the array.
    Named(OperationsObject),
}

/// Operations in an object.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "Named")]
#[serde(deny_unknown_fields)]
pub struct OperationsObject {
    /// The operations, applied in order.
    pub operations: Vec<OperationInput>,
}

/// One operation, as it is written.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Written")]
pub struct OperationInput {
    /// What to do.
    #[serde(rename = "type")]
    pub kind: CurateKind,
    /// The folder (`domain/topic` or `domain/topic/subtopic`), or the file (`domain/topic/name.md`,
    /// `domain/topic/context.md`).
    pub path: String,
    /// The title of the entry; with a folder as path it makes the file name.
    pub title: Option<String>,
    /// Why: kept in the history of the entry.
    pub reason: String,
    /// One line about the entry.
    pub summary: Option<String>,
    /// Replaces the tags.
    pub tags: Option<Vec<String>>,
    /// Replaces the keywords.
    pub keywords: Option<Vec<String>>,
    /// Replaces the related entries: `domain/topic`, `domain/topic/title` or `domain/topic/title.md`.
    pub related: Option<Vec<String>>,
    /// The status.
    pub status: Option<Status>,
    /// Whether the entry is pinned.
    pub pinned: Option<bool>,
    /// The body as markdown. An update replaces the sections whose headings it has, and adds text without a heading to
    /// the text before the first section.
    pub markdown: Option<String>,
    /// The body by its parts. An update replaces the parts that are given. Beside `markdown` it may have facts only.
    pub content: Option<EntryBody>,
    /// MERGE: the entry that goes into this one and is removed.
    pub source: Option<String>,
    /// The blob id that the entry must have.
    pub expect: Option<String>,
    /// The blob id of the version that was read: what changed since is merged.
    pub base: Option<String>,
    /// Replace the whole body.
    #[serde(default)]
    pub replace: bool,
    /// What to remove from the entry.
    #[serde(default)]
    pub remove: Remove,
    /// DELETE: a folder with everything in it.
    #[serde(default)]
    pub recursive: bool,
    /// The id of the commit of the code that the knowledge comes from. Operations of one commit land together.
    pub source_commit: Option<String>,
}

impl OperationInput {
    /// An operation that says nothing but what, where and why.
    pub fn new(kind: CurateKind, path: String, reason: String) -> Self {
        Self { kind, path, reason, ..Self::default() }
    }
}

/// The type of an operation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
#[schemars(rename = "KindWord")]
pub enum CurateKind {
    Add,
    Update,
    // create an entry, or change it if it is there
    #[default]
    Upsert,
    // bring another entry into this one and remove it
    Merge,
    // remove an entry, or a folder
    Delete,
}

impl CurateKind {
    /// The word in input and output.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Add => "ADD",
            Self::Update => "UPDATE",
            Self::Upsert => "UPSERT",
            Self::Merge => "MERGE",
            Self::Delete => "DELETE",
        }
    }
}

/// What to remove from an entry.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "RemoveWritten")]
pub struct Remove {
    /// Subjects of facts.
    pub facts: Vec<String>,
    /// Headings of sections, removed with everything nested in them.
    pub sections: Vec<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_of_the_input_names_every_field() {
        let schema = schemars::schema_for!(Operations).to_value().to_string();
        for name in ["operations", "UPSERT", "raw_concept", "recursive", "expect", "superseded", "preference"]
        {
            assert!(schema.contains(name), "{name}");
        }
    }
}
