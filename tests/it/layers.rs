//! The architecture: which module may import which, which crates may be used where, how long a file may be.

mod circles;
mod names;
mod portable;
mod sizes;
mod source;

use source::{files, imports, sources};
use std::fmt::Write as _;
use std::path::Path;

/// Each top-level module and the modules it may use. Every module must be listed.
const LADDER: [(&str, &[&str]); 39] = [
    ("path", &[]),
    ("content", &[]),
    ("environment", &[]),
    ("clock", &["environment"]),
    ("progress", &[]),
    ("process", &["environment"]),
    ("parallel", &[]),
    ("http", &["environment"]),
    ("messages", &[]),
    ("sorting", &[]),
    ("nearest", &[]),
    ("fs", &["path", "content", "clock", "parallel"]),
    ("config", &["path", "environment", "fs"]),
    ("doc", &["path", "content", "sorting"]),
    ("words", &["content"]),
    ("diff", &["path", "content", "sorting", "doc", "words"]),
    ("merge", &["path", "content", "sorting", "doc", "diff"]),
    ("lint", &["path", "sorting", "doc", "words", "diff"]),
    ("lifecycle", &[]),
    ("fresh", &["path", "sorting", "doc"]),
    ("connect", &["diff", "environment", "sorting"]),
    ("git", GIT),
    ("journal", &["path", "content", "clock", "fs", "git"]),
    ("tree", &["path", "content", "environment", "fs", "doc"]),
    ("state", &["path", "clock", "fs", "lifecycle"]),
    ("search", &["path", "content", "clock", "progress", "parallel", "fs", "doc", "words", "tree"]),
    ("model", &["clock", "environment", "process", "http", "messages", "fs", "config", "lint"]),
    ("derive", &["path", "content", "clock", "progress", "sorting", "doc", "words", "lifecycle", "model"]),
    ("brief", THINKING),
    ("answer", THINKING),
    ("curation", THINKING),
    ("tidy", &["path", "content", "clock", "sorting", "doc", "words", "lifecycle", "curation"]),
    ("lessons", &["doc"]),
    ("ops", BELOW_OPS),
    ("wire", WIRE),
    ("say", SAY),
    ("worker", SURFACE),
    ("mcp", SURFACE),
    ("cli", SURFACE),
];

const GIT: &[&str] = &[
    "path",
    "content",
    "environment",
    "clock",
    "progress",
    "process",
    "http",
    "messages",
    "parallel",
    "sorting",
    "fs",
];

const THINKING: &[&str] = &[
    "path",
    "content",
    "clock",
    "sorting",
    "doc",
    "words",
    "diff",
    "merge",
    "lint",
    "lifecycle",
    "fresh",
    "search",
    "model",
];

const BELOW_OPS: &[&str] = &[
    "nearest",
    "path",
    "content",
    "environment",
    "clock",
    "progress",
    "process",
    "parallel",
    "sorting",
    "fs",
    "config",
    "doc",
    "words",
    "diff",
    "merge",
    "lint",
    "lifecycle",
    "fresh",
    "git",
    "journal",
    "tree",
    "state",
    "search",
    "model",
    "derive",
    "brief",
    "connect",
    "answer",
    "tidy",
    "curation",
    "lessons",
];

const WIRE: &[&str] = &[
    "path",
    "content",
    "clock",
    "sorting",
    "config",
    "doc",
    "diff",
    "merge",
    "lint",
    "lifecycle",
    "model",
    "fresh",
    "git",
    "journal",
    "tree",
    "state",
    "search",
    "derive",
    "brief",
    "answer",
    "tidy",
    "curation",
    "ops",
];

const SAY: &[&str] = &["path", "clock", "sorting", "diff", "lint", "fresh", "model", "ops", "wire"];

const SURFACE: &[&str] = &[
    "path",
    "content",
    "environment",
    "clock",
    "progress",
    "process",
    "sorting",
    "nearest",
    "config",
    "diff",
    "model",
    "ops",
    "wire",
    "say",
    "mcp",
];

/// Words that are allowed in some files only: the word, those files, and the reason.
const WALLS: [(&str, &[&str], &str); 21] = [
    ("reqwest", &["src/http.rs", "src/git/net/", "src/model/line.rs"], "each client is made in one place"),
    ("rmcp", &["src/mcp/"], "the protocol is spoken in one room"),
    ("tokio", &["src/mcp/"], "only the server waits for several clients"),
    ("hyper", &["src/mcp/http.rs"], "only the server answers over HTTP"),
    ("getrandom", &["src/mcp/http.rs"], "only the server has a secret"),
    ("gix", &["src/git/", "src/content.rs"], "gitoxide breaks monthly and stays in one room"),
    ("println", &["src/cli/"], "only the command line prints"),
    ("eprintln", &["src/cli/"], "only the command line prints"),
    ("print", &["src/cli/"], "only the command line prints"),
    ("eprint", &["src/cli/"], "only the command line prints"),
    ("clap", &["src/cli/"], "arguments are the command line's"),
    ("indicatif", &["src/cli/"], "bars are the command line's"),
    ("strsim", &["src/nearest.rs"], "one measure of likeness"),
    ("similar", &["src/diff/"], "sequences are compared in one room"),
    ("rusqlite", &["src/state/"], "the state is stored in one room"),
    ("tantivy", &["src/search/"], "the index is read and written in one room"),
    ("tantivy_fst", &["src/search/"], "term dictionaries are the index's"),
    ("frostem", &["src/search/text/stems.rs"], "texts and questions are stemmed in one place"),
    ("jsonc_parser", &["src/connect/json.rs"], "settings of other programs are parsed in one room"),
    ("toml_edit", &["src/connect/toml.rs"], "settings of other programs are parsed in one room"),
    ("imara_diff", &["src/merge/lines.rs"], "only a merge of lines must align as git does"),
];

