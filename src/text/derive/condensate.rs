//! The condensate of a folder: the summary that it passes to its parent.
//!
//! Holds everything the parent's index needs, so that the folder's files are not read again.

use serde::{Deserialize, Serialize};

use super::Role;
use brv_base::content::ContentId;

/// The small summary of a folder, from which its parent's index is made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Condensate {
    /// The heading of the folder's `context.md`, if there is one.
    pub title: Option<String>,
    /// The purpose of the folder in one sentence, from its `context.md`; empty without one.
    pub gist: String,
    /// Its content by title: its own entries first, then each of its folders, in order of their names.
    pub parts: Vec<CondensatePart>,
    /// The statements at or below it that are most worth knowing, best first.
    pub gems: Vec<Gem>,
    /// The number of entries at or below it.
    pub entries: u64,
    /// The tokens of all curated files at or below it.
    pub tokens: u64,
    /// The tokens of the body of its `_index.md`: its `token_count`.
    pub index_tokens: u64,
    /// The tokens of its whole `_index.md`: part of what the parent's index covers.
    pub file_tokens: u64,
    /// The hash over names and ids of the curated files at or below it.
    #[serde(with = "hex")]
    pub children_hash: ContentId,
}

/// The titles of the entries of one folder, for its parent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CondensatePart {
    /// The name of the folder, as on disk; empty for the own entries of the folder that passes them up.
    pub name: String,
    /// Titles of entries at or below it, as many as a condensate may hold.
    pub titles: Vec<String>,
    /// The number of entries at or below it.
    pub entries: u64,
}

/// A statement that a folder passes up.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Gem {
    pub role: Role,
    /// The statement, as inline markdown.
    pub text: String,
    /// The title of its entry or node overview.
    pub title: String,
    /// Whether the statement is the gist of the whole entry.
    pub whole: bool,
    /// The path of its entry, relative to the folder.
    pub path: String,
    /// Its worth, in thousandths.
    pub worth: u32,
}

/// Serialise ids as hexadecimal text.
pub(super) mod hex {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    use brv_base::content::ContentId;

    pub fn serialize<S: Serializer>(id: &ContentId, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(id)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<ContentId, D::Error> {
        let text = String::deserialize(deserializer)?;
        ContentId::from_hex(&text).ok_or_else(|| D::Error::custom("not 40 hexadecimal digits"))
    }
}
