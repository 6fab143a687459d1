//! JSON of `brv vc repair`.

use brv_commands::vc::repair::{self, Outcome, State};
use brv_engine::merge::reconcile::Record;
use brv_engine::outcome::bytes::text;
use brv_engine::write::written::{Rewritten, Written, rewritten};
use schemars::JsonSchema;
use serde::Serialize;

/// `brv.vc.repair/1`
#[derive(Debug, JsonSchema, Serialize)]
pub struct Repair {
    /// The files, by path.
    pub files: Vec<RepairedFile>,
    /// The operation and the derived files.
    #[serde(flatten, serialize_with = "rewritten")]
    #[schemars(with = "Rewritten")]
    pub written: Written,
}

/// A file.
#[derive(Debug, JsonSchema, Serialize)]
pub struct RepairedFile {
    /// Its path in the tree.
    pub path: String,
    /// The result for the file.
    #[serde(flatten)]
    pub state: RepairState,
}

/// The result for a file.
#[derive(Debug, JsonSchema, Serialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum RepairState {
    /// Nothing to repair.
    Sound,
    /// Its merge was redone, or would be.
    Repaired {
        /// The merge commit that broke it.
        merge: String,
        /// The repaired text; `null` if it is not UTF-8.
        result: Option<String>,
        /// Number of differences settled automatically.
        settled: usize,
        /// The settled differences.
        records: Vec<Record>,
        /// Number of conflicts left.
        open: usize,
    },
    /// Lines written in or after the merge collide with the repair, or would be lost. Nothing was written.
    InTheWay {
        /// The merge commit that broke it.
        merge: String,
        /// Those lines.
        lines: Vec<String>,
    },
    /// No merge in history produced the markers.
    NoMerge {
        /// Number of conflicts in the file.
        open: usize,
    },
    /// The file is in conflict in a merge in progress.
    Unmerged,
}

impl From<&Outcome> for Repair {
    fn from(outcome: &Outcome) -> Self {
        Self {
            files: outcome.files.iter().map(RepairedFile::from).collect(),
            written: Written::from(&outcome.written),
        }
    }
}

impl From<&repair::File> for RepairedFile {
    fn from(file: &repair::File) -> Self {
        let state = match &file.state {
            State::Sound => RepairState::Sound,
            State::Repaired { merge, bytes, records, open } => RepairState::Repaired {
                merge: merge.to_string(),
                result: String::from_utf8(bytes.clone()).ok(),
                settled: records.len(),
                records: records.iter().map(|record| Record::inside(&file.path, record)).collect(),
                open: *open,
            },
            State::InTheWay { merge, lines } => {
                RepairState::InTheWay { merge: merge.to_string(), lines: lines.clone() }
            }
            State::NoMerge { open } => RepairState::NoMerge { open: *open },
            State::Unmerged => RepairState::Unmerged,
        };
        Self { path: text(&file.path), state }
    }
}
