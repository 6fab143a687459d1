//! `brv index check`: try everything that an index needs on an engine.

use super::PlaceFlags;
use crate::cli::ui::{Screen, Style};
use crate::cli::verb::{Answer, Purpose, Verb};
use crate::say::Failure;
use brv_commands::index::check::{self, Outcome};
use brv_engine::Context;
use clap::Args;

/// The arguments of `brv index check`.
#[derive(Debug, Args)]
#[command(before_help = "Examples:
  brv index check --engine https://search.example:9200 --key-env SEARCH_KEY")]
pub struct Arguments {
    #[command(flatten)]
    place: PlaceFlags,
}

impl Verb for Arguments {
    const NAME: &'static str = "index check";
    const TEXT: Purpose = Purpose::Answer;
    type Outcome = Outcome;

    fn run<'a>(&self, cx: &'a Context<'_>) -> Result<Answer<'a, Outcome>, Failure> {
        let outcome = check::run(cx, &self.place.place())?;
        let failure = outcome.failure().map(Failure::from);
        Ok(Answer::new(outcome).failing(failure))
    }

    fn text(&self, outcome: &Outcome, screen: &mut Screen) {
        for step in &outcome.steps {
            let (style, mark) = if step.ok { (Style::Good, "ok    ") } else { (Style::Bad, "FAILED") };
            screen
                .text(style, mark)
                .plain(" ")
                .plain(step.name)
                .text(Style::Dim, format!(" ({} ms)", step.ms));
            if let Some(message) = &step.message {
                screen.plain(": ").word(Style::Plain, message);
            }
            screen.end();
        }
        if let Some(overlap) = outcome.overlap_at_10 {
            screen.line(format!("of the first 10 results, {overlap:.3} are those of one local index"));
        }
        screen.word(Style::Plain, format!("{} {}", outcome.engine.name, outcome.engine.version)).end();
    }
}
