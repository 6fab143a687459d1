//! Land a dream: one operation and one commit of exactly the files that it changed.

use super::Survival;
use super::applying::Applied;
use super::row::{Phase, Row, RowStatus};
use super::setting::Halt;
use brv_engine::Stop;
use brv_engine::journal::{DreamId, OperationId, OperationKind};
use brv_engine::open::context::Parts;
use brv_engine::open::signals;
use brv_engine::open::state::KeptEntry;
use brv_engine::write::landing::{self as files, Landing, Uncommitted};
use brv_engine::write::operation::{self, Derived, Locking, WriteOutcome, Writing};
use brv_engine::write::overriding::Allowed;
use brv_git::CommitId;
use brv_text::dream::Action;
use bstr::{BStr, BString, ByteSlice as _};
use std::collections::{BTreeMap, BTreeSet};

/// What became of a dream.
#[derive(Debug, Default)]
pub struct Landed {
    pub rows: Vec<Row>,
    pub survival: Survival,
    pub operation: Option<OperationId>,
    pub commit: Option<CommitId>,
    /// The branch that the commit is on, if the dream has one of its own.
    pub branch: Option<String>,
    pub uncommitted: Vec<Uncommitted>,
    pub written: WriteOutcome,
    pub kept: BTreeMap<String, KeptEntry>,
    pub decided: Vec<[String; 2]>,
    pub halted: Option<Halt>,
}

impl Landed {
    /// What would be written.
    pub fn of(applied: Applied<'_>) -> Self {
        Self {
            rows: applied.rows,
            survival: applied.survival,
            kept: applied.kept,
            decided: applied.decided,
            halted: applied.halted,
            ..Self::default()
        }
    }
}

/// Applies the decisions anew, without those about files that another program changed meanwhile.
pub type Apply<'d, 'a> = dyn Fn(&BTreeSet<BString>) -> Result<Applied<'a>, Stop> + 'd;

/// Apply the decisions under the lock, and land what they changed.
///
/// # Errors
/// What stops it; then nothing was written. A decision that does not fit is an outcome.
pub fn land<'a>(
    parts: Parts<'a>,
    (dream, model): (DreamId, Option<String>),
    allowed: &Allowed,
    apply: &Apply<'_, 'a>,
) -> Result<Landed, Stop> {
    let mut disturbed = BTreeSet::new();
    operation::settle(Stop::kind, |locking| {
        write(parts, (dream, model.clone(), allowed), (apply, &mut disturbed), locking)
    })
}

fn write<'a>(
    parts: Parts<'a>,
    (dream, model, allowed): (DreamId, Option<String>, &Allowed),
    (apply, disturbed): (&Apply<'_, 'a>, &mut BTreeSet<BString>),
    locking: Locking,
) -> Result<Landed, Stop> {
    let mut writing = Writing::begin(parts)?.locking(locking);
    let mode = files::commit_mode(&writing.parts())?;
    let Applied { mut rows, sketch, notes, survival, merged, kept, decided, halted, .. } = apply(disturbed)?;
    let words = |paths: &BTreeSet<&BStr>| words(&rows, paths);
    let landing = Landing {
        kind: OperationKind::Dream,
        reason: allowed.told(&words(&sketch.view.changed_paths()).0, &allowed.guards),
        files: sketch.view.into_rewrites(),
        notes: notes.into_values().collect(),
        discarded: sketch.discarded,
        words: &words,
        source_commit: None,
        source_author: None,
        source_subject: None,
        code_head: None,
        model,
        rules: None,
        dream: Some(dream),
        job: None,
        relies: BTreeSet::new(),
    };
    let index = writing.index()?;
    let landed = files::land(&mut writing, index, mode, landing);
    let landed = landed.inspect_err(|error| disturbed.extend(files::saved(error).iter().cloned()))?;
    if landed.operation.is_some() {
        // what goes wrong with signals never fails a command
        let _ = signals::merge(parts.opened, &merged, parts.clock.seconds());
    }
    let files::LandingResult { operation, commit, uncommitted, derived, instructing } = landed;
    let waits = |row: &&mut Row| {
        row.output.iter().chain(&row.inputs).any(|path| instructing.contains(path.as_bytes().as_bstr()))
    };
    rows.iter_mut().filter(waits).for_each(|row| row.needs_review = true);
    let written = writing.finish(derived.unwrap_or(Derived::Leave));
    let branch = None;
    Ok(Landed { rows, survival, operation, commit, branch, uncommitted, written, kept, decided, halted })
}

/// Subject and body of the commit of a dream: `dream: 3 consolidated, 1 synthesized, 2 pruned`.
pub(super) fn words(rows: &[Row], paths: &BTreeSet<&BStr>) -> (String, Vec<String>) {
    let is_in = |path: &String| paths.contains(path.as_bytes().as_bstr());
    let is_done =
        |row: &&Row| row.status == RowStatus::Applied && row.inputs.iter().chain(&row.output).any(is_in);
    let done: Vec<&Row> = rows.iter().filter(is_done).collect();
    let count = |phase: Phase| done.iter().filter(|row| row.phase == Some(phase)).count();
    let counts = [
        (count(Phase::Consolidate), "consolidated"),
        (count(Phase::Synthesize), "synthesized"),
        (count(Phase::Prune), "pruned"),
    ];
    let counts: Vec<String> = counts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, word)| format!("{count} {word}"))
        .collect();
    let line = |row: &&Row| {
        let path = row.output.as_ref().or(row.inputs.first()).cloned().unwrap_or_default();
        format!("- {} {path}: {}", row.action.map(Action::word).unwrap_or_default(), row.reason)
    };
    (format!("dream: {}", counts.join(", ")), done.iter().map(line).collect())
}

/// Whether a row counts as pruned: what is archived, or suggested to be merged.
pub fn is_pruned(row: &Row) -> bool {
    matches!(row.action, Some(Action::Archive | Action::MergeInto)) && row.status == RowStatus::Applied
}
