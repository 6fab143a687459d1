//! Asks a person at a terminal for the required arguments that `brv curate TEXT` lacks.

use super::session::Catalog;
use super::ui::say;
use super::usage;
use brv_base::environment::Environment;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use std::ffi::OsString;
use std::io::{BufRead as _, IsTerminal as _};

/// The flags to ask for, and the questions.
const QUESTIONS: [(&str, &str); 3] = [
    ("--into", "Folder (domain/topic): "),
    ("--title", "Title: "),
    ("--reason", "Reason, for the history: "),
];

/// The arguments with those that were missing; `None` if nobody can be asked, or if an answer is empty.
pub fn asked(
    error: &clap::Error,
    arguments: &[OsString],
    environment: &Environment,
    catalog: &Catalog,
) -> Option<Vec<OsString>> {
    let ContextValue::Strings(missing) = error.get(ContextKind::InvalidArg)? else { return None };
    if error.kind() != ErrorKind::MissingRequiredArgument || !is_person(environment) {
        return None;
    }
    let at = usage::place_of(&["curate"], arguments, catalog).filter(|at| at + 1 < arguments.len())?;
    let question = |name: &String| QUESTIONS.iter().find(|(flag, _)| name.starts_with(flag));
    let questions: Vec<_> = missing.iter().map(question).collect::<Option<_>>()?;
    if usage::wants_json(arguments) {
        return None;
    }
    let mut all = arguments.to_vec();
    for (flag, question) in questions {
        say(question);
        let mut line = String::new();
        std::io::stdin().lock().read_line(&mut line).ok()?;
        let answer = Some(line.trim()).filter(|answer| !answer.is_empty())?;
        all.insert(at + 1, format!("{flag}={answer}").into());
    }
    Some(all)
}

/// Whether a person is there to answer: no agent that runs brv in a terminal of its own.
fn is_person(environment: &Environment) -> bool {
    let is_agent = ["BRV_ACTOR", "BRV_SESSION"].iter().any(|name| environment.get_filled(name).is_some());
    !is_agent && std::io::stdin().is_terminal() && std::io::stdout().is_terminal()
}
