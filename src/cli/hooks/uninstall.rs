//! `brv hooks uninstall`: takes brv out of the git hooks.

use crate::cli::ui::Screen;
use crate::cli::verb::{Answer, Purpose, Verb};
use crate::say::Failure;
use brv_commands::hooks::{HookChanges, uninstall};
use brv_engine::Context;
use clap::Args;

/// The arguments of `brv hooks uninstall`.
#[derive(Debug, Args)]
#[command(before_help = "Examples:
  brv hooks uninstall")]
pub struct Arguments {}

impl Verb for Arguments {
    const NAME: &'static str = "hooks uninstall";
    const TEXT: Purpose = Purpose::Account;
    type Outcome = HookChanges;

    fn run<'a>(&self, cx: &'a Context<'_>) -> Result<Answer<'a, HookChanges>, Failure> {
        Ok(Answer::new(uninstall::run(cx, &super::LINES)?))
    }

    fn text(&self, changes: &HookChanges, screen: &mut Screen) {
        super::rows(screen, &changes.hooks);
    }
}
