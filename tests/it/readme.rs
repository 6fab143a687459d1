//! The README and the other pages hold: their commands exist, their tables are those of the code, their blocks print what
//! they say.

use crate::env::Env;
use crate::help::words;
use brv::cli::help::Topic;
use brv::cli::help::variables::VARIABLES;
use brv::cli::parser::parse;
use brv::cli::row::Group;
use brv::cli::table::ROWS;
use brv::say::Exit;
use std::collections::BTreeSet;
#[cfg(unix)]
use std::path::Path;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// The longest README that a newcomer reads to its end, in bytes, without the lines of installation: they grow when there
/// is an address to install from.
const LONGEST: usize = 16_000;
/// The words of all topics together, as `wc -w` counts them: two thirds of 18,500, and those of the page in a browser
/// with what it decides, of what is said in a review, of what agents were given, of what versions promise, of the versions of JSON, and of the
/// index of an organisation.
const MOST_WORDS: usize = 14_800;
/// Two screens of 50 lines.
const MOST_LINES: usize = 100;
/// Where the topics of `brv help` are.
const TOPICS: &str = "src/cli/help/topics";

/// Held while pages are read and written anew.
static WRITING: Mutex<()> = Mutex::new(());

/// Whether the tests write what follows from the code into the pages, instead of comparing it.
fn is_written() -> bool {
    std::env::var_os("BRV_README").is_some_and(|value| value == "write")
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn file(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn readme() -> String {
    file("README.md")
}

fn topic(name: &str) -> String {
    file(&format!("{TOPICS}/{name}.md"))
}

/// The names of the files of all topics, without `.md`.
fn topics() -> BTreeSet<String> {
    let entries = std::fs::read_dir(root().join(TOPICS)).unwrap();
    entries
        .map(|entry| {
            entry.unwrap().file_name().into_string().unwrap().strip_suffix(".md").unwrap().to_string()
        })
        .collect()
}

/// All that people read, by path: the READMEs, what contributors read, the topics.
fn pages() -> Vec<(String, String)> {
    let others = [
        "README.md",
        "CONTRIBUTING.md",
        "tests/bench/README.md",
        "tests/it/faults/README.md",
        "fixtures/merge/README.md",
        "fixtures/merge-known-wrong/README.md",
        "fixtures/repos/README.md",
        "fixtures/trees/README.md",
    ];
    let topics = topics().into_iter().map(|name| format!("{TOPICS}/{name}.md"));
    let paths = others.into_iter().map(str::to_string).chain(topics);
    paths.map(|path| (path.clone(), file(&path))).collect()
}

/// The text cut before each heading `## name`, what is before the first included. Headings inside of fenced blocks are
/// no headings.
fn sections(text: &str) -> Vec<&str> {
    let mut fenced = false;
    let (mut at, mut start) = (0, 0);
    let mut sections = Vec::new();
    for line in text.split_inclusive('\n') {
        fenced ^= line.starts_with("```");
        if line.starts_with("## ") && !fenced {
            sections.push(&text[start..at]);
            start = at;
        }
        at += line.len();
    }
    sections.push(&text[start..]);
    sections
}

/// The part under the heading `## name`.
fn section<'a>(text: &'a str, name: &str) -> &'a str {
    let heading = format!("## {name}\n");
    let found = sections(text).into_iter().find_map(|section| section.strip_prefix(heading.as_str()));
    found.unwrap_or_else(|| panic!("no heading `{name}`"))
}

