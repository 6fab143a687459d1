//! `brv vc reset`: moves the branch to another commit, optionally with the index and the files, or unstages paths.

use super::restore;
use crate::cli::ui::{Screen, Style};
use crate::cli::verb::{Answer, Purpose, Verb};
use crate::cli::written;
use crate::say::{Failure, warnings, words};
use brv_commands::vc::reset::{self, Derive, Moved, Options, Outcome, ResetMode};
use brv_engine::Context;
use clap::Args;

/// The arguments of `brv vc reset`.
#[derive(Debug, Args)]
#[command(before_help = "Examples:
  brv vc reset auth/tokens.md
  brv vc reset --soft HEAD~1
  brv vc reset HEAD~1 -- auth")]
pub struct Arguments {
    /// Commit to move to, default: HEAD; or paths to unstage
    #[arg(value_name = "REV|PATH")]
    words: Vec<String>,
    /// Paths, even if they look like revisions
    #[arg(last = true, value_name = "PATH")]
    paths: Vec<String>,
    /// Move only the branch
    #[arg(long, conflicts_with_all = ["mixed", "hard"])]
    soft: bool,
    /// Move the branch and reset the index; this is the default
    #[arg(long, conflicts_with = "hard")]
    mixed: bool,
    /// Move the branch and reset the index and the files; `brv undo` restores discarded changes
    #[arg(long)]
    hard: bool,
    /// Do not update derived files
    #[arg(long)]
    no_derive: bool,
}

impl Verb for Arguments {
    const NAME: &'static str = "vc reset";
    const TEXT: Purpose = Purpose::Account;
    type Outcome = Outcome;

    fn run<'a>(&self, cx: &'a Context<'_>) -> Result<Answer<'a, Outcome>, Failure> {
        let extent = match (self.soft, self.hard) {
            (true, _) => ResetMode::Soft,
            (_, true) => ResetMode::Hard,
            _ => ResetMode::Mixed,
        };
        let derive = if self.no_derive { Derive::Later } else { Derive::Now };
        let options = Options { extent, words: self.words.clone(), paths: self.paths.clone(), derive };
        let outcome = reset::run(cx, &options)?;
        let warnings = warnings::written(outcome.written());
        Ok(Answer::new(outcome).warning(warnings))
    }

    fn text(&self, outcome: &Outcome, screen: &mut Screen) {
        match outcome {
            Outcome::Commit(moved) => account(screen, moved),
            Outcome::Paths(restored) => restore::account(screen, restored),
        }
    }
}

fn account(screen: &mut Screen, data: &Moved) {
    match &data.after {
        Some(commit) => {
            screen.plain("HEAD is now at ").text(Style::Notable, words::short(commit)).plain(" ");
            screen.word(Style::Plain, &data.subject).end();
        }
        None => {
            screen.line("The index is empty now.");
        }
    }
    if data.files > 0 {
        screen.line(format!(" {}", words::many(data.files, "file changed", "files changed")));
    }
    written::derived(screen, &data.written);
}
