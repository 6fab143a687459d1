//! One run of one command: its streams and settings, and how its result is printed.
//!
//! Knows no command's data; a command passes it in a [`Report`].

use super::ui::{Bar, Form, Memory, Screen, Style, Ui};
use crate::clock::Clock;
use crate::config::Config;
use crate::environment::Environment;
use crate::ops::{self, Actor, Audience, BrokenRefs, Context, Preceding, output, suggest};
use crate::say::escape::escape_json;
use crate::say::{Exit, Failure, warnings, words};
use crate::wire;
use serde::Serialize;
use std::io::Write as _;
use std::path::PathBuf;

/// The streams, settings and environment of a command.
pub struct Session {
    /// The streams.
    pub ui: Ui,
    /// The progress bar.
    pub bar: Bar,
    /// The folder to run in, absolute.
    pub folder: PathBuf,
    /// The caller's environment variables.
    pub environment: Environment,
    /// The source of the current time.
    pub clock: Clock,
    /// The settings, without those of a project.
    pub config: Config,
    /// Name of the command: `vc status`.
    pub command: &'static str,
    /// The recovery that the command began with.
    pub preceding: Preceding,
    /// The broken refs that the command passed over.
    pub broken_refs: BrokenRefs,
    /// Makes all commands as the parser knows them, on demand.
    pub commands: fn() -> clap::Command,
}

/// The result of a command.
pub struct Report<T> {
    data: T,
    purpose: Purpose,
    warnings: Vec<String>,
    next: Vec<String>,
    exit: Exit,
    failure: Option<Failure>,
    output: Option<PathBuf>,
}

/// What the text is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Purpose {
    /// The requested data.
    Answer,
    /// The requested data, which may be longer than a screen.
    LongAnswer,
    /// A summary of what was done, which `--quiet` leaves out.
    Account,
}

impl<T: Serialize> Report<T> {
    /// A report of success.
    #[must_use]
    pub const fn new(data: T) -> Self {
        Self {
            data,
            purpose: Purpose::Answer,
            warnings: Vec::new(),
            next: Vec::new(),
            exit: Exit::Done,
            failure: None,
            output: None,
        }
    }

    /// Write the data to this file, if there is one, and nothing to standard output.
    #[must_use]
    pub fn output(mut self, file: Option<PathBuf>) -> Self {
        self.output = file;
        self
    }

    /// Page the text on a terminal, as it may be longer than a screen.
    #[must_use]
    pub const fn long(mut self) -> Self {
        self.purpose = Purpose::LongAnswer;
        self
    }

    /// Mark the text as a summary of what was done, not as requested data.
    #[must_use]
    pub const fn account(mut self) -> Self {
        self.purpose = Purpose::Account;
        self
    }

    /// Add warnings.
    #[must_use]
    pub fn warning(mut self, warnings: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.warnings.extend(warnings.into_iter().map(Into::into));
        self
    }

    /// Add commands to run next; never a destructive one.
    #[must_use]
    pub fn next(mut self, next: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.next.extend(next.into_iter().map(Into::into));
        self
    }

    /// Set the exit code, where it is an answer and not a failure.
    #[must_use]
    pub const fn exit(mut self, exit: Exit) -> Self {
        self.exit = exit;
        self
    }

    /// Mark the command as failed in part; the data shows how far it got.
    #[must_use]
    pub fn failing(mut self, failure: Option<Failure>) -> Self {
        self.failure = failure;
        self
    }
}

/// A command with its parsed arguments.
pub trait Run {
    /// Name of the command, such as `vc status`: what the user types after `brv`, and what the schema is named after.
    const NAME: &'static str;

    /// The output form that the command's own flags request.
    fn form(&self) -> Form;

    /// Whether the command runs even if the settings are invalid, because it is what fixes them.
    fn mends_settings(&self) -> bool {
        false
    }

    /// Run the command and report the result.
    ///
    /// # Errors
    /// The failure to print when there is no result to report.
    fn run(self, session: &Session) -> Result<Exit, Failure>;
}

