//! Shell completion: `brv __complete SHELL …`, called by the scripts that `brv completions` prints.
//!
//! Nothing here fails, prompts, or writes anything but candidates to standard output, since a person is typing.
//! `candidates` lists the possible words, `position` finds the argument being typed, and `shell` splits and
//! quotes words.

mod candidates;
pub mod completions;
mod shell;

pub use shell::Shell;

use super::globals::real;
use super::position::{self, Slot};
use super::session::Catalog;
use super::usage;
use brv_base::clock::Clock;
use brv_base::config::Config;
use brv_base::environment::Environment;
use brv_base::progress::Silent;
use brv_engine::{Actor, Audience, BrokenRefs, Context, Preceding};
use clap::ValueEnum as _;
use shell::{Candidate, TypedLine};
use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The hidden command that the scripts call.
const COMMAND: &str = "__complete";

/// Answers a shell if the arguments are a completion request, even a malformed one.
pub fn answer(arguments: &[OsString], environment: &Environment, catalog: &Catalog) -> Option<Vec<u8>> {
    if arguments.get(1).map(OsString::as_os_str) != Some(OsStr::new(COMMAND)) {
        return None;
    }
    let texts: Option<Vec<String>> =
        arguments[2..].iter().map(|word| word.to_str().map(str::to_owned)).collect();
    let answer = texts.and_then(|texts| {
        let (name, rest) = texts.split_first()?;
        let shell = Shell::from_str(name, true).ok()?;
        let typed = shell.typed(rest)?;
        let folder = std::env::current_dir().ok()?;
        let found = complete(&typed, &folder, environment, catalog);
        Some(shell.print(&typed, &found))
    });
    Some(answer.unwrap_or_default())
}

/// Writes the answer. Errors are ignored: a shell that went away does not need it.
pub fn give(answer: &[u8]) {
    let mut out = std::io::stdout();
    let _ = out.write_all(answer).and_then(|()| out.flush());
}

/// The completions of the current word, in the order in which they are offered.
fn complete(
    typed: &TypedLine,
    folder: &Path,
    environment: &Environment,
    catalog: &Catalog,
) -> Vec<Candidate> {
    let root = (catalog.parser)();
    let (words, name) = as_brv(&typed.words, catalog);
    let position = position::find(&root, &words, &typed.current);
    let folder = match &position.directory {
        Some(directory) => real(folder.join(directory)),
        None => folder.to_path_buf(),
    };
    let cx = context(folder, environment.clone());
    let mut found = candidates::of((&root, catalog), &position, &typed.current, &cx);
    if name == ProgramName::OfGit && position.path.is_empty() && !matches!(position.slot, Slot::Value { .. })
    {
        let words: Vec<String> = words.iter().cloned().chain(["vc".into()]).collect();
        let verbs = candidates::of(
            (&root, catalog),
            &position::find(&root, &words, &typed.current),
            &typed.current,
            &cx,
        );
        found.extend(verbs);
    }
    found.retain(|candidate| candidate.value.starts_with(&typed.current));
    let mut seen = HashSet::new();
    found.retain(|candidate| seen.insert(candidate.value.clone()));
    found
}

/// The name that the program was called by.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ProgramName {
    /// `brv`
    Own,
    /// `git brv`, where `vc` may be omitted before its verbs.
    OfGit,
}

/// The words without the program's name, with an omitted `vc` put in.
fn as_brv(words: &[String], catalog: &Catalog) -> (Vec<String>, ProgramName) {
    let Some((program, rest)) = words.split_first() else { return (Vec::new(), ProgramName::Own) };
    let name = Path::new(program).file_stem().and_then(OsStr::to_str).unwrap_or_default();
    let rest = match (name, rest.first().map(String::as_str)) {
        ("git", Some("brv")) => &rest[1..],
        ("git-brv", _) => rest,
        _ => return (rest.to_vec(), ProgramName::Own),
    };
    let all = [OsString::from("git-brv")].into_iter().chain(rest.iter().map(OsString::from)).collect();
    let words = usage::as_git(all, catalog).into_iter().skip(1).filter_map(|word| word.into_string().ok());
    (words.collect(), ProgramName::OfGit)
}

fn context(folder: PathBuf, environment: Environment) -> Context<'static> {
    Context {
        cwd: folder,
        clock: Clock::from_environment(&environment),
        config: Config::default(),
        environment,
        progress: &Silent,
        actor: Actor::default(),
        audience: Audience::Headless,
        input: None,
        preceding: Preceding::default(),
        broken_refs: BrokenRefs::default(),
        kept: OnceLock::new(),
        ends_with_process: true,
        ends_at: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::table::CATALOG;

    fn asked(arguments: &[OsString]) -> Option<Vec<u8>> {
        answer(arguments, &Environment::default(), &CATALOG)
    }

    fn offered(line: &[&str]) -> Vec<String> {
        let (current, words) = line.split_last().unwrap();
        let typed = TypedLine {
            words: words.iter().map(ToString::to_string).collect(),
            current: (*current).to_owned(),
            ..TypedLine::default()
        };
        complete(&typed, Path::new("/"), &Environment::default(), &CATALOG)
            .into_iter()
            .map(|candidate| candidate.value)
            .collect()
    }

    #[test]
    fn commands_and_verbs_are_offered() {
        assert_eq!(offered(&["brv", "ini"]), ["init"]);
        assert_eq!(offered(&["brv", "vc", "pu"]), ["pull", "push"]);
        assert_eq!(offered(&["brv", "-C", "dir", "vc", "--quiet", "comm"]), ["commit"]);
        assert_eq!(offered(&["brv", "vc", "remote", "re"]), ["rename", "remove"]);
    }

    #[test]
    fn the_second_name_offers_verbs_too() {
        assert!(offered(&["git", "brv", "pu"]).contains(&"push".to_owned()));
        assert_eq!(offered(&["git-brv", "push", "--set"]), ["--set-upstream"]);
    }

    #[test]
    fn flags_are_offered_once_a_dash_is_there() {
        assert_eq!(offered(&["brv", "vc", "push", "--dr"]), ["--dry-run"]);
        assert!(
            offered(&["brv", "vc", "push", "-"]).contains(&"--quiet".to_owned()),
            "those of all commands"
        );
        assert!(offered(&["brv", "vc", "log", "--", "--one"]).is_empty(), "not behind a double dash");
    }

    #[test]
    fn values_from_a_list_are_offered_in_both_forms() {
        assert_eq!(offered(&["brv", "--color", "al"]), ["always"]);
        assert_eq!(offered(&["brv", "--color=n"]), ["--color=never"]);
        assert_eq!(offered(&["brv", "completions", "z"]), ["zsh"]);
        assert_eq!(offered(&["brv", "vc", "diff", "--format", "uni"]), ["unified"]);
    }

    #[test]
    fn what_is_no_question_of_a_shell_is_left_alone() {
        assert_eq!(asked(&["brv".into(), "vc".into()]), None);
        assert_eq!(asked(&["brv".into(), COMMAND.into()]), Some(Vec::new()));
        assert_eq!(asked(&["brv".into(), COMMAND.into(), "tcsh".into(), "x".into()]), Some(Vec::new()));
    }
}
