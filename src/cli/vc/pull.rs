//! `brv vc pull`: fetches, fast-forwards or merges, and updates derived files.

use super::fetching::Fetching;
use crate::cli::guarding::{Doors, Losses};
use crate::cli::integration::{self, Merging};
use crate::cli::ui::Screen;
use crate::cli::verb::{Answer, Purpose, Verb};
use crate::say::{Failure, decisions, refs, warnings, words};
use brv_commands::vc::merge::Made;
use brv_commands::vc::pull::{self, Mode, Options, Outcome, Relation};
use brv_engine::Context;
use brv_engine::write::written::WrittenEffects;
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

impl Verb for Arguments {
    const NAME: &'static str = "vc pull";
    const TEXT: Purpose = Purpose::Account;
    type Outcome = Outcome;

    fn run<'a>(&self, cx: &'a Context<'_>) -> Result<Answer<'a, Outcome>, Failure> {
        let options = Options {
            remote: self.remote.clone(),
            branch: self.branch.clone(),
            manner: self.fetching.manner(),
            forward: self.merging.forward(),
            undecided: self.merging.on_conflict,
            allowed: self.doors.allowed(),
            mode: self.mode(),
        };
        let outcome = pull::run(cx, &options)?;
        let brought = &outcome.brought;
        let said = warnings::written(&WrittenEffects::from(&brought.written));
        let (details, next) = (integration::details(brought), words::tidying(outcome.tidying));
        let failure = decisions::conflicts(brought, Made::Commit, self.mode());
        Ok(Answer::new(outcome).warning(said).next(details).next(next).failing(failure))
    }

    fn text(&self, outcome: &Outcome, screen: &mut Screen) {
        let name = format!("{}/{}", outcome.source, outcome.branch);
        integration::heading(screen, &outcome.brought, &name, self.mode());
        if let Some(history) = refs::history(outcome.history) {
            screen.line(history);
        }
        if !matches!(outcome.brought.relation, Relation::UpToDate | Relation::Stopped) {
            integration::body(screen, &outcome.brought);
        }
    }
}

impl Arguments {
    const fn mode(&self) -> Mode {
        if self.dry_run { Mode::DryRun } else { Mode::Write }
    }
}
