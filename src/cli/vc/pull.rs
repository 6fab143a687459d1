//! `brv vc pull`: fetch, fast-forward or merge, bring the files over, regenerate.

use super::fetching::{self, Fetching};
use crate::cli::format::Format;
use crate::cli::guarding::Doors;
use crate::cli::integration::{self, Merging};
use crate::cli::session::{Report, Run, Session};
use crate::cli::transfer;
use crate::cli::ui::{Form, Screen};
use crate::ops::steps::merging::integrate::{self, Made};
use crate::ops::steps::remotes::followed::{self, Unsettled};
use crate::ops::steps::remotes::remote_choice;
use crate::ops::vc::pull::{self, Error, Mode, Options, Outcome, Relation};
use crate::say::{Exit, Failure, warnings, words};
use crate::wire;
use clap::Args;

/// The arguments of `brv vc pull`.
#[derive(Debug, Args)]
#[command(before_help = "Examples:
  brv vc pull
  brv vc pull origin main
  brv vc pull --ff-only
  brv vc pull --on-conflict theirs
  brv vc pull --prune
  brv vc pull --allow mass-delete --reason \"the old notes moved\"
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
    #[command(flatten)]
    merging: Merging,
    #[command(flatten)]
    doors: Doors,
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
        let options = Options {
            remote: self.remote,
            branch: self.branch,
            manner: self.fetching.manner(),
            forward: self.merging.forward(),
            undecided: self.merging.undecided(),
            allowed: self.doors.allowed(),
            mode,
        };
        let outcome = pull::run(&session.context(), &options).map_err(|error| failure(&error))?;
        let data = wire::Pull::from(&outcome);
        let report = Report::new(&data)
            .account()
            .warning(warnings::written(&wire::Written::from(&outcome.brought.written)))
            .next(integration::details(&outcome.brought))
            .next(words::tidying(outcome.tidying))
            .failing(integration::conflicts(&data.brought, Made::Commit, mode));
        Ok(session.report(report, |screen| text(screen, &outcome, &data.brought, mode)))
    }
}

fn text(screen: &mut Screen, outcome: &Outcome, data: &wire::Integrated, mode: Mode) {
    let name = format!("{}/{}", outcome.source, outcome.branch);
    integration::heading(screen, &outcome.brought, &name, mode);
    if let Some(history) = transfer::history(outcome.history) {
        screen.line(history);
    }
    if !matches!(outcome.brought.relation, Relation::UpToDate | Relation::Stopped) {
        integration::body(screen, &outcome.brought, data);
    }
}

fn failure(error: &Error) -> Failure {
    let failure = Failure::of(error.kind(), error);
    match error {
        Error::Followed(error) => followed(failure, error),
        Error::Integrate(integrate::Error::Unrelated) => failure.hinting(Some(
            "in a repository without all its history `brv vc fetch --unshallow` brings what they share",
        )),
        Error::Integrate(error) => integration::advised(failure, error),
        Error::Unsettled(Unsettled::Merging) => failure.hinting(Some(integration::WAITING)),
        Error::Unsettled(Unsettled::UnderWay(error)) => integration::under_way(failure, error),
        _ => failure,
    }
}

/// What helps when it is not known what is to be pulled.
pub(super) fn followed(failure: Failure, error: &followed::Error) -> Failure {
    failure.hinting(match error {
        followed::Error::Choice(remote_choice::Error::Detached) => Some(
            "`git switch NAME` in the tree goes to a branch; `brv vc pull REMOTE BRANCH` stays and takes that one",
        ),
        followed::Error::Choice(error) => transfer::which(error),
        followed::Error::Impossible(error) => fetching::hint(error),
        followed::Error::ShallowRemote(_) => Some(
            "`brv vc fetch --update-shallow` takes what it has, and ends the history here as it does there",
        ),
        _ => None,
    })
}