/// What is outside of fenced blocks.
fn prose(text: &str) -> String {
    text.split("```").step_by(2).collect()
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
fn the_first_commands_are_how_to_install_the_demo_and_the_tests_that_ci_runs() {
    let readme = readme();
    let shells = blocks(&readme, "sh");
    let installing = crate::versions::installing(&readme);
    assert!(installing.contains(&shells[0].join("\n")), "{:?}", shells[0]);
    assert_eq!(shells[1], ["cargo run --release -- demo"]);
    assert_eq!(shells[2], ["cargo test"]);
    let before = readme.split("```sh\ncargo test\n").next().unwrap().replace(installing, "").lines().count();
    assert!(before < 30, "the test command is in line {before}");
    assert_eq!(file(".ci/run").trim_end().lines().last(), Some(shells[2][0]), "CI calls the same command");
    assert!(file(".github/workflows/ci.yml").contains("run: .ci/run\n"));
}

#[cfg(unix)]
#[test]
fn the_readme_is_short_enough_to_be_read() {
    let readme = readme();
    let length = readme.len() - crate::versions::installing(&readme).len();
    assert!(length <= LONGEST, "{length} bytes: what is too much belongs into a topic of `brv help`");
}

#[test]
fn the_topics_are_short_enough_to_be_read() {
    let words: usize = topics().iter().map(|name| topic(name).split_whitespace().count()).sum();
    assert!(words <= MOST_WORDS, "{words} words: shorten a topic, or link to another");
}

#[test]
fn every_topic_fits_two_screens() {
    for topic in Topic::ALL {
        let lines = topic.text().lines().count();
        assert!(
            lines <= MOST_LINES,
            "`brv help {}` has {lines} lines: what concerns one command belongs into its own help",
            topic.name()
        );
    }
}

#[test]
fn every_command_that_is_named_can_be_typed() {
    let mut checked = 0;
    for (path, text) in pages() {
        for line in quoted(&prose(&text)) {
            if line.starts_with("brv ") && !line.contains('\n') {
                checked += 1;
                assert!(can_be_typed(line), "{path}: `{line}`");
            }
        }
        for block in blocks(&text, "console").into_iter().chain(blocks(&text, "sh")) {
            for line in block {
                let line = line.strip_prefix("$ ").unwrap_or(line).split(" # ").next().unwrap().trim();
                if line.starts_with("brv ") {
                    checked += 1;
                    assert!(can_be_typed(line), "{path}: `{line}`");
                }
            }
        }
    }
    assert!(checked > 150, "{checked} commands are named");
}

/// Whether the parser accepts it; prose may name a help, and leave out required arguments.
fn can_be_typed(line: &str) -> bool {
    use clap::error::ErrorKind;
    match parse(ROWS, words(line)) {
        Ok(_) => true,
        Err(error) => matches!(
            error.kind(),
            ErrorKind::DisplayHelp
                | ErrorKind::MissingRequiredArgument
                | ErrorKind::MissingSubcommand
                | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
        ),
    }
}

/// The table of README: the commands of each group, in the order of help.
fn table_of_commands() -> String {
    let row = |group: Group| {
        let names: Vec<String> = group.commands(ROWS).map(|row| format!("`brv {}`", row.name)).collect();
        format!("| {} | {} |\n", group.title().to_lowercase(), names.join(", "))
    };
    Group::ALL.into_iter().map(row).collect()
}

/// `BRV_README=write` writes it.
#[test]
fn the_readme_has_every_command_in_its_group() {
    let _alone = is_written().then(|| WRITING.lock().unwrap_or_else(PoisonError::into_inner));
    let (readme, head) = (readme(), "| group | commands |\n|---|---|\n");
    let (above, below) = readme.split_once(head).expect("README has the table of commands");
    let (_, below) = below.split_once("\n\n").unwrap();
    let written = format!("{above}{head}{}\n{below}", table_of_commands());
    if is_written() {
        std::fs::write(root().join("README.md"), &written).unwrap();
    } else {
        let lines = |text: &str| text.lines().map(str::to_string).collect::<BTreeSet<String>>();
        let missing: Vec<String> = lines(&written).difference(&lines(&readme)).cloned().collect();
        assert!(
            written == readme,
            "`BRV_README=write cargo test --test it readme::` writes README's table of commands: {missing:#?}"
        );
    }
}

#[test]
fn the_page_of_commands_has_them_all_once_and_in_the_groups_of_help() {
    let page = topic("commands");
    let rows = page.lines().filter(|line| line.starts_with("- `brv "));
    let names = rows.map(|row| row.split("`: ").next().unwrap());
    let named: Vec<String> =
        names.flat_map(|names| names.split('`').skip(1).step_by(2).map(plain).collect::<Vec<_>>()).collect();
    let all: BTreeSet<String> =
        ROWS.iter().filter(|row| row.is_command()).map(|row| format!("brv {}", row.name)).collect();
    let missing: Vec<&String> = all.iter().filter(|name| !named.contains(name)).collect();
    assert!(missing.is_empty(), "{TOPICS}/commands.md has no line for {missing:?}");
    let more: Vec<&String> = named.iter().filter(|name| !all.contains(*name)).collect();
    assert!(more.is_empty(), "{TOPICS}/commands.md has lines for {more:?}");
    assert_eq!(named.len(), all.len(), "each once: {named:?}");
    let headings: Vec<&str> = page.lines().filter_map(|line| line.strip_prefix("## ")).collect();
    assert_eq!(headings, Group::ALL.map(Group::title));
}

#[test]
fn the_help_of_a_difference_describes_every_form() {
    let mut command = brv::cli::table::root();
    for word in ["vc", "diff"] {
        command = command.find_subcommand(word).unwrap().clone();
    }
    let argument = command.get_arguments().find(|argument| argument.get_long() == Some("format")).unwrap();
    let help = argument.get_help().unwrap().to_string();
    for value in argument.get_possible_values() {
        assert!(help.contains(value.get_name()), "`{}` in {help}", value.get_name());
    }
}

#[test]
fn the_readme_lists_every_topic_and_every_file_is_one() {
    let readme = readme();
    let own: Vec<Vec<String>> = Topic::ALL
        .into_iter()
        .filter(|topic| topic.name() != "topics")
        .map(|topic| vec![format!("[`{0}`]({TOPICS}/{0}.md)", topic.name()), topic.about().to_string()])
        .collect();
    assert_eq!(table(section(&readme, "Read on")), own);
    let mut names: BTreeSet<String> = Topic::ALL.into_iter().map(|topic| topic.name().to_string()).collect();
    names.remove("topics");
    assert_eq!(topics(), names);
}

#[test]
fn the_numbers_of_the_topics_are_the_programs_own() {
    let silence = brv_git::Limits::default();
    for (page, said) in [
        ("limits", format!("have at most {} bytes", brv_base::path::MAX_PATH_BYTES)),
        ("limits", format!("A commit of more than {} files", brv_commands::vc::commit::DERIVE_AT_MOST)),
        ("limits", format!("For more than {} files", brv_engine::merge::integrate::MOST_TOLD)),
        (
            "safety",
            format!(
                "neither among the last {} nor younger than {} days",
                brv_engine::journal::KEPT,
                brv_engine::journal::KEPT_DAYS
            ),
        ),
        ("syncing", format!("After {} attempts", brv_commands::vc::sync::TRIES)),
        ("syncing", format!("is over {} MiB", brv_engine::open::tree::MAX_BYTES >> 20)),
        ("environment", format!("may be silent; {} if unset", silence.silence.as_secs())),
        ("remotes", format!("slower than {} bytes per second for ten minutes", silence.slowest)),
    ] {
        let text = topic(page).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains(&said), "{page} does not say: {said}");
    }
    assert_eq!(silence.slow_for.as_secs(), 10 * 60);
    let kept = format!(
        "neither among the last {} nor younger than {} days",
        brv_engine::journal::KEPT,
        brv_engine::journal::KEPT_DAYS
    );
    let help =
        Env::new().brv(&["op", "prune", "--help"]).stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(help.contains(&kept), "{help}");
}

