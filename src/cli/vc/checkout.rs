//! `brv vc checkout`: git's older command for both switching to a branch or commit and restoring paths.

use super::restore;
use super::switch::{self, SwitchFlags};
use crate::cli::ui::Screen;
use crate::cli::verb::{Answer, Purpose, Verb};
use crate::say::{Failure, warnings};
use brv_commands::vc::checkout::{self, Existing, Meant, Options, Outcome, RestoreSide};
use brv_engine::Context;
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

impl Verb for Arguments {
    const NAME: &'static str = "vc checkout";
    const TEXT: Purpose = Purpose::Account;
    type Outcome = Outcome;

    fn run<'a>(&self, cx: &'a Context<'_>) -> Result<Answer<'a, Outcome>, Failure> {
        let outcome = checkout::run(cx, &self.options()?)?;
        let warnings = match &outcome {
            Outcome::Switched(switched) => warnings::switched(switched),
            Outcome::Restored(restored) => warnings::written(&restored.written),
        };
        Ok(Answer::new(outcome).warning(warnings))
    }

    fn text(&self, outcome: &Outcome, screen: &mut Screen) {
        match outcome {
            Outcome::Switched(switched) => switch::account(screen, switched),
            Outcome::Restored(restored) => restore::account(screen, restored),
        }
    }
}

impl Arguments {
    fn options(&self) -> Result<Options, Failure> {
        let (mut words, paths, manner) = (self.words.clone(), self.paths.clone(), &self.manner);
        let track = manner.tracking().track();
        let made = |name, existing| Meant::New { name, existing, track };
        let meant = match (self.create.clone(), self.force_create.clone()) {
            (Some(name), _) => made(name, Existing::Stays),
            (_, Some(name)) => made(name, Existing::Moves),
            _ if self.detach => Meant::Commit,
            _ if self.ours => Meant::Side(RestoreSide::Ours),
            _ if self.theirs => Meant::Side(RestoreSide::Theirs),
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
