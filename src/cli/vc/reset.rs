//! `brv vc reset`: moves the branch to another commit, optionally with the index and the files, or unstages paths.

use super::restore;
use crate::cli::session::{Report, Run, Session};
use crate::cli::ui::{Screen, Style};
use crate::cli::written;
use crate::say::{Exit, Failure, warnings, words};
use crate::wire;
use brv_commands::vc::reset::{self, Derive, Extent, Options};
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

impl Run for Arguments {
    const NAME: &'static str = "vc reset";

    fn run(self, session: &Session) -> Result<Exit, Failure> {
        let extent = match (self.soft, self.hard) {
            (true, _) => Extent::Soft,
            (_, true) => Extent::Hard,
            _ => Extent::Mixed,
        };
        let derive = if self.no_derive { Derive::Later } else { Derive::Now };
        let options = Options { extent, words: self.words, paths: self.paths, derive };
        let outcome = reset::run(&session.context(), &options)?;
        let data = wire::Reset::from(&outcome);
        let report = Report::new(&data).account().warning(warnings::written(data.written()));
        Ok(session.report(report, |screen| match &data {
            wire::Reset::Commit(data) => account(screen, data),
            wire::Reset::Paths(data) => restore::account(screen, data),
        }))
    }
}

fn account(screen: &mut Screen, data: &wire::ResetCommit) {
    match &data.after {
        Some(commit) => {
            screen.plain("HEAD is now at ").text(Style::Notable, &commit[..7]).plain(" ");
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
