//! `brv op diff`: show what an operation changed in the files.

use super::show::{self, Options};
use brv_engine::Stop;
use brv_engine::journal::{ChangedSettings, RefMove};
use brv_engine::open::context::Context;
use brv_engine::outcome::change::FileDifference;
use brv_engine::read::history::changes::FileChange;
use brv_text::diff::knowledge::Entry;
use schemars::JsonSchema;
use serde::Serialize;

/// `brv.op.diff/1`
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "OpDiff")]
pub struct Outcome {
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
    pub entries: Option<Vec<Entry>>,
    /// The files as they are drawn.
    #[serde(skip)]
    pub changed: Vec<FileChange>,
}

/// `with_lines`: whether the changed lines and entries are data.
pub fn run(cx: &Context<'_>, options: &Options, with_lines: bool) -> Result<Outcome, Stop> {
    let shown = show::run(cx, options)?;
    let (moves, settings) = shown.known.map(|known| (known.moves, known.settings)).unwrap_or_default();
    Ok(Outcome {
        id: shown.id.to_string(),
        files: FileDifference::all(&shown.changes, with_lines),
        moves,
        settings,
        entries: with_lines.then_some(shown.entries),
        changed: shown.changes,
    })
}
