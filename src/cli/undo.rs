//! `brv undo`: undoes an operation, or all operations of a session.

use super::decisions::settled;
use super::format::choice;
use super::integration::changed;
use super::op;
use super::ui::{Screen, Style};
use super::verb::{Answer, Purpose, Verb};
use crate::say::decisions::{self, Voice};
use crate::say::words::{self, many};
use crate::say::{Failure, refs, warnings};
use brv_base::escape::escape_line;
use brv_commands::undo::{self, Extent, Mode, OnConflict, Options, Outcome, UndoMode, UndoOrigin, Undone};
use brv_engine::Context;
use brv_engine::write::written::WrittenEffects;
use bstr::BString;
use clap::Args;
use clap::builder::TypedValueParser;

/// The arguments of `brv undo`.
#[derive(Debug, Args)]
#[command(
    before_help = "Examples:
  brv undo
  brv undo --dry-run
  brv undo 1a2b3c4d
  brv undo 1a2b3c4d auth/jwt/token.md
  brv undo 1a2b3c4d --on-conflict theirs
  brv undo --session import-1795676585000",
    after_help = "Without ID, `brv undo` undoes the last operation of this session that is not undone yet: each further \
`brv undo` goes one operation further back. An undo is itself an operation. To redo, undo the undo: `brv undo last` right \
after it, or `brv undo ID` with its ID from `brv op log`.

`--session ID` undoes all operations of a session in this tree that are not undone yet, newest first, as one \
operation. The branch does not move back: one new commit reverts them. Operations of `curate`, `archive` and \
`vc check` can be undone together; undo any other one separately first. With `--on-conflict mark` it stops at the first \
operation with conflicts; resolve them, then run it again for the older ones."
)]
pub struct Arguments {
    /// Operation ID from `brv op log`, or `last`; default: this session's last operation that is not undone yet
    #[arg(value_name = "ID")]
    operation: Option<String>,
    /// Undo all operations of this session, newest first, as one operation
    #[arg(long, value_name = "ID", conflicts_with_all = ["operation", "paths"])]
    session: Option<String>,
    /// Undo only the changes to these files
    #[arg(value_name = "PATH")]
    paths: Vec<String>,
    /// What to do with conflicts
    #[arg(long, value_name = "HOW", value_parser = on_conflict(), default_value = "stop")]
    on_conflict: OnConflict,
    /// Write nothing; show what would be done
    #[arg(short = 'n', long)]
    dry_run: bool,
}

fn on_conflict() -> impl TypedValueParser<Value = OnConflict> {
    choice([
        (OnConflict::Stop, "stop", "Write nothing"),
        (OnConflict::Mark, "mark", "Write conflict markers, to be resolved with `brv vc resolve`"),
        (OnConflict::Ours, "ours", "Keep the current version"),
        (OnConflict::Theirs, "theirs", "Take the version from before the operation"),
        (OnConflict::Both, "both", "Keep both versions"),
    ])
}

impl Verb for Arguments {
    const NAME: &'static str = "undo";
    const TEXT: Purpose = Purpose::Account;
    type Outcome = Outcome;

    fn run<'a>(&self, cx: &'a Context<'_>) -> Result<Answer<'a, Outcome>, Failure> {
        let options = Options {
            operation: self.operation.clone(),
            session: self.session.clone(),
            paths: self.paths.clone(),
            on_conflict: self.on_conflict,
            mode: self.mode(),
        };
        let data = undo::run(cx, &options)?;
        let said = [warnings::undo(&data), warnings::written(&WrittenEffects::from(&data.written))].concat();
        let failure = failing(&data);
        Ok(Answer::new(data).warning(said).failing(failure))
    }

    fn text(&self, data: &Outcome, screen: &mut Screen) {
        text(screen, data, self.mode());
    }
}

impl Arguments {
    const fn mode(&self) -> Mode {
        if self.dry_run { Mode::DryRun } else { Mode::Write }
    }
}

