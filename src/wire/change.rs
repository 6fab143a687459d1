//! JSON for changed files and rejected files: parts of several commands' data.

use super::finding::Finding;
use brv_commands::vc::{add, status};
use brv_engine::outcome::bytes::{Bytes, text};
use brv_git::trees;
use brv_text::lint::secrets;
use schemars::JsonSchema;
use serde::Serialize;

/// A file that changed.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
pub struct Change {
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

/// A file that was rejected.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
pub struct Refused {
    /// Its path.
    pub path: String,
    /// Why it was rejected.
    pub reason: String,
    /// The secrets in it, if it was rejected for those.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Finding>,
    /// The same, for code.
    #[serde(skip)]
    pub why: add::Reason,
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
        let findings = match &refused.reason {
            add::Reason::Secrets(found) => found.iter().map(Finding::from).collect(),
            _ => Vec::new(),
        };
        let reason = refused.reason.to_string();
        // a secret may stand in the name of a path
        let path = secrets::masked(&text(&refused.path)).into_owned();
        Self { path, reason, findings, why: refused.reason.clone() }
    }
}
