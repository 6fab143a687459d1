//! `brv index drop`: remove a tree from the index.

use super::PlaceFlags;
use crate::cli::ui::{Screen, Style};
use crate::cli::verb::{Answer, Purpose, Verb};
use crate::say::{Failure, words};
use brv_commands::index::drop::{self, Outcome};
use brv_engine::Context;
use clap::Args;

/// The arguments of `brv index drop`.
#[derive(Debug, Args)]
#[command(before_help = "Examples:
  brv index drop git.example/team/notes")]
pub struct Arguments {
    #[command(flatten)]
    place: PlaceFlags,
    /// The tree, as `brv index status` names it
    #[arg(value_name = "TREE")]
    tree: String,
}

impl Verb for Arguments {
    const NAME: &'static str = "index drop";
    const TEXT: Purpose = Purpose::Account;
    type Outcome = Outcome;

    fn run<'a>(&self, cx: &'a Context<'_>) -> Result<Answer<'a, Outcome>, Failure> {
        Ok(Answer::new(drop::run(cx, &self.place.place(), &self.tree)?))
    }

    fn text(&self, outcome: &Outcome, screen: &mut Screen) {
        screen.text(Style::Good, "removed ").word(Style::Name, &outcome.tree);
        let removed = usize::try_from(outcome.removed).unwrap_or(usize::MAX);
        screen.plain(format!(" from the index: {}", words::many(removed, "document", "documents"))).end();
    }
}
