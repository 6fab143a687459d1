//! `brv hooks install`: makes git call brv.

use crate::cli::format::choice;
use crate::cli::ui::Screen;
use crate::cli::verb::{Answer, Purpose, Verb};
use crate::say::{Failure, warnings};
use brv_commands::hooks::install::{self, Via};
use brv_commands::hooks::{HookChange, HookChanges};
use brv_engine::Context;
use clap::Args;
use clap::builder::TypedValueParser;

/// The arguments of `brv hooks install`.
#[derive(Debug, Args)]
#[command(
    before_help = "Examples:
  brv hooks install
  brv hooks install --via config",
    after_help = "In the repository of the code: post-commit, post-rewrite. In the tree's own repository: post-merge, \
post-checkout, pre-push. Existing hooks keep working: each gets one line, between markers."
)]
pub struct Arguments {
    /// Write hook files or git settings: auto, file or config
    #[arg(long, value_name = "WAY", value_parser = vias(), default_value = "auto", hide_possible_values = true)]
    via: Via,
}

/// Parse where the call of brv is written.
fn vias() -> impl TypedValueParser<Value = Via> {
    choice([
        (Via::Auto, "auto", "Files, or settings where the files are not brv's to change"),
        (Via::File, "file", "Files only"),
        (Via::Config, "config", "Settings only, which git knows since 2.54"),
    ])
}

impl Verb for Arguments {
    const NAME: &'static str = "hooks install";
    const TEXT: Purpose = Purpose::Account;
    type Outcome = HookChanges;

    fn run<'a>(&self, cx: &'a Context<'_>) -> Result<Answer<'a, HookChanges>, Failure> {
        let (changes, shared) = install::run(cx, &super::LINES, self.via)?;
        let has_changed = changes.hooks.iter().any(|one| one.change != HookChange::Kept);
        let next = has_changed.then_some("brv hooks status");
        Ok(Answer::new(changes).warning(warnings::shared_hooks(&shared)).next(next))
    }

    fn text(&self, changes: &HookChanges, screen: &mut Screen) {
        super::rows(screen, &changes.hooks);
    }
}