fn text(screen: &mut Screen, data: &Outcome, mode: Mode) {
    let operation = data.written.operation.as_ref();
    if !data.conflicts.is_empty() && operation.is_none() {
        return;
    }
    let is_done = mode == Mode::Write || operation.is_some();
    let is_redo = data.origin.as_ref().is_some_and(|origin| origin.is_redone);
    screen.plain(match (is_done, is_redo) {
        (true, false) => "Undid ",
        (false, false) => "Would undo ",
        (true, true) => "Redid ",
        (false, true) => "Would redo ",
    });
    match (&data.session, &data.origin) {
        (Some(session), _) => {
            screen.plain(count(&session.operations)).plain(" of session ");
            screen.word(Style::Notable, &session.id).end();
            listed(screen, &session.operations);
        }
        (None, Some(UndoOrigin { operations, extent, .. })) => match &operations[..] {
            [one] => what(screen, one, *extent, data),
            several => {
                screen.line(count(several));
                listed(screen, several);
            }
        },
        (None, None) => what(screen, &data.undone, data.extent, data),
    }
    for one in &data.moves {
        let is_unborn = data.unborn.as_ref().is_some_and(|name| *name == one.name);
        let gone = if is_unborn { "unborn" } else { "deleted" };
        screen.line(format!(" {}", refs::moved(one, gone)));
    }
    for one in &data.settings {
        screen.line(format!(" restored: {}", escape_line(op::show::setting(one).as_bytes())));
    }
    if let Some(id) = &data.commit {
        screen.line(format!(" in the new commit {}", words::short(id)));
    } else if data.manner == UndoMode::Committed {
        screen.line(" in a new commit");
    } else if data.manner == UndoMode::Left {
        screen.line(if data.staged.is_empty() {
            " on disk, not committed"
        } else {
            " staged, not committed"
        });
    }
    if data.files.is_empty() {
        staged(screen, &data.staged);
    }
    changed(screen, data.entries.as_deref().unwrap_or_default(), &data.files);
    settled(screen, &data.records, Voice::Undo);
}

/// `curate 1a2b3c4d: why`, or `curate 1a2b3c4d in part: auth/a.md`.
fn what(screen: &mut Screen, one: &Undone, extent: Extent, data: &Outcome) {
    screen.text(Style::Name, one.word()).plain(" ").text(Style::Notable, one.id.short());
    match extent {
        Extent::Whole => screen.plain(": ").word(Style::Plain, &one.reason).end(),
        Extent::Part => screen.plain(" in part: ").word(Style::Plain, part(data)).end(),
    };
}

fn count(operations: &[Undone]) -> String {
    many(operations.len(), "operation", "operations")
}

/// Print several operations, one per line, and how many are not shown.
fn listed(screen: &mut Screen, operations: &[Undone]) {
    const SHOWN: usize = 10;
    for one in operations.iter().take(SHOWN) {
        screen.plain(" ").text(Style::Name, one.word()).plain(" ");
        screen.text(Style::Notable, one.id.short()).plain(": ");
        screen.word(Style::Plain, &one.reason).end();
    }
    if operations.len() > SHOWN {
        screen.line(format!(" and {} more", count(&operations[SHOWN..])));
    }
}

/// The part that is undone: the file, or the number of files.
fn part(data: &Outcome) -> String {
    let mut paths: Vec<String> = data.files.iter().map(|file| file.path.to_string()).collect();
    paths.extend(data.staged.iter().map(ToString::to_string));
    paths.sort();
    paths.dedup();
    match &paths[..] {
        [only] => only.clone(),
        several => many(several.len(), "file", "files"),
    }
}

/// Print the files that were restored only in the index.
fn staged(screen: &mut Screen, paths: &[BString]) {
    const SHOWN: usize = 10;
    for path in paths.iter().take(SHOWN) {
        screen.plain(" in the index: ").word(Style::Name, path).end();
    }
    if paths.len() > SHOWN {
        screen.line(format!(" and {} more", many(paths.len() - SHOWN, "file", "files")));
    }
}

/// The conflicts of an undo.
pub fn failing(data: &Outcome) -> Option<Failure> {
    let failure = decisions::failure(&data.conflicts, Voice::Undo, "")?;
    Some(failure.hinting(Some(match data.written.operation {
        Some(_) => "list the conflicts with `brv vc resolve --list`, resolve them with `brv vc resolve PATH`",
        None => "nothing was written; `--on-conflict` takes one side, keeps both, or writes conflict markers",
    })))
}
