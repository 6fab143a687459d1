//! The files of dreams in `.brv/`: `dream-state.json`, and a log of each dream in `dream-log/`.
//!
//! Their fields are those that ByteRover's have. What journal and history say about a dream wins over what its log says.

use crate::Stop;
use crate::jobs::Store;
use crate::journal::DreamId;
use crate::open::context::Opened;
use crate::open::state::SuggestedMerge;
use brv_base::fs::{self, Durability, Form};
use brv_base::path::TreePath;
use brv_git::CommitId;
use brv_text::doc;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::PathBuf;

/// The version of the fields of `dream-state.json`.
const VERSION: u32 = 1;

/// `dream-state.json`
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DreamState {
    pub version: u32,
    /// Operations of `curate` in this clone since the last dream.
    pub curations_since_dream: usize,
    /// When the last dream ended, as in `2026-11-20T12:30:00Z`.
    pub last_dream_at: Option<String>,
    /// Dreams that stand.
    pub total_dreams: usize,
    /// Merges that prune suggested to the next dream.
    pub pending_merges: Vec<PendingMerge>,
    /// The commit that the last dream left: what differs from it has changed.
    pub last_dream_commit: Option<String>,
}

/// A merge that prune suggests to the next dream.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PendingMerge {
    pub source_file: String,
    pub merge_target: String,
    pub reason: String,
    pub suggested_by_dream_id: String,
}

impl PendingMerge {
    /// As the state knows it.
    pub(super) fn key(&self) -> SuggestedMerge {
        let Self { source_file, merge_target, suggested_by_dream_id, .. } = self.clone();
        SuggestedMerge { source: source_file, target: merge_target, dream: suggested_by_dream_id }
    }

    /// The two files, if both are paths.
    pub fn paths(&self) -> Option<(TreePath, TreePath)> {
        let path = |text: &str| TreePath::parse(text.as_bytes()).ok();
        Some((path(&self.source_file)?, path(&self.merge_target)?))
    }
}

/// How a dream ended, as its log says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DreamLogStatus {
    Completed,
    Partial,
    Undone,
    /// It failed, or nothing became of it.
    Other,
}

impl DreamLogStatus {
    fn of(word: &str) -> Self {
        match word {
            "completed" => Self::Completed,
            "partial" => Self::Partial,
            "undone" => Self::Undone,
            _ => Self::Other,
        }
    }

    /// Whether it counts as a dream.
    pub fn ran(self) -> bool {
        self != Self::Other
    }
}

/// What the log of a dream says about it as a whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Log {
    pub id: DreamId,
    pub status: DreamLogStatus,
    pub operation: Option<String>,
    /// Whether it was to be on a branch of its own.
    pub is_on_branch: bool,
    /// When it ended, in seconds since 1970.
    pub ended: Option<i64>,
    /// The commit that it left.
    pub head: Option<CommitId>,
}

impl Log {
    /// Whether the log is all that there is of it.
    pub fn changes_no_file(&self) -> bool {
        self.operation.is_none() && !self.is_on_branch
    }
}

/// What began a dream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Trigger {
    /// A person or an agent.
    Manual,
    /// `--detach`
    Queued,
    /// `--if-due`, or `dream.auto`.
    Due,
}

fn file(opened: &Opened, name: &str) -> Result<PathBuf, Stop> {
    opened.places.shared(name, opened.scope.environment())
}

/// The place of the lock of a dream.
pub(super) fn lock_file(opened: &Opened) -> Result<PathBuf, Stop> {
    file(opened, "dream.lock")
}

/// The state as it was written last; the empty one if there is none, or none that can be read. A clone may have brought the
/// file: only merges that a dream of this clone suggested are among its merges.
pub fn read_state(opened: &Opened) -> Result<DreamState, Stop> {
    let bytes = fs::read_shipped(&file(opened, "dream-state.json")?, Form::State).ok().flatten();
    let mut state: DreamState =
        bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default();
    if !state.pending_merges.is_empty() {
        let known = Store::of(opened)?.read(|state| state.suggested_merges())?;
        state.pending_merges.retain(|merge| known.contains(&merge.key()));
    }
    Ok(state)
}

