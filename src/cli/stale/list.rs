//! `brv stale`: shows the entries that the code has moved on from.

use crate::cli::ui::{Form, Screen, Style};
use crate::cli::vc::check::{Shape, ci_hosts, severities};
use crate::cli::vc::workflow::Workflow;
use crate::cli::verb::{Answer, Purpose, Verb};
use crate::say::address::ADDRESS;
use crate::say::described::{Described, described};
use crate::say::review::stale as pages;
use crate::say::{Failure, workflow};
use brv_commands::stale::from_json;
use brv_commands::stale::list::{self, Options, Outcome, StaleEntry};
use brv_commands::vc::check::FailOn;
use brv_engine::{Context, FailureKind};
use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// The arguments of `brv stale`.
#[derive(Debug, Args)]
#[command(before_help = "Examples:
  brv stale list
  brv stale list auth --code ../service
  brv stale list origin/main...HEAD --format github
  brv stale list --from stale.json --format markdown --output comment.md")]
pub struct Arguments {
    /// A..B or A...B of the code's history: what that change makes doubtful; then entries and folders
    #[arg(value_name = "A..B|PATH")]
    arguments: Vec<String>,
    /// Entries and folders, after --
    #[arg(value_name = "PATH", last = true)]
    paths: Vec<String>,
    /// Look at the code in DIR (default: the repository around the context tree)
    #[arg(long, value_name = "DIR")]
    code: Option<PathBuf>,
    /// Exit 1 if a finding is at or above this severity: error, warning, or never (the default)
    #[arg(long, value_name = "SEVERITY", value_parser = severities(), hide_possible_values = true)]
    fail_on: Option<FailOn>,
    /// text; json; markdown: a comment for a pull request; github: annotations and the step summary; gitlab: a code
    /// quality report; or sarif
    #[arg(long, value_name = "FORMAT", value_enum, hide_possible_values = true)]
    format: Option<Shape>,
    /// Write to FILE instead of standard output
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Show the JSON that another run wrote to FILE, which need not be trusted
    #[arg(long, value_name = "FILE", conflicts_with_all = ["arguments", "paths", "code"])]
    from: Option<PathBuf>,
    /// Print the CI files for github or gitlab that compare pull requests of the code with the tree; with --output DIR,
    /// write them below DIR
    #[arg(long, value_name = "HOST", value_parser = ci_hosts(), hide_possible_values = true, conflicts_with_all = [
        "arguments", "paths", "code", "fail_on", "from",
    ])]
    workflow: Option<workflow::Host>,
    /// The https address of a tree that has a remote of its own
    #[arg(long, value_name = "URL", requires = "workflow")]
    tree: Option<String>,
    /// The shell command with which the CI files install brv
    #[arg(long, value_name = "CMD", requires = "workflow")]
    install: Option<String>,
}

impl Arguments {
    /// The CI files; written, if a folder is named.
    fn files(&self, cx: &Context<'_>, host: workflow::Host) -> Result<Workflow, Failure> {
        if !matches!(self.format, None | Some(Shape::Text | Shape::Json)) {
            return Err(Failure::usage("`--workflow` prints files, as text or JSON"));
        }
        let install = workflow::InstallChoice { command: self.install.as_deref(), address: ADDRESS };
        let files = workflow::stale_files(host, self.tree.as_deref(), install)?;
        Workflow::of(cx, files, self.output.as_deref())
    }

    fn found(&self, cx: &Context<'_>) -> Result<Outcome, Failure> {
        if let Some(file) = &self.from {
            return Ok(from_json::run(cx, file)?);
        }
        let (arguments, paths, code) = (self.arguments.clone(), self.paths.clone(), self.code.clone());
        Ok(list::run(cx, &Options { arguments, paths, code })?)
    }
}

/// What is answered: stale entries, or with `--workflow` the files for CI.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Answered")]
#[serde(untagged)]
pub enum StaleAnswer {
    Stale(Outcome),
    Workflow(Workflow),
}

impl Verb for Arguments {
    const NAME: &'static str = "stale list";
    const TEXT: Purpose = Purpose::LongAnswer;
    const SCHEMAS: &'static [Described] = &[described::<Outcome>(SCHEMA), described::<Workflow>(WORKFLOW)];
    const HAS_OWN_FORMATS: bool = true;
    type Outcome = StaleAnswer;

