//! `brv vc check`: shows what a change does to the knowledge, and what is wrong with it.

use crate::cli::findings;
use crate::cli::format::choice;
use crate::cli::ui::{Destination, Form, Screen, Style};
use crate::cli::vc::workflow::Workflow;
use crate::cli::verb::{Answer, Purpose, Verb};
use crate::say::address::ADDRESS;
use crate::say::described::{Described, described};
use crate::say::review::{self as pages, verdict};
use crate::say::{Exit, Failure, warnings, workflow};
use brv_commands::vc::check::{self, CheckScope, FailOn, Options, Outcome, from_json};
use brv_engine::{Context, FailureKind};
use clap::builder::TypedValueParser;
use clap::{Args, ValueEnum};
use schemars::JsonSchema;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// The arguments of `brv vc check`.
#[derive(Debug, Args)]
#[command(before_help = "Examples:
  brv vc check
  brv vc check --all --fail-on warning
  brv vc check origin/main...HEAD --format markdown --output comment.md
  brv vc check --fix
  brv vc check --from check.json --format markdown
  brv vc check --workflow github --output .")]
pub struct Arguments {
    /// A..B, A...B (since they parted), REV (one commit), or nothing (what the next push would bring); then paths
    #[arg(value_name = "REV|PATH")]
    arguments: Vec<String>,
    /// Paths, after --
    #[arg(value_name = "PATH", last = true)]
    paths: Vec<String>,
    /// Check what is staged for the next commit
    #[arg(long, visible_alias = "cached")]
    staged: bool,
    /// Check the whole tree as it is on disk
    #[arg(long, conflicts_with = "staged")]
    all: bool,
    /// Exit 1 if a finding is at or above this severity: error (the default), warning, or never; the team's policy may be
    /// stricter
    #[arg(long, value_name = "SEVERITY", value_parser = severities(), hide_possible_values = true)]
    fail_on: Option<FailOn>,
    /// text; json; markdown: a comment for a pull request; github: annotations and the step summary; gitlab: a code
    /// quality report; or sarif
    #[arg(long, value_name = "FORMAT", value_enum, hide_possible_values = true)]
    format: Option<Shape>,
    /// Write to FILE instead of standard output
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Record all current findings in brv.baseline.json, so that they are no longer reported
    #[arg(long, conflicts_with_all = ["staged", "fix", "arguments", "paths"])]
    write_baseline: bool,
    /// Fix what can be fixed safely in the files on disk: hidden characters, links with one likely target, cited
    /// files that were renamed, committed derived files that brv wrote
    #[arg(long)]
    fix: bool,
    /// Look for the source files that entries cite in DIR (default: the code around the context tree)
    #[arg(long, value_name = "DIR")]
    code: Option<PathBuf>,
    /// Show what another run wrote as JSON to FILE, which need not be trusted; reads no repository
    #[arg(long, value_name = "FILE", conflicts_with_all = [
        "arguments", "paths", "staged", "all", "write_baseline", "fix", "code",
    ])]
    from: Option<PathBuf>,
    /// Print the CI files for github or gitlab that check the tree and review pull requests; with --output DIR, write
    /// them below DIR
    #[arg(long, value_name = "HOST", value_parser = ci_hosts(), hide_possible_values = true, conflicts_with_all = [
        "arguments", "paths", "staged", "all", "fail_on", "format", "write_baseline", "fix", "code",
        "from",
    ])]
    workflow: Option<workflow::Host>,
    /// The shell command with which the CI files install brv
    #[arg(long, value_name = "CMD", requires = "workflow")]
    install: Option<String>,
    #[arg(skip)]
    destination: Destination,
}

/// Parse a git host with CI.
pub fn ci_hosts() -> impl TypedValueParser<Value = workflow::Host> {
    choice([(workflow::Host::Github, "github", ""), (workflow::Host::Gitlab, "gitlab", "")])
}

/// Parse from which severity on a check fails.
pub fn severities() -> impl TypedValueParser<Value = FailOn> {
    choice([(FailOn::Error, "error", ""), (FailOn::Warning, "warning", ""), (FailOn::Never, "never", "")])
}

/// The formats of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Shape {
    Text,
    Json,
    Markdown,
    Github,
    Gitlab,
    Sarif,
}

impl Arguments {
    fn options(&self) -> Options {
        Options {
            arguments: self.arguments.clone(),
            paths: self.paths.clone(),
            what: match (self.staged, self.all) {
                (true, _) => CheckScope::Staged,
                (_, true) => CheckScope::Everything,
                _ => CheckScope::Range,
            },
            fail_on: self.fail_on,
            code: self.code.clone(),
        }
    }
}

impl Arguments {
    /// The form of the answer.
    fn shape(&self) -> Shape {
        match self.destination.form {
            Form::Json => Shape::Json,
            Form::Text => self.format.unwrap_or(Shape::Text),
        }
    }