pub fn write_state(opened: &Opened, state: &DreamState) -> Result<(), Stop> {
    let state = DreamState { version: VERSION, ..state.clone() };
    let mut text = serde_json::to_string_pretty(&state).expect("the keys are texts");
    text.push('\n');
    Ok(fs::replace(&file(opened, "dream-state.json")?, text.as_bytes(), Durability::Later)?)
}

fn log_folder(opened: &Opened) -> Result<PathBuf, Stop> {
    file(opened, "dream-log")
}

/// Write the log of a dream: `outcome` with its keys in camelCase.
pub fn write_log(opened: &Opened, id: DreamId, outcome: Value) -> Result<(), Stop> {
    let mut text = serde_json::to_string_pretty(&camel(outcome)).expect("the keys are texts");
    text.push('\n');
    let path = log_folder(opened)?.join(format!("{id}.json"));
    Ok(fs::replace(&path, text.as_bytes(), Durability::Later)?)
}

/// The log of a dream as JSON; `None` if there is none that can be read.
pub fn read_log(opened: &Opened, id: DreamId) -> Result<Option<Value>, Stop> {
    let bytes = fs::read_shipped(&log_folder(opened)?.join(format!("{id}.json")), Form::Json).ok().flatten();
    Ok(bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()))
}

/// All logs that can be read, oldest first.
pub fn logs(opened: &Opened) -> Result<Vec<Log>, Stop> {
    let folder = log_folder(opened)?;
    if fs::stat(&folder)?.is_none() {
        return Ok(Vec::new());
    }
    let names = fs::names(&folder)?;
    let mut ids: Vec<DreamId> =
        names.iter().filter_map(|name| DreamId::parse(name.strip_suffix(".json")?)).collect();
    ids.sort_unstable();
    let mut logs = Vec::with_capacity(ids.len());
    for id in ids {
        let Some(log) = read_log(opened, id)? else { continue };
        let text = |key: &str| log.get(key).and_then(Value::as_str).map(str::to_owned);
        logs.push(Log {
            id,
            status: DreamLogStatus::of(&text("status").unwrap_or_default()),
            operation: text("operation"),
            is_on_branch: text("branch").is_some() || log.get("onBranch") == Some(&Value::Bool(true)),
            ended: text("completedAt").and_then(|text| doc::instant(&text)).map(|(seconds, _)| seconds),
            head: text("head").and_then(|id| CommitId::from_hex(&id)),
        });
    }
    Ok(logs)
}

/// `needs_review` becomes `needsReview`, in every object.
fn camel(value: Value) -> Value {
    match value {
        Value::Object(fields) => {
            Value::Object(fields.into_iter().map(|(key, value)| (camel_key(&key), camel(value))).collect())
        }
        Value::Array(items) => items.into_iter().map(camel).collect(),
        other => other,
    }
}

fn camel_key(key: &str) -> String {
    let mut words = key.split('_');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |mut key, word| {
        let mut letters = word.chars();
        key.extend(letters.next().map(|letter| letter.to_ascii_uppercase()));
        key.push_str(letters.as_str());
        key
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn keys_are_in_camel_case_at_every_depth_and_stay_so() {
        let value = json!({"needs_review": [{"flagged_for_review": 1}], "id": "a_b"});
        let expected = json!({"needsReview": [{"flaggedForReview": 1}], "id": "a_b"});
        assert_eq!(camel(value), expected);
        assert_eq!(camel(expected.clone()), expected);
    }

    #[test]
    fn the_state_of_another_tool_is_read_and_what_is_no_state_is_as_none() {
        let text = r#"{"curationsSinceDream":2,"lastDreamAt":"2026-01-02T03:04:05.000Z","totalDreams":7,"pendingMerges":[{"sourceFile":"a/b.md","mergeTarget":"a/c.md","reason":"same","suggestedByDreamId":"drm-1"}],"other":1}"#;
        let state: DreamState = serde_json::from_str(text).unwrap();
        assert_eq!((state.curations_since_dream, state.total_dreams, state.version), (2, 7, 0));
        assert_eq!(state.pending_merges[0].paths().unwrap().1.as_str(), "a/c.md");
        assert!(serde_json::from_str::<DreamState>("\"no state\"").is_err());
    }
}
