//! `brv vc pull`: fetch, fast-forward or merge, bring the files over, regenerate.

use super::fetching::{self, Fetching};
use crate::cli::args::Format;
use crate::cli::counts;
use crate::cli::error::Failure;
use crate::cli::exit::Exit;
use crate::cli::patch::File;
use crate::cli::session::{Report, Run, Session};
use crate::cli::ui::{Form, Screen, Style, escape_line};
use crate::cli::{transfer, words};
use crate::ops::steps::remote_choice;
use crate::ops::vc::pull::{self, Error, Mode, Options, Outcome, Relation};
use crate::wire;
use clap::Args;

/// The arguments of `brv vc pull`.
#[derive(Debug, Args)]
#[command(before_help = "Examples:
  brv vc pull
  brv vc pull origin main
  brv vc pull --prune
  brv vc pull --dry-run")]
pub struct Arguments {
    /// A remote or an address; the one that the branch follows when left out
    #[arg(value_name = "REMOTE")]
    remote: Option<String>,
    /// A branch there, merged into the current one
    #[arg(value_name = "BRANCH")]
    branch: Option<String>,
    #[command(flatten)]
    fetching: Fetching,
    /// Fetch, then only say what would change
    #[arg(short = 'n', long, conflicts_with_all = ["depth", "deepen", "unshallow"])]
    dry_run: bool,
    #[command(flatten)]
    format: Format,
}

impl Run for Arguments {
    const NAME: &'static str = "vc pull";

    fn form(&self) -> Form {
        self.format.form()
    }

    fn run(self, session: &Session) -> Result<Exit, Failure> {
        let mode = if self.dry_run { Mode::DryRun } else { Mode::Write };
        let options =
            Options { remote: self.remote, branch: self.branch, manner: self.fetching.manner(), mode };
        let outcome = pull::run(&mut session.context(), &options).map_err(|error| failure(&error))?;
        let data = wire::Pull::from(&outcome);
        let report = Report::new(&data)
            .account()
            .warning(words::recovery(data.recovered.as_ref()))
            .warning(transfer::not_written(&data.withheld))
            .warning(transfer::left_alone(&outcome.left_alone))
            .warning(words::derived(outcome.derived.as_ref()))
            .next(words::tidying(outcome.tidying))
            .failing(conflicts(&data, outcome.relation));
        Ok(session.report(report, |screen| text(screen, &outcome, mode)))
    }
}

fn conflicts(data: &wire::Pull, relation: Relation) -> Option<Failure> {
    if relation != Relation::Conflicted {
        return None;
    }
    let files = words::many(data.conflicts.len(), "file needs", "files need");
    let rows =
        data.conflicts.iter().map(|file| format!("{} ({})", escape_line(file.path.as_bytes()), file.kind));
    Some(
        Failure::new(Exit::Conflict, format!("{files} a decision"))
            .detailing(rows)
            .hinting(Some("edit each one, `brv vc add PATH` marks it as decided, then `brv vc commit`")),
    )
}

fn text(screen: &mut Screen, outcome: &Outcome, mode: Mode) {
    let would =
        |done: &str, planned: &str| if mode == Mode::Write { done.to_string() } else { planned.to_string() };
    let what = match outcome.relation {
        Relation::UpToDate => {
            screen.line("Already up to date.");
            if let Some(history) = transfer::history(outcome.history) {
                screen.line(history);
            }
            return;
        }
        Relation::FastForward => would("Fast-forwarded to ", "Would fast-forward to "),
        Relation::Merged => would("Merged ", "Would merge "),
        Relation::Conflicted => would("Merging ", "Would conflict with "),
    };
    let name = format!("{}/{}", outcome.source, outcome.branch);
    screen.plain(what).word(Style::Name, name);
    if let (Relation::FastForward, Some(before), Some(after)) =
        (outcome.relation, outcome.before, outcome.after)
        && before != after
    {
        screen
            .plain(" (")
            .text(Style::Notable, format!("{}..{}", before.prefix(7), after.prefix(7)))
            .plain(")");
    }
    screen.end();
    if let Some(history) = transfer::history(outcome.history) {
        screen.line(history);
    }
    let files: Vec<File<'_>> = outcome.files.iter().map(File::from).collect();
    let columns = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    counts::counts(screen, &files, columns);
    if let Some(Ok(done)) = &outcome.derived {
        let changed = done.written.len() + done.removed.len();
        if changed > 0 {
            screen.line(format!(
                " {} brought up to date",
                words::many(changed, "derived file", "derived files")
            ));
        }
    }
}

fn failure(error: &Error) -> Failure {
    let failure = Failure::of(error.kind(), error);
    match error {
        Error::Choice(remote_choice::Error::Detached) => failure.hinting(Some(
            "`git switch NAME` in the tree goes to a branch; `brv vc pull REMOTE BRANCH` stays and takes that one",
        )),
        Error::Choice(error) => failure.hinting(transfer::which(error)),
        Error::Advance(error) => transfer::stopped(failure, error),
        Error::Impossible(error) => failure.hinting(fetching::hint(error)),
        Error::ShallowRemote(_) => failure.hinting(Some(
            "`brv vc fetch --update-shallow` takes what it has, and ends the history here as it does there",
        )),
        Error::Unrelated => failure.hinting(Some(
            "in a repository without all its history `brv vc fetch --unshallow` brings what they share",
        )),
        Error::Merging => {
            failure.hinting(Some("`brv vc status` lists what is left; `brv vc commit` ends the merge"))
        }
        Error::Staged(paths) => failure
            .detailing(paths.iter().map(|path| escape_line(path).into_owned()))
            .hinting(Some("commit what is recorded, then pull again")),
        Error::Signing(_) => failure.hinting(Some(
            "nothing was merged; the settings `gpg.format` and `user.signingKey` say how commits are signed",
        )),
        Error::Identity(_) => failure.hinting(Some(
            "a merge needs an author: `brv vc config user.name NAME` and `brv vc config user.email ADDRESS`",
        )),
        _ => failure,
    }
}