    fn found(&self, cx: &Context<'_>) -> Result<Outcome, Failure> {
        let options = self.options();
        Ok(match (&self.from, self.write_baseline, self.fix) {
            (Some(file), ..) => from_json::run(cx, file, options.fail_on)?,
            (_, true, _) => check::write_baseline(cx, &options)?,
            (.., true) => check::fix(cx, &options)?,
            _ => check::run(cx, &options)?,
        })
    }

    /// The commands to run next; none where no other command works, or the tree may be another.
    fn next(&self, outcome: &Outcome) -> Vec<String> {
        let has_none = self.from.is_some() || outcome.is_plain_clone;
        if has_none { Vec::new() } else { verdict::next(outcome) }
    }
}

/// What is answered: a check, or with `--workflow` the files for CI.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Answered")]
#[serde(untagged)]
pub enum CheckAnswer {
    Check(Box<Outcome>),
    Workflow(Workflow),
}

impl Verb for Arguments {
    const NAME: &'static str = "vc check";
    const TEXT: Purpose = Purpose::LongAnswer;
    const SCHEMAS: &'static [Described] = &[described::<Outcome>(Self::NAME)];
    const HAS_OWN_FORMATS: bool = true;
    type Outcome = CheckAnswer;

    fn run<'a>(&self, cx: &'a Context<'_>) -> Result<Answer<'a, CheckAnswer>, Failure> {
        if let Some(host) = self.workflow {
            if self.shape() == Shape::Json {
                return Err(Failure::usage("`--workflow` has no JSON form"));
            }
            let install = workflow::InstallChoice { command: self.install.as_deref(), address: ADDRESS };
            let files = workflow::files(host, install)?;
            return Ok(Answer::new(CheckAnswer::Workflow(Workflow::of(cx, files, self.output.as_deref())?)));
        }
        let is_page = !matches!(self.format, None | Some(Shape::Text | Shape::Json));
        if self.fix && is_page {
            return Err(Failure::usage("`--fix` shows what it changes as text or JSON only"));
        }
        let outcome = self.found(cx)?;
        let written = outcome.fixed.iter().flat_map(|fixed| warnings::written(&fixed.written));
        let warnings =
            outcome.warnings.iter().cloned().chain(warnings::malformed(&outcome.malformed)).chain(written);
        let (warnings, next) = (warnings.collect::<Vec<_>>(), self.next(&outcome));
        // a baseline excuses what is there; text and annotations print the result themselves
        let (exit, failure) = match self.shape() {
            _ if self.write_baseline || !outcome.fails => (Exit::Done, None),
            Shape::Text | Shape::Github => (Exit::Failed, None),
            _ => (Exit::Done, Some(failing(&outcome))),
        };
        let summary = (self.shape() == Shape::Github).then(|| summarise(cx, &outcome)).flatten();
        let answer = Answer::new(CheckAnswer::Check(Box::new(outcome)));
        Ok(answer.warning(warnings).warning(summary).next(next).exit(exit).failing(failure))
    }

    fn form(&self) -> Form {
        if self.format == Some(Shape::Json) { Form::Json } else { Form::Text }
    }

    fn shown_in(&mut self, destination: Destination) {
        self.destination = destination;
    }

    fn output(&self) -> Option<PathBuf> {
        self.output.clone().filter(|_| self.workflow.is_none())
    }

    fn purpose(&self) -> Purpose {
        match (self.workflow, &self.output) {
            (Some(_), Some(_)) => Purpose::Account,
            (None, _) if self.shape() == Shape::Text && !self.write_baseline => Self::TEXT,
            _ => Purpose::Answer,
        }
    }

    fn text(&self, answered: &CheckAnswer, screen: &mut Screen) {
        let outcome = match answered {
            CheckAnswer::Check(outcome) => outcome,
            CheckAnswer::Workflow(made) => return made.text(screen),
        };
        let page = match self.shape() {
            Shape::Text | Shape::Json if self.write_baseline => return findings::baseline(screen, outcome),
            Shape::Text | Shape::Json => return findings::text(screen, outcome),
            Shape::Markdown => pages::comment(outcome),
            Shape::Github => pages::annotations(outcome, &outcome.prefix),
            Shape::Gitlab => pages::code_quality(outcome, &outcome.prefix),
            Shape::Sarif => pages::sarif(outcome, &outcome.prefix),
        };
        screen.bytes(Style::Plain, page);
    }
}

/// The failure of a check with a finding that is severe enough.
fn failing(outcome: &Outcome) -> Failure {
    let counts = verdict::counts(&outcome.verdict);
    Failure::new(FailureKind::Failed, format!("the check found {counts}"))
}

/// Append the report to the summary of the step that runs, if GitHub says where it is. Returns why it could not.
fn summarise(cx: &Context<'_>, outcome: &Outcome) -> Option<String> {
    let file = cx.environment.get_filled("GITHUB_STEP_SUMMARY")?;
    let written = cx.append(Path::new(file), pages::summary(outcome).as_bytes());
    written.err().map(|error| brv_engine::outcome::stop::message(&error))
}
