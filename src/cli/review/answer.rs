//! `brv review answer`: answers a comment.

use super::comment::row;
use crate::cli::ui::Screen;
use crate::cli::verb::{Answer, Purpose, Verb};
use crate::say::Failure;
use brv_commands::review::answer::{self, Options, Outcome};
use brv_engine::Context;
use clap::Args;

/// The arguments of `brv review answer`.
#[derive(Debug, Args)]
#[command(
    before_help = "Examples:
  brv review answer 1a2b3c4d5e -m \"measured on 3 May; see auth/limits\"",
    after_help = "A comment has one answer, and no other one replaces it (exit 6): say more with another comment. It stays on this \
clone, as the comment does. People and agents may answer."
)]
pub struct Arguments {
    /// ID of a comment, or its beginning
    #[arg(value_name = "CID")]
    id: String,
    /// The answer, in at most 4,000 characters
    #[arg(short = 'm', long = "message", value_name = "TEXT")]
    text: String,
}

impl Verb for Arguments {
    const NAME: &'static str = "review answer";
    const TEXT: Purpose = Purpose::Account;
    type Outcome = Outcome;

    fn run<'a>(&self, cx: &'a Context<'_>) -> Result<Answer<'a, Outcome>, Failure> {
        let options = Options { id: self.id.clone(), text: self.text.clone() };
        Ok(Answer::new(answer::run(cx, &options)?))
    }

    fn text(&self, outcome: &Outcome, screen: &mut Screen) {
        row(screen, &outcome.comment);
    }
}
