//! `brv archive run`: moves entries out of the tree.

use crate::cli::ui::{Screen, Style};
use crate::cli::verb::{Answer, Purpose, Verb};
use crate::say::words::{many, short};
use crate::say::{Failure, warnings};
use brv_base::escape::quote_path;
use brv_commands::archive::run::{self, BELOW, Outcome, Skipped, Why};
use brv_engine::{Context, FailureKind, Mode};
use clap::Args;
use std::io::IsTerminal as _;

/// The arguments of `brv archive run`.
#[derive(Debug, Args)]
#[command(
    before_help = "Examples:
  brv archive run auth/old_draft
  brv archive run --dry-run",
    after_help = "Without PATH: at most 20 drafts with an importance below 35 that this machine has known for 30 days. A \
teammate may need what this machine does not use: without a person at the terminal or --yes, and for an agent, brv only \
lists them.

Why an entry stays: not_committed (or archived already); dirty (it or the `context.md` of its folder has uncommitted \
changes); not_on_disk (a sparse checkout leaves it out); overview (a folder or a `context.md`, or that `context.md` cannot be edited); unpublished (not pushed: a squash \
merge would lose its bytes; name the entry to archive it anyway); maturity (not a draft); importance; young_signals \
(known here for less than 30 days); pinned; limit (20 entries were archived)."
)]
pub struct Arguments {
    /// Entries to archive, with or without .md, whatever their importance
    #[arg(value_name = "PATH")]
    paths: Vec<String>,
    /// Write nothing; show what would be archived
    #[arg(short = 'n', long)]
    dry_run: bool,
    /// Without PATH and without a terminal: archive them all the same; not for agents
    #[arg(long, conflicts_with = "dry_run")]
    yes: bool,
}

/// Why a run without names archived nothing.
fn nothing(outcome: &Outcome) -> String {
    match outcome.skipped.is_empty() {
        true => {
            format!("Nothing archived: no entry has an importance below {BELOW}. `brv signals` shows them.")
        }
        false => format!("Nothing archived: all entries with an importance below {BELOW} stay."),
    }
}

impl Verb for Arguments {
    const NAME: &'static str = "archive run";
    const TEXT: Purpose = Purpose::Account;
    type Outcome = Outcome;

    fn run<'a>(&self, cx: &'a Context<'_>) -> Result<Answer<'a, Outcome>, Failure> {
        let mode = if self.dry_run { Mode::DryRun } else { Mode::Write };
        let is_decided = !cx.is_by_agent() && (self.yes || std::io::stdin().is_terminal());
        let lists = mode == Mode::Write && self.paths.is_empty() && !is_decided;
        let (outcome, trouble) = if lists { run::list(cx)? } else { run::run(cx, &self.paths, mode)? };
        let said = warnings::archived(&outcome, trouble.as_ref());
        let is_meant = |one: &&Skipped| !self.paths.is_empty() || one.why == Why::Changed;
        let left: Vec<Skipped> = outcome.skipped.iter().filter(is_meant).cloned().collect();
        let failure = not_archived(&left);
        Ok(Answer::new(outcome).warning(said).failing(failure))
    }

    fn text(&self, outcome: &Outcome, screen: &mut Screen) {
        for one in &outcome.archived {
            screen.text(Style::Bad, "archived ").word(Style::Name, one.path.as_str());
            screen.text(Style::Dim, format!("  importance {}", one.importance)).end();
        }
        for one in outcome.skipped.iter().filter(|_| self.paths.is_empty()) {
            screen.text(Style::Dim, "stays    ").word(Style::Plain, &one.path);
            screen.text(Style::Dim, format!("  {}", one.why.words())).end();
        }
        for one in &outcome.candidates {
            screen.text(Style::Notable, "candidate ").word(Style::Name, one.path.as_str());
            screen.text(Style::Dim, format!("  importance {}", one.importance)).end();
        }
        if !outcome.candidates.is_empty() {
            screen.line("Nothing archived: a person decides. `brv archive run PATH` archives one of them.");
            return;
        }
        if outcome.archived.is_empty() {
            // of entries that were named, the error says why
            if self.paths.is_empty() {
                screen.line(nothing(outcome));
            }
            return;
        }
        let would = if self.dry_run { "Would archive " } else { "Archived " };
        screen.plain(format!("{would}{}", many(outcome.archived.len(), "entry", "entries")));
        if let Some(id) = &outcome.saved.commit {
            screen.plain(" in commit ").text(Style::Notable, short(id));
        }
        screen.line("; `brv archive restore PATH` restores one.");
    }
}

/// Entries that the run was asked for by name and left in the tree.
fn not_archived(skipped: &[Skipped]) -> Option<Failure> {
    if skipped.is_empty() {
        return None;
    }
    let line = |one: &Skipped| format!("{}: {}", quote_path(one.path.as_bytes()), one.why.words());
    let count = many(skipped.len(), "entry was", "entries were");
    Some(
        Failure::new(FailureKind::Failed, format!("{count} not archived"))
            .detailing(skipped.iter().map(line)),
    )
}
