//! The data of `brv vc repair`.

use crate::ops::vc::repair::{self, Outcome, State};
use crate::wire::decision::{self, Record};
use crate::wire::text;
use crate::wire::written::{Rewritten, Written, rewritten};
use schemars::JsonSchema;
use serde::Serialize;

/// `brv.vc.repair/1`
#[derive(Debug, JsonSchema, Serialize)]
pub struct Repair {
    /// Each file, by path.
    pub files: Vec<RepairedFile>,
    /// The rest.
    #[serde(flatten, serialize_with = "rewritten")]
    #[schemars(with = "Rewritten")]
    pub written: Written,
}

/// One file.
#[derive(Debug, JsonSchema, Serialize)]
pub struct RepairedFile {
    /// Where it is in the tree.
    pub path: String,
    /// What became of it.
    #[serde(flatten)]
    pub state: RepairState,
}

/// What became of a file.
#[derive(Debug, JsonSchema, Serialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum RepairState {
    /// Nothing is wrong with it.
    Sound,
    /// Its merge was made again, or would be.
    Repaired {
        /// The merge that broke it.
        merge: String,
        /// The file as it is, or would be, now; `null` where it is no UTF-8.
        result: Option<String>,
        /// How many differences were settled by rule.
        settled: usize,
        /// What was settled, each with what it was.
        records: Vec<Record>,
        /// How many decisions are left in it.
        open: usize,
    },
    /// What somebody wrote in or after the merge collides with it, or would vanish. Nothing was written.
    InTheWay {
        /// The merge that broke it.
        merge: String,
        /// The lines.
        lines: Vec<String>,
    },
    /// No merge in the history made it so.
    NoMerge {
        /// How many decisions stand in it.
        open: usize,
    },
    /// A merge waits for its decisions.
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
                records: records.iter().map(|record| decision::inside(&text(&file.path), record)).collect(),
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
