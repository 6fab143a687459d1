//! `brv review reject`: takes a change back.

use super::{ReviewFlags, decided};
use crate::cli::integration::changed;
use crate::cli::ui::{Screen, Style};
use crate::cli::verb::{Answer, Purpose, Verb};
use crate::say::decisions::{self, Voice};
use crate::say::words::short;
use crate::say::{Failure, warnings};
use brv_commands::review::reject::{self, Outcome};
use brv_commands::undo::UndoMode;
use brv_engine::Context;
use brv_engine::write::written::WrittenEffects;
use clap::Args;

/// The arguments of `brv review reject`.
#[derive(Debug, Args)]
#[command(
    before_help = "Examples:
  brv review reject 1a2b3c4d5e
  brv review reject 1a2b3c4d5e auth/jwt/token.md -m \"still in use\"",
    after_help = "Restores this path alone: the rest of the operation stays, and later edits are merged. Rejecting a merge of \
entries also restores its sources and the links to them. A rejection is an operation: `brv undo` undoes it, and then the \
change waits again."
)]
pub struct Arguments {
    #[command(flatten)]
    choice: ReviewFlags,
}

impl Verb for Arguments {
    const NAME: &'static str = "review reject";
    const TEXT: Purpose = Purpose::Account;
    type Outcome = Outcome;

    fn run<'a>(&self, cx: &'a Context<'_>) -> Result<Answer<'a, Outcome>, Failure> {
        let mut outcome = reject::run(cx, &self.choice.options())?;
        let forgotten = outcome.forgotten.take();
        let said = forgotten.map(|stop| format!("the decision is not in this clone's log: {}", stop.message));
        let mut warnings: Vec<String> = said.into_iter().collect();
        if let Some(undone) = &outcome.undone {
            warnings.extend(warnings::undo(undone));
            warnings.extend(warnings::written(&WrittenEffects::from(&undone.written)));
        }
        let failure = failing(&outcome);
        Ok(Answer::new(outcome).warning(warnings).failing(failure))
    }

    fn text(&self, data: &Outcome, screen: &mut Screen) {
        decided(screen, &data.decided);
        let Some(undone) = data.undone.as_ref().filter(|_| data.conflicts.is_empty()) else { return };
        if let Some(id) = &data.commit {
            screen.plain(" in the new commit ").text(Style::Notable, short(id)).end();
        } else if undone.manner == UndoMode::Left {
            let place = if undone.staged.is_empty() { "on disk" } else { "staged" };
            screen.line(format!(" {place}, not committed"));
        } else if !undone.moves.is_empty() {
            screen.line(" the branch is back before the commit, which no remote has");
        }
        changed(screen, undone.entries.as_deref().unwrap_or_default(), &undone.files);
    }
}

/// The conflicts with later changes.
fn failing(outcome: &Outcome) -> Option<Failure> {
    let failure = decisions::failure(&outcome.conflicts, Voice::Undo, "; nothing was written")?;
    Some(failure.hinting(Some(
        "it was changed again since: edit the files by hand, or undo the operation with `brv undo ID PATH --on-conflict`",
    )))
}
