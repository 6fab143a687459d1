//! Names that the field has better words for: no file, folder or type has one of them, and no function of `src`.

use super::source::sources;
use std::fmt::Write as _;
use std::path::Path;

/// Each name with the words that say more.
const BANNED: [(&str, &str); 17] = [
    ("Manner", "what it decides: FetchOptions, MergeOptions, CommitMode"),
    ("Sought", "what is looked for: SearchSession, UnknownName"),
    ("Kept", "what is kept: LocalFiles, CachedAnswer"),
    ("Turns", "Queueing"),
    ("telling", "history"),
    ("filing", "curation"),
    ("looking", "background_scan"),
    ("liar", "hostile_server"),
    ("twins", "git_parity"),
    ("ending", "outcome"),
    ("wrong", "invalid"),
    ("turns", "queueing"),
    ("sifting", "filter"),
    ("util", "what it is about"),
    ("utils", "what it is about"),
    ("manager", "what it does"),
    ("misc", "what it is about"),
];

/// Names of files and folders that nobody looks for.
const NOT_FOUND: [&str; 9] =
    ["printed", "sketch", "standing", "taken_back", "our", "made", "told", "known", "found"];

/// The words that begin a definition.
const DEFINES: [&str; 6] = ["struct ", "enum ", "trait ", "type ", "mod ", "fn "];

#[test]
fn nothing_has_a_name_that_the_field_has_a_better_word_for() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut faults = String::new();
    for path in sources(root) {
        let name = path.strip_prefix(root).unwrap().to_str().unwrap().replace('\\', "/");
        let parts = name.trim_end_matches(".rs").split('/');
        for part in parts {
            note(&mut faults, &name, 1, part);
            if NOT_FOUND.contains(&part) {
                writeln!(faults, "{name}: nobody looks for `{part}`: name what is in it").unwrap();
            }
        }
        let text = std::fs::read_to_string(&path).unwrap();
        for (number, line) in text.lines().enumerate() {
            if let Some(defined) = defined(line) {
                note(&mut faults, &name, number + 1, defined);
            }
        }
    }
    assert!(faults.is_empty(), "\n{faults}");
}

fn note(faults: &mut String, file: &str, line: usize, name: &str) {
    for (_, better) in BANNED.iter().filter(|(banned, _)| *banned == name) {
        writeln!(faults, "{file}:{line}: `{name}`: {better}").unwrap();
    }
}

/// The name that a line defines.
fn defined(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let line = match line.strip_prefix("pub") {
        Some(rest) => rest.split_once(' ').map_or(rest, |(_, rest)| rest),
        None => line,
    };
    let rest = DEFINES.iter().find_map(|word| line.strip_prefix(word))?;
    rest.split(|char: char| !char.is_alphanumeric() && char != '_').next()
}

#[test]
fn the_name_that_a_line_defines_is_read() {
    assert_eq!(defined("pub(super) struct Kept<'a> {"), Some("Kept"));
    assert_eq!(defined("    enum Turns {"), Some("Turns"));
    assert_eq!(defined("pub mod telling;"), Some("telling"));
    assert_eq!(defined("let kept = Kept::default();"), None);
}
