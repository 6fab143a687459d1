//! `brv archive run`: moves entries out of the tree.

use crate::cli::format::Format;
use crate::cli::session::{Report, Run, Session};
use crate::cli::ui::{Form, Screen, Style};
use crate::ops::Mode;
use crate::ops::archive::run::{self, Options};
use crate::say::words::many;
use crate::say::{Exit, Failure, failing, warnings};
use crate::wire::ArchiveRun;
use clap::Args;

/// The arguments of `brv archive run`.
#[derive(Debug, Args)]
#[command(
    before_help = "Examples:
  brv archive run auth/old_draft
  brv archive run --dry-run",
    after_help = "Without PATH: at most 20 drafts with an importance below 35 that this machine has known for 30 days."
)]
pub struct Arguments {
    /// Entries to archive, with or without .md, whatever their importance
    #[arg(value_name = "PATH")]
    paths: Vec<String>,
    /// Write nothing; show what would be archived
    #[arg(short = 'n', long)]
    dry_run: bool,
    #[command(flatten)]
    format: Format,
}

impl Run for Arguments {
    const NAME: &'static str = "archive run";

    fn form(&self) -> Form {
        self.format.form()
    }

    fn run(self, session: &Session) -> Result<Exit, Failure> {
        let mode = if self.dry_run { Mode::DryRun } else { Mode::Write };
        let is_named = !self.paths.is_empty();
        let outcome = run::run(&session.context(), &Options { names: self.paths, mode })?;
        let data = ArchiveRun::from(&outcome);
        let report = Report::new(&data)
            .account()
            .warning(warnings::archived(&data))
            .warning(warnings::signals(outcome.trouble.as_ref()))
            .warning(warnings::written(&data.written))
            .failing(failing::not_archived(&data, is_named));
        Ok(session.report(report, |screen| text(screen, &data, mode, is_named)))
    }
}

fn text(screen: &mut Screen, data: &ArchiveRun, mode: Mode, is_named: bool) {
    for one in &data.archived {
        screen.text(Style::Bad, "archived ").word(Style::Name, &one.path);
        screen.text(Style::Dim, format!("  importance {}", one.importance)).end();
    }
    if !is_named {
        for one in &data.skipped {
            screen.text(Style::Dim, "stays    ").word(Style::Plain, &one.path);
            screen.text(Style::Dim, format!("  {}", one.reason)).end();
        }
    }
    if data.archived.is_empty() {
        screen.line("Nothing archived.");
        return;
    }
    let would = if mode == Mode::DryRun { "Would archive " } else { "Archived " };
    screen.plain(format!("{would}{}", many(data.archived.len(), "entry", "entries")));
    if let Some(id) = &data.commit {
        screen.plain(" in commit ").text(Style::Notable, &id[..7]);
    }
    screen.line("; `brv archive restore PATH` restores one.");
}
