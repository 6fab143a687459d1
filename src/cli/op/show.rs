//! `brv op show`: shows one operation.

use crate::cli::counts;
use crate::cli::patch::File;
use crate::cli::ui::{Screen, Style};
use crate::cli::verb::{Answer, Purpose, Verb};
use crate::say::words::many;
use crate::say::{Failure, refs};
use brv_base::escape::escape_line;
use brv_commands::op::log::{ChangedSettings, OperationContent, OperationId, RefMove};
use brv_commands::op::show::{self, Detail, ForeignOperation, Options, Outcome};
use brv_engine::Context;
use clap::Args;

/// The arguments of `brv op show`.
#[derive(Debug, Args)]
#[command(before_help = "Examples:
  brv op show last
  brv op show 1a2b3c4d --json")]
pub struct Arguments {
    /// Operation ID from `brv op log`, or `last`
    #[arg(value_name = "ID", default_value = "last")]
    operation: String,
}

impl Verb for Arguments {
    const NAME: &'static str = "op show";
    const TEXT: Purpose = Purpose::LongAnswer;
    type Outcome = Outcome;

    fn run<'a>(&self, cx: &'a Context<'_>) -> Result<Answer<'a, Outcome>, Failure> {
        let options = Options { operation: self.operation.clone(), detail: Detail::Counts };
        Ok(Answer::new(show::run(cx, &options)?))
    }

    fn text(&self, data: &Outcome, screen: &mut Screen) {
        text(screen, data);
    }
}

fn text(screen: &mut Screen, data: &Outcome) {
    screen.text(Style::Notable, format!("operation {}", data.id)).end();
    if let Some(told) = &data.known {
        known(screen, told);
    }
    if let Some(told) = &data.foreign {
        foreign(screen, told);
    }
    if !data.staged.is_empty() {
        row(screen, "Staged:", &format!("{} in the index", many(data.staged.len(), "change", "changes")));
    }
    for lost in &data.discarded {
        row(screen, "Dropped:", &format!("{}: {}: {}", lost.path, lost.field, lost.value));
    }
    if !data.changes.is_empty() {
        screen.end();
        counts::counts(screen, data.changes.iter().map(File::from), None);
    }
}

fn known(screen: &mut Screen, known: &OperationContent) {
    row(screen, "Command:", known.kind);
    row(screen, "Reason:", &known.reason);
    if !known.actor.is_empty() {
        row(screen, "Actor:", &known.actor);
    }
    if let Some(session) = &known.session {
        row(screen, "Session:", session);
    }
    row(screen, "Date:", &known.time);
    if let Some(tree) = &known.tree {
        row(screen, "Tree:", tree);
    }
    if let Some(undoes) = &known.undoes {
        let part = if undoes.whole { "" } else { ", in part" };
        row(screen, "Undoes:", &format!("{}{part}", undoes.operation.short()));
        others(screen, undoes.others.iter().map(OperationId::short));
    }
    if let Some(by) = &known.undone_by {
        row(screen, "Undone:", &format!("by {}", by.short()));
    }
    moved(screen, &known.moves, &known.settings);
}

/// Print the other operations that were undone together with the first.
fn others<'a>(screen: &mut Screen, undone: impl Iterator<Item = &'a str>) {
    for id in undone {
        row(screen, "Undoes:", id);
    }
}

/// Print an operation that is not in the log of this clone.
fn foreign(screen: &mut Screen, told: &ForeignOperation) {
    row(screen, "Reason:", &told.reason);
    if !told.actor.is_empty() {
        row(screen, "Actor:", &told.actor);
    }
    if let Some(session) = &told.session {
        row(screen, "Session:", session);
    }
    row(screen, "Date:", &told.time);
    if let Some(undoes) = &told.undoes {
        row(screen, "Undoes:", undoes.short());
        others(screen, told.undoes_others.iter().map(OperationId::short));
    }
    if let Some(by) = &told.undone_by {
        row(screen, "Undone:", &format!("by {}", by.short()));
    }
    row(screen, "Known:", "only from commits that carry its ID; it is not in this operation log");
    for commit in &told.commits {
        row(screen, "Commit:", &commit.to_string());
    }
}

/// Print references that moved and settings that changed.
pub(super) fn moved(screen: &mut Screen, moves: &[RefMove], settings: &[ChangedSettings]) {
    for one in moves {
        row(screen, "Moved:", &refs::moved(one, "deleted"));
    }
    for one in settings {
        row(screen, "Set:", &setting(one));
    }
}

/// How the settings of a branch or a remote changed.
pub(in crate::cli) fn setting(one: &ChangedSettings) -> String {
    let side = |side: &[String]| if side.is_empty() { "(none)".to_owned() } else { side.join(" ") };
    let of = match (&one.branch, &one.remote) {
        (_, Some(remote)) => format!("remote `{remote}`"),
        (Some(branch), None) => format!("branch `{branch}`"),
        (None, None) => "the remotes".to_owned(),
    };
    format!("{of}: {} -> {}", side(&one.before), side(&one.after))
}

fn row(screen: &mut Screen, name: &str, value: &str) {
    screen.plain(format!("{name:<10}")).line(escape_line(value.as_bytes()).as_bytes());
}
