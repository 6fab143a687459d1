//! `brv signals`: shows how important, recent and settled entries are.

use super::format::above_zero;
use super::ui::{Screen, Style};
use super::verb::{Answer, Purpose, Verb};
use crate::say::{Failure, warnings};
use brv_commands::signals::{self, Maturity, Outcome, SignalChoice};
use brv_engine::Context;
use clap::Args;
use std::num::NonZeroUsize;

/// The arguments of `brv signals`.
#[derive(Debug, Args)]
#[command(before_help = "Examples:
  brv signals
  brv signals auth
  brv signals --top 10
  brv signals --stale 20 --json")]
pub struct Arguments {
    /// Entries and folders, relative to the current folder or to the tree; default: the whole tree
    #[arg(value_name = "PATH")]
    paths: Vec<String>,
    /// Show the N most important entries
    #[arg(long, value_name = "N", value_parser = above_zero::<NonZeroUsize>, allow_negative_numbers = true)]
    top: Option<NonZeroUsize>,
    /// Show the N least important entries; of equals, those that changed longest ago
    #[arg(long, value_name = "N", conflicts_with = "top", value_parser = above_zero::<NonZeroUsize>, allow_negative_numbers = true)]
    stale: Option<NonZeroUsize>,
}

impl Verb for Arguments {
    const NAME: &'static str = "signals";
    const TEXT: Purpose = Purpose::LongAnswer;
    type Outcome = Outcome;

    fn run<'a>(&self, cx: &'a Context<'_>) -> Result<Answer<'a, Outcome>, Failure> {
        let choice = match (self.top, self.stale) {
            (Some(count), _) => SignalChoice::Top(count.get()),
            (None, Some(count)) => SignalChoice::Stale(count.get()),
            (None, None) => SignalChoice::All,
        };
        let (outcome, trouble) = signals::run(cx, &self.paths, choice)?;
        Ok(Answer::new(outcome).warning(warnings::signals(trouble.as_ref())))
    }

    fn text(&self, outcome: &Outcome, screen: &mut Screen) {
        if outcome.signals.is_empty() {
            screen.line("No entries.");
            return;
        }
        screen.text(Style::Dim, "importance  maturity   recency   hits  updates  entry").end();
        for signal in &outcome.signals {
            screen.plain(format!("{:>10.2}  ", signal.importance));
            let style = if signal.maturity == Maturity::Draft { Style::Dim } else { Style::Plain };
            screen.text(style, format!("{:<9}  ", signal.maturity.word()));
            screen.plain(format!("{:>7.2}  {:>5}  {:>7}  ", signal.recency, signal.hits, signal.updates));
            screen.word(Style::Name, signal.path.as_str()).end();
        }
    }
}
