//! What a folder tells the folder above it.
//!
//! Knows nothing of the files of the folder but what is said here, so that an index is made without reading them again.

use serde::{Deserialize, Serialize};

use super::Role;
use crate::content::ContentId;

/// The small value of a folder that its parent's index is made from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Condensate {
    /// The heading of the folder's `context.md`, if there is one.
    pub title: Option<String>,
    /// What the folder is for, in a sentence, from its `context.md`; empty without one.
    pub gist: String,
    /// What is in it, by title: its own entries first, then each of its folders, in order of their names.
    pub parts: Vec<Part>,
    /// The statements at or below it most worth knowing, best first.
    pub gems: Vec<Gem>,
    /// How many entries there are at or below it.
    pub entries: u64,
    /// The tokens of all curated files at or below it.
    pub tokens: u64,
    /// The tokens of what its `_index.md` says: its `token_count`.
    pub index_tokens: u64,
    /// The tokens of its whole `_index.md`: what the index above covers.
    pub file_tokens: u64,
    /// The hash over names and ids of the curated files at or below it.
    #[serde(with = "hex")]
    pub children_hash: ContentId,
}

/// The entries of one folder, by title, as the folder above tells them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// The name of the folder, as it is on disk; empty for the entries of the folder that tells it.
    pub name: String,
    /// Titles of entries at or below it, as many as a condensate may hold.
    pub titles: Vec<String>,
    /// How many entries there are at or below it.
    pub entries: u64,
}

/// A statement that a folder passes up.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Gem {
    /// What kind of statement it is.
    pub role: Role,
    /// The statement, as inline markdown.
    pub text: String,
    /// The title of its entry, or of the node overview it is from.
    pub title: String,
    /// Whether the statement is what the whole entry is about.
    pub whole: bool,
    /// Where it stands, relative to the folder.
    pub path: String,
    /// What it is worth, in thousandths.
    pub worth: u32,
}

/// Ids as hexadecimal text.
pub(super) mod hex {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    use crate::content::ContentId;

    pub fn serialize<S: Serializer>(id: &ContentId, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(id)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<ContentId, D::Error> {
        let text = String::deserialize(deserializer)?;
        ContentId::from_hex(&text).ok_or_else(|| D::Error::custom("not 40 hexadecimal digits"))
    }
}
