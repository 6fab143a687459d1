//! Check the README: its commands exist, its tables match the code, its tour prints what it shows.

use crate::env::Env;
use crate::help::{commands, words};
use brv::cli::args::Cli;
use brv::cli::help::variables::VARIABLES;
use brv::say::Exit;
use clap::Parser as _;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn file(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn readme() -> String {
    file("README.md")
}

/// The part under the heading `## name`. Headings inside fenced blocks do not count.
fn section<'a>(text: &'a str, name: &str) -> &'a str {
    let mut fenced = false;
    let mut at = 0;
    let mut start = None;
    for line in text.split_inclusive('\n') {
        fenced ^= line.starts_with("```");
        let heading = line.strip_prefix("## ").filter(|_| !fenced).map(str::trim_end);
        match (heading, start) {
            (Some(_), Some(start)) => return &text[start..at],
            (Some(heading), None) if heading == name => start = Some(at + line.len()),
            _ => {}
        }
        at += line.len();
    }
    &text[start.unwrap_or_else(|| panic!("no heading `{name}`"))..]
}

/// The lines of all blocks fenced as `language`.
fn blocks<'a>(text: &'a str, language: &str) -> Vec<Vec<&'a str>> {
    let mut blocks: Vec<Vec<&str>> = Vec::new();
    let mut open = false;
    for line in text.lines() {
        match line.strip_prefix("```") {
            Some(_) if open => open = false,
            Some(name) if name == language => {
                blocks.push(Vec::new());
                open = true;
            }
            _ if open => blocks.last_mut().unwrap().push(line),
            _ => {}
        }
    }
    blocks
}

/// The cells of the rows of the only table in `text`, without its head.
fn table(text: &str) -> Vec<Vec<String>> {
    let rows = text.lines().filter(|line| line.starts_with('|')).skip(2);
    rows.map(|row| row.trim_matches('|').split(" | ").map(|cell| cell.trim().to_string()).collect()).collect()
}

/// The text between single backquotes.
fn quoted(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

#[test]
fn the_first_two_commands_are_the_demo_and_the_tests_that_ci_runs() {
    let readme = readme();
    let shells = blocks(&readme, "sh");
    assert_eq!(shells[0], ["cargo run --release -- demo"]);
    assert_eq!(shells[1], ["cargo test"]);
    let before = readme.split("```sh\ncargo test\n").next().unwrap().lines().count();
    assert!(before < 30, "the test command is in line {before}");
    assert_eq!(file(".ci/run").trim_end().lines().last(), Some(shells[1][0]), "CI calls the same command");
    assert!(file(".github/workflows/ci.yml").contains("run: .ci/run\n"));
}

#[test]
fn every_command_that_is_named_can_be_typed() {
    let readme = readme();
    let mut checked = 0;
    for line in quoted(&readme.split("```").step_by(2).collect::<String>()) {
        if line.starts_with("brv ") && !line.contains('\n') {
            checked += 1;
            assert!(can_be_typed(line), "`{line}`");
        }
    }
    for block in blocks(&readme, "console").into_iter().chain(blocks(&readme, "sh")) {
        for line in block {
            let line = line.strip_prefix("$ ").unwrap_or(line).split(" # ").next().unwrap().trim();
            if line.starts_with("brv ") {
                checked += 1;
                assert!(can_be_typed(line), "`{line}`");
            }
        }
    }
    assert!(checked > 30, "{checked} commands are named");
}

/// Whether the parser accepts it; prose may leave out required arguments.
fn can_be_typed(line: &str) -> bool {
    use clap::error::ErrorKind;
    match Cli::try_parse_from(words(line)) {
        Ok(_) => true,
        Err(error) => matches!(
            error.kind(),
            ErrorKind::MissingRequiredArgument
                | ErrorKind::MissingSubcommand
                | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
        ),
    }
}

#[test]
fn the_table_of_commands_has_them_all() {
    let readme = readme();
    let named: BTreeSet<String> = table(section(&readme, "Commands"))
        .iter()
        .filter(|row| row.len() == 2)
        .flat_map(|row| quoted(&row[0]))
        .map(plain)
        .collect();
    // groups are named by their verbs
    let all: BTreeSet<String> = commands()
        .into_iter()
        .filter(|words| !words.is_empty() && *words != ["vc"] && *words != ["op"])
        .filter(|words| !(words.len() > 1 && ["remote", "config"].contains(&words[words.len() - 2].as_str())))
        .map(|words| format!("brv {}", words.join(" ")))
        .collect();
    assert_eq!(named, all);
}

/// `brv vc add [PATH]...` as `brv vc add`.
fn plain(line: &str) -> String {
    let is_name = |word: &&str| word.starts_with(|char: char| char.is_ascii_lowercase());
    let words = line.split(' ').take_while(is_name);
    words.collect::<Vec<_>>().join(" ")
}

#[test]
fn the_table_of_exit_codes_is_the_programs_own() {
    let readme = readme();
    let rows: Vec<(String, String, String)> = table(section(&readme, "Exit codes"))
        .into_iter()
        .map(|row| (row[0].clone(), row[1].trim_matches('`').to_string(), row[2].clone()))
        .collect();
    let own = Exit::ALL
        .map(|exit| (exit.number().to_string(), exit.word().to_string(), exit.meaning().to_string()));
    assert_eq!(rows, own);
}

#[test]
fn the_table_of_variables_is_the_programs_own() {
    let readme = readme();
    let own = VARIABLES.map(|row| vec![row.shown("`"), row.meaning.to_string()]);
    assert_eq!(table(section(&readme, "Environment")), own);
}

#[test]
fn the_table_of_variables_has_every_one_that_the_code_reads() {
    let named: BTreeSet<&str> =
        VARIABLES.iter().flat_map(|row| row.names).copied().filter(|name| name.starts_with("BRV_")).collect();
    let mut read = BTreeSet::new();
    let mut folders = vec![root().join("src")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if !["help/variables.rs", "laws.rs", "src/cases.rs"]
                .iter()
                .any(|name| path.ends_with(name))
            {
                let text = std::fs::read_to_string(&path).unwrap();
                let code = text.split("#[cfg(test)]").next().unwrap();
                let names = code.split('"').filter(|part| part.starts_with("BRV_") && is_variable(part));
                read.extend(names.map(str::to_string));
            }
        }
    }
    assert_eq!(named, read.iter().map(String::as_str).collect());
}

