//! `brv vc pull`: fetches, fast-forwards or merges, and updates derived files.

use super::fetching::Fetching;
use crate::cli::guarding::{Doors, Losses};
use crate::cli::integration::{self, Merging};
use crate::cli::session::{Report, Run, Session};
use crate::cli::ui::Screen;
use crate::say::{Exit, Failure, decisions, refs, warnings, words};
use crate::wire::{self, Relation};
use brv_commands::vc::merge::Made;
use brv_commands::vc::pull::{self, Mode, Options};
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
    /// Remote or address; default: the remote of the branch's upstream
    #[arg(value_name = "REMOTE")]
    remote: Option<String>,
    /// Remote branch to merge into the current branch
    #[arg(value_name = "BRANCH")]
    branch: Option<String>,
    #[command(flatten)]
    fetching: Fetching,
    #[command(flatten)]
    merging: Merging,
    #[command(flatten)]
    doors: Doors<Losses>,
    /// Fetch, then only show what would change
    #[arg(short = 'n', long, conflicts_with_all = ["depth", "deepen", "unshallow"])]
    dry_run: bool,
}

impl Run for Arguments {
    const NAME: &'static str = "vc pull";

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
        let outcome = pull::run(&session.context(), &options)?;
        let next = words::tidying(outcome.tidying);
        let data = wire::Pull::from(outcome);
        let report = Report::new(&data)
            .account()
            .warning(warnings::written(&data.brought.written))
            .next(integration::details(&data.brought))
            .next(next)
            .failing(decisions::conflicts(&data.brought, Made::Commit, mode));
        Ok(session.report(report, |screen| text(screen, &data, mode)))
    }
}

fn text(screen: &mut Screen, data: &wire::Pull, mode: Mode) {
    let name = format!("{}/{}", data.source, data.branch);
    integration::heading(screen, &data.brought, &name, mode);
    if let Some(history) = refs::history(data.history) {
        screen.line(history);
    }
    if !matches!(data.brought.relation, Relation::UpToDate | Relation::Stopped) {
        integration::body(screen, &data.brought);
    }
}
