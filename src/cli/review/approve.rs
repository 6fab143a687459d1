//! `brv review approve`: keeps a change.

use super::{ReviewFlags, decided};
use crate::cli::ui::Screen;
use crate::cli::verb::{Answer, Purpose, Verb};
use crate::say::Failure;
use brv_commands::review::approve::{self, Outcome};
use brv_engine::Context;
use clap::Args;

/// The arguments of `brv review approve`.
#[derive(Debug, Args)]
#[command(
    before_help = "Examples:
  brv review approve 1a2b3c4d5e
  brv review approve 1a2b3c4d5e -m \"checked with the team\"
  brv review approve auth/jwt/token.md",
    after_help = "An approval applies to this clone: its pushes let the change pass. With the path of an entry that is withheld \
from agents, it accepts this version; only a person can do that. `brv help security` says more. An agent or a session cannot approve what \
it did itself (exit 6). That guards against accidents only: a caller who sets neither BRV_ACTOR nor BRV_SESSION may \
approve everything."
)]
pub struct Arguments {
    #[command(flatten)]
    choice: ReviewFlags,
}

impl Verb for Arguments {
    const NAME: &'static str = "review approve";
    const TEXT: Purpose = Purpose::Account;
    type Outcome = Outcome;

    fn run<'a>(&self, cx: &'a Context<'_>) -> Result<Answer<'a, Outcome>, Failure> {
        Ok(Answer::new(approve::run(cx, &self.choice.options())?))
    }

    fn text(&self, outcome: &Outcome, screen: &mut Screen) {
        decided(screen, &outcome.decided);
    }
}
