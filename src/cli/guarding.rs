//! The guards in words: how their doors are opened, and what is said when one has stopped a command.

use super::transfer::short;
use crate::ops::steps::guards::{Allowed, Guard, Rewrite};
use crate::say::Exit;
use crate::say::Failure;
use crate::say::escape::escape_line;
use crate::say::words;
use crate::wire::Stopped;
use clap::{Args, ValueEnum};

/// So many entries that would be deleted are named.
const NAMED: usize = 10;

/// The arguments that open doors.
#[derive(Debug, Args)]
pub struct Doors {
    /// Let a guard pass: rewrite, for a remote that dropped commits it had; mass-delete, for an update that deletes a large
    /// part of the entries. May be repeated
    #[arg(long, value_name = "GUARD", value_enum, requires = "reason", hide_possible_values = true)]
    allow: Vec<Door>,
    /// Why, for the record; with --allow
    #[arg(long, value_name = "TEXT", requires = "allow", value_parser = words_of_a_reason)]
    reason: Option<String>,
}

/// A door.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Door {
    /// A remote that dropped commits it had
    Rewrite,
    /// An update that deletes a large part of the entries
    MassDelete,
}

/// The arguments that open the one door of a command that replaces a commit.
#[derive(Debug, Args)]
pub struct Rewriting {
    /// Let the guard pass: rewrite, to amend a commit that a remote has
    #[arg(
        long,
        value_name = "GUARD",
        value_parser = ["rewrite"],
        requires_all = ["reason", "amend"],
        hide_possible_values = true
    )]
    allow: Option<String>,
    /// Why, for the record; with --allow
    #[arg(long, value_name = "TEXT", requires = "allow", value_parser = words_of_a_reason)]
    reason: Option<String>,
}

impl Rewriting {
    /// As `ops` has it.
    #[must_use]
    pub fn allowed(self) -> Allowed {
        let guards = self.allow.map(|_| Guard::Rewrite).into_iter().collect();
        Allowed { guards, reason: self.reason.unwrap_or_default() }
    }
}

fn words_of_a_reason(text: &str) -> Result<String, &'static str> {
    match text.trim() {
        "" => Err("a reason has words"),
        text => Ok(text.to_owned()),
    }
}

impl Doors {
    /// As `ops` has it.
    #[must_use]
    pub fn allowed(self) -> Allowed {
        let guard = |door: Door| match door {
            Door::Rewrite => Guard::Rewrite,
            Door::MassDelete => Guard::MassDelete,
        };
        Allowed {
            guards: self.allow.into_iter().map(guard).collect(),
            reason: self.reason.unwrap_or_default(),
        }
    }
}

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
pub fn held_back(rewrite: &Rewrite) -> Vec<String> {
    let told = stopped(&Stopped::from(rewrite));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_has_words() {
        assert_eq!(words_of_a_reason(" the old notes moved "), Ok("the old notes moved".to_owned()));
        assert!(words_of_a_reason(" \t").is_err());
    }
}
