//! `brv review reopen`: takes an approval back.

use super::{ReviewFlags, decided};
use crate::cli::ui::Screen;
use crate::cli::verb::{Answer, Purpose, Verb};
use crate::say::Failure;
use brv_commands::review::reopen::{self, Outcome};
use brv_engine::Context;
use clap::Args;

/// The arguments of `brv review reopen`.
#[derive(Debug, Args)]
#[command(
    before_help = "Examples:
  brv review reopen 1a2b3c4d5e
  brv review reopen 1a2b3c4d5e auth/jwt/token.md -m \"not checked yet\"",
    after_help = "The change waits again, and pushes stop at it. Both decisions stay in `brv review log`. What a push sent \
meanwhile stays at the remote. A rejection is an operation: `brv undo ID` undoes it. What only a person may approve, only a \
person may reopen (exit 6)."
)]
pub struct Arguments {
    #[command(flatten)]
    choice: ReviewFlags,
}

impl Verb for Arguments {
    const NAME: &'static str = "review reopen";
    const TEXT: Purpose = Purpose::Account;
    type Outcome = Outcome;

    fn run<'a>(&self, cx: &'a Context<'_>) -> Result<Answer<'a, Outcome>, Failure> {
        let outcome = reopen::run(cx, &self.choice.options())?;
        let said = outcome.published.iter().map(|id| {
            format!("a remote has {id} already: no push waits for it; `brv review reject {id}` reverts it")
        });
        let said: Vec<String> = said.collect();
        Ok(Answer::new(outcome).warning(said))
    }

    fn text(&self, outcome: &Outcome, screen: &mut Screen) {
        decided(screen, &outcome.decided);
    }
}
