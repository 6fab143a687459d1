//! Preprocesses arguments (`git brv`, `log -5`, `vc help X`), and prints help, version and usage errors.

use super::curate;
use super::help::{commands, version};
use super::position;
use super::session::{Catalog, print_json, raw};
use super::ui::{Form, Loudness, Paging, Ui, say};
use crate::say::envelope::Envelope;
use crate::say::versions::{self, CHANGED};
use crate::say::words::place;
use crate::say::{Exit, Failure};
use brv_base::config::{Config, Flags};
use brv_base::environment::Environment;
use brv_base::escape::{escape, escape_line, shell_word};
use brv_base::messages::without_passwords;
use brv_base::nearest::nearest;
use brv_commands::suggest;
use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

/// The global flags that take a value of their own.
const WITH_VALUE: [&str; 2] = ["-C", "--color"];

const GROUPS: [&str; 14] = [
    "archive",
    "brain",
    "config",
    "connectors",
    "hooks",
    "index",
    "jobs",
    "model",
    "op",
    "review",
    "stale",
    "vc",
    "vc config",
    "vc remote",
];

/// Git commands that brv does not have, with the arguments for the hint: git runs them in the tree, and they merge by
/// meaning.
const LEFT_TO_GIT: [(&str, &str); 9] = [
    ("stash", "stash"),
    ("cherry-pick", "cherry-pick COMMIT"),
    ("rebase", "rebase UPSTREAM"),
    ("reflog", "reflog"),
    ("grep", "grep -n WORD"),
    ("clean", "clean --dry-run"),
    ("bisect", "bisect start"),
    ("am", "am FILE"),
    ("worktree", "worktree list"),
];

/// The word that the program `git-brv` puts before its arguments when it starts `brv`.
const SECOND_NAME: &str = "__git-brv";

/// The arguments as typed, read by [`as_git`] if `git-brv` passed them on.
pub fn by_second_name(mut arguments: Vec<OsString>, catalog: &Catalog) -> Vec<OsString> {
    if arguments.get(1).is_none_or(|word| word != SECOND_NAME) {
        return arguments;
    }
    arguments.splice(..2, ["git-brv".into()]);
    as_git(arguments, catalog)
}

/// Turn `git-brv X` into `brv X`, or into `brv vc X` if `vc` has a command `X`.
pub fn as_git(mut arguments: Vec<OsString>, catalog: &Catalog) -> Vec<OsString> {
    if let Some(at) = first_word(&arguments)
        && arguments[at].to_str().is_some_and(|word| is_verb(word, catalog))
    {
        arguments.insert(at, "vc".into());
    }
    arguments
}

fn is_verb(word: &str, catalog: &Catalog) -> bool {
    let command = (catalog.parser)();
    let verbs = command.find_subcommand("vc").map(|vc| vc.get_subcommands());
    verbs
        .into_iter()
        .flatten()
        .any(|verb| verb.get_name() == word || verb.get_all_aliases().any(|a| a == word))
}

/// Position of the first argument that is neither a flag nor the value of a flag.
fn first_word(arguments: &[OsString]) -> Option<usize> {
    let mut at = 1;
    while let Some(argument) = arguments.get(at) {
        if !argument.as_encoded_bytes().starts_with(b"-") {
            return Some(at);
        }
        at += if WITH_VALUE.iter().any(|flag| argument == flag) { 2 } else { 1 };
    }
    None
}

/// Turn git's `log -5` into `log -n5`.
pub fn expand_counts(mut arguments: Vec<OsString>) -> Vec<OsString> {
    let is_log = |argument: &OsString| argument == "log";
    let Some(log) = arguments.iter().position(is_log) else { return arguments };
    let mut is_value = false;
    for argument in arguments.iter_mut().skip(log + 1).take_while(|argument| *argument != "--") {
        let is_flag = argument == "-n" || argument == "--max-count";
        if std::mem::replace(&mut is_value, is_flag) {
            continue;
        }
        let count = argument.to_str().and_then(|text| text.strip_prefix('-'));
        if let Some(count) = count.filter(|count| !count.is_empty())
            && count.bytes().all(|byte| byte.is_ascii_digit())
        {
            *argument = format!("-n{count}").into();
        }
    }
    arguments
}

