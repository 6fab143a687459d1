//! `brv review show`: shows what a change did, by meaning.

use super::row;
use crate::cli::knowledge;
use crate::cli::ui::{Screen, Style};
use crate::cli::verb::{Answer, Purpose, Verb};
use crate::say::Failure;
use brv_commands::review::show::{self, Outcome, ReviewStanding};
use brv_engine::Context;
use clap::Args;

/// The arguments of `brv review show`.
#[derive(Debug, Args)]
#[command(before_help = "Examples:
  brv review show 1a2b3c4d5e
  brv review show drm-1795676585000 --json")]
pub struct Arguments {
    /// ID of a change, an operation or a dream, or its beginning
    #[arg(value_name = "ID")]
    id: String,
}

impl Verb for Arguments {
    const NAME: &'static str = "review show";
    const TEXT: Purpose = Purpose::LongAnswer;
    type Outcome = Outcome;

    fn run<'a>(&self, cx: &'a Context<'_>) -> Result<Answer<'a, Outcome>, Failure> {
        Ok(Answer::new(show::run(cx, &self.id)?))
    }

    fn text(&self, outcome: &Outcome, screen: &mut Screen) {
        for (number, item) in outcome.items.iter().enumerate() {
            if number > 0 {
                screen.end();
            }
            row(screen, &item.row);
            screen.plain("            ").text(Style::Dim, word(item.standing)).end();
            screen.end();
            knowledge::text(screen, &item.told.entries, &item.told.files);
        }
    }
}

const fn word(standing: ReviewStanding) -> &'static str {
    match standing {
        ReviewStanding::Pending => "pending",
        ReviewStanding::Published => "published",
        ReviewStanding::Approved => "approved",
        ReviewStanding::TakenBack => "rejected or undone",
    }
}
