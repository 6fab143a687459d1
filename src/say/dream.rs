//! Messages about a dream: why it failed in part, and what comes next.

use super::Failure;
use super::words::many;
use brv_base::escape::quote_path;
use brv_commands::dream::{Action, DreamStatus, Outcome, RowStatus};
use brv_engine::FailureKind;

/// The failure of a dream that was cut short, or whose decisions were refused.
pub fn failure(outcome: &Outcome) -> Option<Failure> {
    let reason = || outcome.reason.clone().unwrap_or_default();
    if outcome.is_cancelled {
        return Some(Failure::new(FailureKind::Interrupted, reason()));
    }
    if let Some(stop) = &outcome.failed {
        return Some(Failure::from(stop.clone()));
    }
    if matches!(outcome.status, DreamStatus::Partial | DreamStatus::Error) {
        return Some(Failure::new(FailureKind::Failed, reason()));
    }
    let refused = outcome.operations.iter().filter(|row| row.status == RowStatus::Refused);
    let lines: Vec<String> = refused
        .map(|row| {
            let action = row.action.map(Action::word).unwrap_or("?");
            let candidate = quote_path(row.candidate.as_bytes());
            format!("{candidate} {action}: {}", row.message.as_deref().unwrap_or_default())
        })
        .collect();
    let count = lines.len();
    let message = || format!("{} refused", many(count, "decision was", "decisions were"));
    (count > 0).then(|| Failure::new(FailureKind::Failed, message()).detailing(lines))
}

/// What to look at next.
pub fn next(outcome: &Outcome) -> Option<String> {
    match outcome.status {
        DreamStatus::Queued => outcome.id.map(|id| format!("brv jobs wait {id}")),
        DreamStatus::Completed | DreamStatus::Partial if outcome.branch.is_some() => {
            outcome.branch.as_ref().map(|branch| format!("brv vc push -u origin {branch}"))
        }
        DreamStatus::Completed | DreamStatus::Partial if outcome.summary.flagged_for_review > 0 => {
            Some("brv review pending".to_owned())
        }
        DreamStatus::Completed
            if outcome.operations.iter().any(|row| row.message.as_deref() == Some("no writer")) =>
        {
            Some("brv dream --plan".to_owned())
        }
        _ => None,
    }
}
