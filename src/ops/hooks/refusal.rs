//! Why brv writes into no hook of a repository, and what people can write there instead.

use super::site::{Seen, Site};
use crate::git::hooks::Ruler;
use crate::ops::{FailureKind, Stop};
use std::fmt::Write as _;

/// What to say about a repository whose hooks are not brv's to change.
pub(super) struct Refusal {
    reason: String,
    advice: String,
}

impl Refusal {
    pub fn of(site: &Site, seen: &[Seen]) -> Self {
        Self { reason: reason(site, seen), advice: advice(site, seen) }
    }
}

impl From<Refusal> for Stop {
    fn from(refusal: Refusal) -> Self {
        let message = format!("no hook was changed: {}", refusal.reason);
        Self::new(FailureKind::Refused, message).hint(refusal.advice)
    }
}

fn reason(site: &Site, seen: &[Seen]) -> String {
    let (folder, top) = (site.place.folder.display(), site.scope.work_tree().display());
    match &site.place.ruler {
        Some(Ruler::Manager(manager)) => format!("{} rules the hooks of `{top}`", manager.name()),
        Some(Ruler::Outside) => {
            format!("`{folder}`, where git looks for them, is outside of the repository `{top}`")
        }
        Some(Ruler::Off) => format!("`core.hooksPath` is `{folder}`, which is no folder: git runs no hooks"),
        None => {
            let refused = seen.iter().filter_map(|seen| Some((&seen.file, seen.file.obstacle.as_ref()?)));
            let reasons = refused.map(|(file, obstacle)| format!("`{}`: {obstacle}", file.path.display()));
            reasons.collect::<Vec<_>>().join("; ")
        }
    }
}

/// The lines for the files of others.
fn advice(site: &Site, seen: &[Seen]) -> String {
    if site.place.ruler == Some(Ruler::Off) {
        return "`git config --show-origin core.hooksPath` shows who set it".into();
    }
    let mut text = String::from("call brv from there yourself.");
    let mut events = Vec::new();
    for Seen { hook, file } in seen {
        let line = match &site.place.ruler {
            Some(Ruler::Manager(manager)) => manager.snippet(hook.event, &site.call),
            Some(Ruler::Outside | Ruler::Off) => site.call.portable().line(hook.event),
            None => site.call.line(hook.event),
        };
        let place = if file.path.exists() || site.place.ruler.is_some() { "Add to" } else { "Put into" };
        let their = site.their_file(hook.event);
        write!(text, "\n\n{place} `{}`:\n\n{line}", their.display()).expect("text takes every text");
        events.push(hook.event);
    }
    if let Some(Ruler::Manager(manager)) = &site.place.ruler
        && let Some(command) = manager.activation(&events)
    {
        write!(text, "\n\nThen run `{command}`.").expect("text takes every text");
    }
    text
}
