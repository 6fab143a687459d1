//! The table of sizes in CONTRIBUTING: lines of each module, counted. `BRV_README=write` writes it.

use super::source::{is_for_tests, lines_of_code, rust_files};
use std::fmt::Write as _;
use std::path::Path;

/// A row of the table: a name, and how many files, lines before the tests, and lines of tests it has.
type Row = (String, [usize; 3]);

/// The table may be off by a twentieth or by this many lines, so that a small change does not have to update it.
const TOLERANCE: usize = 100;

#[test]
fn the_table_of_sizes_is_counted() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("CONTRIBUTING.md");
    let text = std::fs::read_to_string(&page).unwrap();
    let (before, rest) = text.split_once("\n## Sizes\n").expect("the heading");
    let (section, after) = rest.split_at(rest.find("\n## ").unwrap_or(rest.len()));
    let start = section.find("\n| ").expect("the table") + 1;
    let end = start + section[start..].find("\n\n").map_or(section.len() - start, |at| at + 1);
    let own = rows();
    if is_close(&printed(&section[start..end]), &own) {
        return;
    }
    let table = table(&own);
    if std::env::var_os("BRV_README").is_some_and(|value| value == "write") {
        let section = format!("{}{table}{}", &section[..start], &section[end..]);
        std::fs::write(page, format!("{before}\n## Sizes\n{section}{after}")).unwrap();
    } else {
        panic!("`BRV_README=write cargo test --test it sizes::` updates the table:\n{table}");
    }
}

/// The crates from the bottom, and the rooms of the program.
const ROOMS: [&str; 11] =
    ["base", "text", "git", "search", "engine", "commands", "say", "serve", "mcp", "web", "cli"];

/// The crates and rooms, their sum, and the tests from outside.
fn rows() -> Vec<Row> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut rows: Vec<Row> =
        ROOMS.iter().map(|room| (format!("`{room}`"), count(&root.join("src").join(room)))).collect();
    rows.retain(|(_, [files, ..])| *files > 0);
    rows.push(("`src`, with `main.rs` and `lib.rs`".into(), count(&root.join("src"))));
    for folder in ["tests/it", "tests/bench"] {
        let [files, code, tests] = count(&root.join(folder));
        rows.push((format!("`{folder}`"), [files, 0, code + tests]));
    }
    rows
}

/// The files of a folder and of the file `folder.rs` beside it: how many, their lines before the tests, and the rest.
fn count(folder: &Path) -> [usize; 3] {
    let beside = folder.with_extension("rs");
    let mut files = if folder.is_dir() { rust_files(folder) } else { Vec::new() };
    files.extend(beside.is_file().then_some(beside));
    let mut sum = [files.len(), 0, 0];
    for path in files {
        let text = std::fs::read_to_string(&path).unwrap();
        let code = if is_for_tests(&path) { 0 } else { lines_of_code(&text) };
        sum[1] += code;
        sum[2] += text.lines().count() - code;
    }
    sum
}

fn table(rows: &[Row]) -> String {
    let mut table = "| module | files | lines | lines of tests |\n|---|--:|--:|--:|\n".to_string();
    for (name, counts) in rows {
        let [files, code, tests] =
            counts.map(|count| if count == 0 { String::new() } else { grouped(count) });
        writeln!(table, "| {name} | {files} | {code} | {tests} |").unwrap();
    }
    table
}

/// `12345` as `12,345`.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().map(|group| std::str::from_utf8(group).unwrap()).collect();
    groups.join(",")
}

fn printed(table: &str) -> Vec<Row> {
    let number = |cell: &str| cell.replace(',', "").trim().parse().unwrap_or_default();
    let cells = table.lines().skip(2).map(|row| row.split('|').collect::<Vec<_>>());
    cells
        .filter(|cells| cells.len() == 6)
        .map(|cells| (cells[1].trim().into(), [number(cells[2]), number(cells[3]), number(cells[4])]))
        .collect()
}

fn is_close(printed: &[Row], own: &[Row]) -> bool {
    let is_near = |said: usize, is: usize| said.abs_diff(is) <= TOLERANCE.max(is / 20);
    printed.len() == own.len()
        && printed.iter().zip(own).all(|((said, figures), (name, counts))| {
            said == name && figures.iter().zip(counts).all(|(said, is)| is_near(*said, *is))
        })
}

#[test]
fn a_table_may_be_off_by_a_little() {
    let counted = vec![("`doc`".to_string(), [20, 8000, 1999])];
    assert_eq!(printed(&table(&counted)), counted);
    assert!(is_close(&[("`doc`".into(), [25, 8400, 1900])], &counted));
    assert!(!is_close(&[("`doc`".into(), [20, 8401, 1999])], &counted));
    assert!(!is_close(&[("`diff`".into(), [20, 8000, 1999])], &counted));
    assert!(!is_close(&[], &counted));
    assert_eq!([1, 999, 1000, 1_234_567].map(grouped), ["1", "999", "1,000", "1,234,567"]);
}
