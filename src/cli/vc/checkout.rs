//! `brv vc checkout`: git's older command for both switching to a branch or commit and restoring paths.

use super::restore;
use super::switch::{self, SwitchFlags};
use crate::cli::session::{Report, Run, Session};
use crate::say::{Exit, Failure, warnings};
use crate::wire;
use brv_commands::vc::checkout::{self, Existing, Meant, Options, Side};
use clap::Args;

/// The arguments of `brv vc checkout`.
#[derive(Debug, Args)]
#[command(before_help = "Examples:
  brv vc checkout topic
  brv vc checkout -b topic origin/main
  brv vc checkout HEAD~2 -- auth/tokens.md")]
pub struct Arguments {
    /// Branch or commit to switch to; or paths to restore, after an optional commit to take them from
    #[arg(value_name = "REV|PATH")]
    words: Vec<String>,
    /// Paths, even if they look like revisions
    #[arg(last = true, value_name = "PATH")]
    paths: Vec<String>,
    /// Create the branch NAME and switch to it
    #[arg(short = 'b', value_name = "NAME", conflicts_with_all = ["force_create", "detach", "ours", "theirs"])]
    create: Option<String>,
    /// Create or reset the branch NAME and switch to it
    #[arg(short = 'B', value_name = "NAME", conflicts_with_all = ["detach", "ours", "theirs"])]
    force_create: Option<String>,
    /// Detach HEAD at the commit
    #[arg(short, long, conflicts_with_all = ["ours", "theirs"])]
    detach: bool,
    /// Take our side of files in conflict
    #[arg(short = '2', long, conflicts_with = "theirs")]
    ours: bool,
    /// Take their side of files in conflict
    #[arg(short = '3', long)]
    theirs: bool,
    #[command(flatten)]
    manner: SwitchFlags,
}

impl Run for Arguments {
    const NAME: &'static str = "vc checkout";

    fn run(self, session: &Session) -> Result<Exit, Failure> {
        let options = self.options()?;
        let outcome = checkout::run(&session.context(), &options)?;
        let data = wire::Checkout::from(&outcome);
        let report = Report::new(&data).account().warning(warnings::written(data.written()));
        Ok(session.report(report, |screen| match &data {
            wire::Checkout::Switched(data) => switch::account(screen, data),
            wire::Checkout::Restored(data) => restore::account(screen, data),
        }))
    }
}

impl Arguments {
    fn options(self) -> Result<Options, Failure> {
        let Self { mut words, paths, manner, .. } = self;
        let track = manner.tracking().track();
        let made = |name, existing| Meant::New { name, existing, track };
        let meant = match (self.create, self.force_create) {
            (Some(name), _) => made(name, Existing::Stays),
            (_, Some(name)) => made(name, Existing::Moves),
            _ if self.detach => Meant::Commit,
            _ if self.ours => Meant::Side(Side::Ours),
            _ if self.theirs => Meant::Side(Side::Theirs),
            _ if manner.tracking().is_asked() => {
                let start = words.first().cloned().unwrap_or_default();
                made(switch::name_of(&start)?, Existing::Stays)
            }
            _ => Meant::Unsaid,
        };
        if matches!(meant, Meant::Side(_)) && words.is_empty() && paths.is_empty() {
            return Err(Failure::usage("`--ours` and `--theirs` need paths"));
        }
        words.retain(|word| !word.is_empty());
        let (guess, local, derive) = (manner.guess(), manner.local(), manner.derive());
        Ok(Options { meant, words, paths, guess, local, derive })
    }
}