impl Session {
    /// The context that the use cases need.
    #[must_use]
    pub fn context(&self) -> Context<'_> {
        Context {
            cwd: self.folder.clone(),
            environment: self.environment.clone(),
            clock: self.clock,
            config: self.config.clone(),
            progress: &self.bar,
            actor: Actor::of(&self.environment),
            audience: if self.ui.is_interactive() { Audience::Terminal } else { Audience::Headless },
            preceding: self.preceding.clone(),
            broken_refs: self.broken_refs.clone(),
        }
    }

    /// Print `report` in the requested form; `draw` prints its text.
    pub fn report<T: Serialize>(&self, mut report: Report<T>, draw: impl FnOnce(&mut Screen)) -> Exit {
        self.bar.clear();
        report.failure = report.failure.map(|failure| self.suggesting(failure));
        let exit = report.failure.as_ref().map_or(report.exit, |failure| failure.exit);
        let written = if self.ui.form() == Form::Json {
            let envelope = wire::Envelope {
                schema: wire::schema(self.command),
                ok: report.failure.is_none(),
                data: Some(report.data),
                error: report.failure.as_ref().map(Failure::to_wire),
                warnings: self.warnings(report.warnings),
                next: report.next,
            };
            match report.output {
                Some(file) => self.put(file, told(as_line(&envelope))),
                None => told(print_json(&envelope)),
            }
        } else {
            let written = match (report.output, report.purpose) {
                (Some(file), _) => {
                    let memory = Memory::default();
                    let mut screen = memory.screen();
                    draw(&mut screen);
                    self.put(file, told(screen.finish()).map(|()| memory.take()))
                }
                (None, Purpose::Account) if self.ui.is_quiet() => Ok(()),
                (None, Purpose::LongAnswer) => told(drawn(self.ui.pages(), draw)),
                (None, Purpose::Answer | Purpose::Account) => told(drawn(self.ui.screen(), draw)),
            };
            self.warn(&self.warnings(report.warnings));
            if let Some(failure) = &report.failure {
                tell(&self.ui, failure);
            }
            for next in &report.next {
                self.ui.note("next", Style::Dim, next);
            }
            written
        };
        match written {
            Ok(()) => exit,
            Err(failure) => {
                self.ui.fault(&failure.message);
                Exit::Failed
            }
        }
    }

    /// Write the output to a file.
    fn put(&self, file: PathBuf, bytes: Result<Vec<u8>, Failure>) -> Result<(), Failure> {
        let options = output::Options { path: self.folder.join(file), bytes: bytes? };
        output::run(&options).map_err(|error| Failure::because(Exit::Failed, &error))
    }

    /// Print why there is no result.
    pub fn fail(&self, failure: &Failure) -> Exit {
        self.bar.clear();
        let failure = &self.suggesting(failure.clone());
        if self.ui.form() == Form::Json {
            let envelope = wire::Envelope::<()> {
                schema: wire::schema(self.command),
                ok: false,
                data: None,
                error: Some(failure.to_wire()),
                warnings: self.findings(),
                next: Vec::new(),
            };
            if print_json(&envelope).is_ok() {
                return failure.exit;
            }
        }
        self.warn(&self.findings());
        tell(&self.ui, failure);
        failure.exit
    }

    /// Add a "did you mean" hint to the failure, if a name was mistyped.
    fn suggesting(&self, failure: Failure) -> Failure {
        let failure = failure.suggesting(|sought| suggest::run(&self.context(), sought));
        if !matches!(failure.exit, Exit::Remote | Exit::Authentication) {
            return failure;
        }
        let moved = suggest::moved_host(&self.context());
        failure.hinting(moved.map(|(remote, url)| words::moved_host(&remote, &url)))
    }

    fn warn(&self, warnings: &[String]) {
        for warning in warnings {
            self.ui.note("warning", Style::Notable, warning);
        }
    }

    /// The warnings about a recovery that the command began with, and about broken refs.
    fn findings(&self) -> Vec<String> {
        let recovered = self.preceding.get().map(wire::Recovered::from);
        [warnings::recovery(recovered.as_ref()), warnings::broken_refs(&self.broken_refs)].concat()
    }

    /// The warnings about the settings, the project's included, and about what was found, then the command's own.
    fn warnings(&self, own: Vec<String>) -> Vec<String> {
        let project = ops::config::ignored(&self.folder, &self.config, &self.environment);
        let ignored = self.config.warnings().iter().chain(&project).map(ToString::to_string);
        ignored.chain(self.findings()).chain(own).collect()
    }
}

fn drawn(mut screen: Screen, draw: impl FnOnce(&mut Screen)) -> std::io::Result<()> {
    draw(&mut screen);
    screen.finish()
}

/// Turn a write error into a failure.
fn told<T>(written: std::io::Result<T>) -> Result<T, Failure> {
    written.map_err(|error| Failure::new(Exit::Failed, format!("cannot write the output: {error}")))
}

/// Format an envelope as one line.
fn as_line<T: Serialize>(envelope: &wire::Envelope<T>) -> std::io::Result<Vec<u8>> {
    let mut line = escape_json(serde_json::to_string(envelope)?);
    line.push('\n');
    Ok(line.into_bytes())
}

/// Print an envelope on standard output, as one line.
pub(super) fn print_json<T: Serialize>(envelope: &wire::Envelope<T>) -> std::io::Result<()> {
    let line = as_line(envelope)?;
    let mut out = std::io::stdout();
    match out.write_all(&line).and_then(|()| out.flush()) {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

/// Print a failure as text on standard error.
pub(super) fn tell(ui: &Ui, failure: &Failure) {
    ui.fault(&failure.message);
    for detail in &failure.details {
        ui.detail(detail);
    }
    if let Some(hint) = &failure.hint {
        ui.note("hint", Style::Name, hint);
    }
}
