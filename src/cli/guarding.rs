//! The arguments that override a guard.

use crate::ops::vc::merge::{Allowed, Guard};
use clap::{Args, ValueEnum};

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_has_words() {
        assert_eq!(words_of_a_reason(" the old notes moved "), Ok("the old notes moved".to_owned()));
        assert!(words_of_a_reason(" \t").is_err());
    }
}