    fn run<'a>(&self, cx: &'a Context<'_>) -> Result<Answer<'a, StaleAnswer>, Failure> {
        if let Some(host) = self.workflow {
            return Ok(Answer::new(StaleAnswer::Workflow(self.files(cx, host)?)));
        }
        let outcome = self.found(cx)?;
        let summary = (self.format == Some(Shape::Github)).then(|| summarise(cx, &outcome)).flatten();
        let fails = self.fail_on.is_some_and(|severity| fails(&outcome, severity));
        let failure = fails.then(|| Failure::new(FailureKind::Failed, pages::headline(&outcome.counts)));
        Ok(Answer::new(StaleAnswer::Stale(outcome)).warning(summary).failing(failure))
    }

    fn schema(&self) -> &'static str {
        if self.workflow.is_some() { WORKFLOW } else { SCHEMA }
    }

    fn form(&self) -> Form {
        if self.format == Some(Shape::Json) { Form::Json } else { Form::Text }
    }

    fn output(&self) -> Option<PathBuf> {
        self.output.clone().filter(|_| self.workflow.is_none())
    }

    fn purpose(&self) -> Purpose {
        match (self.workflow, &self.output) {
            (Some(_), Some(_)) => Purpose::Account,
            (None, _) if matches!(self.format, None | Some(Shape::Text)) => Self::TEXT,
            _ => Purpose::Answer,
        }
    }

    fn text(&self, answered: &StaleAnswer, screen: &mut Screen) {
        let outcome = match answered {
            StaleAnswer::Stale(outcome) => outcome,
            StaleAnswer::Workflow(made) => return made.text(screen),
        };
        let page = match self.format.unwrap_or(Shape::Text) {
            Shape::Text | Shape::Json => return text(outcome, screen),
            Shape::Markdown => pages::comment(outcome),
            Shape::Github => pages::annotations(outcome),
            Shape::Gitlab => pages::code_quality(outcome),
            Shape::Sarif => pages::sarif(outcome),
        };
        screen.bytes(Style::Plain, page);
    }
}

/// The names of the schemas.
const SCHEMA: &str = "stale";
const WORKFLOW: &str = "stale workflow";

/// Whether a finding is severe enough to fail.
fn fails(outcome: &Outcome, fail_on: FailOn) -> bool {
    outcome.findings.iter().any(|found| match fail_on {
        FailOn::Never => false,
        FailOn::Error => found.severity == "error",
        FailOn::Warning => true,
    })
}

/// Append the report to the summary of the step that runs, if GitHub says where it is. Returns why it could not.
fn summarise(cx: &Context<'_>, outcome: &Outcome) -> Option<String> {
    let file = cx.environment.get_filled("GITHUB_STEP_SUMMARY")?;
    let written = cx.append(Path::new(file), pages::summary(outcome).as_bytes());
    written.err().map(|error| brv_engine::outcome::stop::message(&error))
}

fn text(outcome: &Outcome, screen: &mut Screen) {
    for entry in &outcome.entries {
        draw(entry, screen);
    }
    for one in &outcome.unmerged {
        stated(screen, (one.path.as_str(), &one.title), &pages::left_behind(one.branch.as_deref()));
    }
    for one in &outcome.reverts_edited {
        stated(screen, (one.path.as_str(), &one.title), &pages::reverted_edited(&one.commit));
    }
    if !(outcome.entries.is_empty() && outcome.unmerged.is_empty() && outcome.reverts_edited.is_empty()) {
        screen.end();
    }
    screen.line(pages::headline(&outcome.counts));
    let others = pages::others(&outcome.counts);
    if !others.is_empty() {
        screen.text(Style::Dim, others).end();
    }
}

/// A statement, and what is to be said about it.
fn stated(screen: &mut Screen, (path, title): (&str, &str), what: &str) {
    screen.word(Style::Name, path).plain("  ").word(Style::Dim, title).end();
    screen.plain("  ").word(Style::Notable, what).end();
}

fn draw(entry: &StaleEntry, screen: &mut Screen) {
    screen.word(Style::Name, entry.path.as_str());
    if let Some(title) = &entry.title {
        screen.plain("  ").word(Style::Dim, title);
    }
    screen.end();
    if let Some(line) = entry.freshness.line() {
        screen.plain("  ").word(Style::Notable, line).end();
    }
    for facts in pages::lines(&entry.facts) {
        let Some(first) = facts.first() else { continue };
        screen.plain(format!("  {:>4}  ", first.line)).word(Style::Plain, &first.text).end();
        for (before, after) in pages::changes(facts) {
            let both = [(Style::Bad, "-", before), (Style::Good, "+", after)];
            for (style, sign, line) in
                both.into_iter().filter_map(|(style, sign, line)| Some((style, sign, line?)))
            {
                screen.plain("        ").word(style, format!("{sign} {line}")).end();
            }
        }
    }
}
