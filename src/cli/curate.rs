//! `brv curate`: adds, changes, merges and deletes entries.

use super::integration::changed;
use super::session::{Report, Run, Session};
use super::ui::{Screen, Style};
use crate::ops::curate::{self, Mode, Options, Verb};
use crate::say::words::many;
use crate::say::{Exit, Failure, curation, failing, warnings};
use crate::wire;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// The arguments of `brv curate`.
#[derive(Debug, Args)]
#[command(
    before_help = "Examples:
  brv curate --ops operations.json
  brv curate --into auth --title Tokens --reason audit --fact \"ttl: 12 hours\"
  brv curate \"Rotate weekly.\" --into ops/keys --title Keys --reason audit -n",
    after_help = "`brv help curating` describes the operations, `brv schema curate.ops` prints the form of the input."
)]
pub struct Arguments {
    /// The body of the entry, as markdown; text without a heading is added to the start of an entry that exists
    #[arg(value_name = "TEXT", conflicts_with_all = ["file", "ops"])]
    text: Option<String>,
    /// Apply the operations in FILE, or from standard input (-), as JSON
    #[arg(long, value_name = "FILE")]
    ops: Option<PathBuf>,
    #[command(flatten)]
    one: One,
    /// Write nothing; show what would change
    #[arg(short = 'n', long)]
    dry_run: bool,
}

/// One operation as flags.
#[derive(Debug, Args)]
#[group(conflicts_with = "ops")]
struct One {
    /// Take the body from FILE, or from standard input (-)
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
    /// The folder: domain/topic or domain/topic/subtopic
    #[arg(long, value_name = "FOLDER", required_unless_present = "ops")]
    into: Option<String>,
    /// The title of the entry
    #[arg(long, value_name = "T", required_unless_present = "ops")]
    title: Option<String>,
    /// Why: kept in the history
    #[arg(long, value_name = "R", required_unless_present = "ops")]
    reason: Option<String>,
    /// ADD, UPDATE or UPSERT
    #[arg(long = "type", value_name = "TYPE", value_enum, default_value_t, ignore_case = true)]
    kind: Type,
    /// A fact, which replaces the facts of its subject: "SUBJECT: STATEMENT [CATEGORY]"
    #[arg(long = "fact", value_name = "FACT")]
    facts: Vec<String>,
    /// Replace the whole body of an entry that exists
    #[arg(long)]
    replace: bool,
}

/// The types of operations that flags can say.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "UPPERCASE")]
enum Type {
    Add,
    Update,
    #[default]
    Upsert,
}

impl Run for Arguments {
    const NAME: &'static str = "curate";

    fn run(self, session: &Session) -> Result<Exit, Failure> {
        let mode = if self.dry_run { Mode::DryRun } else { Mode::Write };
        let options = match &self.ops {
            Some(file) => Options::of_list(&read(session, file)?, mode)
                .map_err(|error| Failure::usage(error.to_string()).hinting(Some(SCHEMA)))?,
            None => self.one(session, mode)?,
        };
        let outcome = curate::run(&session.context(), &options)?;
        let signals = warnings::signals(outcome.trouble.as_ref());
        let data = wire::Curate::new(outcome, mode == Mode::DryRun);
        let report = Report::new(&data)
            .account()
            .warning(warnings::curate(&data))
            .warning(warnings::written(&data.written))
            .warning(signals)
            .failing(failing::curate(&data));
        Ok(session.report(report, |screen| text(screen, &data, mode)))
    }
}

const SCHEMA: &str = "`brv schema curate.ops` prints the form of the input";

impl Arguments {
    /// The one operation that the flags say.
    fn one(self, session: &Session, mode: Mode) -> Result<Options, Failure> {
        let One { file, into, title, reason, kind, facts, replace } = self.one;
        let body = match file {
            Some(file) => {
                let bytes = read(session, &file)?;
                let why = || format!("`{}` is not UTF-8", file.display());
                Some(String::from_utf8(bytes).map_err(|_| Failure::usage(why()))?)
            }
            None => self.text,
        };
        let one = curate::One {
            verb: match kind {
                Type::Add => Verb::Add,
                Type::Update => Verb::Update,
                Type::Upsert => Verb::Upsert,
            },
            path: into.unwrap_or_default(),
            title: title.unwrap_or_default(),
            reason: reason.unwrap_or_default(),
            body,
            facts,
            replace,
        };
        Ok(Options { operations: vec![one.read()], mode, source_commit: None })
    }
}

/// A file, or standard input.
fn read(session: &Session, file: &std::path::Path) -> Result<Vec<u8>, Failure> {
    let read = session.context().read_input(file, curate::MAX_INPUT_BYTES);
    read.map_err(|error| Failure::usage(wire::message(&error)))
}

fn text(screen: &mut Screen, data: &wire::Curate, mode: Mode) {
    if mode == Mode::DryRun {
        changed(screen, &data.told.entries, &data.told.files);
    }
    for one in data.applied.iter().filter(|one| one.code.is_none()) {
        let style = if one.message == "deleted" { Style::Bad } else { Style::Good };
        let style = if one.message == "unchanged" { Style::Dim } else { style };
        screen.text(style, format!("{:<9} ", one.message));
        screen.word(Style::Name, one.file.as_deref().unwrap_or_default());
        for (what, items) in [("made", &one.made), ("removed", &one.removed), ("relinked", &one.relinked)] {
            if !items.is_empty() {
                screen.plain(format!("  {what} ")).word(Style::Plain, items.join(", "));
            }
        }
        screen.end();
        for line in curation::lines(one) {
            screen.plain("          ").word(Style::Plain, line).end();
        }
        for similar in &one.similar {
            screen.plain("          ").text(Style::Dim, "similar to ");
            screen.word(Style::Name, &similar.path).plain("  ").word(Style::Dim, &similar.title).end();
        }
    }
    let summary = &data.summary;
    let counts = [
        (summary.added, "added"),
        (summary.updated, "updated"),
        (summary.merged, "merged"),
        (summary.deleted, "deleted"),
        (summary.failed, "failed"),
    ];
    let said: Vec<String> = counts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, word)| format!("{count} {word}"))
        .collect();
    let would = if mode == Mode::DryRun { "Would apply " } else { "" };
    let count = many(data.applied.len(), "operation", "operations");
    let said = if said.is_empty() { "nothing changed".to_owned() } else { said.join(", ") };
    screen.plain(format!("{would}{count}: {said}"));
    if let Some(id) = &data.commit {
        screen.plain(" in commit ").text(Style::Notable, &id[..7]);
    }
    screen.end();
}
