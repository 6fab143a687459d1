//! Files that changed, and what an interrupted command left: parts of several commands' data.

use super::bytes::Bytes;
use super::text;
use crate::git::trees;
use crate::journal;
use crate::ops::vc::{add, status};
use bstr::BString;
use schemars::JsonSchema;
use serde::Serialize;

/// A file that changed.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
pub struct Change {
    /// Where it is, or was last.
    pub path: Bytes,
    /// Where it was before, if it moved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub renamed_from: Option<Bytes>,
    /// What happened.
    pub change: What,
}

/// What happened to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum What {
    /// It is new.
    Added,
    /// Its bytes or its mode changed.
    Modified,
    /// It is gone.
    Deleted,
    /// It moved, perhaps with changes.
    Renamed,
    /// Something else than a file stands there.
    TypeChanged,
}

/// A file that was left out.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
pub struct Refused {
    /// Where it is.
    pub path: String,
    /// Why, in words.
    pub reason: String,
    /// The same for those who act on it.
    #[serde(skip)]
    pub why: add::Reason,
}

/// What became of a command that a crash had interrupted.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
pub struct Recovered {
    /// Its operation.
    pub operation: String,
    /// Which command it was.
    pub kind: &'static str,
    /// Which way it went.
    pub resolution: Resolution,
    /// Files that were edited since and left alone.
    pub left_alone: Vec<String>,
    /// Files that are not there, since others stand in a folder of that name, or a file on the way to them.
    pub blocked: Vec<String>,
}

/// Which way recovery went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Resolution {
    /// As if it had not been interrupted.
    Finished,
    /// Nothing was touched, because somebody has worked here since; its snapshots are on record.
    PutOnRecord,
    /// Files and index are as after it, but a reference could not be moved; its snapshots are on record.
    Hindered,
}

/// Paths as JSON text.
pub(super) fn paths(paths: &[BString]) -> Vec<String> {
    paths.iter().map(|path| text(path)).collect()
}

impl From<&trees::Change> for Change {
    fn from(change: &trees::Change) -> Self {
        let what = match (&change.renamed_from, change.before, change.after) {
            (Some(_), ..) => What::Renamed,
            (None, None, _) => What::Added,
            (None, _, None) => What::Deleted,
            _ => What::Modified,
        };
        Self {
            path: Bytes::from(&change.path),
            renamed_from: change.renamed_from.as_ref().map(Bytes::from),
            change: what,
        }
    }
}

impl From<&status::Entry> for Change {
    fn from(entry: &status::Entry) -> Self {
        Self {
            path: Bytes::from(&entry.path),
            renamed_from: entry.renamed_from.as_ref().map(Bytes::from),
            change: match entry.change {
                status::ChangeKind::Added => What::Added,
                status::ChangeKind::Modified => What::Modified,
                status::ChangeKind::Deleted => What::Deleted,
                status::ChangeKind::Renamed => What::Renamed,
                status::ChangeKind::TypeChanged => What::TypeChanged,
            },
        }
    }
}

impl From<&add::Refused> for Refused {
    fn from(refused: &add::Refused) -> Self {
        Self { path: text(&refused.path), reason: refused.reason.to_string(), why: refused.reason.clone() }
    }
}

impl From<&journal::Recovered> for Recovered {
    fn from(recovered: &journal::Recovered) -> Self {
        Self {
            operation: recovered.id.to_string(),
            kind: recovered.kind.word(),
            resolution: match recovered.resolution {
                journal::Resolution::Finished => Resolution::Finished,
                journal::Resolution::PutOnRecord => Resolution::PutOnRecord,
                journal::Resolution::Hindered => Resolution::Hindered,
            },
            left_alone: paths(&recovered.left_alone),
            blocked: paths(&recovered.blocked),
        }
    }
}
