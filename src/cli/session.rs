//! One run of one command: its streams and settings, and how its result is printed.
//!
//! Knows no command's data; a command passes it in a [`Report`].

use super::globals::Globals;
use super::ui::{Bar, Form, Memory, Purpose, Screen, Style, Ui};
use crate::say::described::Described;
use crate::say::envelope::{Envelope, schema};
use crate::say::versions::{self, CHANGED};
use crate::say::{Commands, Exit, Failure, warnings, words};
use brv_base::clock::Clock;
use brv_base::config::Config;
use brv_base::environment::Environment;
use brv_base::escape::escape_json;
use brv_base::messages::without_passwords;
use brv_commands::suggest;
use brv_engine::{Actor, Audience, BrokenRefs, CallDoor, Context, FailureKind, Preceding};
use serde::Serialize;
use serde_json::value::RawValue;
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::OnceLock;

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
    /// The version of its JSON.
    pub version: u32,
    /// The recovery that the command began with.
    pub preceding: Preceding,
    /// The broken refs that the command passed over.
    pub broken_refs: BrokenRefs,
    /// What is known of all commands.
    pub catalog: Catalog,
}

/// Who calls a command: the flags that every command has, the variables, and what is known of all commands.
pub struct Caller {
    /// The flags.
    pub globals: Globals,
    /// The environment variables.
    pub environment: Environment,
    /// All commands.
    pub catalog: Catalog,
}

/// What a command may ask about all of them; made on demand.
#[derive(Debug, Clone, Copy)]
pub struct Catalog {
    /// The parser, in which each command has its full name.
    pub parser: fn() -> clap::Command,
    /// The parser for the help of brv itself.
    pub help: fn() -> clap::Command,
    /// The page that is shown where nothing was typed.
    pub start_page: fn() -> String,
    /// The schemas, by name.
    pub schemas: fn() -> Vec<Described>,
    /// The commands, for a server.
    pub commands: fn() -> Box<dyn Commands>,
}

/// How a command starts.
pub struct CommandStart {
    /// Its name.
    pub name: &'static str,
    /// The output form that its own flags request.
    pub form: Form,
    /// Whether it runs even if the settings are invalid, because it is what fixes them.
    pub mends_settings: bool,
}

/// The result of a command.
pub struct Report<T> {
    data: T,
    purpose: Purpose,
    beside: ReportNotes,
    output: Option<PathBuf>,
}

/// The warnings and notes beside the data of a command.
#[derive(Debug, Default)]
pub struct ReportNotes {
    /// Warnings of the command.
    pub warnings: Vec<String>,
    /// Commands to run next; never a destructive one.
    pub next: Vec<String>,
    /// The exit code, where it is an answer and not a failure.
    pub exit: Exit,
    /// Why the command failed, in part or as a whole.
    pub failure: Option<Failure>,
}

impl<T: Serialize> Report<T> {
    pub fn new(data: T) -> Self {
        Self { data, purpose: Purpose::Answer, beside: ReportNotes::default(), output: None }
    }

    /// Write the data to this file, if there is one, and nothing to standard output.
    pub fn output(mut self, file: Option<PathBuf>) -> Self {
        self.output = file;
        self
    }

    /// Set what the text is for.
    pub const fn purpose(mut self, purpose: Purpose) -> Self {
        self.purpose = purpose;
        self
    }

    /// Mark the text as a summary of what was done, not as requested data.
    pub const fn account(self) -> Self {
        self.purpose(Purpose::Account)
    }

    pub fn warning(mut self, warnings: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.beside.warnings.extend(warnings.into_iter().map(Into::into));
        self
    }

    /// Add commands to run next; never a destructive one.
    pub fn next(mut self, next: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.beside.next.extend(next.into_iter().map(Into::into));
        self
    }

    /// Set the exit code, where it is an answer and not a failure.
    pub const fn exit(mut self, exit: Exit) -> Self {
        self.beside.exit = exit;
        self
    }

    /// Mark the command as failed in part; the data shows how far it got.
    pub fn failing(mut self, failure: Option<Failure>) -> Self {
        self.beside.failure = failure;
        self
    }
}

/// A command with its parsed arguments.
pub trait Run {
    /// Name of the command, such as `vc status`: what the user types after `brv`, and what the schema is named after.
    const NAME: &'static str;

    /// Whether its own flags request the output form; else the flag `--format` is added, with text and JSON.
    const HAS_OWN_FORMATS: bool = false;