/// Turn `vc help push` into `help vc push`, for all commands that have subcommands.
pub fn expand_help(mut arguments: Vec<OsString>) -> Vec<OsString> {
    let Some(first) = first_word(&arguments) else { return arguments };
    let Some(behind) = arguments[first..].iter().position(|word| word == "help") else { return arguments };
    let at = first + behind;
    let words = arguments[first..at].iter().filter_map(|word| word.to_str());
    let above: Vec<&str> = words.filter(|word| !word.starts_with('-')).collect();
    if GROUPS.contains(&above.join(" ").as_str()) {
        let help = arguments.remove(at);
        arguments.insert(first, help);
    }
    arguments
}

/// Print help or version, or the usage error.
pub fn answer(
    mut error: clap::Error,
    arguments: &[OsString],
    environment: &Environment,
    catalog: &Catalog,
) -> Exit {
    if error.kind() == ErrorKind::DisplayVersion
        && let Some(wrong) = json_behind_version(arguments, catalog)
    {
        error = wrong;
    }
    if let Some(number) = version::asked(arguments.get(1..).unwrap_or_default()) {
        return answer_version(number);
    }
    if error.kind() == ErrorKind::DisplayHelp {
        let is_of_all = words_of_command(&(catalog.parser)(), arguments).is_empty();
        let help = if is_of_all { (catalog.help)().render_help() } else { error.render() };
        show(&help, arguments, environment);
        return Exit::Done;
    }
    if error.kind() == ErrorKind::DisplayVersion {
        // ignore a closed standard output
        let _ = error.print();
        return Exit::Done;
    }
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
        && !wants_json(arguments)
        && words_of_command(&(catalog.parser)(), arguments).is_empty()
    {
        say(&(catalog.start_page)());
        return Exit::Usage;
    }
    suggest_command(&mut error, arguments, catalog);
    plain_usage(&mut error, arguments, catalog);
    let other = left_to_git(&error, arguments, environment).or_else(|| called_curate(&error, arguments));
    let text = other.as_ref().map_or_else(|| told(&error), in_lines);
    if !wants_json(arguments) {
        say(&escape(text.as_bytes()));
        return Exit::Usage;
    }
    let failure = other.unwrap_or_else(|| failure(&text));
    let envelope = Envelope::<()>::failed("error", failure.to_json(), Vec::new());
    if print_json(&envelope).is_err() {
        say(&format!("{}\n", escape_line(text.as_bytes())));
    }
    Exit::Usage
}

/// What is wrong with `--json=N` behind `--version`, at which the parser stops reading.
fn json_behind_version(arguments: &[OsString], catalog: &Catalog) -> Option<clap::Error> {
    let rest = arguments.iter().filter(|word| *word != "--version" && *word != "-V");
    let error = (catalog.parser)().try_get_matches_from(rest).err()?;
    let Some(ContextValue::String(flag)) = error.get(ContextKind::InvalidArg) else { return None };
    (error.kind() == ErrorKind::ValueValidation && flag.starts_with("--json")).then_some(error)
}

/// Print the version as JSON.
fn answer_version(number: Option<u32>) -> Exit {
    let (envelope, exit) = match versions::chosen(CHANGED, version::NAME, number) {
        Ok(number) => {
            let envelope = Envelope::with(version::NAME, raw(&version::program()));
            (envelope.in_version(CHANGED, version::NAME, number), Exit::Done)
        }
        Err(stop) => {
            let failure = Failure::from(stop);
            (Envelope::failed(version::NAME, failure.to_json(), Vec::new()), failure.exit)
        }
    };
    // ignore a closed standard output
    let _ = print_json(&envelope);
    exit
}

/// Print help, paged on a terminal, even if the settings cannot be read.
fn show(help: &StyledStr, arguments: &[OsString], environment: &Environment) {
    let config = Config::load(Flags::default(), environment).unwrap_or_default();
    let paging = if arguments.iter().any(|word| word == "--no-pager") { Paging::Off } else { Paging::Auto };
    let mut screen = Ui::new(&config, Form::Text, Loudness::Normal, paging, environment).pages();
    screen.ours(&help.to_string(), &help.ansi().to_string());
    // ignore a closed standard output
    let _ = screen.finish();
}

