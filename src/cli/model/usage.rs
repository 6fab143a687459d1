//! `brv model usage`: requests and tokens by day.

use crate::cli::ui::{Screen, Style};
use crate::cli::verb::{Answer, Purpose, Verb};
use crate::say::Failure;
use brv_commands::model::usage::{self, DayUsage, Outcome};
use brv_engine::Context;
use clap::Args;

/// The arguments of `brv model usage`.
#[derive(Debug, Args)]
#[command(before_help = "Examples:
  brv model usage
  brv model usage --json")]
pub struct Arguments {}

impl Verb for Arguments {
    const NAME: &'static str = "model usage";
    const TEXT: Purpose = Purpose::LongAnswer;
    type Outcome = Outcome;

    fn run<'a>(&self, cx: &'a Context<'_>) -> Result<Answer<'a, Outcome>, Failure> {
        let (outcome, warnings) = usage::run(cx)?;
        Ok(Answer::new(outcome).warning(warnings))
    }

    fn text(&self, outcome: &Outcome, screen: &mut Screen) {
        if outcome.days.is_empty() {
            screen.line("No model was asked.");
            return;
        }
        let head = format!("{:<12}{:>7}{:>8}{:>10}{:>10}", "day (UTC)", "calls", "failed", "input", "output");
        screen.text(Style::Dim, head).end();
        for day in &outcome.days {
            row(screen, day);
        }
    }
}

fn row(screen: &mut Screen, day: &DayUsage) {
    screen.plain(format!(
        "{:<12}{:>7}{:>8}{:>10}{:>10}",
        day.day, day.calls, day.failed, day.input_tokens, day.output_tokens
    ));
    let all = [
        ("query", day.by.query),
        ("curate", day.by.curate),
        ("summary", day.by.summary),
        ("dream", day.by.dream),
    ];
    let said: Vec<String> =
        all.iter().filter(|part| part.1 > 0).map(|(name, tokens)| format!("{name} {tokens}")).collect();
    if !said.is_empty() {
        screen.plain("  ").word(Style::Dim, said.join(" · "));
    }
    screen.end();
}
