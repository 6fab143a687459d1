//! What a reader has to know, counted: names that stand for several types, enums of errors, and commands in another form
//! than the others. The numbers fall: who makes one smaller lowers it here.

use super::source::{File, files, sources};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

/// Names that each module may use anew, since all read them with the module's name.
const OF_ANY_MODULE: [&str; 5] = ["Arguments", "Error", "Item", "Options", "Outcome"];

/// How many names may stand for more than one type.
const MOST_SHARED_NAMES: usize = 116;

/// How many types one name may stand for.
const MOST_TYPES_OF_A_NAME: usize = 3;

/// How many enums of errors there may be, and how many variants they may have together: an enum is for code that tells
/// the errors apart.
const MOST_ERROR_ENUMS: [usize; 2] = [50, 245];

/// How many rows of the table of commands may have another form than a verb.
const MOST_OTHER_ROWS: usize = 2;

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
    assert!(
        shared.len() <= MOST_SHARED_NAMES && most <= MOST_TYPES_OF_A_NAME,
        "{} names stand for several types, one for {most}:\n{list}",
        shared.len()
    );
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
    let fits = counts.iter().zip(MOST_ERROR_ENUMS).all(|(count, most)| *count <= most);
    assert!(fits, "enums and variants: {counts:?}\n{list}");
}

/// The enums of a file that derive `Error`, with their numbers of variants.
fn error_enums(file: &File) -> Vec<(String, usize)> {
    let mut found: Vec<(String, usize)> = Vec::new();
    let (mut derives, mut is_inside) = (false, false);
    for line in &file.lines {
        if is_inside {
            is_inside = line != "}";
            let is_variant =
                line.strip_prefix("    ").is_some_and(|rest| rest.starts_with(char::is_uppercase));
            if let Some((_, variants)) = found.last_mut() {
                *variants += usize::from(is_variant);
            }
        } else if derives && without_visibility(line).starts_with("enum ") {
            found.push((format!("{} {}", file.name, type_name(line).unwrap_or_default()), 0));
            is_inside = true;
        }
        derives = match line.starts_with("#[") {
            true => derives || (line.starts_with("#[derive(") && line.contains("Error")),
            false => false,
        };
    }
    found
}

#[test]
fn a_command_has_the_form_of_the_others() {
    let table = include_str!("../../../src/cli/table.rs");
    let rows = table.lines().filter(|line| line.trim_start().starts_with("run::<")).count();
    assert!(rows <= MOST_OTHER_ROWS, "{rows} rows print by themselves");
}