/// Suggest a command for an unknown one, from any part of the command tree.
fn suggest_command(error: &mut clap::Error, arguments: &[OsString], catalog: &Catalog) {
    let Some(ContextValue::String(typed)) = error.get(ContextKind::InvalidSubcommand) else { return };
    let words = arguments.iter().skip(1).filter_map(|word| word.to_str());
    let before: Vec<String> = words.take_while(|word| word != typed).map(str::to_owned).collect();
    let Some(near) = near_command(&before, typed, catalog) else { return };
    error.remove(ContextKind::SuggestedSubcommand);
    let tip = StyledStr::from(format!("did you mean `brv {near}`?"));
    error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip]));
}

/// The failure for a git command that brv does not have: the hint shows how to run it with git.
fn left_to_git(error: &clap::Error, arguments: &[OsString], environment: &Environment) -> Option<Failure> {
    let ContextValue::String(typed) = error.get(ContextKind::InvalidSubcommand)? else { return None };
    let at = arguments.iter().position(|word| word.to_str() == Some(typed))?;
    let first = first_word(arguments)?;
    if at != first && arguments[first] != "vc" {
        return None;
    }
    let (_, command) = LEFT_TO_GIT.into_iter().find(|(name, _)| name == typed)?;
    let folder = arguments.windows(2).find(|pair| pair[0] == "-C").map(|pair| PathBuf::from(&pair[1]));
    let here = std::env::current_dir().unwrap_or_default();
    let tree = place(&suggest::tree_folder(&here.join(folder.unwrap_or_default()), environment), &here);
    let tree = if tree.is_empty() { ".".to_owned() } else { shell_word(&tree).into_owned() };
    let hint = format!("run it with git in the tree: `git -C {tree} {command}`");
    Some(Failure::usage(format!("brv has no `{typed}`: use git for that")).hinting(Some(hint)))
}

/// The failure for a word that others have for `brv curate`.
fn called_curate(error: &clap::Error, arguments: &[OsString]) -> Option<Failure> {
    let ContextValue::String(typed) = error.get(ContextKind::InvalidSubcommand)? else { return None };
    let is_first = first_word(arguments).is_some_and(|first| arguments[first] == typed.as_str());
    let is_known = is_first && ["remember", "note"].contains(&typed.as_str());
    let hint = format!("write knowledge with `{}`", curate::BY_HAND);
    is_known.then(|| Failure::usage(format!("brv has no `{typed}`")).hinting(Some(hint)))
}

fn in_lines(failure: &Failure) -> String {
    format!("error: {}\nhint: {}\n", failure.stop.message, failure.stop.hint.as_deref().unwrap_or_default())
}

/// The usage of the command without any flag: the parser inserts the flag that it guesses, and a user who pastes that
/// may destroy something.
fn plain_usage(error: &mut clap::Error, arguments: &[OsString], catalog: &Catalog) {
    if error.kind() != ErrorKind::UnknownArgument {
        return;
    }
    let root = (catalog.parser)();
    let mut command = &root;
    for name in words_of_command(&root, arguments) {
        command = command.find_subcommand(&name).unwrap_or(command);
    }
    let usage = command.clone().render_usage();
    error.insert(ContextKind::Usage, ContextValue::StyledStr(usage));
}

/// The place of the last of these words, if they name the command.
pub fn place_of(name: &[&str], arguments: &[OsString], catalog: &Catalog) -> Option<usize> {
    (words_of_command(&(catalog.parser)(), arguments) == name).then_some(())?;
    let last = name.last()?;
    arguments.iter().position(|word| word == last)
}

/// The words that name the command: `vc`, `push`.
fn words_of_command(root: &clap::Command, arguments: &[OsString]) -> Vec<String> {
    let words: Vec<String> =
        arguments.iter().skip(1).map_while(|word| word.to_str().map(str::to_owned)).collect();
    position::names(root, &words)
}

