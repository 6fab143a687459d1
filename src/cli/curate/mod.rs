//! `brv curate`: adds, changes, merges and deletes entries, and takes the history of the code in.

mod model;
mod text;

use super::format::choice;
use super::ui::Screen;
use super::verb::{Answer, Purpose, Verb};
use crate::say::described::{Described, described};
use crate::say::{Failure, curate as said, warnings};
use brv_base::process::quoted;
use brv_commands::curate::{self, CurateKind, Mode, Options, commits, plan};
use brv_engine::Context;
use clap::Args;
use clap::builder::TypedValueParser;
use schemars::JsonSchema;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// The arguments of `brv curate`.
#[derive(Debug, Args)]
#[command(
    before_help = "Examples:
  brv curate --ops operations.json
  brv curate --into auth --title Tokens --reason audit --fact \"ttl: 12 hours\"
  brv curate \"Rotate weekly.\" --into ops/keys --title Keys --reason audit -n
  brv curate --commit v1.0..HEAD
  brv curate --commit --again -n
  brv curate --file notes.md --file design.pdf --model -n
  brv curate --folder docs --model --detach",
    after_help = "`brv help curating` describes the operations, `brv schema curate.ops` prints the form of the input.

`code` of a failed operation: invalid (wrong or unreadable, a field twice, conflict markers, hidden characters); exists \
(ADD of an existing entry); not_found (the entry, its source, or a part to remove); changed (not the version of `expect`, \
an unknown `base`, or saved by another program meanwhile); conflict (a person must decide); over_limit (more than 40,000 \
characters); blocked (a secret); too_deep (a folder below a subtopic)."
)]
pub struct Arguments {
    /// The body of the entry, as markdown; text without a heading is added to the start of an existing entry. With
    /// --model: the source text
    #[arg(value_name = "TEXT", conflicts_with_all = ["file", "ops"])]
    text: Option<String>,
    /// Apply the operations in FILE, or from standard input (-), as JSON
    #[arg(long, value_name = "FILE")]
    ops: Option<PathBuf>,
    /// Learn from commits of the code: one commit, or A..B, oldest first
    #[arg(long, value_name = "REV", num_args = 0..=1, conflicts_with_all = ["text", "ops", "OperationFlags"])]
    commit: Option<Option<String>>,
    /// With --commit: file commits again with the present rules and remove what older versions filed; without REV, all
    /// of it. Entries that somebody edited stay
    #[arg(long, requires = "commit", conflicts_with = "plan")]
    again: bool,
    /// With --commit: write nothing; print what the commits say, for a caller that answers with --ops
    #[arg(long, requires = "commit", conflicts_with = "dry_run")]
    plan: bool,
    /// With --plan: start after this commit of the range
    #[arg(long, value_name = "ID", requires = "plan")]
    after: Option<String>,
    /// With --plan: the largest number of commits
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..), requires = "plan")]
    limit: u16,
    /// Let your model turn TEXT, files or a folder into operations
    #[arg(long, conflicts_with_all = ["ops", "commit", "title", "kind", "facts", "replace"])]
    model: bool,
    /// With --model: all files of a folder and its subfolders
    #[arg(long, value_name = "FOLDER", requires = "model", conflicts_with_all = ["text", "file"])]
    folder: Option<PathBuf>,
    /// With --model: run in the background, and return at once
    #[arg(long, requires = "model", conflicts_with = "dry_run")]
    detach: bool,
    #[command(flatten)]
    one: OperationFlags,
    /// Write nothing; show what would change
    #[arg(short = 'n', long)]
    dry_run: bool,
}

/// One operation as flags.
#[derive(Debug, Args)]
#[group(conflicts_with = "ops")]
struct OperationFlags {
    /// Take the body from FILE, or from standard input (-); with --model up to five files, as text, code or PDF
    #[arg(long, value_name = "FILE")]
    file: Vec<PathBuf>,
    /// The folder: domain/topic or domain/topic/subtopic; with --model a suggestion
    #[arg(long, value_name = "FOLDER", required_unless_present_any = ["ops", "commit", "model"])]
    into: Option<String>,
    /// The title of the entry
    #[arg(long, value_name = "T", required_unless_present_any = ["ops", "commit", "model"])]
    title: Option<String>,
    /// Why: kept in the history; with --model the subject of the commit
    #[arg(long, value_name = "R", required_unless_present_any = ["ops", "commit", "model"])]
    reason: Option<String>,
    /// ADD, UPDATE or UPSERT
    #[arg(long = "type", value_name = "TYPE", value_parser = types(), default_value = "UPSERT", ignore_case = true)]
    kind: CurateKind,
    /// A fact, which replaces the facts of its subject: "SUBJECT: STATEMENT [CATEGORY]"
    #[arg(long = "fact", value_name = "FACT")]
    facts: Vec<String>,
    /// Replace the whole body of an existing entry
    #[arg(long)]
    replace: bool,
}

/// Parse a type of operation that flags can say.
fn types() -> impl TypedValueParser<Value = CurateKind> {
    choice([
        (CurateKind::Add, "ADD", ""),
        (CurateKind::Update, "UPDATE", ""),
        (CurateKind::Upsert, "UPSERT", ""),
    ])
}

/// What is answered: by `--commit` and `--plan`, or by operations.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Answered {
    Operations(Box<curate::Outcome>),
    Commits(commits::Outcome),
    Plan(plan::CuratePlan),
}

