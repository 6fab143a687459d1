//! `brv hooks test`: fires the post-commit hook.

use crate::cli::ui::Screen;
use crate::cli::verb::{Answer, Verb};
use crate::say::Failure;
use brv_commands::hooks::test::{self, Outcome};
use brv_engine::{Context, FailureKind};
use clap::Args;

/// The arguments of `brv hooks test`.
#[derive(Debug, Args)]
#[command(
    before_help = "Examples:
  brv hooks test",
    after_help = "Runs the whole hook, including other tools' lines, as after a commit. brv itself only notes the call."
)]
pub struct Arguments {}

impl Verb for Arguments {
    const NAME: &'static str = "hooks test";
    type Outcome = Outcome;

    fn run<'a>(&self, cx: &'a Context<'_>) -> Result<Answer<'a, Outcome>, Failure> {
        let outcome = test::run(cx, &super::LINES)?;
        let failure = (!outcome.fired).then(|| {
            Failure::new(FailureKind::Failed, "the hook ran, and did not call brv").hinting(Some(
                "`brv hooks status` shows its file; brv must be on PATH, or where it was at install",
            ))
        });
        Ok(Answer::new(outcome).failing(failure))
    }

    fn text(&self, outcome: &Outcome, screen: &mut Screen) {
        if outcome.fired {
            screen.line(format!("The hook called brv; it took {} ms.", outcome.ms));
        }
    }
}