#[test]
fn the_keys_of_the_answers_in_blocks_are_explained() {
    let formats = topic("formats");
    let named: BTreeSet<&str> = quoted(section(&formats, "JSON answers")).into_iter().collect();
    let page = topic("json");
    let answers = blocks(&page, "console").into_iter().flatten().filter(|line| line.starts_with('{'));
    let mut seen = 0;
    for answer in answers {
        let answer: serde_json::Value = serde_json::from_str(answer).unwrap();
        let error = answer["error"].as_object().into_iter().flatten();
        for (key, _) in answer.as_object().unwrap().iter().chain(error) {
            seen += 1;
            assert!(named.contains(key.as_str()), "`{key}`");
        }
    }
    assert!(seen > 10, "{seen} keys");
}

/// `brv vc add [PATH]...` as `brv vc add`.
fn plain(line: &str) -> String {
    let is_name = |word: &&str| word.starts_with(|char: char| char.is_ascii_lowercase());
    let words = line.split(' ').take_while(is_name);
    words.collect::<Vec<_>>().join(" ")
}

#[test]
fn the_table_of_exit_codes_is_the_programs_own() {
    let rows: Vec<(String, String, String)> = table(&topic("exit-codes"))
        .into_iter()
        .map(|row| (row[0].clone(), row[1].trim_matches('`').to_string(), row[2].clone()))
        .collect();
    let own = Exit::ALL
        .map(|exit| (exit.number().to_string(), exit.word().to_string(), exit.meaning().to_string()));
    assert_eq!(rows, own);
}

