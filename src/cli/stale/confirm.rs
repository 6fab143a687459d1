//! `brv stale confirm`: records that entries still hold.

use crate::cli::ui::{Screen, Style};
use crate::cli::verb::{Answer, Purpose, Verb};
use crate::say::words::{many, short};
use crate::say::{Failure, warnings};
use brv_commands::stale::confirm::{self, Outcome};
use brv_engine::Context;
use clap::Args;

/// The arguments of `brv stale confirm`.
#[derive(Debug, Args)]
#[command(before_help = "Examples:
  brv stale confirm auth/tokens
  brv stale confirm auth --reason \"read against the new retry loop\"")]
pub struct Arguments {
    /// Entries, or folders for all entries in them
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<String>,
    /// Why they still hold, for the history
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

impl Verb for Arguments {
    const NAME: &'static str = "stale confirm";
    const TEXT: Purpose = Purpose::Account;
    type Outcome = Outcome;

    fn run<'a>(&self, cx: &'a Context<'_>) -> Result<Answer<'a, Outcome>, Failure> {
        let (outcome, uncommitted) = confirm::run(cx, &self.paths, self.reason.as_deref())?;
        let said = [warnings::uncommitted_code(&uncommitted), warnings::saved(&outcome.saved)].concat();
        Ok(Answer::new(outcome).warning(said))
    }

    fn text(&self, outcome: &Outcome, screen: &mut Screen) {
        let commit = &outcome.verified[..7];
        for path in &outcome.confirmed {
            screen.text(Style::Good, "confirmed ").word(Style::Name, path.as_str()).end();
        }
        if outcome.confirmed.is_empty() {
            screen.plain("Already confirmed against ").text(Style::Notable, commit).line(".");
            return;
        }
        let count = many(outcome.confirmed.len(), "entry", "entries");
        screen.plain(format!("Confirmed {count} against ")).text(Style::Notable, commit);
        if let Some(id) = &outcome.saved.commit {
            screen.plain(" in commit ").text(Style::Notable, short(id));
        }
        screen.line(".");
    }
}
