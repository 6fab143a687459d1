//! `brv vc add`: stages files of the work tree.

use crate::cli::guarding::{Doors, Secrets};
use crate::cli::session::{Report, Run, Session};
use crate::cli::ui::Screen;
use crate::say::{Exit, Failure, failing, warnings, words};
use crate::wire;
use brv_base::escape::quote_path;
use brv_commands::vc::add::{self, Content, Mode, Options, Selection, Unusual};
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
    doors: Doors<Secrets>,
}

impl Run for Arguments {
    const NAME: &'static str = "vc add";

    fn run(self, session: &Session) -> Result<Exit, Failure> {
        let options = Options {
            selection: match (self.all, self.update) {
                (true, _) => Selection::Everything,
                (_, true) => Selection::Recorded,
                _ => Selection::Paths,
            },
            content: if self.intent_to_add { Content::Later } else { Content::Now },
            unusual: if self.force { Unusual::Take } else { Unusual::LeaveOut },
            mode: if self.dry_run { Mode::DryRun } else { Mode::Write },
            paths: self.paths,
            allowed: self.doors.allowed(),
        };
        let data = wire::Add::from(&add::run(&session.context(), &options)?);
        let report = Report::new(&data)
            .account()
            .warning(warnings::refusals(&data.refused))
            .warning(warnings::refusals(&data.passed_over))
            .warning(warnings::findings(&data.findings))
            .warning(warnings::unused(&data.unused))
            .next(words::tidying(data.tidying))
            .failing(failing::add(&data));
        Ok(session.report(report, |screen| match options.mode {
            Mode::Write => {
                let recorded = summary(&data);
                let nothing = data.refused.is_empty().then_some("Nothing new to stage.");
                let words = recorded.as_deref().or(nothing);
                words.map(|words| screen.line(words));
            }
            Mode::DryRun => list(screen, &data),
        }))
    }
}

/// `Staged 3 files: 2 added, 1 updated`, if there are any.
fn summary(data: &wire::Add) -> Option<String> {
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
fn list(screen: &mut Screen, data: &wire::Add) {
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
    use brv_commands::vc::add::Outcome;

    #[test]
    fn the_summary_counts_what_happened() {
        let outcome = Outcome {
            staged: add::Staged {
                added: vec!["a.md".into(), "b.md".into()],
                removed: vec!["c.md".into()],
                ..add::Staged::default()
            },
            ..Outcome::default()
        };
        assert_eq!(
            summary(&wire::Add::from(&outcome)).as_deref(),
            Some("Staged 3 files: 2 added, 1 removed")
        );
        assert_eq!(summary(&wire::Add::from(&Outcome::default())), None);
    }
}
