//! What a guard that stopped a command says, and the override that lets it pass.

use super::escape::escape_line;
use super::refs::short;
use super::{Exit, Failure, words};
use crate::wire::Stopped;

/// So many entries that would be deleted are named.
const NAMED: usize = 10;

/// What a guard found, as the failure that it is.
#[must_use]
pub fn stopped(stopped: &Stopped) -> Failure {
    let failure = match (&stopped.deleted, &stopped.reference) {
        (Some(deleted), _) => deletion(deleted, stopped.entries.unwrap_or_default()),
        (None, reference) => {
            rewrite(short(reference.as_deref().unwrap_or_default()), stopped.dropped.unwrap_or_default())
        }
    };
    let kept = stopped.rescue.as_deref().map(|name| {
        let name = escape_line(name.as_bytes()).into_owned();
        format!("what would be lost stays at {name}")
    });
    failure.detailing(kept).hinting(Some(format!(
        "nothing was changed; ask who did that. `--allow {}` with a `--reason` lets it pass",
        stopped.guard
    )))
}

/// A rewritten history that the next pull stops at, in lines.
pub fn held_back(found: &Stopped) -> Vec<String> {
    let told = stopped(found);
    let mut lines = vec![format!("But {}.", told.message)];
    lines.extend(told.details.into_iter().map(|detail| format!("  {detail}")));
    lines.push("  (\"brv vc pull\" stops at it: ask who did that. \"--allow rewrite\" with a \"--reason\" takes the new history)".into());
    lines
}

fn deletion(deleted: &[String], entries: usize) -> Failure {
    let named = deleted.iter().take(NAMED).map(|path| escape_line(path.as_bytes()).into_owned());
    let more = deleted.len().saturating_sub(NAMED);
    let more = (more > 0).then(|| format!("and {more} more"));
    let message =
        format!("{} of {} would be deleted", deleted.len(), words::many(entries, "entry", "entries"));
    Failure::new(Exit::Refused, message).detailing(named.chain(more))
}

fn rewrite(name: &str, dropped: usize) -> Failure {
    let commits = words::many(dropped, "commit that it had is", "commits that it had are");
    let name = escape_line(name.as_bytes());
    Failure::new(Exit::Refused, format!("the history of {name} was rewritten: {commits} gone from it"))
}
