//! `brv jobs list`: lists jobs.

use super::{JobFilterFlags, counts, row};
use crate::cli::ui::Screen;
use crate::cli::verb::{Answer, Purpose, Verb};
use crate::say::Failure;
use brv_commands::jobs::{self, JobList};
use brv_engine::Context;
use clap::Args;

/// The arguments of `brv jobs list`.
#[derive(Debug, Args)]
#[command(before_help = "Examples:
  brv jobs list
  brv jobs list -n 20 --outcome failed
  brv jobs list --json")]
pub struct Arguments {
    #[command(flatten)]
    choice: JobFilterFlags,
}

impl Verb for Arguments {
    const NAME: &'static str = "jobs list";
    const TEXT: Purpose = Purpose::LongAnswer;
    type Outcome = JobList;

    fn run<'a>(&self, cx: &'a Context<'_>) -> Result<Answer<'a, JobList>, Failure> {
        Ok(Answer::new(jobs::list(cx, &self.choice.filter())?))
    }

    fn text(&self, listed: &JobList, screen: &mut Screen) {
        if listed.jobs.is_empty() {
            screen.line("There are no jobs.");
        }
        listed.jobs.iter().for_each(|job| row(screen, job));
        counts(screen, &listed.counts);
    }
}
