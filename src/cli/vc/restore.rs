//! `brv vc restore`: bring files, or what is recorded of them, back to what the index or a commit has.

use crate::cli::format::Format;
use crate::cli::session::{Report, Run, Session};
use crate::cli::ui::{Form, Screen};
use crate::cli::written;
use crate::ops::vc::restore::{self, Derive, Options, Places, Side, Source};
use crate::say::{Exit, Failure, warnings, words};
use crate::wire;
use clap::Args;

/// The arguments of `brv vc restore`.
#[derive(Debug, Args)]
#[command(before_help = "Examples:
  brv vc restore auth/tokens.md
  brv vc restore --staged auth/tokens.md
  brv vc restore --source HEAD~2 --staged --worktree auth
  brv vc restore --ours auth/tokens.md")]
pub struct Arguments {
    /// Files, folders or patterns
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<String>,
    /// Take them from this commit; without it from the index, and with --staged from HEAD
    #[arg(short, long, value_name = "REV")]
    source: Option<String>,
    /// Bring what is recorded back
    #[arg(short = 'S', long)]
    staged: bool,
    /// Bring the files back, as without --staged
    #[arg(short = 'W', long)]
    worktree: bool,
    /// Of files in conflict take our side
    #[arg(short = '2', long, conflicts_with_all = ["theirs", "source"])]
    ours: bool,
    /// Of files in conflict take their side
    #[arg(short = '3', long, conflicts_with = "source")]
    theirs: bool,
    /// Leave the derived files for later
    #[arg(long)]
    no_derive: bool,
    #[command(flatten)]
    format: Format,
}

impl Run for Arguments {
    const NAME: &'static str = "vc restore";

    fn form(&self) -> Form {
        self.format.form()
    }

    fn run(self, session: &Session) -> Result<Exit, Failure> {
        let places = match (self.staged, self.worktree) {
            (true, true) => Places::Both,
            (true, false) => Places::Index,
            (false, _) => Places::Files,
        };
        let source = match (self.ours, self.theirs, self.source) {
            (true, ..) => Source::Side(Side::Ours),
            (_, true, _) => Source::Side(Side::Theirs),
            (.., Some(revision)) => Source::Revision(revision),
            _ => Source::Usual,
        };
        let derive = if self.no_derive { Derive::Later } else { Derive::Now };
        let options = Options { paths: self.paths, source, places, derive };
        let outcome = restore::run(&session.context(), &options)?;
        let data = wire::Restore::from(&outcome);
        let report = Report::new(&data).account().warning(warnings::written(&data.written));
        Ok(session.report(report, |screen| account(screen, &data)))
    }
}

/// How much was brought back.
pub fn account(screen: &mut Screen, data: &wire::Restore) {
    let files = words::many(data.files.len(), "file", "files");
    let entries = words::many(data.recorded.len(), "entry", "entries");
    screen.line(match (data.files.is_empty(), data.recorded.is_empty()) {
        (true, true) => "Nothing to restore.".to_owned(),
        (false, true) => format!("Restored {files}."),
        (true, false) => format!("Restored {entries} of the index."),
        (false, false) => format!("Restored {files} and {entries} of the index."),
    });
    written::derived(screen, &data.written);
}
