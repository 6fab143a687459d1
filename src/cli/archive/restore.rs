//! `brv archive restore`: brings archived entries back.

use crate::cli::ui::{Screen, Style};
use crate::cli::verb::{Answer, Purpose, Verb};
use crate::say::words::{many, short};
use crate::say::{Failure, warnings};
use brv_base::escape::quote_path;
use brv_commands::archive::restore::{self, Outcome, RestoreObstacle};
use brv_engine::{Context, FailureKind};
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
}

impl Verb for Arguments {
    const NAME: &'static str = "archive restore";
    const TEXT: Purpose = Purpose::Account;
    type Outcome = Outcome;

    fn run<'a>(&self, cx: &'a Context<'_>) -> Result<Answer<'a, Outcome>, Failure> {
        let (outcome, unrestored) = restore::run(cx, &self.paths)?;
        let said = warnings::saved(&outcome.saved);
        Ok(Answer::new(outcome).warning(said).failing(not_restored(&unrestored)))
    }

    fn text(&self, outcome: &Outcome, screen: &mut Screen) {
        for path in &outcome.restored {
            screen.text(Style::Good, "restored ").word(Style::Name, path.as_str()).end();
        }
        if outcome.restored.is_empty() {
            return;
        }
        screen.plain(format!("Restored {}", many(outcome.restored.len(), "entry", "entries")));
        if let Some(id) = &outcome.saved.commit {
            screen.plain(" in commit ").text(Style::Notable, short(id));
        }
        screen.line(".");
    }
}

/// Entries that were not restored.
fn not_restored(missing: &[(String, RestoreObstacle)]) -> Option<Failure> {
    if missing.is_empty() {
        return None;
    }
    let line =
        |(path, why): &(String, RestoreObstacle)| format!("{}: {}", quote_path(path.as_bytes()), why.words());
    let hint = missing.iter().map(|(_, why)| *why).find(|why| *why != RestoreObstacle::OnlyAStub);
    let count = many(missing.len(), "entry was", "entries were");
    let failure = Failure::new(FailureKind::Failed, format!("{count} not restored"));
    Some(failure.detailing(missing.iter().map(line)).hinting(hint.and_then(RestoreObstacle::hint)))
}
