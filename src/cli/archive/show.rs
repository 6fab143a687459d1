//! `brv archive show`: prints an archived entry byte for byte.

use crate::cli::format::Format;
use crate::cli::session::{Report, Run, Session};
use crate::cli::ui::{Form, Style};
use crate::ops::archive::show::{self, Options};
use crate::say::{Exit, Failure, failing};
use crate::wire::ArchiveShow;
use clap::Args;

/// The arguments of `brv archive show`.
#[derive(Debug, Args)]
#[command(before_help = "Examples:
  brv archive show auth/old_draft
  brv archive show _archived/auth/old_draft.stub.md --json")]
pub struct Arguments {
    /// The entry, with or without .md, or its stub
    #[arg(value_name = "PATH")]
    path: String,
    #[command(flatten)]
    format: Format,
}

impl Run for Arguments {
    const NAME: &'static str = "archive show";

    fn form(&self) -> Form {
        self.format.form()
    }

    fn run(self, session: &Session) -> Result<Exit, Failure> {
        let data = ArchiveShow::from(show::run(&session.context(), &Options { name: self.path })?);
        let report = Report::new(&data).long().failing(failing::archived(&data));
        Ok(session.report(report, |screen| {
            let text = data.bytes.as_deref().or(data.stub_text.as_deref().map(str::as_bytes));
            screen.bytes(Style::Plain, text.unwrap_or_default());
        }))
    }
}
