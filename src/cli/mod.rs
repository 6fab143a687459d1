//! Command-line interface: parses arguments, runs commands, prints results, sets exit codes.
//!
//! Does no work on git or the disk itself: that is in [`brv_commands`].

pub mod answering;
pub mod archive;
pub mod brain;
pub mod complete;
pub mod config;
pub mod connectors;
pub mod counts;
mod curate;
pub mod decisions;
pub mod demo;
pub mod derive;
pub mod differences;
mod dream;
mod eval;
pub mod findings;
pub mod format;
pub mod globals;
mod graph;
pub mod guarding;
pub mod help;
pub mod hooks;
pub mod index;
mod init;
pub mod integration;
pub mod jobs;
pub mod knowledge;
pub mod links;
pub mod man;
mod mcp;
pub mod merge_driver;
mod missing;
mod model;
pub mod op;
pub mod parser;
pub mod patch;
mod position;
mod query;
pub mod read;
pub mod review;
pub mod row;
pub mod schema;
mod search;
pub mod session;
pub mod signals;
mod stale;
pub mod status;
pub mod table;
pub mod tool;
pub mod tree;
pub mod ui;
pub mod undo;
pub mod usage;
pub mod vc;
pub mod verb;
mod web;
mod withheld;
pub mod written;

use crate::say::Exit;
use brv_base::environment::Environment;
use brv_base::process;
use session::Caller;
use std::process::ExitCode;
use table::{CATALOG, ROWS};

/// Run `brv` with the arguments of this process. `git brv X`, which comes by way of the program `git-brv`, is
/// `brv vc X` if that is a verb of version control, else `brv X`.
pub fn main() -> ExitCode {
    process::forget_callers_repository();
    let environment = Environment::of_process();
    let arguments = usage::by_second_name(std::env::args_os().collect(), &CATALOG);
    if let Some(answer) = complete::answer(&arguments, &environment, &CATALOG) {
        complete::give(&answer);
        return Exit::Done.into();
    }
    let mut arguments = usage::expand_help(usage::expand_counts(arguments));
    let parsed = parser::parse(ROWS, &arguments).or_else(|error| {
        match missing::asked(&error, &arguments, &environment, &CATALOG) {
            Some(all) => {
                arguments = all;
                parser::parse(ROWS, &arguments)
            }
            None => Err(error),
        }
    });
    let called = parsed.and_then(|typed| {
        let own = typed.row.own().expect("a command was parsed");
        let caller = Caller { globals: typed.globals, environment: environment.clone(), catalog: CATALOG };
        (own.call)(&typed.matches, caller).map_err(|error| error.format(&mut parser::parser(ROWS)))
    });
    called.unwrap_or_else(|error| usage::answer(error, &arguments, &environment, &CATALOG)).into()
}