/// Find the command that was probably meant: `vc push` for `push` and for `psuh`; after `vc remote`, its own
/// subcommands come first.
fn near_command(before: &[String], typed: &str, catalog: &Catalog) -> Option<String> {
    let root = (catalog.parser)();
    let position = position::names(&root, before);
    let all = commands(&root);
    let is_child = |name: &&&str, of: &str| name.rsplit_once(' ').map_or("", |(above, _)| above) == of;
    let children = |of: &str| -> Vec<&str> {
        let names = all.iter().map(String::as_str);
        names.filter(|name| is_child(&name, of)).map(|name| name.rsplit(' ').next().unwrap_or(name)).collect()
    };
    let here = position.join(" ");
    let others = ["", "vc"].into_iter().filter(|other| *other != here);
    let full = |of: &str, name: &str| format!("{of} {name}").trim_start().to_owned();
    if let Some(of) = others.clone().find(|of| children(of).contains(&typed)) {
        return Some(full(of, typed));
    }
    let mut places = std::iter::once(here.as_str()).chain(others);
    places.find_map(|of| nearest(typed, children(of)).map(|near| full(of, near)))
}

/// The parser's message, with `hint` in place of `tip`.
pub fn told(error: &clap::Error) -> String {
    without_passwords(&error.render().to_string()).replace("\n  tip: ", "\nhint: ")
}

/// Split the parser's message into a message and a hint.
pub fn failure(text: &str) -> Failure {
    let text = escape(text.as_bytes());
    let message = text.split("\n\n").next().unwrap_or_default().trim();
    let message = message.strip_prefix("error: ").unwrap_or(message);
    let tips: Vec<&str> = text.lines().filter_map(|line| line.trim().strip_prefix("hint: ")).collect();
    let usage = text.lines().find_map(|line| line.strip_prefix("Usage: "));
    let hint =
        if tips.is_empty() { usage.map(|usage| format!("usage: {usage}")) } else { Some(tips.join("; ")) };
    Failure::usage(message).hinting(hint)
}

