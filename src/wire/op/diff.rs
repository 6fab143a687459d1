//! JSON of `brv op diff`: what an operation changed.

use crate::wire::vc::diff::FileDifference;
use brv_commands::op::show;
use brv_engine::journal::{ChangedSettings, RefMove};
use brv_engine::read::history::knowledge::Told;
use brv_text::diff::knowledge::Entry;
use schemars::JsonSchema;
use serde::Serialize;

/// `brv.op.diff/1`
#[derive(Debug, JsonSchema, Serialize)]
pub struct OpDiff {
    /// The id of the operation.
    pub id: String,
    files: Vec<FileDifference>,
    /// The references that it moved.
    pub moves: Vec<RefMove>,
    /// The settings of branches and remotes that it changed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub settings: Vec<ChangedSettings>,
    /// The changes by meaning: fields, facts and sections; absent with `--stat` and the name flags.
    #[serde(skip_serializing_if = "Option::is_none")]
    entries: Option<Vec<Entry>>,
    /// The exact changes.
    #[serde(skip)]
    pub told: Told,
}

impl OpDiff {
    pub fn new(outcome: show::Outcome, with_lines: bool) -> Self {
        let (moves, settings) = match &outcome.told {
            show::Told::Recorded(recorded) => (recorded.1.moves.clone(), recorded.1.settings.clone()),
            show::Told::Foreign(_) => (Vec::new(), Vec::new()),
        };
        Self {
            id: outcome.told.id().to_string(),
            files: outcome.files.iter().map(|file| FileDifference::new(file, with_lines)).collect(),
            moves,
            settings,
            entries: with_lines.then(|| outcome.entries.clone()),
            told: Told { files: outcome.files, entries: outcome.entries },
        }
    }
}
