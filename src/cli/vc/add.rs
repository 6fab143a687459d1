//! `brv vc add`: stages files of the work tree.

use super::refused;
use crate::cli::guarding::{Doors, StagingGuards};
use crate::cli::ui::Screen;
use crate::cli::verb::{Answer, Purpose, Verb};
use crate::say::{Failure, warnings, words};
use brv_base::escape::quote_path;
use brv_commands::vc::add::{
    self, Mode, Options, Outcome, RefusalCause, Refused, Selection, StagingContent, StagingResult, Unusual,
};
use brv_engine::{Context, FailureKind};
use clap::Args;

/// The arguments of `brv vc add`.
#[derive(Debug, Args)]
#[command(before_help = "Examples:
  brv vc add .
  brv vc add auth/jwt/token.md
  brv vc add --update
  brv vc add --intent-to-add auth/jwt/keys.md
  brv vc add --all --dry-run")]
pub struct Arguments {
    /// Files and folders, relative to the current folder or to the tree
    #[arg(value_name = "PATH", required_unless_present_any = ["all", "update"])]
    paths: Vec<String>,
    /// Stage everything in the tree
    #[arg(short = 'A', long)]
    all: bool,
    /// Stage only tracked files: their changes and deletions; without PATH, all of them
    #[arg(short, long, conflicts_with_all = ["all", "intent_to_add"])]
    update: bool,
    /// Stage new files without their content: `status` and `diff` show them, but a commit leaves them out
    #[arg(short = 'N', long)]
    intent_to_add: bool,
    /// Also stage ignored files, and files that brv does not manage, if they are named
    #[arg(short, long)]
    force: bool,
    /// Stage nothing; show what would be staged
    #[arg(short = 'n', long)]
    dry_run: bool,
    #[command(flatten)]
    doors: Doors<StagingGuards>,
}

impl Verb for Arguments {
    const NAME: &'static str = "vc add";
    const TEXT: Purpose = Purpose::Account;
    type Outcome = Outcome;

    fn run<'a>(&self, cx: &'a Context<'_>) -> Result<Answer<'a, Outcome>, Failure> {
        let options = Options {
            selection: match (self.all, self.update) {
                (true, _) => Selection::Everything,
                (_, true) => Selection::Recorded,
                _ => Selection::Paths,
            },
            content: if self.intent_to_add { StagingContent::Later } else { StagingContent::Now },
            unusual: if self.force { Unusual::Take } else { Unusual::LeaveOut },
            mode: if self.dry_run { Mode::DryRun } else { Mode::Write },
            paths: self.paths.clone(),
            allowed: self.doors.allowed(),
        };
        let outcome = add::run(cx, &options)?;
        let StagingResult { refused, passed_over, findings, .. } = &outcome.staged;
        let said = warnings::refusals(refused)
            .chain(warnings::refusals(passed_over))
            .chain(warnings::findings(findings))
            .chain(warnings::unused(&outcome.unused))
            .collect::<Vec<_>>();
        let (next, failure) = (words::tidying(outcome.tidying), failing(refused));
        Ok(Answer::new(outcome).warning(said).next(next).failing(failure))
    }

    fn text(&self, outcome: &Outcome, screen: &mut Screen) {
        let data = &outcome.staged;
        if self.dry_run {
            return list(screen, data);
        }
        let nothing = data.refused.is_empty().then(|| "Nothing new to stage.".to_owned());
        if let Some(words) = summary(data).or(nothing) {
            screen.line(words);
        }
    }
}

/// Files that were not staged.
fn failing(refused: &[Refused]) -> Option<Failure> {
    if refused.is_empty() {
        return None;
    }
    let has = |cause| refused.iter().any(|file| file.cause == cause);
    let (is_open, is_unusual) = (has(RefusalCause::Open), has(RefusalCause::Unusual));
    let kind = if is_open { FailureKind::Conflict } else { FailureKind::Failed };
    let message = format!("{} not staged", words::many(refused.len(), "file was", "files were"));
    let stop = refused::stop(kind, message, refused);
    Some(Failure::from(match stop.hint {
        _ if is_open => stop.hint(
            "list the conflicts with `brv vc resolve --list`; or stage the file as it is with `--force`",
        ),
        None if is_unusual => {
            stop.hint("`--force` also stages named files that are ignored or not managed by brv")
        }
        _ => stop,
    }))
}

/// `Staged 3 files: 2 added, 1 updated`, if there are any.
fn summary(data: &StagingResult) -> Option<String> {
    let counts = [
        (data.added.len(), "added"),
        (data.updated.len(), "updated"),
        (data.removed.len(), "removed"),
        (data.intended.len(), "to be added later"),
    ];
    let total = counts.iter().map(|(count, _)| count).sum();
    if total == 0 {
        return None;
    }
    let parts: Vec<String> = counts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, word)| format!("{count} {word}"))
        .collect();
    Some(format!("Staged {}: {}", words::many(total, "file", "files"), parts.join(", ")))
}

/// Print `add 'a.md'` lines, as git does in a dry run.
fn list(screen: &mut Screen, data: &StagingResult) {
    for path in data.added.iter().chain(&data.updated).chain(&data.intended) {
        screen.line(format!("add '{}'", quote_path(path)));
    }
    for path in &data.removed {
        screen.line(format!("remove '{}'", quote_path(path)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_counts_what_happened() {
        let staged = StagingResult {
            added: vec!["a.md".into(), "b.md".into()],
            removed: vec!["c.md".into()],
            ..StagingResult::default()
        };
        assert_eq!(summary(&staged).as_deref(), Some("Staged 3 files: 2 added, 1 removed"));
        assert_eq!(summary(&StagingResult::default()), None);
    }
}
