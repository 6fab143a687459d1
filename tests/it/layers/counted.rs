//! What a reader has to know, counted: names that stand for several types, enums of errors, and commands in another form
//! than the others. The numbers fall: who makes one smaller writes the new one here.

use super::source::{File, files, sources};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

/// Names that each module may use anew, since all read them with the module's name.
const OF_ANY_MODULE: [&str; 5] = ["Arguments", "Error", "Item", "Options", "Outcome"];

/// How many names stand for more than one type.
const MOST_SHARED_NAMES: usize = 115;

/// The most types that one name stands for.
const MOST_TYPES_OF_A_NAME: usize = 3;

/// How many enums of errors there are, and how many variants they have together: an enum is for code that tells
/// the errors apart.
const MOST_ERROR_ENUMS: [usize; 2] = [37, 172];

/// How many rows of the table of commands have another form than a verb: two conversations, the merge driver with git's
/// protocol, and the hook, which never fails.
const MOST_OTHER_ROWS: usize = 4;

#[test]
fn a_name_stands_for_few_types() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut types: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for path in sources(root) {
        let file = path.strip_prefix(root).unwrap().display().to_string();
        for line in std::fs::read_to_string(&path).unwrap().lines() {
            if let Some(name) = type_name(line).filter(|name| !OF_ANY_MODULE.contains(name)) {
                types.entry(name.to_owned()).or_default().push(file.clone());
            }
        }
    }
    let shared: Vec<_> = types.iter().filter(|(_, files)| files.len() > 1).collect();
    let mut list = String::new();
    for (name, files) in &shared {
        writeln!(list, "{} {name}: {}", files.len(), files.join(" ")).unwrap();
    }
    let most = shared.iter().map(|(_, files)| files.len()).max().unwrap_or_default();
    let most_allowed = (MOST_SHARED_NAMES, MOST_TYPES_OF_A_NAME);
    assert_eq!((shared.len(), most), most_allowed, "names of several types, and the most of one:\n{list}");
}

/// The name of the type that the line begins to define. A `type` within an `impl` is none.
fn type_name(line: &str) -> Option<&str> {
    let item = without_visibility(line.trim_start());
    let is_nested = line.starts_with(' ');
    let kinds: &[&str] = if is_nested {
        &["struct ", "enum ", "trait ", "union "]
    } else {
        &["struct ", "enum ", "trait ", "union ", "type "]
    };
    let name = kinds.iter().find_map(|kind| item.strip_prefix(kind))?;
    let end = name.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(name.len());
    Some(&name[..end]).filter(|name| !name.is_empty())
}

fn without_visibility(item: &str) -> &str {
    let Some(rest) = item.strip_prefix("pub") else { return item };
    match rest.strip_prefix('(') {
        Some(rest) => rest.split_once(") ").map_or(item, |(_, rest)| rest),
        None => rest.trim_start(),
    }
}

#[test]
fn an_enum_of_errors_is_for_code_that_tells_them_apart() {
    let found: Vec<(String, usize)> = files().iter().flat_map(error_enums).collect();
    let mut list = String::new();
    for (name, variants) in &found {
        writeln!(list, "{variants:3} {name}").unwrap();
    }
    let counts = [found.len(), found.iter().map(|(_, variants)| variants).sum()];
    assert_eq!(counts, MOST_ERROR_ENUMS, "enums and variants:\n{list}");
}

/// The enums of errors of a file, with their numbers of variants.
fn error_enums(file: &File) -> Vec<(String, usize)> {
    let text = file.lines.join("\n");
    let enums = text.match_indices("enum ").filter(|(at, _)| {
        let before = text[..*at].rsplit('\n').next().unwrap_or_default().trim();
        before.is_empty() || without_visibility(&format!("{before} ")).is_empty()
    });
    let mut found = Vec::new();
    for (at, word) in enums {
        let (head, body) = text[at + word.len()..].split_once('{').unwrap_or_default();
        let name = head.split(['<', ' ']).next().unwrap_or_default();
        let attributes = text[..at].rsplit(['}', ';']).next().unwrap_or_default();
        let is_error = attributes.contains("Error") || text.contains(&format!("Error for {name} "));
        if is_error {
            found.push((format!("{} {name}", file.name), variants(body)));
        }
    }
    found
}

/// How many variants the body of an enum has: the names that stand outside all brackets.
fn variants(body: &str) -> usize {
    let (mut depth, mut count, mut is_start) = (0_i32, 0, true);
    for char in body.chars() {
        match char {
            '}' | ')' | ']' if depth == 0 => break,
            '{' | '(' | '[' => depth += 1,
            '}' | ')' | ']' => depth -= 1,
            ',' if depth == 0 => is_start = true,
            char if depth == 0 && is_start && char.is_uppercase() => {
                count += 1;
                is_start = false;
            }
            _ => {}
        }
    }
    count
}

#[test]
fn variants_are_counted() {
    let body = "\n  #[error(\"{0} (b)\")] A(String), B { C: u8, D: u8 },\n E }\nenum F { G }";
    assert_eq!(variants(body), 3);
}

#[test]
fn a_command_has_the_form_of_the_others() {
    let table = include_str!("../../../src/cli/table.rs");
    let (_, rows) = table.split_once("pub const ROWS").expect("the table");
    let (rows, _) = rows.split_once("\n];").expect("its end");
    let words = rows.lines().filter_map(|line| line.strip_prefix("    ")).filter(|line| line.contains('('));
    let own = words.filter(|line| line.starts_with(char::is_lowercase));
    let own = own.filter(|line| !line.starts_with("verb::<") && !line.starts_with("family"));
    let own: Vec<&str> = own.collect();
    assert_eq!(own.len(), MOST_OTHER_ROWS, "rows of another form: {own:?}");
}

#[test]
fn an_error_of_the_house_is_matched_and_not_guessed() {
    let guesses = |file: &File| file.lines.iter().filter(|line| line.contains("downcast")).count();
    let guessing: Vec<String> = files()
        .iter()
        .filter(|file| guesses(file) > 0 && !file.name.starts_with("src/git/"))
        .map(|file| file.name.clone())
        .collect();
    assert_eq!(guessing, Vec::<String>::new(), "only errors of foreign crates are downcast, in `git`");
}
