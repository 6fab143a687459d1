//! `brv connectors uninstall`: take brv out of the settings of coding agents.

use super::{Which, hosts};
use crate::cli::ui::Screen;
use crate::cli::verb::{Answer, Purpose, Verb};
use crate::say::Failure;
use brv_commands::connectors::{Changes, Host, Mode, uninstall};
use brv_engine::Context;
use clap::Args;

/// The arguments of `brv connectors uninstall`.
#[derive(Debug, Args)]
#[command(
    before_help = "Examples:
  brv connectors uninstall claude
  brv connectors uninstall --dry-run",
    after_help = "Without a host, all; without --type or --scope, all types and scopes. A file that `install` made \
is removed if it has nothing else."
)]
pub struct Arguments {
    /// The hosts; all if none is named
    #[arg(value_name = "HOST", value_parser = hosts(), hide_possible_values = true)]
    hosts: Vec<Host>,
    #[command(flatten)]
    which: Which,
    /// Write nothing; show what would change
    #[arg(long)]
    dry_run: bool,
}

impl Verb for Arguments {
    const NAME: &'static str = "connectors uninstall";
    const TEXT: Purpose = Purpose::Account;
    type Outcome = Changes;

    fn run<'a>(&self, cx: &'a Context<'_>) -> Result<Answer<'a, Changes>, Failure> {
        let mode = if self.dry_run { Mode::DryRun } else { Mode::Write };
        let (changes, refused) = uninstall::run(cx, &self.which.of(&self.hosts), mode)?;
        Ok(Answer::new(changes).failing(refused.map(Failure::from)))
    }

    fn text(&self, changes: &Changes, screen: &mut Screen) {
        super::changes(screen, changes);
    }
}
