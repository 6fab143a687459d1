//! Command-line interface: parses arguments, runs commands, prints results, sets exit codes.
//!
//! Does no work on git or the disk itself: that is in [`crate::ops`].

pub mod archive;
pub mod args;
pub mod complete;
pub mod completions;
pub mod config;
pub mod counts;
mod curate;
pub mod decisions;
pub mod demo;
pub mod derive;
pub mod differences;
mod eval;
pub mod format;
mod graph;
pub mod guarding;
pub mod help;
pub mod init;
pub mod integration;
pub mod knowledge;
pub mod links;
pub mod man;
pub mod merge_driver;
pub mod op;
pub mod patch;
mod query;
pub mod read;
pub mod review;
pub mod schema;
mod search;
pub mod session;
pub mod signals;
pub mod status;
pub mod transfer;
pub mod tree;
pub mod ui;
pub mod undo;
pub mod usage;
pub mod vc;
pub mod written;

use crate::clock::Clock;
use crate::config::Config;
use crate::environment::Environment;
use crate::ops::{self, BrokenRefs, Preceding};
use crate::process;
use crate::say::{Exit, Failure};
use args::{ArchiveVerb, Cli, Command, Globals, Lazily, OpVerb, Verb};
use clap::Parser as _;
use session::{Run, Session};
use std::path::PathBuf;
use std::process::ExitCode;
use ui::{Bar, Form, Ui};

/// Run `brv` with the arguments of this process. `git brv X`, which comes by way of the program `git-brv`, is
/// `brv vc X` if that is a verb of version control, else `brv X`.
#[must_use]
pub fn main() -> ExitCode {
    process::forget_callers_repository();
    let environment = Environment::of_process();
    let arguments = usage::by_second_name(std::env::args_os().collect());
    if let Some(answer) = complete::answer(&arguments, &environment) {
        complete::give(&answer);
        return Exit::Done.into();
    }
    let arguments = usage::expand_help(usage::expand_counts(arguments));
    let exit = match Cli::try_parse_from(&arguments) {
        Ok(Cli { globals, command }) => dispatch(command, &globals, environment),
        Err(error) => usage::answer(error, &arguments, &environment),
    };
    exit.into()
}

