//! `brv vc check`: shows what a change does to the knowledge, and what is wrong with it.

use crate::cli::findings;
use crate::cli::session::{Report, Run, Session};
use crate::cli::ui::{Form, Style};
use crate::say::review::{self as pages, verdict};
use crate::say::{Exit, Failure, failing, warnings, words, workflow};
use crate::wire;
use brv_commands::vc::check::{self, FailOn, Options, What};
use brv_engine::{Context, FailureKind};
use clap::{Args, ValueEnum};
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
    #[arg(long, value_name = "SEVERITY", value_enum, hide_possible_values = true)]
    fail_on: Option<Severity>,
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
    #[arg(long, value_name = "HOST", value_enum, hide_possible_values = true, conflicts_with_all = [
        "arguments", "paths", "staged", "all", "fail_on", "format", "write_baseline", "fix", "code",
        "from",
    ])]
    workflow: Option<Host>,
    /// The shell command with which the CI files install brv
    #[arg(long, value_name = "CMD", requires = "workflow")]
    install: Option<String>,
}

/// A git host with CI.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Host {
    Github,
    Gitlab,
}

impl Host {
    /// The same, as the CI files know it.
    pub const fn of_workflow(self) -> workflow::Host {
        match self {
            Self::Github => workflow::Host::Github,
            Self::Gitlab => workflow::Host::Gitlab,
        }
    }
}

/// From which severity on a check fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Severity {
    Error,
    Warning,
    Never,
}

impl Severity {
    /// What it means for the exit code.
    pub const fn fail_on(self) -> FailOn {
        match self {
            Self::Error => FailOn::Error,
            Self::Warning => FailOn::Warning,
            Self::Never => FailOn::Never,
        }
    }
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
                (true, _) => What::Staged,
                (_, true) => What::Everything,
                _ => What::Range,
            },
            fail_on: self.fail_on.map(Severity::fail_on),
            code: self.code.clone(),
        }
    }
}

impl Arguments {
    /// Print the CI files, or write them.
    fn workflow(&self, session: &Session, host: Host) -> Result<Exit, Failure> {
        if session.ui.form() == Form::Json {
            return Err(Failure::usage("`--workflow` has no JSON form"));
        }
        let files = workflow::files(host.of_workflow(), self.install.as_deref())?;
        let Some(folder) = &self.output else {
            return Ok(session.report(Report::new(()), |screen| {
                screen.plain(workflow::stream(&files));
            }));
        };
        let texts = files.into_iter().map(|file| (file.path.to_owned(), file.text));
        let written = session
            .context()
            .write_files(folder, texts)
            .map_err(|error| Failure::because(FailureKind::Failed, &error))?;
        Ok(session.report(Report::new(()).account(), |screen| {
            for file in &written {
                screen.line(format!("Wrote {}", words::place(file, &session.folder)));
            }
        }))
    }
}

impl Run for Arguments {
    const NAME: &'static str = "vc check";
    const HAS_OWN_FORMATS: bool = true;

    fn form(&self) -> Form {
        if self.format == Some(Shape::Json) { Form::Json } else { Form::Text }
    }

    fn run(self, session: &Session) -> Result<Exit, Failure> {
        if let Some(host) = self.workflow {
            return self.workflow(session, host);
        }
        let is_page = !matches!(self.format, None | Some(Shape::Text | Shape::Json));
        if self.fix && is_page {
            return Err(Failure::usage("`--fix` shows what it changes as text or JSON only"));
        }
        let (cx, options) = (session.context(), self.options());
        if let Some(file) = &self.from {
            let data = told(&cx, file, options.fail_on)?;
            return self.report(session, &data, Vec::new());
        }
        let (outcome, fixed) = match (self.write_baseline, self.fix) {
            (true, _) => {
                check::write_baseline(&cx, &options).map(|(outcome, fixed)| (outcome, Some(fixed)))?
            }
            (_, true) => check::fix(&cx, &options).map(|(outcome, fixed)| (outcome, Some(fixed)))?,
            _ => (check::run(&cx, &options)?, None),
        };
        let is_plain_clone = outcome.is_plain_clone;
        let data = wire::Check::new(outcome, fixed);
        let next = if is_plain_clone { Vec::new() } else { verdict::next(&data) };
        self.report(session, &data, next)
    }
}

impl Arguments {
    /// `next`: the commands to run next; none where no other command works, or the tree may be another.
    fn report(self, session: &Session, data: &wire::Check, next: Vec<String>) -> Result<Exit, Failure> {
        let shape =
            if session.ui.form() == Form::Json { Shape::Json } else { self.format.unwrap_or(Shape::Text) };
        let written = data.fixed.iter().flat_map(|fixed| warnings::written(&fixed.written));
        let report = Report::new(data)
            .warning(data.warnings.iter().cloned().chain(warnings::malformed(&data.malformed)).chain(written))
            .next(next)
            .output(self.output);
        // a baseline excuses what is there; text and annotations print the result themselves
        let report = match shape {
            _ if self.write_baseline || !data.fails => report,
            Shape::Text | Shape::Github => report.exit(Exit::Failed),
            _ => report.failing(failing::check(data)),
        };
        let prefix = &data.prefix;
        let page = match shape {
            Shape::Json => String::new(),
            Shape::Text if self.write_baseline => {
                return Ok(session.report(report, |screen| findings::baseline(screen, data)));
            }
            Shape::Text => return Ok(session.report(report.long(), |screen| findings::text(screen, data))),
            Shape::Markdown => pages::comment(data),
            Shape::Gitlab => pages::code_quality(data, prefix),
            Shape::Sarif => pages::sarif(data, prefix),
            Shape::Github => {
                let report = report.warning(summarise(session, data));
                return Ok(session.report(report, |screen| {
                    screen.bytes(Style::Plain, pages::annotations(data, prefix));
                }));
            }
        };
        Ok(session.report(report, |screen| {
            screen.bytes(Style::Plain, page);
        }))
    }
}

/// What another run found.
fn told(cx: &Context<'_>, file: &Path, fail_on: Option<FailOn>) -> Result<wire::Check, Failure> {
    let bytes = cx.read_answer(file, wire::MAX_CHECK_BYTES)?;
    wire::Check::read(&bytes, fail_on).map_err(|why| {
        Failure::usage(format!("`{}` is not the output of `brv vc check --json`: {why}", file.display()))
    })
}

/// Append the report to the summary of the step that runs, if GitHub says where it is. Returns why it could not.
fn summarise(session: &Session, data: &wire::Check) -> Option<String> {
    let file = session.environment.get_filled("GITHUB_STEP_SUMMARY")?;
    let written = session.context().append(Path::new(file), pages::summary(data).as_bytes());
    written.err().map(|error| brv_engine::outcome::stop::message(&error))
}
