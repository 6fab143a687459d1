//! The command line: arguments in, words and exit codes out.
//!
//! Knows no git and no disk: what is done is in [`crate::ops`].

pub mod args;
pub mod config;
pub mod counts;
pub mod demo;
pub mod derive;
pub mod differences;
pub mod error;
pub mod exit;
pub mod init;
pub mod links;
pub mod patch;
pub mod read;
pub mod schema;
pub mod session;
pub mod status;
pub mod transfer;
pub mod tree;
pub mod ui;
pub mod usage;
pub mod vc;
pub mod words;

use crate::clock::Clock;
use crate::config::Config;
use crate::process;
use args::{Cli, Command, Globals, Verb};
use clap::Parser as _;
use error::Failure;
use exit::Exit;
use session::{Run, Session};
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use ui::{Bar, Form, Ui};

/// Run `brv` with the arguments of this process.
#[must_use]
pub fn main() -> ExitCode {
    start(std::env::args_os().collect())
}

/// Run as `git brv`: `git brv X` is `brv vc X` if that is a verb of version control, else `brv X`.
#[must_use]
pub fn main_as_git() -> ExitCode {
    start(usage::as_git(std::env::args_os().collect()))
}

fn start(arguments: Vec<OsString>) -> ExitCode {
    process::forget_callers_repository();
    let arguments = usage::expand_counts(arguments);
    let exit = match Cli::try_parse_from(&arguments) {
        Ok(Cli { globals, command }) => dispatch(command, &globals),
        Err(error) => usage::answer(&error, &arguments),
    };
    exit.into()
}

fn dispatch(command: Command, globals: &Globals) -> Exit {
    match command {
        Command::Init(command) => go(command, globals),
        Command::Derive(command) => go(command, globals),
        Command::Status(command) => go(command, globals),
        Command::Tree(command) => go(command, globals),
        Command::Read(command) => go(command, globals),
        Command::Links(command) => go(command, globals),
        Command::Config(command) => go(command, globals),
        Command::Schema(command) => go(command, globals),
        Command::Demo(command) => go(command, globals),
        Command::Vc { verb } => match verb {
            Verb::Init(command) => go(command, globals),
            Verb::Clone(command) => go(command, globals),
            Verb::Config(command) => go(command, globals),
            Verb::Add(command) => go(command, globals),
            Verb::Commit(command) => go(command, globals),
            Verb::Status(command) => go(command, globals),
            Verb::Diff(command) => go(command, globals),
            Verb::Log(command) => go(command, globals),
            Verb::Show(command) => go(command, globals),
            Verb::Remote(command) => go(command, globals),
            Verb::Fetch(command) => go(command, globals),
            Verb::Pull(command) => go(command, globals),
            Verb::Push(command) => go(command, globals),
            Verb::Gc(command) => go(command, globals),
        },
    }
}

fn go<C: Run>(command: C, globals: &Globals) -> Exit {
    let form = if globals.json { Form::Json } else { command.form() };
    let loaded = Config::load(globals.settings(), |name| std::env::var_os(name));
    let (config, refusal) = match loaded {
        Ok(config) => (config, None),
        Err(_) if command.mends_settings() => (Config::without_files(&|name| std::env::var_os(name)), None),
        Err(error) => (Config::default(), Some(Failure::because(Exit::Usage, &error))),
    };
    let ui = Ui::new(&config, form, globals.loudness(), globals.paging());
    let bar = Bar::new(ui.progress_stream());
    let (folder, refusal) = match folder(globals) {
        Ok(folder) => (folder, refusal),
        Err(failure) => (PathBuf::new(), Some(failure)),
    };
    let session = Session { ui, bar, folder, clock: Clock::from_environment(), config, command: C::NAME };
    if let Some(refusal) = refusal {
        return session.fail(&refusal);
    }
    match command.run(&session) {
        Ok(exit) => exit,
        Err(failure) => session.fail(&failure),
    }
}

/// The folder to run in: the current one, or the one that `-C` names.
fn folder(globals: &Globals) -> Result<PathBuf, Failure> {
    let current = std::env::current_dir()
        .map_err(|error| Failure::new(Exit::Failed, format!("cannot tell the current folder: {error}")))?;
    let Some(directory) = &globals.directory else { return Ok(current) };
    let folder = current.join(directory);
    if folder.is_dir() {
        return Ok(folder);
    }
    Err(Failure::usage(format!("`{}` is not a folder", directory.display())))
}