fn dispatch(command: Command, globals: &Globals, environment: Environment) -> Exit {
    match command {
        Command::Init(Lazily(command)) => go(command, globals, environment),
        Command::Derive(Lazily(command)) => go(command, globals, environment),
        Command::Status(Lazily(command)) => go(command, globals, environment),
        Command::Tree(Lazily(command)) => go(command, globals, environment),
        Command::Read(Lazily(command)) => go(command, globals, environment),
        Command::Links(Lazily(command)) => go(command, globals, environment),
        Command::Search(Lazily(command)) => go(command, globals, environment),
        Command::Query(Lazily(command)) => go(command, globals, environment),
        Command::Eval(Lazily(command)) => go(command, globals, environment),
        Command::Signals(Lazily(command)) => go(command, globals, environment),
        Command::Curate(Lazily(command)) => go(command, globals, environment),
        Command::Config(Lazily(command)) => go(command, globals, environment),
        Command::Schema(Lazily(command)) => go(command, globals, environment),
        Command::Demo(Lazily(command)) => go(command, globals, environment),
        Command::Completions(Lazily(command)) => go(command, globals, environment),
        Command::Man(Lazily(command)) => go(command, globals, environment),
        Command::MergeDriver(Lazily(command)) => go(command, globals, environment),
        Command::Help(Lazily(command)) => go(command, globals, environment),
        Command::Undo(Lazily(command)) => go(command, globals, environment),
        Command::Archive { verb } => match verb {
            ArchiveVerb::Run(Lazily(command)) => go(command, globals, environment),
            ArchiveVerb::List(Lazily(command)) => go(command, globals, environment),
            ArchiveVerb::Show(Lazily(command)) => go(command, globals, environment),
            ArchiveVerb::Restore(Lazily(command)) => go(command, globals, environment),
        },
        Command::Op { verb } => match verb {
            OpVerb::Log(Lazily(command)) => go(command, globals, environment),
            OpVerb::Show(Lazily(command)) => go(command, globals, environment),
            OpVerb::Diff(Lazily(command)) => go(command, globals, environment),
            OpVerb::Prune(Lazily(command)) => go(command, globals, environment),
        },
        Command::Vc { verb } => match verb {
            Verb::Init(Lazily(command)) => go(command, globals, environment),
            Verb::Clone(Lazily(command)) => go(command, globals, environment),
            Verb::Config(Lazily(command)) => go(command, globals, environment),
            Verb::Add(Lazily(command)) => go(command, globals, environment),
            Verb::Commit(Lazily(command)) => go(command, globals, environment),
            Verb::Status(Lazily(command)) => go(command, globals, environment),
            Verb::Diff(Lazily(command)) => go(command, globals, environment),
            Verb::Log(Lazily(command)) => go(command, globals, environment),
            Verb::Show(Lazily(command)) => go(command, globals, environment),
            Verb::Blame(Lazily(command)) => go(command, globals, environment),
            Verb::Branch(Lazily(command)) => go(command, globals, environment),
            Verb::Tag(Lazily(command)) => go(command, globals, environment),
            Verb::Switch(Lazily(command)) => go(command, globals, environment),
            Verb::Check(Lazily(command)) => go(command, globals, environment),
            Verb::Checkout(Lazily(command)) => go(command, globals, environment),
            Verb::Restore(Lazily(command)) => go(command, globals, environment),
            Verb::Reset(Lazily(command)) => go(command, globals, environment),
            Verb::Remote(Lazily(command)) => go(command, globals, environment),
            Verb::Fetch(Lazily(command)) => go(command, globals, environment),
            Verb::Merge(Lazily(command)) => go(command, globals, environment),
            Verb::Pull(Lazily(command)) => go(command, globals, environment),
            Verb::Sync(Lazily(command)) => go(command, globals, environment),
            Verb::Push(Lazily(command)) => go(command, globals, environment),
            Verb::Repair(Lazily(command)) => go(command, globals, environment),
            Verb::Resolve(Lazily(command)) => go(command, globals, environment),
            Verb::Revert(Lazily(command)) => go(command, globals, environment),
            Verb::Mv(Lazily(command)) => go(command, globals, environment),
            Verb::Rm(Lazily(command)) => go(command, globals, environment),
            Verb::Gc(Lazily(command)) => go(command, globals, environment),
        },
    }
}

fn go<C: Run>(command: C, globals: &Globals, environment: Environment) -> Exit {
    let form = if globals.json { Form::Json } else { command.form() };
    let loaded = Config::load(globals.settings(), &environment);
    let (config, refusal) = match loaded {
        Ok(config) => (config, None),
        Err(_) if command.mends_settings() => (Config::without_files(&environment), None),
        Err(error) => (Config::default(), Some(Failure::because(Exit::Usage, &error))),
    };
    let ui = Ui::new(&config, form, globals.loudness(), globals.paging(), &environment);
    let bar = Bar::new(ui.progress_stream(globals.showing()));
    let (folder, refusal) = match folder(globals) {
        Ok(folder) => (folder, refusal),
        Err(failure) => (PathBuf::new(), Some(failure)),
    };
    let timeout = ops::network_limits(&environment).err().filter(|_| !command.mends_settings());
    let refusal = refusal.or_else(|| timeout.map(|error| Failure::because(Exit::Usage, &error)));
    let session = Session {
        ui,
        bar,
        folder,
        clock: Clock::from_environment(&environment),
        environment,
        config,
        command: C::NAME,
        preceding: Preceding::default(),
        broken_refs: BrokenRefs::default(),
        commands: args::root,
    };
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
        .map_err(|error| Failure::new(Exit::Failed, format!("cannot find the current folder: {error}")))?;
    let Some(directory) = &globals.directory else { return Ok(current) };
    let folder = current.join(directory);
    if folder.is_dir() {
        return Ok(real(folder));
    }
    Err(Failure::usage(format!("`{}` is not a folder", directory.display())))
}

/// Resolve `..` and symlinks, as the system does for the current folder of a program.
fn real(folder: PathBuf) -> PathBuf {
    // few programs accept the form that Windows returns for such a path
    if cfg!(windows) { folder } else { folder.canonicalize().unwrap_or(folder) }
}