    /// The output form that its own flags request.
    fn form(&self) -> Form {
        Form::Text
    }

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
    /// The context that the commands need.
    pub fn context(&self) -> Context<'_> {
        Context {
            cwd: self.folder.clone(),
            environment: self.environment.clone(),
            clock: self.clock,
            config: self.config.clone(),
            progress: &self.bar,
            actor: Actor::of(&self.environment).through(CallDoor::Cli, &self.environment),
            audience: if self.ui.is_interactive() { Audience::Terminal } else { Audience::Headless },
            input: None,
            preceding: self.preceding.clone(),
            broken_refs: self.broken_refs.clone(),
            kept: OnceLock::new(),
            ends_with_process: true,
            ends_at: None,
        }
    }

    /// Print `report` in the requested form; `draw` prints its text.
    pub fn report<T: Serialize>(&self, report: Report<T>, draw: impl FnOnce(&mut Screen)) -> Exit {
        let data = (self.ui.form() == Form::Json).then(|| raw(&report.data));
        let mut draw = Some(draw);
        self.print(data, (report.purpose, report.output), report.beside, &mut |screen| {
            draw.take().into_iter().for_each(|draw| draw(screen));
        })
    }

    fn print(
        &self,
        data: Option<Box<RawValue>>,
        (purpose, output): (Purpose, Option<PathBuf>),
        beside: ReportNotes,
        draw: &mut dyn FnMut(&mut Screen),
    ) -> Exit {
        self.bar.clear();
        let exit = beside.failure.as_ref().map_or(beside.exit, |failure| failure.exit);
        let is_json = data.is_some();
        let (envelope, failure) = envelope(self.command, &self.context(), beside, data);
        let written = if is_json {
            let envelope = envelope.in_version(CHANGED, self.command, self.version);
            match output {
                Some(file) => self.put(file, Ok(line(&envelope).into_bytes())),
                None => told(print_json(&envelope)),
            }
        } else {
            let written = match (output, purpose) {
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
            self.warn(&envelope.warnings);
            failure.iter().for_each(|failure| tell(&self.ui, failure));
            envelope.next.iter().for_each(|next| self.ui.note("next", Style::Dim, next));
            written
        };
        match written {
            Ok(()) => exit,
            Err(failure) => {
                self.ui.fault(&failure.stop.message);
                Exit::Failed
            }
        }
    }

    /// Write the output to a file.
    fn put(&self, file: PathBuf, bytes: Result<Vec<u8>, Failure>) -> Result<(), Failure> {
        self.context().put(&file, &bytes?).map_err(|error| Failure::because(FailureKind::Failed, &error))
    }

    /// Print why there is no result.
    pub fn fail(&self, failure: &Failure) -> Exit {
        self.bar.clear();
        let cx = self.context();
        let (failure, warnings) = (&suggesting(&cx, failure.clone()), findings(&cx));
        if self.ui.form() == Form::Json {
            let envelope = Envelope::failed(self.command, failure.to_json(), warnings.clone());
            let envelope = envelope.in_version(CHANGED, self.command, self.version);
            if print_json(&envelope).is_ok() {
                return failure.exit;
            }
        }
        self.warn(&warnings);
        tell(&self.ui, failure);
        failure.exit
    }

    fn warn(&self, warnings: &[String]) {
        for warning in warnings {
            self.ui.note("warning", Style::Notable, warning);
        }
    }
}

/// Start a command: make its session, run it, and print why it has no result.
pub fn start(
    how: CommandStart,
    caller: Caller,
    run: &mut dyn FnMut(&Session) -> Result<Exit, Failure>,
) -> Exit {
    let Caller { globals, environment, catalog } = caller;
    let form = if globals.json.is_some() { Form::Json } else { how.form };
    let loaded = Config::load(globals.settings(), &environment);
    let (config, refusal) = match loaded {
        Ok(config) => (config, None),
        Err(_) if how.mends_settings => (Config::without_files(&environment), None),
        Err(error) => (Config::default(), Some(Failure::because(FailureKind::Usage, &error))),
    };
    let ui = Ui::new(&config, form, globals.loudness(), globals.paging(), &environment);
    let bar = Bar::new(ui.progress_stream(globals.showing()));
    let (folder, refusal) = match globals.folder() {
        Ok(folder) => (folder, refusal),
        Err(failure) => (PathBuf::new(), Some(failure)),
    };
    let timeout = brv_engine::network_limits(&environment).err().filter(|_| !how.mends_settings);
    let refusal = refusal.or_else(|| timeout.map(|error| Failure::because(FailureKind::Usage, &error)));
    let version = versions::chosen(CHANGED, how.name, globals.json.flatten());
    let (version, refusal) = match version {
        Ok(version) => (version, refusal),
        Err(stop) => (versions::today(CHANGED, how.name), Some(stop.into())),
    };
    let session = Session {
        ui,
        bar,
        folder,
        clock: Clock::from_environment(&environment),
        environment,
        config,
        command: how.name,
        version,
        preceding: Preceding::default(),
        broken_refs: BrokenRefs::default(),
        catalog,
    };
    let done = match refusal {
        Some(refusal) => Err(refusal),
        None => run(&session),
    };
    done.unwrap_or_else(|failure| session.fail(&failure))
}

