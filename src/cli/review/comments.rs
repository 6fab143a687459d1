//! `brv review comments`: lists comments, or waits for one.

use super::comment::row;
use crate::cli::ui::Screen;
use crate::cli::verb::{Answer, Purpose, Verb};
use crate::say::Failure;
use brv_commands::review::comments::{self, Options, Outcome};
use brv_engine::Context;
use clap::{Args, value_parser};
use std::time::Duration;

/// The arguments of `brv review comments`.
#[derive(Debug, Args)]
#[command(
    before_help = "Examples:
  brv review comments
  brv review comments auth/tokens --all
  brv review comments --wait 300",
    after_help = "open: it waits for an answer. outdated: the entry does not say any more what was commented on, or is gone. answered. \
closed: the change that it is on was approved or rejected. brv removes a comment 90 days after it was closed; one that \
is answered or outdated, 90 days after its last word."
)]
pub struct Arguments {
    /// Those on this change, entry or folder; or the one with this ID
    #[arg(value_name = "ID|PATH")]
    id: Option<String>,
    /// Also list closed ones
    #[arg(long)]
    all: bool,
    /// List open ones only, and wait up to S seconds until there is one (at most 600)
    #[arg(long, value_name = "S", conflicts_with = "all", value_parser = value_parser!(u64).range(..=600))]
    wait: Option<u64>,
}

impl Verb for Arguments {
    const NAME: &'static str = "review comments";
    const TEXT: Purpose = Purpose::LongAnswer;
    type Outcome = Outcome;

    fn run<'a>(&self, cx: &'a Context<'_>) -> Result<Answer<'a, Outcome>, Failure> {
        let wait = self.wait.map(Duration::from_secs);
        Ok(Answer::new(comments::run(cx, &Options { id: self.id.clone(), all: self.all, wait })?))
    }

    fn text(&self, outcome: &Outcome, screen: &mut Screen) {
        if outcome.comments.is_empty() {
            screen.line(if self.wait.is_some() { "No comment waits for an answer." } else { "No comments." });
        }
        outcome.comments.iter().for_each(|one| row(screen, one));
    }
}
