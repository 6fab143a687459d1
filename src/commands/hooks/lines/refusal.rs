//! Why brv writes into no hook of a repository, and what people can write there instead.

use super::HookLineState;
use super::site::{HookSite, Seen};
use brv_engine::{FailureKind, Stop};
use brv_git::hooks::{Obstacle, Ruler};
use std::fmt::Write as _;

/// What the files of all events are, if each has brv's line or can have it.
///
/// # Errors
/// One of them is not brv's to change; the hint has the lines for people to write.
pub fn check_files(site: &HookSite) -> Result<Vec<Seen>, Stop> {
    let seen: Vec<Seen> = site.events().map(|event| site.see(event)).collect::<Result<_, _>>()?;
    // where it is in the settings, these go, and then the file counts
    let is_refused =
        |seen: &Seen| site.is_others(&seen.file) && !site.calls_by_hand(&seen.file, seen.hook.event);
    if !seen.iter().any(is_refused) {
        return Ok(seen);
    }
    let message = format!("no hook was changed: {}", reason(site, &seen));
    Err(Stop::new(FailureKind::Refused, message).hint(advice(site, &seen)))
}

fn reason(site: &HookSite, seen: &[Seen]) -> String {
    site.ruled().unwrap_or_else(|| {
        let refused = seen.iter().filter_map(|seen| Some((&seen.file, seen.file.obstacle.as_ref()?)));
        let reasons = refused.map(|(file, obstacle)| format!("`{}`: {obstacle}", file.path.display()));
        reasons.collect::<Vec<_>>().join("; ")
    })
}

/// The lines for the files of others.
fn advice(site: &HookSite, seen: &[Seen]) -> String {
    if site.place.ruler == Some(Ruler::Off) {
        return "`git config --show-origin core.hooksPath` shows who set it".into();
    }
    let mut text = String::from("call brv from there yourself.");
    let mut events = Vec::new();
    for Seen { hook, file } in seen.iter().filter(|seen| seen.hook.state != HookLineState::Installed) {
        let line = match &site.place.ruler {
            Some(Ruler::Manager(manager)) => manager.snippet(hook.event, &site.call),
            Some(Ruler::Outside | Ruler::Off) => site.call.portable().line(hook.event),
            None => site.file_call().line(hook.event),
        };
        let is_there = file.text.is_some() || file.obstacle.is_some() || site.place.ruler.is_some();
        let place = if is_there { "Add to" } else { "Make an executable file" };
        let their = site.their_file(hook.event);
        let told = match (&file.obstacle, &site.place.ruler) {
            // a line of the shell is of no use there
            (Some(Obstacle::OtherLanguage(_)), None) => {
                let command = format!("brv hooks run {}", hook.event);
                format!("Run from `{}`, with its arguments and its input:\n\n{command}", their.display())
            }
            _ => format!("{place} `{}`:\n\n{line}", their.display()),
        };
        write!(text, "\n\n{told}").expect("text takes every text");
        events.push(hook.event);
    }
    if let Some(Ruler::Manager(manager)) = &site.place.ruler
        && let Some(command) = manager.activation(&events)
    {
        write!(text, "\n\nThen run `{command}`.").expect("text takes every text");
    }
    text
}
