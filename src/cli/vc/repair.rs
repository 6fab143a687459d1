//! `brv vc repair`: redoes the merge of a file that a git host or another tool merged line by line.

use crate::cli::ui::Screen;
use crate::cli::verb::{Answer, Purpose, Verb};
use crate::say::words::{self, many};
use crate::say::{Failure, decisions, warnings};
use brv_base::escape::{escape_line, quote_path};
use brv_commands::vc::repair::{self, Mode, Options, Outcome, RepairState};
use brv_engine::{Context, FailureKind};
use clap::Args;

/// The arguments of `brv vc repair`.
#[derive(Debug, Args)]
#[command(before_help = "Examples:
  brv vc repair auth/jwt/token.md
  brv vc repair auth/jwt/token.md --dry-run")]
pub struct Arguments {
    /// Files with committed conflict markers, or with a duplicate key in the frontmatter
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<String>,
    /// Write nothing; show what would be done
    #[arg(short = 'n', long)]
    dry_run: bool,
}

impl Verb for Arguments {
    const NAME: &'static str = "vc repair";
    const TEXT: Purpose = Purpose::Account;
    type Outcome = Outcome;

    fn run<'a>(&self, cx: &'a Context<'_>) -> Result<Answer<'a, Outcome>, Failure> {
        let mode = if self.dry_run { Mode::DryRun } else { Mode::Write };
        let outcome = repair::run(cx, &Options { paths: self.paths.clone(), mode })?;
        let warnings = warnings::written(&outcome.written);
        let next = outcome.written.rewritten.operation.as_ref().map(|_| "brv vc diff");
        let failure = failing(&outcome);
        Ok(Answer::new(outcome).warning(warnings).next(next).failing(failure))
    }

    fn text(&self, outcome: &Outcome, screen: &mut Screen) {
        let done = if self.dry_run { "would be redone" } else { "was redone, not staged yet" };
        text(screen, outcome, done);
    }
}

/// Files that could not be repaired, and why.
fn failing(outcome: &Outcome) -> Option<Failure> {
    let mut details = Vec::new();
    for file in &outcome.files {
        let path = quote_path(file.path.as_bytes());
        match &file.state {
            RepairState::Sound | RepairState::Repaired { open: 0, .. } => {}
            RepairState::Repaired { open, .. } => {
                details.push(format!("{path}: {} left", many(*open, "conflict", "conflicts")));
            }
            RepairState::InTheWay { merge, lines } => {
                details.push(format!(
                    "{path}: not repaired, because it would overwrite lines added in or after the merge {}",
                    words::short(merge)
                ));
                details.extend(lines.iter().map(|line| format!("  {line}")));
            }
            RepairState::NoMerge { open: 0 } => {
                details
                    .push(format!("{path}: no merge in history produced this frontmatter; edit it by hand"));
            }
            RepairState::NoMerge { open } => {
                let decisions = many(*open, "conflict", "conflicts");
                details.push(format!(
                    "{path}: no merge in history produced these markers; {decisions} to resolve"
                ));
            }
            RepairState::Unmerged => {
                details.push(format!("{path}: merge in progress, resolve the conflicts"))
            }
        }
    }
    if details.is_empty() {
        return None;
    }
    let failure = Failure::new(FailureKind::Conflict, "could not repair everything").detailing(details);
    Some(failure.hinting(Some(
        "list the conflicts with `brv vc resolve --list PATH`, resolve them with `brv vc resolve PATH`",
    )))
}

fn text(screen: &mut Screen, data: &Outcome, done: &str) {
    if data.files.is_empty() {
        screen.line("Nothing to repair.");
    }
    for file in &data.files {
        let path = quote_path(file.path.as_bytes());
        match &file.state {
            RepairState::Sound => {
                screen.line(format!("{path}: nothing to repair"));
            }
            RepairState::Repaired { merge, settled, records, open, .. } => {
                let settled = match settled {
                    0 => String::new(),
                    settled => format!("; {} settled by rule", many(*settled, "difference", "differences")),
                };
                let open = match open {
                    0 => String::new(),
                    open => format!("; {} left", many(*open, "conflict", "conflicts")),
                };
                screen.line(format!("{path}: the merge {} {done}{settled}{open}", words::short(merge)));
                for record in records {
                    screen.line(format!("  {}", escape_line(decisions::line(record).as_bytes())));
                }
            }
            RepairState::InTheWay { .. } | RepairState::NoMerge { .. } | RepairState::Unmerged => {}
        }
    }
}
