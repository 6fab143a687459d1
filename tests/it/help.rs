//! The help of every command, as printed.

use crate::env::Env;
use brv::cli::parser::parse;
use brv::cli::row::Group;
use brv::cli::table::ROWS;
use brv::say::Exit;
use std::path::Path;

/// Commands that destroy data irrecoverably. No help and no hint may print one: callers paste what they read.
const DESTRUCTIVE: [&str; 17] = [
    "rm -r",
    "rm -f",
    "reset --hard",
    "push -f",
    "push --force",
    "push --delete",
    "branch -D",
    "branch --delete",
    "clean -f",
    "clean -d",
    "checkout -f",
    "checkout -- ",
    "restore .",
    "stash drop",
    "reflog expire",
    "gc --prune",
    "git merge --abort",
];

/// Every command with its words: `["vc", "remote", "add"]`.
pub fn commands() -> Vec<Vec<String>> {
    fn collect(command: &clap::Command, words: &[String], found: &mut Vec<Vec<String>>) {
        found.push(words.to_vec());
        for child in command.get_subcommands() {
            let words = [words, &[child.get_name().to_string()]].concat();
            collect(child, &words, found);
        }
    }
    let mut found = Vec::new();
    collect(&brv::cli::table::root(), &[], &mut found);
    found
}

/// Split a command line like a shell, with quotes and nothing else.
pub fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quoted = None;
    for char in line.chars() {
        match char {
            '"' | '\'' if quoted.is_none() || quoted == Some(char) => {
                quoted = if quoted.is_none() { Some(char) } else { None };
                word.get_or_insert_default();
            }
            ' ' if quoted.is_none() => words.extend(word.take()),
            char => word.get_or_insert_default().push(char),
        }
    }
    words.extend(word);
    words
}

#[test]
fn every_help_begins_with_examples_that_can_be_typed() {
    let env = Env::new();
    let all = commands();
    assert!(all.len() > 15, "{} commands", all.len());
    for command in all {
        let mut arguments: Vec<&str> = command.iter().map(String::as_str).collect();
        arguments.push("--help");
        let ran = env.brv(&arguments);
        let name =
            ["brv"].into_iter().chain(command.iter().map(String::as_str)).collect::<Vec<_>>().join(" ");
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{name}");
        let rest = ran.stdout.strip_prefix("Examples:\n").unwrap_or_else(|| panic!("{name}: {}", ran.stdout));
        let examples: Vec<&str> = rest.lines().take_while(|line| !line.is_empty()).map(str::trim).collect();
        assert!(!examples.is_empty(), "{name}");
        for example in examples {
            assert!(example.starts_with(&name), "`{example}` is not an example of `{name}`");
            if let Err(error) = parse(ROWS, words(example)) {
                panic!("`{example}`: {error}");
            }
        }
        let usage = ran.stdout.lines().any(|line| line.starts_with("Usage: brv"));
        assert!(usage && ran.stdout.contains("--json"), "{name}: {}", ran.stdout);
    }
}

#[test]
fn the_help_lists_every_exit_code_with_its_meaning() {
    let help = Env::new().brv(&["--help"]).stdout;
    let (_, table) = help.split_once("Exit codes:\n").unwrap();
    let rows: Vec<(u8, &str)> = table
        .lines()
        .map(str::trim)
        .filter_map(|line| line.split_once(' '))
        .map(|(number, meaning)| (number.parse().unwrap(), meaning.trim()))
        .collect();
    assert_eq!(rows, Exit::ALL.map(|exit| (exit.number(), exit.meaning())));
}

#[test]
fn no_help_prints_a_destructive_command() {
    let env = Env::new();
    for command in commands() {
        let arguments: Vec<&str> = command.iter().map(String::as_str).chain(["--help"]).collect();
        let help = env.brv(&arguments).stdout;
        for words in DESTRUCTIVE {
            assert!(!help.contains(words), "`{words}` in the help of {command:?}");
        }
    }
    for topic in brv::cli::help::Topic::ALL {
        for words in DESTRUCTIVE {
            assert!(!topic.text().contains(words), "`{words}` in the topic {}", topic.name());
        }
    }
}

