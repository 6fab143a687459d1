//! `brv review log`: shows what was decided, and what a remote has undecided.

use crate::cli::ui::{Screen, Style};
use crate::cli::verb::{Answer, Purpose, Verb};
use crate::say::Failure;
use brv_base::clock::format_utc;
use brv_commands::review::log::{self, Outcome};
use brv_engine::Context;
use clap::Args;

/// The arguments of `brv review log`.
#[derive(Debug, Args)]
#[command(before_help = "Examples:
  brv review log
  brv review log --json")]
pub struct Arguments {}

impl Verb for Arguments {
    const NAME: &'static str = "review log";
    const TEXT: Purpose = Purpose::LongAnswer;
    type Outcome = Outcome;

    fn run<'a>(&self, cx: &'a Context<'_>) -> Result<Answer<'a, Outcome>, Failure> {
        Ok(Answer::new(log::run(cx)?))
    }

    fn text(&self, outcome: &Outcome, screen: &mut Screen) {
        if outcome.decisions.is_empty() {
            screen.line("Nothing was approved, rejected or published yet.");
        }
        for one in &outcome.decisions {
            let (style, word) = super::word(one.decision);
            screen.text(Style::Dim, format_utc(one.time)).plain("  ").text(style, word).plain("  ");
            screen.text(Style::Notable, &one.id).plain("  ").word(Style::Name, &one.path);
            screen.plain("  by ").word(Style::Plain, &one.actor);
            if let Some(comment) = &one.comment {
                screen.plain(": ").word(Style::Plain, comment);
            }
            screen.end();
        }
    }
}
