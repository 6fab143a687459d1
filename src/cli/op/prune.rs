//! `brv op prune`: deletes operations from the log.

use crate::cli::ui::{Screen, Style};
use crate::cli::verb::{Answer, Purpose, Verb};
use crate::say::words::many;
use crate::say::{Failure, warnings};
use brv_base::escape::escape_line;
use brv_commands::op::prune::{self, Mode, Options, Outcome};
use brv_engine::Context;
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

impl Verb for Arguments {
    const NAME: &'static str = "op prune";
    const TEXT: Purpose = Purpose::Account;
    type Outcome = Outcome;

    fn run<'a>(&self, cx: &'a Context<'_>) -> Result<Answer<'a, Outcome>, Failure> {
        let mode = if self.dry_run { Mode::DryRun } else { Mode::Write };
        let outcome = prune::run(cx, &Options { paths: self.path.clone(), mode })?;
        let in_head = outcome.in_head.iter().map(|path| {
            let path = escape_line(path.as_bytes());
            format!("`{path}` is still in the last commit: remove it from the history with git first")
        });
        let warnings: Vec<_> = warnings::written(&outcome.written).into_iter().chain(in_head).collect();
        Ok(Answer::new(outcome).warning(warnings))
    }

    fn text(&self, outcome: &Outcome, screen: &mut Screen) {
        let (count, kept) = (outcome.gone.len(), outcome.kept);
        let done = match self.dry_run {
            false => many(count, "operation deleted", "operations deleted"),
            true => many(count, "operation would be deleted", "operations would be deleted"),
        };
        screen.line(format!("{done}, {kept} kept."));
        if count > 0 {
            screen.line("These can no longer be undone:");
        }
        for gone in &outcome.gone {
            screen.plain(" ").text(Style::Notable, gone.id.short()).plain(" ");
            screen.word(Style::Name, gone.kind.unwrap_or("unreadable")).plain(": ");
            screen.word(Style::Plain, &gone.reason).end();
        }
        if !outcome.others.is_empty() {
            let files = many(outcome.others.len(), "other file", "other files");
            screen.line(format!(
                "An operation is deleted as a whole: their changes to {files} cannot be undone either."
            ));
        }
        if count > 0 && !self.dry_run {
            screen.line("A later `brv vc gc` removes their bytes, once nothing else refers to them.");
        }
    }
}
