//! A changed file: part of several commands' data.

use super::bytes::Bytes;
use brv_git::Version;
use brv_git::trees;
use brv_text::diff::Hunk;
use bstr::BString;
use schemars::JsonSchema;
use serde::Serialize;

/// A file that changed.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
#[schemars(rename = "Change")]
pub struct PathChange {
    /// Its path; the last one if it was deleted.
    pub path: Bytes,
    /// The old path, if it was renamed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub renamed_from: Option<Bytes>,
    /// What happened to it.
    pub change: What,
}

/// What happened to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum What {
    /// The file is new.
    Added,
    /// The content or the mode changed.
    Modified,
    /// The file was deleted.
    Deleted,
    /// The file was renamed, perhaps with changes.
    Renamed,
    /// The type changed, for example from a file to a symlink.
    TypeChanged,
}

/// A changed file.
#[derive(Debug, JsonSchema, Serialize)]
pub struct FileDifference {
    #[serde(flatten)]
    pub(crate) change: PathChange,
    /// Similarity of a renamed file, in percent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) similarity: Option<u8>,
    /// Numbers of added and removed lines; both absent with the name flags, and for a file in conflict.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) added: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) removed: Option<usize>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) binary: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) hunks: Option<Vec<Hunk>>,
}

impl PathChange {
    pub(crate) fn between(path: &BString, renamed_from: Option<&BString>, before: bool, after: bool) -> Self {
        let change = match (renamed_from, before, after) {
            (Some(_), ..) => What::Renamed,
            (None, false, _) => What::Added,
            (None, _, false) => What::Deleted,
            _ => What::Modified,
        };
        Self { path: path.into(), renamed_from: renamed_from.map(Bytes::from), change }
    }

    /// A change of the work tree or the index, which may be one of the type.
    pub fn of_type(change: &trees::Change) -> Self {
        let types = |before: Version, after: Version| before.mode.is_of_same_type(after.mode);
        match (Self::from(change), change.before, change.after) {
            (told, Some(before), Some(after)) if told.change == What::Modified && !types(before, after) => {
                Self { change: What::TypeChanged, ..told }
            }
            (told, ..) => told,
        }
    }
}

impl From<&trees::Change> for PathChange {
    fn from(change: &trees::Change) -> Self {
        let trees::Change { path, renamed_from, before, after, .. } = change;
        Self::between(path, renamed_from.as_ref(), before.is_some(), after.is_some())
    }
}
