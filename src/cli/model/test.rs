//! `brv model test`: asks the model, and shows what it can do.

use super::{place, row};
use crate::cli::ui::Screen;
use crate::cli::verb::{Answer, Verb};
use crate::say::Failure;
use brv_commands::model::test::{self, Outcome};
use brv_engine::Context;
use clap::Args;

/// The arguments of `brv model test`.
#[derive(Debug, Args)]
#[command(
    before_help = "Examples:
  brv model test
  brv model test --json",
    after_help = "Sends two small requests, without anything from the tree."
)]
pub struct Arguments {}

impl Verb for Arguments {
    const NAME: &'static str = "model test";
    type Outcome = Outcome;

    fn run<'a>(&self, cx: &'a Context<'_>) -> Result<Answer<'a, Outcome>, Failure> {
        let tested = test::run(cx)?;
        let failure = tested.failure.map(Failure::from);
        Ok(Answer::new(tested.outcome).warning(tested.warnings).failing(failure))
    }

    fn text(&self, outcome: &Outcome, screen: &mut Screen) {
        place(screen, outcome.api, outcome.url.as_deref(), outcome.name.as_deref(), &outcome.key);
        if !outcome.reachable {
            return;
        }
        row(screen, "answered in", format!("{} ms", outcome.ms));
        let says = |can: bool| if can { "yes" } else { "no" };
        row(screen, "json_schema", says(outcome.features.json_schema));
        row(screen, "tools", says(outcome.features.tools));
        row(screen, "usage", says(outcome.features.usage));
        if !outcome.dropped_fields.is_empty() {
            row(screen, "without", outcome.dropped_fields.join(", "));
        }
    }
}