fn is_variable(name: &str) -> bool {
    name.chars().all(|char| char.is_ascii_uppercase() || char == '_')
}

#[test]
fn every_file_and_heading_that_is_linked_exists() {
    let readme = readme();
    let headings: Vec<String> = readme
        .lines()
        .filter_map(|line| line.strip_prefix("## "))
        .map(|heading| heading.to_lowercase().replace(' ', "-").replace([',', '`'], ""))
        .collect();
    let prose: String = readme.split("```").step_by(2).collect();
    for link in prose.split("](").skip(1).map(|rest| rest.split(')').next().unwrap()) {
        match link.strip_prefix('#') {
            Some(heading) => assert!(headings.iter().any(|known| known == heading), "#{heading}"),
            None if link.starts_with("https://") => {}
            None => assert!(root().join(link).exists(), "{link}"),
        }
    }
}

/// Run the blocks in a shell and compare all output. `BRV_README=write` writes the output into the README instead.
#[test]
#[cfg(unix)]
fn the_blocks_print_what_they_say() {
    let readme = readme();
    let mut written = readme.clone();
    for (name, at_least) in [("A tour in five minutes", 5), ("JSON", 1)] {
        let env = Env::new();
        let mut shell = Shell { env: &env, folder: env.root().to_path_buf() };
        let blocks = blocks(section(&readme, name), "console");
        assert!(blocks.len() >= at_least, "{} blocks", blocks.len());
        for block in blocks {
            let said = block.join("\n");
            let typed: String = cut(&block).iter().map(|typed| shell.transcript(typed)).collect();
            let typed = typed.trim_end_matches('\n');
            if std::env::var_os("BRV_README").is_some_and(|value| value == "write") {
                written = written.replacen(&said, typed, 1);
            } else {
                assert!(said == typed, "README says:\n{said}\n\nIt prints:\n{typed}\n");
            }
        }
    }
    if written != readme {
        std::fs::write(root().join("README.md"), written).unwrap();
    }
}

/// The commands of a block: after `$ `, with the lines of a here-document.
#[cfg(unix)]
fn cut(block: &[&str]) -> Vec<String> {
    let mut commands = Vec::new();
    let mut lines = block.iter();
    while let Some(line) = lines.next() {
        let Some(command) = line.strip_prefix("$ ") else { continue };
        let mut command = command.to_string();
        if command.contains("<<'END'") {
            for line in lines.by_ref() {
                command.push('\n');
                command.push_str(line);
                if *line == "END" {
                    break;
                }
            }
        }
        commands.push(command);
    }
    commands
}

/// A shell that remembers its working directory.
#[cfg(unix)]
struct Shell<'a> {
    env: &'a Env,
    folder: PathBuf,
}

#[cfg(unix)]
impl Shell<'_> {
    /// The command as typed, and all its output. ` # exits with N` gives the expected exit code.
    fn transcript(&mut self, command: &str) -> String {
        let expected: i32 =
            command.split_once(" # exits with ").map_or(0, |(_, number)| number.parse().unwrap());
        let place = self.env.path("folder-after");
        let script = format!("exec 2>&1\n{command}\nstatus=$?\npwd > '{}'\nexit $status", place.display());
        let mut shell = std::process::Command::new("sh");
        self.env.prepare(&mut shell);
        let programs = Path::new(env!("CARGO_BIN_EXE_brv")).parent().unwrap().to_path_buf();
        let path = std::env::var_os("PATH").unwrap_or_default();
        let path = std::env::join_paths([programs].into_iter().chain(std::env::split_paths(&path))).unwrap();
        let output =
            shell.env("PATH", path).current_dir(&self.folder).args(["-c", &script]).output().unwrap();
        let printed = String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(expected), "{command}\n{printed}");
        self.folder = PathBuf::from(std::fs::read_to_string(place).unwrap().trim_end());
        format!("$ {command}\n{printed}")
    }
}
