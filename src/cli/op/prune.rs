//! `brv op prune`: deletes operations from the log.

use crate::cli::session::{Report, Run, Session};
use crate::cli::ui::Style;
use crate::say::words::{many, short_operation};
use crate::say::{Exit, Failure, warnings};
use crate::wire;
use brv_base::escape::escape_line;
use brv_commands::op::prune::{self, Mode, Options};
use clap::Args;

/// The arguments of `brv op prune`.
#[derive(Debug, Args)]
#[command(
    before_help = "Examples:
  brv op prune --dry-run
  brv op prune --path auth/leaked.md --dry-run",
    after_help = "Without --path: operations that are neither among the last 500 nor younger than 90 days."
)]
pub struct Arguments {
    /// Delete every operation that holds a version of this file or folder, such as a leaked secret
    #[arg(long, value_name = "PATH")]
    path: Vec<String>,
    /// Write nothing; show what would be deleted
    #[arg(short = 'n', long)]
    dry_run: bool,
}

impl Run for Arguments {
    const NAME: &'static str = "op prune";

    fn run(self, session: &Session) -> Result<Exit, Failure> {
        let mode = if self.dry_run { Mode::DryRun } else { Mode::Write };
        let options = Options { paths: self.path, mode };
        let data = wire::OpPrune::from(&prune::run(&session.context(), &options)?);
        let in_head = data.in_head.iter().map(|path| {
            format!(
                "`{}` is still in the last commit: remove it from the history with git first",
                escape_line(path.as_bytes())
            )
        });
        let report = Report::new(&data).account().warning(warnings::written(&data.written)).warning(in_head);
        Ok(session.report(report, |screen| {
            let (count, kept) = (data.gone.len(), data.kept);
            let done = match mode {
                Mode::Write => many(count, "operation deleted", "operations deleted"),
                Mode::DryRun => many(count, "operation would be deleted", "operations would be deleted"),
            };
            screen.line(format!("{done}, {kept} kept."));
            if count > 0 {
                screen.line("These can no longer be undone:");
            }
            for gone in &data.gone {
                screen.plain(" ").text(Style::Notable, short_operation(&gone.id)).plain(" ");
                screen.word(Style::Name, gone.kind.unwrap_or("unreadable")).plain(": ");
                screen.word(Style::Plain, &gone.reason).end();
            }
            if !data.others.is_empty() {
                let files = many(data.others.len(), "other file", "other files");
                screen.line(format!(
                    "An operation is deleted as a whole: their changes to {files} cannot be undone either."
                ));
            }
            if count > 0 && mode == Mode::Write {
                screen.line("A later `brv vc gc` removes their bytes, once nothing else refers to them.");
            }
        }))
    }
}
