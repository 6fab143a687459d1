//! `brv jobs wait ID`: waits until a job is done.

use super::row;
use crate::cli::ui::Screen;
use crate::cli::verb::{Answer, Purpose, Verb};
use crate::say::Failure;
use brv_commands::jobs::Job;
use brv_commands::jobs::wait::{self, Waited};
use brv_engine::{Context, FailureKind};
use clap::Args;

/// The arguments of `brv jobs wait`.
#[derive(Debug, Args)]
#[command(before_help = "Examples:
  brv jobs wait job-7")]
pub struct Arguments {
    /// The job, as `brv jobs list` names it
    #[arg(value_name = "ID")]
    id: String,
}

impl Verb for Arguments {
    const NAME: &'static str = "jobs wait";
    const TEXT: Purpose = Purpose::Account;
    type Outcome = Waited;

    fn run<'a>(&self, cx: &'a Context<'_>) -> Result<Answer<'a, Waited>, Failure> {
        let waited = wait::run(cx, &self.id)?;
        let failure = waited.has_failed().then(|| {
            let Job { id, reason, .. } = &waited.job;
            let why = reason.as_deref().unwrap_or_default();
            Failure::new(FailureKind::Failed, format!("{id} failed: {why}"))
        });
        Ok(Answer::new(waited).failing(failure))
    }

    fn text(&self, waited: &Waited, screen: &mut Screen) {
        row(screen, &waited.job);
    }
}
