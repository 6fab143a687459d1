//! `brv served`: shows which entries agents were given.

use crate::cli::format::above_zero;
use crate::cli::ui::{Screen, Style};
use crate::cli::verb::{Answer, Purpose, Verb};
use crate::say::Failure;
use brv_base::clock::format_utc;
use brv_commands::served::{self, Options, Outcome, Receipt, USUAL};
use brv_engine::Context;
use clap::Args;
use std::num::NonZeroUsize;

/// The arguments of `brv served`.
#[derive(Debug, Args)]
#[command(
    before_help = "Examples:
  brv served
  brv served --session s-42
  brv served --path auth/tokens --since yesterday
  brv served -n 10 --json",
    after_help = "brv remembers what agents were given, in this clone only: `brv help agents`."
)]
pub struct Arguments {
    /// Show only what this session was given
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// Show only this entry, or the entries of this folder
    #[arg(long, value_name = "PATH")]
    path: Option<String>,
    /// Show only what was given since a date
    #[arg(long, value_name = "DATE")]
    since: Option<String>,
    /// Show at most N entries
    #[arg(short = 'n', long = "max-count", value_name = "N", value_parser = above_zero::<NonZeroUsize>,
          allow_negative_numbers = true)]
    limit: Option<NonZeroUsize>,
}

impl Verb for Arguments {
    const NAME: &'static str = "served";
    const TEXT: Purpose = Purpose::LongAnswer;
    type Outcome = Outcome;

    fn run<'a>(&self, cx: &'a Context<'_>) -> Result<Answer<'a, Outcome>, Failure> {
        let options = Options {
            session: self.session.clone(),
            path: self.path.clone(),
            since: self.since.clone(),
            limit: self.limit.map_or(USUAL, NonZeroUsize::get),
        };
        Ok(Answer::new(served::run(cx, &options)?))
    }

    fn text(&self, outcome: &Outcome, screen: &mut Screen) {
        if outcome.served.is_empty() {
            screen.line("No agent was given an entry, as far as this clone remembers.");
        }
        let mut answer: Vec<&Receipt> = Vec::new();
        for receipt in &outcome.served {
            if !answer.iter().all(|before| may_be_of_one_answer(before, receipt)) {
                answer.clear();
            }
            if answer.is_empty() {
                call(screen, receipt);
            }
            entry(screen, receipt);
            answer.push(receipt);
        }
    }
}

/// Whether two entries may have been given by one answer, which gives each entry once.
fn may_be_of_one_answer(one: &Receipt, other: &Receipt) -> bool {
    fn call(receipt: &Receipt) -> impl PartialEq + '_ {
        let Receipt { time, session, actor, door, command, asked, .. } = receipt;
        (time, session, actor, door, command, asked)
    }
    call(one) == call(other) && one.path != other.path
}

/// `2026-11-20T12:30:00Z  mcp query "How long do tokens live?"  claude-code, session s-42`
fn call(screen: &mut Screen, receipt: &Receipt) {
    let Receipt { time, session, actor, door, command, asked, .. } = receipt;
    screen.text(Style::Dim, format_utc(*time)).plain("  ").word(Style::Plain, format!("{door} {command}"));
    if let Some(asked) = asked {
        screen.plain(" \"").word(Style::Notable, asked).plain("\"");
    }
    let session = session.as_ref().map(|session| format!("session {session}"));
    let who: Vec<String> = actor.clone().into_iter().chain(session).collect();
    if !who.is_empty() {
        screen.plain("  ").word(Style::Dim, who.join(", "));
    }
    screen.end();
}

fn entry(screen: &mut Screen, receipt: &Receipt) {
    screen.plain("  ").word(Style::Name, &receipt.path).plain("  ").word(Style::Dim, &receipt.why);
    if receipt.changed_since {
        screen.text(Style::Notable, "  changed since");
    }
    screen.end();
}