/// Whether the output is to be JSON.
pub fn wants_json(arguments: &[OsString]) -> bool {
    let flags: Vec<&OsStr> =
        arguments.iter().map(OsString::as_os_str).take_while(|argument| *argument != "--").collect();
    let is_json = |flag: &OsStr| flag == "--json" || flag.as_encoded_bytes().starts_with(b"--json=");
    flags.iter().any(|flag| is_json(flag) || *flag == "--format=json")
        || flags.windows(2).any(|pair| pair[0] == "--format" && pair[1] == "json")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::parser::parse;
    use crate::cli::table::{CATALOG, ROWS, root};

    fn words(line: &str) -> Vec<OsString> {
        line.split_whitespace().map(OsString::from).collect()
    }

    #[test]
    fn the_second_name_finds_verbs_past_flags() {
        assert_eq!(as_git(words("git-brv -C dir status -s"), &CATALOG), words("git-brv -C dir vc status -s"));
        assert_eq!(as_git(words("git-brv vc status"), &CATALOG), words("git-brv vc status"));
        assert_eq!(as_git(words("git-brv --help"), &CATALOG), words("git-brv --help"));
    }

    #[test]
    fn only_what_came_by_way_of_the_second_name_is_read_so() {
        assert_eq!(by_second_name(words("brv __git-brv status -s"), &CATALOG), words("git-brv vc status -s"));
        assert_eq!(by_second_name(words("brv __git-brv"), &CATALOG), words("git-brv"));
        assert_eq!(by_second_name(words("brv status __git-brv"), &CATALOG), words("brv status __git-brv"));
    }

    #[test]
    fn a_bare_number_is_a_count_for_log_only() {
        assert_eq!(expand_counts(words("brv vc log -5 -- -5")), words("brv vc log -n5 -- -5"));
        assert_eq!(expand_counts(words("brv vc log -n -1")), words("brv vc log -n -1"), "a value");
        assert_eq!(expand_counts(words("brv vc status -5")), words("brv vc status -5"));
    }

    #[test]
    fn help_behind_a_command_that_has_commands_is_about_those() {
        for (typed, meant) in [
            ("brv vc help push", "brv help vc push"),
            ("brv -C help --json vc help", "brv -C help --json help vc"),
            ("brv vc remote help add", "brv help vc remote add"),
            ("brv op -q help", "brv help op -q"),
            ("brv vc branch help", "brv vc branch help"),
            ("brv help vc help", "brv help vc help"),
        ] {
            assert_eq!(expand_help(words(typed)), words(meant));
        }
        let all = super::commands(&root());
        let above = |name: &String| name.rsplit_once(' ').map(|(above, _)| above.to_owned());
        let groups: std::collections::BTreeSet<String> = all.iter().filter_map(above).collect();
        assert_eq!(groups.iter().map(String::as_str).collect::<Vec<_>>(), GROUPS);
    }

    #[test]
    fn wrong_usage_is_told_with_the_parsers_tip() {
        let error = parse(ROWS, words("brv vc status --shrt")).unwrap_err();
        let failure = failure(&told(&error));
        assert_eq!(failure.exit, Exit::Usage);
        assert_eq!(failure.stop.message, "unexpected argument '--shrt' found");
        assert_eq!(failure.stop.hint.as_deref(), Some("a similar argument exists: '--short'"));
    }

    #[test]
    fn a_command_that_is_not_there_is_answered_with_the_one_that_was_meant() {
        for (line, meant) in [
            ("brv push", "vc push"),
            ("brv psuh origin", "vc push"),
            ("brv -C dir comit -m x", "vc commit"),
            ("brv vc statsu", "vc status"),
            ("brv vc derive", "derive"),
            ("brv inti", "init"),
            ("brv vc remote ad", "vc remote add"),
        ] {
            let arguments = words(line);
            let mut error = parse(ROWS, &arguments).unwrap_err();
            suggest_command(&mut error, &arguments, &CATALOG);
            let failure = failure(&told(&error));
            assert_eq!(failure.stop.hint, Some(format!("did you mean `brv {meant}`?")), "{line}");
        }
        assert_eq!(near_command(&[], "zebra", &CATALOG), None);
    }

    #[test]
    fn json_is_wanted_where_a_flag_says_so() {
        assert!(wants_json(&words("brv vc statsu --json")));
        assert!(wants_json(&words("brv vc statsu --json=1")));
        assert!(wants_json(&words("brv vc statsu --format json")));
        assert!(wants_json(&words("brv vc statsu --format=json")));
        assert!(!wants_json(&words("brv vc statsu -- --json")));
    }

    /// Every command of the tree, with its full name.
    fn commands(prefix: &str, command: &clap::Command, found: &mut Vec<(String, clap::Command)>) {
        let name = format!("{prefix}{}", command.get_name());
        found.push((name.clone(), command.clone()));
        for child in command.get_subcommands() {
            commands(&format!("{name} "), child, found);
        }
    }

    #[test]
    fn help_starts_with_examples_that_work() {
        root().debug_assert();
        let mut all = Vec::new();
        commands("", &root(), &mut all);
        for (name, mut command) in all {
            let help = command.render_help().to_string();
            let examples =
                help.strip_prefix("Examples:\n").unwrap_or_else(|| panic!("`{name}` has no examples"));
            let examples: Vec<&str> =
                examples.lines().take_while(|line| line.starts_with("  brv ")).collect();
            assert!(!examples.is_empty(), "`{name}` has no examples");
            for example in examples {
                let example = example.trim().split("  #").next().unwrap().trim();
                assert!(example.starts_with(&name), "`{example}` is not an example of `{name}`");
                let quoted: Vec<String> = example.split('"').enumerate().flat_map(unquoted).collect();
                if let Err(error) = parse(ROWS, &quoted) {
                    panic!("`{example}`: {error}");
                }
            }
        }
    }

    /// Splits at white space, but not the odd parts, which were quoted.
    fn unquoted((number, part): (usize, &str)) -> Vec<String> {
        if number % 2 == 1 { vec![part.into()] } else { part.split_whitespace().map(Into::into).collect() }
    }
}
