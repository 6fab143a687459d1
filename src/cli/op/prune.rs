//! `brv op prune`: take operations from the journal.

use crate::cli::format::Format;
use crate::cli::session::{Report, Run, Session};
use crate::cli::ui::{Form, Style};
use crate::ops::op::prune::{self, Mode, Options};
use crate::say::escape::escape_line;
use crate::say::words::{many, short_operation};
use crate::say::{Exit, Failure, warnings};
use crate::wire;
use clap::Args;

/// The arguments of `brv op prune`.
#[derive(Debug, Args)]
#[command(before_help = "Examples:
  brv op prune --dry-run
  brv op prune --path auth/leaked.md --dry-run")]
pub struct Arguments {
    /// Every operation that holds a version of this file or folder: of one that should never have been recorded
    #[arg(long, value_name = "PATH")]
    path: Vec<String>,
    /// Write nothing; say what would go
    #[arg(short = 'n', long)]
    dry_run: bool,
    #[command(flatten)]
    format: Format,
}

impl Run for Arguments {
    const NAME: &'static str = "op prune";

    fn form(&self) -> Form {
        self.format.form()
    }

    fn run(self, session: &Session) -> Result<Exit, Failure> {
        let mode = if self.dry_run { Mode::DryRun } else { Mode::Write };
        let options = Options { paths: self.path, mode };
        let data = wire::OpPrune::from(&prune::run(&session.context(), &options)?);
        let in_head = data.in_head.iter().map(|path| {
            format!(
                "`{}` is still in the last commit: taking it out of the history is git's work, and comes first",
                escape_line(path.as_bytes())
            )
        });
        let report = Report::new(&data).account().warning(warnings::written(&data.written)).warning(in_head);
        Ok(session.report(report, |screen| {
            let (count, kept) = (data.gone.len(), data.kept);
            let done = match mode {
                Mode::Write => many(count, "operation is gone", "operations are gone"),
                Mode::DryRun => many(count, "operation would go", "operations would go"),
            };
            let stay = if kept == 1 { "stays" } else { "stay" };
            screen.line(format!("{done}, {kept} {stay}."));
            if count > 0 {
                screen.line("What cannot be undone then:");
            }
            for gone in &data.gone {
                screen.plain(" ").text(Style::Notable, short_operation(&gone.id)).plain(" ");
                screen.word(Style::Name, gone.kind.unwrap_or("unreadable")).plain(": ");
                screen.word(Style::Plain, &gone.reason).end();
            }
            if !data.others.is_empty() {
                let files = many(data.others.len(), "other file", "other files");
                screen.line(format!(
                    "An operation goes as a whole: what these did to {files} cannot be undone then either."
                ));
            }
            if count > 0 && mode == Mode::Write {
                screen.line("Their bytes go with a later `brv vc gc`, once nothing else leads to them.");
            }
        }))
    }
}