#[test]
fn the_table_of_variables_is_the_programs_own() {
    let own = VARIABLES.map(|row| vec![row.shown("`"), row.meaning.to_string()]);
    assert_eq!(table(&topic("environment")), own);
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
            } else if !["help/variables.rs", "laws.rs", "tests/cases.rs"]
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
    let mut checked = 0;
    for (path, text) in pages() {
        let folder = root().join(&path).parent().unwrap().to_path_buf();
        let prose = prose(&text);
        for link in prose.split("](").skip(1).map(|rest| rest.split(')').next().unwrap()) {
            if link.starts_with("https://") {
                continue;
            }
            checked += 1;
            let (target, heading) =
                link.split_once('#').map_or((link, None), |(file, name)| (file, Some(name)));
            let file = if target.is_empty() { root().join(&path) } else { folder.join(target) };
            assert!(file.exists(), "{path}: {link}");
            if let Some(heading) = heading {
                let headings = headings(&std::fs::read_to_string(file).unwrap());
                assert!(headings.iter().any(|known| known == heading), "{path}: {link}");
            }
        }
    }
    assert!(checked > 30, "{checked} links");
}

/// The headings of a page, as links name them.
fn headings(text: &str) -> Vec<String> {
    let lines = text.lines().filter_map(|line| line.strip_prefix("## "));
    lines.map(|heading| heading.to_lowercase().replace(' ', "-").replace([',', '`'], "")).collect()
}

/// Types the blocks of every page into a shell, each section in a folder of its own, and compares all that is printed.
/// `BRV_README=write` puts what was printed into the pages instead.
#[test]
#[cfg(unix)]
fn the_blocks_print_what_they_say() {
    let is_written = is_written();
    let _alone = is_written.then(|| WRITING.lock().unwrap_or_else(PoisonError::into_inner));
    let mut checked = 0;
    for (path, text) in pages() {
        let mut written = text.clone();
        for section in sections(&text) {
            let env = Env::new();
            let mut shell = Shell { env: &env, folder: env.root().to_path_buf() };
            for block in blocks(section, "console") {
                checked += 1;
                let said = block.join("\n");
                let typed: String = cut(&block).iter().map(|typed| shell.transcript(typed)).collect();
                let typed = typed.trim_end_matches('\n');
                let is_same = masked(&said) == masked(typed);
                assert!(is_written || is_same, "{path} says:\n{said}\n\nIt prints:\n{typed}\n");
                if !is_same {
                    written = written.replacen(&said, typed, 1);
                }
            }
        }
        if written != text {
            std::fs::write(root().join(path), written).unwrap();
        }
    }
    assert!(checked >= 7, "{checked} blocks");
    let tour = blocks(section(&readme(), "A tour in five minutes"), "console").len();
    assert!(tour >= 5, "{tour} blocks of the tour");
}

/// A text without the ids of commits and of changes that name an operation: its ID differs between two runs, and with it
/// theirs.
#[cfg(unix)]
fn masked(text: &str) -> String {
    let id = regex_lite::Regex::new(r"(?m)(\bcommit|^\[main) [0-9a-f]{7}\b|^[0-9a-f]{10}\b").unwrap();
    id.replace_all(text, "ID").into_owned()
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

#[test]
fn the_lines_for_an_agent_are_the_same_everywhere() {
    let block = |page: &str| {
        let (_, from) = page.split_once("```markdown\n- Begin with `brv prime`").expect("the block");
        from.split_once("```").expect("its end").0.to_owned()
    };
    assert_eq!(block(&readme()), block(&topic("agents")));
}
