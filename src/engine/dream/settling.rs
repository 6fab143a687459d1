//! Bring the files of dreams in line with journal and history, which win over what the files say.

use super::files::{DreamLogStatus, logs, read_log, read_state, write_log, write_state};
use super::{Dream, DreamState, Dreams, Log, PendingMerge};
use crate::Stop;
use crate::jobs::Store;
use crate::journal::{self, DreamId, Listed, OperationId, OperationKind};
use crate::open::context::Opened;
use brv_base::clock::format_utc;
use brv_git::Scope;
use serde_json::Value;

/// Bring the files in line with journal and history: after a dream, an undo, and a pull. Where nothing ever dreamed there
/// are none, and none are made.
pub fn settle(opened: &Opened) -> Result<(), Stop> {
    let logs = logs(opened)?;
    let state = read_state(opened)?;
    if logs.is_empty() && state == DreamState::default() {
        return Ok(());
    }
    let listed = journal::list(&opened.scope)?;
    let dreams = Dreams::of(&opened.scope, &listed, &logs)?;
    for log in &logs {
        let dream = dreams.find(log.id);
        let is_undone = dream.is_some_and(|dream| dream.is_undone);
        match (is_undone, log.status) {
            (true, DreamLogStatus::Completed | DreamLogStatus::Partial) => mark(opened, log.id, "undone")?,
            (false, DreamLogStatus::Undone) if dream.is_some() => mark(opened, log.id, "completed")?,
            _ => {}
        }
    }
    let pending_merges = pending(opened, (&dreams, &logs), &state)?;
    let computed = computed(&opened.scope, &listed, (&dreams, pending_merges), state.clone());
    if computed == state { Ok(()) } else { write_state(opened, &computed) }
}

/// As [`settle`], after another command: files that only repeat what it did never fail it.
pub fn follow(opened: &Opened) {
    let _ = settle(opened);
}

/// Mark a dream that changed no file as undone: its log is all that says so.
pub fn mark_undone(opened: &Opened, id: DreamId) -> Result<(), Stop> {
    mark(opened, id, "undone")
}

fn mark(opened: &Opened, id: DreamId, status: &str) -> Result<(), Stop> {
    let Some(mut log) = read_log(opened, id)? else { return Ok(()) };
    // a dream that was stopped says so again once it stands again
    let was = match status {
        "undone" => log.get("status").cloned(),
        _ => None,
    };
    let status = match log.get("statusBefore").and_then(Value::as_str) {
        Some(before) if status != "undone" => before.to_owned(),
        _ => status.to_owned(),
    };
    if let Some(fields) = log.as_object_mut() {
        fields.insert("status".to_owned(), Value::from(status));
        fields.remove("statusBefore");
        fields.extend(was.map(|was| ("statusBefore".to_owned(), was)));
    }
    write_log(opened, id, log)
}

/// The merges that the last dream of this clone suggests, if it stands, and those of earlier dreams that stand or that journal
/// and history forgot, until a dream takes them up. A file of `.brv/` may have come with a clone: what the state does not know
/// is not suggested.
fn pending(
    opened: &Opened,
    (dreams, logs): (&Dreams, &[Log]),
    state: &DreamState,
) -> Result<Vec<PendingMerge>, Stop> {
    let known = Store::of(opened)?.read(|state| state.suggested_merges())?;
    let is_here = |dream: &&Dream| logs.iter().any(|log| log.id == dream.id);
    let last = dreams.newest_first().find(is_here).filter(|last| !last.is_undone);
    let is_earlier = |merge: &&PendingMerge| {
        let dream = DreamId::parse(&merge.suggested_by_dream_id).and_then(|id| dreams.find(id));
        dream.is_none_or(|dream| !dream.is_undone && last.is_none_or(|last| last.id != dream.id))
    };
    let mut pending: Vec<PendingMerge> = state.pending_merges.iter().filter(is_earlier).cloned().collect();
    let Some(last) = last else { return Ok(pending) };
    let log = read_log(opened, last.id)?.unwrap_or_default();
    let rows = log["operations"].as_array().cloned().unwrap_or_default();
    let suggests = |row: &&Value| row["action"] == "MERGE_INTO" && row["status"] == "applied";
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let own: Vec<PendingMerge> = rows
        .iter()
        .filter(suggests)
        .filter_map(|row| {
            Some(PendingMerge {
                source_file: text(&row["inputs"][0])?,
                merge_target: text(&row["output"])?,
                reason: text(&row["reason"])?,
                suggested_by_dream_id: last.id.to_string(),
            })
        })
        .filter(|merge| known.contains(&merge.key()))
        .collect();
    let files = |merge: &PendingMerge| (merge.source_file.clone(), merge.merge_target.clone());
    pending.retain(|merge| !own.iter().any(|again| files(again) == files(merge)));
    pending.extend(own);
    Ok(pending)
}

/// The state, with what journal and history say.
fn computed(
    scope: &Scope,
    listed: &[Listed],
    (dreams, pending_merges): (&Dreams, Vec<PendingMerge>),
    state: DreamState,
) -> DreamState {
    let last = dreams.last();
    let left = dreams.last_standing().and_then(|dream| dream.left);
    DreamState {
        last_dream_commit: left.map(|commit| commit.to_string()),
        curations_since_dream: curations_since(scope, listed, last.map_or(i64::MIN, |last| last.ended)),
        // what another tool wrote stands until there is a dream
        last_dream_at: last.map(|dream| format_utc(dream.ended)).or(state.last_dream_at),
        total_dreams: dreams.standing().count(),
        pending_merges,
        version: state.version,
    }
}

/// How many operations of `curate` that stand this clone made after a moment.
pub(super) fn curations_since(scope: &Scope, listed: &[Listed], moment: i64) -> usize {
    let undone = journal::undone(listed);
    let is_undone = |id: &OperationId| undone.contains_key(id);
    let records = listed.iter().filter_map(|one| one.record.as_ref().ok());
    records
        .take_while(|record| record.seconds > moment)
        .filter(|record| {
            record.kind == OperationKind::Curate && record.is_of(scope) && !is_undone(&record.id)
        })
        .count()
}
