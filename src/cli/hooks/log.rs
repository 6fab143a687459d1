//! `brv hooks log`: what became of each commit.

use crate::cli::jobs::{JobFilterFlags, counts, row};
use crate::cli::ui::Screen;
use crate::cli::verb::{Answer, Purpose, Verb};
use crate::say::Failure;
use brv_commands::jobs::{self, HooksLog};
use brv_engine::Context;
use clap::Args;

/// The arguments of `brv hooks log`.
#[derive(Debug, Args)]
#[command(before_help = "Examples:
  brv hooks log
  brv hooks log -n 20 --outcome failed
  brv hooks log --json")]
pub struct Arguments {
    #[command(flatten)]
    choice: JobFilterFlags,
}

impl Verb for Arguments {
    const NAME: &'static str = "hooks log";
    const TEXT: Purpose = Purpose::LongAnswer;
    type Outcome = HooksLog;

    fn run<'a>(&self, cx: &'a Context<'_>) -> Result<Answer<'a, HooksLog>, Failure> {
        Ok(Answer::new(jobs::log(cx, &self.choice.filter())?))
    }

    fn text(&self, log: &HooksLog, screen: &mut Screen) {
        if log.runs.is_empty() {
            screen.line("No job ended yet.");
        }
        log.runs.iter().for_each(|job| row(screen, job));
        counts(screen, &log.counts);
    }
}
