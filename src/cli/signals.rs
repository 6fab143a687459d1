//! `brv signals`: shows how important, recent and settled entries are.

use super::format::{Format, above_zero};
use super::session::{Report, Run, Session};
use super::ui::{Form, Screen, Style};
use crate::ops::signals::{self, Choice, Options};
use crate::say::{Exit, Failure, warnings};
use crate::wire::{Maturity, Signal, Signals};
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
    #[command(flatten)]
    format: Format,
}

impl Run for Arguments {
    const NAME: &'static str = "signals";

    fn form(&self) -> Form {
        self.format.form()
    }

    fn run(self, session: &Session) -> Result<Exit, Failure> {
        let choice = match (self.top, self.stale) {
            (Some(count), _) => Choice::Top(count.get()),
            (None, Some(count)) => Choice::Stale(count.get()),
            (None, None) => Choice::All,
        };
        let outcome = signals::run(&session.context(), &Options { names: self.paths, choice })?;
        let data = Signals::from(&outcome);
        let report = Report::new(&data).long().warning(warnings::signals(outcome.trouble.as_ref()));
        Ok(session.report(report, |screen| draw(screen, &data.signals)))
    }
}

fn draw(screen: &mut Screen, signals: &[Signal]) {
    if signals.is_empty() {
        screen.line("No entries.");
        return;
    }
    screen.text(Style::Dim, "importance  maturity   recency   hits  updates  entry").end();
    for signal in signals {
        screen.plain(format!("{:>10.2}  ", signal.importance));
        let style = if signal.maturity == Maturity::Draft { Style::Dim } else { Style::Plain };
        screen.text(style, format!("{:<9}  ", signal.maturity.word()));
        screen.plain(format!("{:>7.2}  {:>5}  {:>7}  ", signal.recency, signal.hits, signal.updates));
        screen.word(Style::Name, &signal.path).end();
    }
}
