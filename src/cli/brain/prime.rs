//! `brv prime`: prints what an agent must know to use this tree well.

use crate::cli::ui::{Screen, Style};
use crate::cli::verb::{Answer, Purpose, Verb};
use crate::say::Failure;
use brv_commands::prime::{self, Outcome};
use brv_engine::Context;
use clap::Args;

/// The arguments of `brv prime`.
#[derive(Debug, Args)]
#[command(before_help = "Examples:
  brv prime
  brv prime --json")]
pub struct Arguments {}

impl Verb for Arguments {
    const NAME: &'static str = "prime";
    const TEXT: Purpose = Purpose::LongAnswer;
    type Outcome = Outcome;

    fn run<'a>(&self, cx: &'a Context<'_>) -> Result<Answer<'a, Outcome>, Failure> {
        let outcome = prime::run(cx)?;
        let given = outcome.clone();
        Ok(Answer::new(outcome).after(move || prime::note_served(cx, &given)))
    }

    fn text(&self, outcome: &Outcome, screen: &mut Screen) {
        screen.bytes(Style::Plain, &outcome.document);
    }
}
