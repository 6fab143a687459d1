//! `brv vc revert`: reverts commits with new ones.

use crate::cli::integration::on_conflict;
use crate::cli::ui::{Screen, Style};
use crate::cli::verb::{Answer, Purpose, Verb};
use crate::say::decisions::{self, Voice};
use crate::say::{Failure, warnings, words};
use brv_base::escape::escape_line;
use brv_commands::vc::revert::{self, Mode, Options, Outcome, RevertForm, Undecided};
use brv_engine::Context;
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
    #[arg(long, value_name = "HOW", value_parser = on_conflict(), default_value = "stop")]
    on_conflict: Undecided,
    /// Write nothing; show what would change
    #[arg(long)]
    dry_run: bool,
}

impl Verb for Arguments {
    const NAME: &'static str = "vc revert";
    const TEXT: Purpose = Purpose::Account;
    type Outcome = Outcome;

    fn run<'a>(&self, cx: &'a Context<'_>) -> Result<Answer<'a, Outcome>, Failure> {
        let options = Options {
            revisions: self.revisions.clone(),
            mainline: self.mainline,
            made: if self.no_commit { RevertForm::Staged } else { RevertForm::Commits },
            undecided: self.on_conflict,
            mode: if self.dry_run { Mode::DryRun } else { Mode::Write },
            ..Options::default()
        };
        let outcome = revert::run(cx, &options)?;
        let (warnings, failing) = (warnings::written(&outcome.written), failing(&outcome));
        Ok(Answer::new(outcome).warning(warnings).failing(failing))
    }

    fn text(&self, outcome: &Outcome, screen: &mut Screen) {
        if !outcome.conflicts.is_empty() {
            return;
        }
        for one in &outcome.reverted {
            let done = match (&one.by, self.dry_run, outcome.files.is_empty()) {
                (Some(_), ..) => "Reverted ",
                (None, true, false) => "Would revert ",
                (None, false, false) if self.no_commit => "Staged the revert of ",
                _ => "Already undone, nothing to revert in ",
            };
            screen.plain(done).text(Style::Notable, words::short(&one.commit));
            screen.plain(" ").word(Style::Plain, &one.subject);
            if let Some(by) = &one.by {
                screen.plain(" by ").text(Style::Notable, words::short(by));
            }
            screen.end();
        }
        for record in &outcome.records {
            screen.line(format!("  {}", escape_line(decisions::line(record).as_bytes())));
        }
    }
}

/// The conflicts that kept everything from being reverted.
fn failing(outcome: &Outcome) -> Option<Failure> {
    let failure = decisions::failure(&outcome.conflicts, Voice::Merge, "; nothing was changed")?;
    Some(failure.hinting(Some(
        "choose a side with `--on-conflict`; or run `git revert` in the tree, which also merges by meaning and leaves the conflicts to be resolved",
    )))
}
