//! `brv vc reset`: take the branch to another commit, with the index and the files or without, or unrecord paths.

use super::restore;
use crate::cli::format::Format;
use crate::cli::session::{Report, Run, Session};
use crate::cli::ui::{Form, Screen, Style};
use crate::cli::written;
use crate::ops::vc::reset::{self, Derive, Extent, Options};
use crate::say::{Exit, Failure, warnings, words};
use crate::wire;
use clap::Args;

/// The arguments of `brv vc reset`.
#[derive(Debug, Args)]
#[command(before_help = "Examples:
  brv vc reset auth/tokens.md
  brv vc reset --soft HEAD~1
  brv vc reset HEAD~1 -- auth")]
pub struct Arguments {
    /// The commit, HEAD if there is none; or what is to be unrecorded
    #[arg(value_name = "REV|PATH")]
    words: Vec<String>,
    /// Paths in any case
    #[arg(last = true, value_name = "PATH")]
    paths: Vec<String>,
    /// Take only the branch there
    #[arg(long, conflicts_with_all = ["mixed", "hard"])]
    soft: bool,
    /// Take the branch and what is recorded there, as without a flag
    #[arg(long, conflicts_with = "hard")]
    mixed: bool,
    /// Take the branch, what is recorded and the files there; what is given up stays on record
    #[arg(long)]
    hard: bool,
    /// Leave the derived files for later
    #[arg(long)]
    no_derive: bool,
    #[command(flatten)]
    format: Format,
}

impl Run for Arguments {
    const NAME: &'static str = "vc reset";

    fn form(&self) -> Form {
        self.format.form()
    }

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
            screen.plain("HEAD is at ").text(Style::Notable, &commit[..7]).plain(" ");
            screen.word(Style::Plain, &data.subject).end();
        }
        None => {
            screen.line("Nothing is recorded any more.");
        }
    }
    if data.files > 0 {
        screen.line(format!(" {}", words::many(data.files, "file changed", "files changed")));
    }
    written::derived(screen, &data.written);
}
