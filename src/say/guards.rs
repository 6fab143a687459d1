//! Messages of guards that stopped a command, with the hint how to override them.

use super::refs::short;
use super::{Failure, words};
use brv_base::escape::escape_line;
use brv_engine::FailureKind;
use brv_engine::merge::guards::GuardStop;

/// Number of entries to be deleted that are listed.
const NAMED: usize = 10;

pub fn stopped(stopped: &GuardStop) -> Failure {
    let failure = match (&stopped.deleted, &stopped.reference) {
        (Some(deleted), _) => deletion(deleted, &stopped.emptied, stopped.entries.unwrap_or_default()),
        (None, reference) => {
            rewrite(short(reference.as_deref().unwrap_or_default()), stopped.dropped.unwrap_or_default())
        }
    };
    let kept = stopped.rescue.as_deref().map(|name| {
        let name = escape_line(name.as_bytes()).into_owned();
        format!("the dropped commits are kept at {name}")
    });
    failure.detailing(kept).hinting(Some(format!(
        "nothing was changed; check with your team first. Override with `--allow {}` and a `--reason`",
        stopped.guard
    )))
}

/// Status lines for a rewritten history that the next pull will stop at.
pub fn held_back(found: &GuardStop) -> Vec<String> {
    let told = stopped(found).stop;
    let mut lines = vec![format!("But {}.", told.message)];
    lines.extend(told.details.into_iter().map(|detail| format!("  {detail}")));
    lines.push("  (\"brv vc pull\" will stop at it: check with your team, then use \"--allow rewrite\" and a \"--reason\" to take the new history)".into());
    lines
}

fn deletion(deleted: &[String], emptied: &[String], entries: usize) -> Failure {
    let all = deleted.iter().chain(emptied);
    let named = all.take(NAMED).map(|path| escape_line(path.as_bytes()).into_owned());
    let count = deleted.len() + emptied.len();
    let more = count.saturating_sub(NAMED);
    let more = (more > 0).then(|| format!("and {more} more"));
    let what = match (deleted.is_empty(), emptied.is_empty()) {
        (_, true) => "deleted",
        (true, false) => "emptied",
        (false, false) => "deleted or emptied",
    };
    let message = format!("{count} of {} would be {what}", words::many(entries, "entry", "entries"));
    Failure::new(FailureKind::Refused, message).detailing(named.chain(more))
}

fn rewrite(name: &str, dropped: usize) -> Failure {
    let commits = words::many(dropped, "commit was", "commits were");
    let name = escape_line(name.as_bytes());
    Failure::new(FailureKind::Refused, format!("the history of {name} was rewritten: {commits} dropped"))
}
