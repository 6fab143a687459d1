//! `brv op log`: lists logged operations, newest first.

use crate::cli::ui::{Screen, Style};
use crate::cli::verb::{Answer, Purpose, Verb};
use crate::say::Failure;
use crate::say::words::many;
use brv_commands::op::log::{self, LoggedOperation, OperationContent, OperationKind, Options, Outcome};
use brv_engine::Context;
use clap::Args;

/// The arguments of `brv op log`.
#[derive(Debug, Args)]
#[command(before_help = "Examples:
  brv op log
  brv op log -n 5
  brv op log --kind pull --kind merge
  brv op log --session s-42 --json
  brv op log --path auth/jwt/token.md")]
pub struct Arguments {
    /// Show at most N operations
    #[arg(short = 'n', long = "max-count", value_name = "N")]
    limit: Option<usize>,
    /// Show only operations of this person or agent
    #[arg(long, value_name = "NAME")]
    actor: Option<String>,
    /// Show only operations of this session
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// Show only operations of this command: commit, pull, undo, …
    #[arg(long, value_name = "COMMAND", value_parser = kind)]
    kind: Vec<OperationKind>,
    /// Show only operations that changed this file or folder
    #[arg(long, value_name = "PATH")]
    path: Vec<String>,
    /// In JSON, list all files of each operation, not the first 200
    #[arg(long)]
    all_paths: bool,
}

impl Verb for Arguments {
    const NAME: &'static str = "op log";
    const TEXT: Purpose = Purpose::LongAnswer;
    type Outcome = Outcome;

    fn run<'a>(&self, cx: &'a Context<'_>) -> Result<Answer<'a, Outcome>, Failure> {
        let options = Options {
            limit: self.limit,
            actor: self.actor.clone(),
            session: self.session.clone(),
            kinds: self.kind.clone(),
            paths: self.path.clone(),
            all_files: self.all_paths,
        };
        Ok(Answer::new(log::run(cx, &options)?))
    }

    fn text(&self, outcome: &Outcome, screen: &mut Screen) {
        if outcome.operations.is_empty() {
            screen.line("No operations.");
        }
        for operation in &outcome.operations {
            row(screen, operation);
        }
    }
}

fn kind(text: &str) -> Result<OperationKind, String> {
    OperationKind::ALL.into_iter().find(|kind| kind.word() == text).ok_or_else(|| {
        let words: Vec<&str> = OperationKind::ALL.iter().map(|kind| kind.word()).collect();
        format!("must be one of {}", words.join(", "))
    })
}

/// `1a2b3c4d  2026-11-20 16:12:33  commit  auth: tokens live 12 hours`, with a line of notes below.
fn row(screen: &mut Screen, operation: &LoggedOperation) {
    screen.text(Style::Notable, &operation.short).plain("  ");
    let Some(known) = &operation.known else {
        let reason = operation.unreadable.as_deref().unwrap_or_default();
        screen.plain("cannot be read: ").word(Style::Plain, reason).end();
        return;
    };
    let time = known.time.replace('T', " ");
    screen.text(Style::Dim, time.trim_end_matches('Z')).plain("  ").word(Style::Name, known.kind);
    screen.plain("  ").word(Style::Plain, &known.reason).end();
    let notes = notes(known);
    if !notes.is_empty() {
        screen.plain("          ").word(Style::Dim, notes.join("; ")).end();
    }
}

/// Who did it, how many files it changed, and whether it was undone.
fn notes(known: &OperationContent) -> Vec<String> {
    let mut notes = Vec::new();
    match (known.actor.as_str(), &known.session) {
        ("", None) => {}
        ("", Some(session)) => notes.push(format!("session {session}")),
        (actor, None) => notes.push(format!("by {actor}")),
        (actor, Some(session)) => notes.push(format!("by {actor}, session {session}")),
    }
    notes.extend(known.tree.as_ref().map(|tree| format!("in {tree}")));
    match &known.footprint[..] {
        [] => {}
        [path] => notes.push(path.clone()),
        paths => {
            let count = known.footprint_total.unwrap_or(paths.len());
            notes.push(many(count, "file", "files"));
        }
    }
    if let Some(by) = &known.undone_by {
        notes.push(format!("undone by {}", by.short()));
    }
    notes
}