#[test]
fn no_hint_prints_a_destructive_command() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut folders = vec![root];
    let mut read = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            // text on the screen comes from string literals; comments and tests may name anything
            if path.file_stem().unwrap().to_string_lossy().ends_with("tests") {
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            let code = text.split("#[cfg(test)]\nmod ").next().unwrap();
            let said = code.lines().filter(|line| !line.trim_start().starts_with("//") && line.contains('"'));
            for line in said {
                read += 1;
                for words in DESTRUCTIVE {
                    assert!(!line.contains(words), "{}: `{words}` in {line}", path.display());
                }
            }
        }
    }
    assert!(read > 500, "{read} lines with words were read");
}

#[test]
fn help_behind_vc_is_about_its_verbs() {
    let env = Env::new();
    for (typed, meant) in [
        (&["vc", "help", "push"][..], &["help", "vc", "push"][..]),
        (&["vc", "help"], &["help", "vc"]),
        (&["op", "help", "log"], &["help", "op", "log"]),
        (&["vc", "help", "push", "--json"], &["help", "vc", "push", "--json"]),
    ] {
        let (ours, wanted) = (env.brv(typed), env.brv(meant));
        assert_eq!((ours.code, ours.stdout), (0, wanted.stdout), "{typed:?}");
    }
    let ran = env.brv(&["vc", "help", "psuh"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("did you mean `brv help vc push`?"), "{}", ran.stderr);
}

/// `brv help commands` has a section for each group, and in it the commands of that group.
#[test]
fn every_command_is_told_where_its_group_says() {
    let page = std::fs::read_to_string(
        Path::new(env!("CARGO_MANIFEST_DIR")).join("src/cli/help/topics/commands.md"),
    )
    .unwrap();
    let sections: Vec<&str> = page.split("\n## ").skip(1).collect();
    for group in Group::ALL {
        let section = sections.iter().find(|section| section.lines().next() == Some(group.title())).unwrap();
        for row in group.commands(ROWS) {
            let name = format!("`brv {}", row.name);
            let is_told = section.lines().any(|line| {
                let names = line.strip_prefix("- ").and_then(|line| line.split("`: ").next());
                names.is_some_and(|names| {
                    names.split(&name).skip(1).any(|rest| rest.is_empty() || rest.starts_with(['`', ' ']))
                })
            });
            let page = "src/cli/help/topics/commands.md";
            assert!(is_told, "{page} has no line for `brv {}` in the section {:?}", row.name, group.title());
        }
    }
}

#[test]
fn brv_alone_shows_the_commands_of_a_day_and_where_all_are() {
    let env = Env::new();
    let ran = env.brv(&[]);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    let names = ran.stderr.lines().filter(|line| line.starts_with("  ") && !line.starts_with("  brv "));
    let names: Vec<String> = names
        .flat_map(|line| {
            line[19..].trim().trim_end_matches(',').split(", ").map(str::to_owned).collect::<Vec<_>>()
        })
        .collect();
    let all = commands().into_iter().map(|words| words.join(" ")).collect::<Vec<_>>();
    assert_eq!(names.len(), 20, "{names:?}");
    assert!(ran.stderr.lines().count() <= 24, "{}", ran.stderr);
    assert!(names.iter().all(|name| all.contains(name)), "{names:?}");
    assert!(
        ran.stderr.contains("`brv help all`") && ran.stderr.contains("New here? Read `brv help start`."),
        "{}",
        ran.stderr
    );
    assert!(env.brv(&["help"]).stdout.contains("New here? Read `brv help start`."));
    assert_eq!(env.brv(&["help", "all"]).stdout, env.brv(&["help"]).stdout);
    let topics = env.brv(&["help", "topics"]).stdout;
    assert_eq!(topics.lines().nth(2).unwrap().split_whitespace().nth(2), Some("start"), "{topics}");
}