/// The envelope of a command with its data, warnings and notes, and its failure with the hint it gets here.
pub fn envelope(
    command: &str,
    cx: &Context<'_>,
    beside: ReportNotes,
    data: Option<Box<RawValue>>,
) -> (Envelope<Box<RawValue>>, Option<Failure>) {
    let failure = beside.failure.map(|failure| suggesting(cx, failure));
    let envelope = Envelope {
        schema: schema(command),
        ok: failure.is_none(),
        data,
        error: failure.as_ref().map(Failure::to_json),
        warnings: all_warnings(cx, beside.warnings),
        next: beside.next.iter().map(|next| without_passwords(next)).collect(),
    };
    (envelope, failure)
}

/// The JSON of the data of a command.
pub fn raw<T: Serialize>(data: &T) -> Box<RawValue> {
    serde_json::value::to_raw_value(data)
        .expect("data of commands has text keys and no other sources of errors")
}

/// Add a "did you mean" hint to the failure, if a name was mistyped.
fn suggesting(cx: &Context<'_>, failure: Failure) -> Failure {
    let failure = failure.suggesting(|sought| suggest::run(cx, sought));
    if !matches!(failure.exit, Exit::Remote | Exit::Authentication) {
        return failure;
    }
    let moved = suggest::moved_host(cx);
    failure.hinting(moved.map(|(remote, url)| words::moved_host(&remote, &url)))
}

/// The warnings about what was done before the command, and about broken refs.
fn findings(cx: &Context<'_>) -> Vec<String> {
    let inherited = cx.preceding.inherited().map(warnings::inherited);
    let recovery = warnings::recovery(cx.preceding.get());
    inherited.into_iter().chain(recovery).chain(warnings::broken_refs(&cx.broken_refs)).collect()
}

/// The warnings about the settings, the project's included, and about what was found, then the command's own.
fn all_warnings(cx: &Context<'_>, own: Vec<String>) -> Vec<String> {
    let project = brv_commands::config::ignored(&cx.cwd, &cx.config, &cx.environment);
    let ignored = cx.config.warnings().iter().chain(&project).map(ToString::to_string);
    ignored.chain(findings(cx)).chain(own).map(|warning| without_passwords(&warning)).collect()
}

fn drawn(mut screen: Screen, draw: &mut dyn FnMut(&mut Screen)) -> std::io::Result<()> {
    draw(&mut screen);
    screen.finish()
}

/// Turn a write error into a failure.
fn told<T>(written: std::io::Result<T>) -> Result<T, Failure> {
    written.map_err(|error| Failure::new(FailureKind::Failed, format!("cannot write the output: {error}")))
}

pub fn line<T: Serialize>(envelope: &Envelope<T>) -> String {
    let line =
        serde_json::to_string(envelope).expect("an envelope has text keys and no other sources of errors");
    escape_json(line) + "\n"
}

/// Print an envelope on standard output, as one line.
pub(super) fn print_json<T: Serialize>(envelope: &Envelope<T>) -> std::io::Result<()> {
    let line = line(envelope);
    let mut out = std::io::stdout();
    match out.write_all(line.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

/// Print a failure as text on standard error.
pub(super) fn tell(ui: &Ui, failure: &Failure) {
    ui.fault(&failure.stop.message);
    for detail in &failure.stop.details {
        ui.detail(detail);
    }
    if let Some(hint) = &failure.stop.hint {
        ui.note("hint", Style::Name, hint);
    }
}
