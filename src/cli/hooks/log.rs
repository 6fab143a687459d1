//! `brv hooks log`: what became of each commit.

use crate::cli::jobs::row;
use crate::cli::ui::Screen;
use crate::cli::verb::{Answer, Purpose, Verb};
use crate::say::Failure;
use brv_commands::jobs::{self, Log};
use brv_engine::Context;
use clap::Args;

/// The arguments of `brv hooks log`.
#[derive(Debug, Args)]
#[command(before_help = "Examples:
  brv hooks log
  brv hooks log --json")]
pub struct Arguments {}

impl Verb for Arguments {
    const NAME: &'static str = "hooks log";
    const TEXT: Purpose = Purpose::LongAnswer;
    type Outcome = Log;

    fn run<'a>(&self, cx: &'a Context<'_>) -> Result<Answer<'a, Log>, Failure> {
        Ok(Answer::new(jobs::log(cx)?))
    }

    fn text(&self, log: &Log, screen: &mut Screen) {
        if log.runs.is_empty() {
            screen.line("No commit was taken in yet.");
        }
        log.runs.iter().for_each(|job| row(screen, job));
    }
}