impl Verb for Arguments {
    const NAME: &'static str = "curate";
    const TEXT: Purpose = Purpose::Account;
    const SCHEMAS: &'static [Described] = &[
        described::<curate::Outcome>(Self::NAME),
        described::<commits::Outcome>(COMMIT),
        described::<plan::CuratePlan>(PLAN),
    ];
    type Outcome = Answered;

    fn schema(&self) -> &'static str {
        match (&self.commit, self.plan) {
            (None, _) => Self::NAME,
            (Some(_), false) => COMMIT,
            (Some(_), true) => PLAN,
        }
    }

    fn purpose(&self) -> Purpose {
        if self.plan { Purpose::LongAnswer } else { Self::TEXT }
    }

    fn run<'a>(&self, cx: &'a Context<'_>) -> Result<Answer<'a, Answered>, Failure> {
        match &self.commit {
            Some(Some(range)) if self.plan => self.planned(cx, range),
            Some(None) if !self.again => {
                Err(Failure::usage("`--commit` needs a commit, or A..B; with `--again` it may be left out"))
            }
            Some(range) => self.taken(cx, range.clone()),
            None if self.model => self.modelled(cx),
            None => self.operations(cx),
        }
    }

    fn text(&self, answered: &Answered, screen: &mut Screen) {
        match answered {
            Answered::Operations(data) => text::operations(screen, data, self.mode()),
            Answered::Commits(outcome) => text::taken(screen, outcome, self.mode()),
            Answered::Plan(plan) => text::planned(screen, plan),
        }
    }
}

/// How an entry is written by hand, for people to fill in.
pub const BY_HAND: &str = "brv curate \"…\" --into FOLDER --title TITLE --reason REASON";

const COMMIT: &str = "curate commit";
const PLAN: &str = "curate plan";
const SCHEMA: &str = "`brv schema curate.ops` prints the form of the input";

impl Arguments {
    const fn mode(&self) -> Mode {
        if self.dry_run { Mode::DryRun } else { Mode::Write }
    }

    fn operations<'a>(&self, cx: &'a Context<'_>) -> Result<Answer<'a, Answered>, Failure> {
        let mode = self.mode();
        let options = match &self.ops {
            Some(file) => Options::of_list(&read(cx, file)?, mode)
                .map_err(|error| Failure::usage(error.to_string()).hinting(Some(SCHEMA)))?,
            None => self.one(cx, mode)?,
        };
        Ok(answer(cx, curate::run(cx, &options)?))
    }

    fn taken<'a>(&self, cx: &'a Context<'_>, range: Option<String>) -> Result<Answer<'a, Answered>, Failure> {
        let options = commits::Options { range, again: self.again, mode: self.mode() };
        let (outcome, stop) = commits::run(cx, &options)?;
        Ok(Answer::new(Answered::Commits(outcome)).failing(stop.map(Failure::from)))
    }

    fn planned<'a>(&self, cx: &'a Context<'_>, range: &str) -> Result<Answer<'a, Answered>, Failure> {
        let place = (self.after.as_deref(), usize::from(self.limit));
        let (plan, last) = plan::run(cx, range, place)?;
        let is_plain = range.chars().all(|c| c.is_ascii_alphanumeric() || "._-/~^@".contains(c));
        let range = if is_plain { range.to_owned() } else { quoted(Path::new(range)) };
        let rest = |last: String| {
            format!("brv curate --commit {range} --plan --limit {} --after {last}", self.limit)
        };
        Ok(Answer::new(Answered::Plan(plan)).next(last.map(rest)))
    }

    /// The one operation that the flags say.
    fn one(&self, cx: &Context<'_>, mode: Mode) -> Result<Options, Failure> {
        let OperationFlags { file, into, title, reason, kind, facts, replace } = &self.one;
        let body = match &file[..] {
            [_, _, ..] => return Err(Failure::usage("several files need `--model`")),
            [file] => {
                let bytes = body(cx, file)?;
                let why = || format!("`{}` is not UTF-8", file.display());
                Some(String::from_utf8(bytes).map_err(|_| Failure::usage(why()))?)
            }
            [] => self.text.clone(),
        };
        let one = curate::One {
            kind: *kind,
            path: into.clone().unwrap_or_default(),
            title: title.clone().unwrap_or_default(),
            reason: reason.clone().unwrap_or_default(),
            body,
            facts: facts.clone(),
            replace: *replace,
        };
        Ok(Options { operations: vec![one.read()], mode, ..Options::default() })
    }
}

/// The lines about applied operations.
fn answer<'a>(cx: &Context<'_>, outcome: curate::Outcome) -> Answer<'a, Answered> {
    let said = said::warnings(&outcome).into_iter().chain(warnings::written(&outcome.written));
    let said = said.chain(warnings::signals(outcome.trouble.as_ref()));
    let waits = (outcome.waits && cx.is_by_agent()).then(|| said::LEFT_TO_PERSON.to_owned());
    let said: Vec<String> = said.chain(waits).collect();
    let failure = said::failing(&outcome);
    Answer::new(Answered::Operations(Box::new(outcome))).warning(said).failing(failure)
}

/// The file of `--file`, or standard input.
fn body(cx: &Context<'_>, file: &Path) -> Result<Vec<u8>, Failure> {
    match file == Path::new("-") {
        true => read(cx, file),
        false => read(cx, &curate::followed(cx, file)?),
    }
}

/// A file, or standard input.
fn read(cx: &Context<'_>, file: &Path) -> Result<Vec<u8>, Failure> {
    let read = cx.read_input(file, curate::MAX_INPUT_BYTES);
    read.map_err(|error| Failure::usage(brv_engine::outcome::stop::message(&error)))
}
