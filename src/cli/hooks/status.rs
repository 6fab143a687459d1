//! `brv hooks status`: shows which git hooks call brv.

use crate::cli::ui::{Screen, Style};
use crate::cli::verb::{Answer, Verb};
use crate::say::Failure;
use crate::say::words::many;
use brv_commands::hooks::HookLineState;
use brv_commands::hooks::status::{self, Outcome};
use brv_engine::Context;
use clap::Args;

/// What files entries of earlier rules anew.
const AGAIN: &str = "brv curate --commit --again";

/// The arguments of `brv hooks status`.
#[derive(Debug, Args)]
#[command(before_help = "Examples:
  brv hooks status
  brv hooks status --json")]
pub struct Arguments {}

impl Verb for Arguments {
    const NAME: &'static str = "hooks status";
    type Outcome = Outcome;

    fn run<'a>(&self, cx: &'a Context<'_>) -> Result<Answer<'a, Outcome>, Failure> {
        let outcome = status::run(cx, &super::LINES)?;
        let is_missing = |state| matches!(state, HookLineState::Absent | HookLineState::Outdated);
        let is_incomplete = outcome.hooks.iter().any(|hook| is_missing(hook.state));
        let next = is_incomplete.then_some("brv hooks install");
        let again = (outcome.old_entries > 0).then_some(AGAIN);
        Ok(Answer::new(outcome).next(next.into_iter().chain(again)))
    }

    fn text(&self, outcome: &Outcome, screen: &mut Screen) {
        match &outcome.host {
            Some(host) => {
                screen.plain("host      ").word(Style::Name, &host.folder);
                if let Some(manager) = host.manager {
                    screen.plain(format!(", hooks ruled by {manager}"));
                }
                screen.end();
            }
            None => drop(screen.line("host      none: the project is in no git repository")),
        }
        for hook in &outcome.hooks {
            super::row(screen, hook, super::style(hook.state), hook.state.word());
        }
        if !outcome.enabled {
            screen.text(Style::Notable, "disabled  ").line("the setting hooks.enabled is false");
        }
        let queue = outcome.queue;
        screen.line(format!(
            "queue     {} queued, {} running, {} failed",
            queue.queued, queue.running, queue.failed
        ));
        if let Some(worker) = outcome.worker {
            screen.line(format!("worker    process {worker}"));
        }
        if outcome.old_entries > 0 {
            let count = many(outcome.old_entries, "entry", "entries");
            screen.line(format!("old       {count} of earlier rules: `{AGAIN}` files them again"));
        }
    }
}
