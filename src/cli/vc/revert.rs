//! `brv vc revert`: reverts commits with new ones.

use crate::cli::integration::OnConflict;
use crate::cli::session::{Report, Run, Session};
use crate::cli::ui::{Screen, Style};
use crate::say::{Exit, Failure, decisions, failing, warnings};
use crate::wire;
use brv_base::escape::escape_line;
use brv_commands::vc::revert::{self, Made, Mode, Options};
use clap::Args;

/// The arguments of `brv vc revert`.
#[derive(Debug, Args)]
#[command(before_help = "Examples:
  brv vc revert HEAD
  brv vc revert HEAD~3..HEAD
  brv vc revert -m 1 1a2b3c4
  brv vc revert --no-commit HEAD~2")]
pub struct Arguments {
    /// Commits and ranges `A..B` to revert, in this order; a range from its newest commit on
    #[arg(value_name = "COMMIT", required = true)]
    revisions: Vec<String>,
    /// Revert a merge relative to this parent, counted from 1
    #[arg(short, long, value_name = "PARENT")]
    mainline: Option<usize>,
    /// Stage the result instead of committing each revert
    #[arg(short = 'n', long)]
    no_commit: bool,
    /// Use the default message without an editor, as brv always does; for git users
    #[arg(long, hide = true)]
    no_edit: bool,
    /// What to do with conflicts; `stop` writes nothing
    #[arg(long, value_name = "HOW", value_enum, default_value_t)]
    on_conflict: OnConflict,
    /// Write nothing; show what would change
    #[arg(long)]
    dry_run: bool,
}

impl Run for Arguments {
    const NAME: &'static str = "vc revert";

    fn run(self, session: &Session) -> Result<Exit, Failure> {
        let options = Options {
            revisions: self.revisions,
            mainline: self.mainline,
            made: if self.no_commit { Made::Staged } else { Made::Commits },
            undecided: self.on_conflict.undecided(),
            mode: if self.dry_run { Mode::DryRun } else { Mode::Write },
            ..Options::default()
        };
        let data = wire::Revert::from(&revert::run(&session.context(), &options)?);
        let report = Report::new(&data)
            .account()
            .warning(warnings::written(&data.written))
            .failing(failing::revert(&data));
        Ok(session.report(report, |screen| {
            if data.conflicts.is_empty() {
                text(screen, &data, &options);
            }
        }))
    }
}

fn text(screen: &mut Screen, data: &wire::Revert, options: &Options) {
    for one in &data.reverted {
        let done = match (&one.by, options.mode, data.files.is_empty()) {
            (Some(_), ..) => "Reverted ",
            (None, Mode::DryRun, false) => "Would revert ",
            (None, Mode::Write, false) if options.made == Made::Staged => "Staged the revert of ",
            _ => "Already undone, nothing to revert in ",
        };
        screen.plain(done).text(Style::Notable, &one.commit[..7]);
        screen.plain(" ").word(Style::Plain, &one.subject);
        if let Some(by) = &one.by {
            screen.plain(" by ").text(Style::Notable, &by[..7]);
        }
        screen.end();
    }
    for record in &data.records {
        screen.line(format!("  {}", escape_line(decisions::line(record).as_bytes())));
    }
}
