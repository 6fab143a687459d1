//! `brv jobs cancel ID`: cancels a job.

use super::row;
use crate::cli::ui::Screen;
use crate::cli::verb::{Answer, Purpose, Verb};
use crate::say::Failure;
use brv_commands::jobs::cancel::{self, Cancelled};
use brv_engine::Context;
use clap::Args;

/// The arguments of `brv jobs cancel`.
#[derive(Debug, Args)]
#[command(before_help = "Examples:
  brv jobs cancel job-7")]
pub struct Arguments {
    /// The job, as `brv jobs list` names it
    #[arg(value_name = "ID")]
    id: String,
}

impl Verb for Arguments {
    const NAME: &'static str = "jobs cancel";
    const TEXT: Purpose = Purpose::Account;
    type Outcome = Cancelled;

    fn run<'a>(&self, cx: &'a Context<'_>) -> Result<Answer<'a, Cancelled>, Failure> {
        Ok(Answer::new(cancel::run(cx, &self.id)?))
    }

    fn text(&self, cancelled: &Cancelled, screen: &mut Screen) {
        row(screen, &cancelled.job);
    }
}