/// The maximum length of a file, in lines before its tests.
const MAX_LINES: usize = 700;

#[test]
fn imports_run_one_way() {
    let mut faults = String::new();
    for file in files() {
        let Some(room) = file.module.first() else { continue };
        let Some((_, allowed)) = LADDER.iter().find(|(name, _)| name == room) else {
            writeln!(faults, "{}: the module `{room}` is not in the table", file.name).unwrap();
            continue;
        };
        for (line, target) in imports(&file) {
            let other = &target[0];
            let is_room = LADDER.iter().any(|(name, _)| name == other);
            if is_room && other != room && !allowed.contains(&other.as_str()) {
                writeln!(faults, "{}:{line}: `{room}` may not use `{}`", file.name, target.join("::"))
                    .unwrap();
            }
        }
    }
    assert!(faults.is_empty(), "\n{faults}");
}

/// The modules of `ops` that are no commands, each with those after it above it.
const BELOW_COMMANDS: [&str; 6] = ["failure", "json", "cause", "stop", "context", "steps"];

#[test]
fn a_command_never_calls_a_command() {
    let mut faults = String::new();
    for file in files() {
        let Some(own) = command(&file.module) else { continue };
        for (line, target) in imports(&file) {
            let rank = |command: &str| BELOW_COMMANDS.iter().position(|name| *name == command);
            let Some(other) = command(&target) else { continue };
            let is_below = match (rank(&other), rank(&own)) {
                (Some(other), Some(own)) => other < own,
                (other, _) => other.is_some(),
            };
            if other != own && !is_below {
                writeln!(faults, "{}:{line}: `{own}` uses `{}`", file.name, target.join("::")).unwrap();
            }
        }
    }
    assert!(faults.is_empty(), "\n{faults}");
}

/// `status` of `ops::vc::status::…`, `steps` of `ops::steps::…`; `None` for the shared types of `ops` itself.
fn command(module: &[String]) -> Option<String> {
    let mut parts = module.iter().map(String::as_str);
    if parts.next() != Some("ops") {
        return None;
    }
    let name = match parts.next()? {
        group @ "vc" => parts.next().map_or_else(|| group.to_string(), |part| format!("{group}::{part}")),
        other => other.to_string(),
    };
    // types and functions in `ops/mod.rs` itself are below every command
    let is_module = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/ops").join(name.replace("::", "/"));
    (is_module.with_extension("rs").is_file() || (is_module.is_dir() && name != "vc")).then_some(name)
}

/// The modules that talk to people and programs.
const SURFACES: [&str; 3] = ["cli", "mcp", "worker"];

/// If a surface needs a type of a step, the command whose options or outcome contain it re-exports it.
#[test]
fn a_surface_knows_commands_and_no_steps() {
    let mut faults = String::new();
    for file in files() {
        if !file.module.first().is_some_and(|room| SURFACES.contains(&room.as_str())) {
            continue;
        }
        for (line, target) in imports(&file) {
            if target.starts_with(&["ops".into(), "steps".into()]) {
                writeln!(faults, "{}:{line}: `{}`", file.name, target.join("::")).unwrap();
            }
        }
    }
    assert!(faults.is_empty(), "\n{faults}");
}

#[test]
fn each_wall_has_its_door_only() {
    let mut faults = String::new();
    for file in files() {
        for (number, line) in file.lines.iter().enumerate() {
            for (word, doors, reason) in WALLS {
                let inside = doors.iter().any(|door| file.name.starts_with(door));
                if !inside && uses(line, word) {
                    writeln!(faults, "{}:{}: `{word}`: {reason}", file.name, number + 1).unwrap();
                }
            }
        }
    }
    assert!(faults.is_empty(), "\n{faults}");
}

/// Whether `line` names the crate or macro `word`: `word::`, `word!`, `use word`.
fn uses(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(at, _)| {
        let starts = !line[..at].ends_with(|char: char| char.is_alphanumeric() || char == '_');
        let rest = &line[at + word.len()..];
        let macro_call = rest.starts_with("!(") || rest.starts_with("! (");
        starts && (macro_call || rest.starts_with("::"))
    })
}

#[test]
fn no_file_is_longer_than_a_reader_holds() {
    let long: Vec<String> = files()
        .iter()
        .filter(|file| file.lines.len() > MAX_LINES)
        .map(|file| format!("{}: {} lines before its tests", file.name, file.lines.len()))
        .collect();
    assert!(long.is_empty(), "{long:#?}");
}

#[test]
fn every_file_says_what_it_knows() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let silent: Vec<String> = files()
        .into_iter()
        .filter(|file| !file.module.is_empty())
        .filter(|file| !std::fs::read_to_string(root.join(&file.name)).unwrap().starts_with("//! "))
        .map(|file| file.name)
        .collect();
    assert!(silent.is_empty(), "{silent:#?}");
}

/// A law with its own configuration would fail by chance, and `BRV_LAW_SEED` would not affect it.
#[test]
fn every_law_draws_its_cases_in_one_way() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut laws = 0;
    let mut faults = String::new();
    for path in sources(root) {
        let text = std::fs::read_to_string(&path).unwrap();
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        for (number, line) in lines.iter().enumerate() {
            if line.ends_with("proptest! {") {
                laws += 1;
                let next = lines.get(number + 1).copied().unwrap_or_default();
                if !next.starts_with("#![proptest_config(crate::cases::held_to(") {
                    writeln!(faults, "{}:{}: {next}", path.display(), number + 1).unwrap();
                }
            }
        }
    }
    assert!(laws > 10, "the laws are found");
    assert!(faults.is_empty(), "\n{faults}");
}
