//! `brv review pending`: lists the changes that wait for review; and the switch.

use super::{comment, row};
use crate::cli::ui::{Screen, Style};
use crate::cli::verb::{Answer, Purpose, Verb};
use crate::say::Failure;
use crate::say::described::{Described, described};
use crate::say::words::many;
use brv_commands::review::pending::ReviewExtent;
use brv_commands::review::{pending, switch};
use brv_engine::Context;
use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;

/// The arguments of `brv review pending`.
#[derive(Debug, Args)]
#[command(
    before_help = "Examples:
  brv review pending
  brv review pending --all
  brv review pending --disable",
    after_help = "A change waits if an operation marked it and no remote has it: deleted and merged entries, entries that lost \
a fact or more than 30 % of their text, and changes of pinned or core entries. Entries that came from elsewhere and may \
steer an agent wait, too; until you approve them, agents do not get them. `brv help reviewing` says more."
)]
pub struct Arguments {
    /// Also list marked changes that a remote has
    #[arg(long)]
    all: bool,
    /// Mark risky changes for review from now on; written to your settings
    #[arg(long, conflicts_with_all = ["disable", "all"])]
    enable: bool,
    /// Stop marking changes and blocking pushes; existing marks stay
    #[arg(long, conflicts_with = "all")]
    disable: bool,
}

/// What is answered: the changes, or the switch.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Answered")]
#[serde(untagged)]
pub enum PendingAnswer {
    Pending(pending::Outcome),
    Switched(switch::Outcome),
}

const SWITCH: &str = "review switch";

impl Verb for Arguments {
    const NAME: &'static str = "review pending";
    const SCHEMAS: &'static [Described] =
        &[described::<pending::Outcome>(Self::NAME), described::<switch::Outcome>(SWITCH)];
    type Outcome = PendingAnswer;

    fn schema(&self) -> &'static str {
        if self.enable || self.disable { SWITCH } else { Self::NAME }
    }

    fn purpose(&self) -> Purpose {
        if self.enable || self.disable { Purpose::Account } else { Purpose::LongAnswer }
    }

    fn run<'a>(&self, cx: &'a Context<'_>) -> Result<Answer<'a, PendingAnswer>, Failure> {
        if !(self.enable || self.disable) {
            let extent = if self.all { ReviewExtent::Everything } else { ReviewExtent::Outgoing };
            let found = pending::run(cx, extent)?;
            let looks = found.count > 0 && cx.is_by_person();
            let answer = Answer::new(PendingAnswer::Pending(found));
            return Ok(answer.next(looks.then_some("brv ui review")));
        }
        let outcome = switch::run(cx, self.enable)?;
        let word = if outcome.enabled { "on" } else { "off" };
        let said = format!("review is still {word}: an environment variable or the team's brv.yaml decides");
        let said = outcome.overruled.then_some(said);
        Ok(Answer::new(PendingAnswer::Switched(outcome)).warning(said))
    }

    fn text(&self, outcome: &PendingAnswer, screen: &mut Screen) {
        match outcome {
            PendingAnswer::Pending(outcome) => {
                outcome.pending.iter().for_each(|one| row(screen, one));
                match outcome.count {
                    0 => screen.line("No change waits for review."),
                    count if self.all => {
                        screen.line(format!("{}.", many(count, "marked change", "marked changes")))
                    }
                    count => {
                        let waits = many(count, "change waits", "changes wait");
                        screen.line(format!("{waits} for review; `brv review show ID` shows one."))
                    }
                };
                if outcome.comments.is_empty() {
                    return;
                }
                screen.end();
                outcome.comments.iter().for_each(|one| comment::row(screen, one));
                let waits = many(outcome.comments.len(), "comment waits", "comments wait");
                screen.line(format!("{waits} for an answer: `brv review answer ID -m TEXT`"));
            }
            PendingAnswer::Switched(outcome) => {
                let word = if self.enable { "enabled" } else { "disabled" };
                screen.text(Style::Good, format!("review {word}")).plain(" in ");
                screen.word(Style::Name, outcome.file.display().to_string()).end();
            }
        }
    }
}
