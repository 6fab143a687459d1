//! `brv archive restore`: brings archived entries back.

use crate::cli::format::Format;
use crate::cli::session::{Report, Run, Session};
use crate::cli::ui::{Form, Screen, Style};
use crate::ops::archive::restore::{self, Options};
use crate::say::words::many;
use crate::say::{Exit, Failure, failing, warnings};
use crate::wire::ArchiveRestore;
use clap::Args;

/// The arguments of `brv archive restore`.
#[derive(Debug, Args)]
#[command(before_help = "Examples:
  brv archive restore auth/old_draft
  brv archive restore _archived/auth/old_draft.stub.md --json")]
pub struct Arguments {
    /// Archived entries, with or without .md, or their stubs
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<String>,
    #[command(flatten)]
    format: Format,
}

impl Run for Arguments {
    const NAME: &'static str = "archive restore";

    fn form(&self) -> Form {
        self.format.form()
    }

    fn run(self, session: &Session) -> Result<Exit, Failure> {
        let outcome = restore::run(&session.context(), &Options { names: self.paths })?;
        let data = ArchiveRestore::from(&outcome);
        let report = Report::new(&data)
            .account()
            .warning(warnings::left(&data.left))
            .warning(warnings::written(&data.written))
            .failing(failing::not_restored(&data));
        Ok(session.report(report, |screen| text(screen, &data)))
    }
}

fn text(screen: &mut Screen, data: &ArchiveRestore) {
    for path in &data.restored {
        screen.text(Style::Good, "restored ").word(Style::Name, path).end();
    }
    if data.restored.is_empty() {
        return;
    }
    screen.plain(format!("Restored {}", many(data.restored.len(), "entry", "entries")));
    if let Some(id) = &data.commit {
        screen.plain(" in commit ").text(Style::Notable, &id[..7]);
    }
    screen.line(".");
}
