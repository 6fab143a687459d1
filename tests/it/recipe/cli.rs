//! `brv note`: append a fact to an entry.

use super::note::{self, Outcome};
use brv::cli::ui::{Screen, Style};
use brv::cli::verb::{Answer, Purpose, Verb};
use brv::say::{Failure, warnings};
use brv_engine::Context;
use clap::Args;

/// The arguments of `brv note`.
#[derive(Debug, Args)]
#[command(before_help = "Examples:
  brv note \"tokens live 12 hours\" --into auth/tokens")]
pub struct Arguments {
    /// The fact, in one line
    #[arg(value_name = "TEXT")]
    text: String,
    /// The entry that gets it
    #[arg(long, value_name = "PATH", default_value = "notes.md")]
    into: String,
}

impl Verb for Arguments {
    const NAME: &'static str = "note";
    const TEXT: Purpose = Purpose::Account;
    type Outcome = Outcome;

    fn run<'a>(&self, cx: &'a Context<'_>) -> Result<Answer<'a, Outcome>, Failure> {
        let outcome = note::run(cx, &self.text, &self.into)?;
        let said = warnings::saved(&outcome.saved);
        Ok(Answer::new(outcome).warning(said))
    }

    fn text(&self, outcome: &Outcome, screen: &mut Screen) {
        screen.text(Style::Good, "noted ").word(Style::Plain, &outcome.line);
        screen.plain(" in ").word(Style::Name, outcome.entry.as_str()).end();
    }
}
