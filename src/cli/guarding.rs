//! The `--allow` and `--reason` flags, which override a guard.

use crate::ops::vc::merge::{Allowed, Guard};
use clap::{Args, ValueEnum};

/// The flags that override the guards of an update.
#[derive(Debug, Args)]
pub struct Doors {
    /// Override a guard: rewrite, when the remote has dropped commits; mass-delete, when an update deletes a large part
    /// of the entries. May be repeated
    #[arg(long, value_name = "GUARD", value_enum, requires = "reason", hide_possible_values = true)]
    allow: Vec<Door>,
    /// Why the guard is overridden, for the operation log; requires --allow
    #[arg(long, value_name = "TEXT", requires = "allow", value_parser = words_of_a_reason)]
    reason: Option<String>,
}

/// A guard that `--allow` overrides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Door {
    /// The remote has dropped commits
    Rewrite,
    /// The update deletes a large part of the entries
    MassDelete,
}

/// The flags that override the guard of `commit --amend`.
#[derive(Debug, Args)]
pub struct Rewriting {
    /// Override a guard: rewrite, to amend a commit that a remote already has
    #[arg(
        long,
        value_name = "GUARD",
        value_parser = ["rewrite"],
        requires_all = ["reason", "amend"],
        hide_possible_values = true
    )]
    allow: Option<String>,
    /// Why the guard is overridden, for the operation log; requires --allow
    #[arg(long, value_name = "TEXT", requires = "allow", value_parser = words_of_a_reason)]
    reason: Option<String>,
}

impl Rewriting {
    /// Convert to the type that `ops` takes.
    #[must_use]
    pub fn allowed(self) -> Allowed {
        let guards = self.allow.map(|_| Guard::Rewrite).into_iter().collect();
        Allowed { guards, reason: self.reason.unwrap_or_default() }
    }
}

fn words_of_a_reason(text: &str) -> Result<String, &'static str> {
    match text.trim() {
        "" => Err("the reason must not be empty"),
        text => Ok(text.to_owned()),
    }
}

impl Doors {
    /// Convert to the type that `ops` takes.
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
