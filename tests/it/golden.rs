//! What every command prints, as text and as JSON, byte for byte, beside the files in `fixtures/golden`.
//!
//! A file holds all runs of one command in the play of [`crate::scenes`]. `BRV_GOLDEN=write` writes the files anew: look
//! at their difference before it is committed. Ids, durations and the folder of the test are masked.

use crate::env::{Env, Ran};
use crate::scenes;
use brv::cli::table::ROWS;
use regex_lite::Regex;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

#[test]
fn what_is_printed_for_people_stays_as_it_is() {
    compare("text", &[]);
}

#[test]
fn what_is_printed_for_programs_stays_as_it_is() {
    compare("json", &["--json"]);
}

fn compare(kind: &str, end: &[&str]) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/golden").join(kind);
    let mut pages: BTreeMap<PathBuf, String> = BTreeMap::new();
    scenes::play(end, |env, line, ran| {
        let page = pages.entry(folder.join(name(line)).with_extension("txt")).or_default();
        tell(page, line, env, ran);
    });
    if std::env::var_os("BRV_GOLDEN").is_some_and(|wanted| wanted == "write") {
        drop(std::fs::remove_dir_all(&folder));
        std::fs::create_dir_all(&folder).unwrap();
        pages.iter().for_each(|(path, page)| std::fs::write(path, page).unwrap());
    }
    let mut faults = String::new();
    for (path, page) in &pages {
        let known = std::fs::read_to_string(path).unwrap_or_default();
        let first = known.lines().zip(page.lines()).find(|(old, new)| old != new);
        if known != *page {
            writeln!(faults, "{}: first difference {first:#?}", path.display()).unwrap();
        }
    }
    let files = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    let left = files.filter(|path| !pages.contains_key(path));
    left.for_each(|path| writeln!(faults, "{}: no such command in the play", path.display()).unwrap());
    assert!(faults.is_empty(), "{faults}\n`BRV_GOLDEN=write cargo test --test it golden::` writes them anew");
}

/// The families whose members share a file.
const TOGETHER: [&str; 2] = ["brain", "stale"];

/// The name of a command, as one word: `vc-push` of `vc push -u origin main`.
fn name(line: &str) -> String {
    let family = ROWS.iter().find(|row| !row.is_command() && line.starts_with(&format!("{} ", row.name)));
    let is_apart = family.is_some_and(|family| !TOGETHER.contains(&family.name));
    line.split(' ').take(1 + usize::from(is_apart)).collect::<Vec<_>>().join("-")
}

fn tell(page: &mut String, line: &str, env: &Env, ran: &Ran) {
    writeln!(page, "$ brv {line}").unwrap();
    page.push_str(&masked(env, &ran.stdout));
    for line in masked(env, &ran.stderr).lines() {
        writeln!(page, "stderr: {line}").unwrap();
    }
    writeln!(page, "exit: {}\n", ran.code).unwrap();
}

/// What differs between two runs, beside the version: each pattern, and its mask.
const MASKS: [(&str, &str); 15] = [
    (r"\b[0-9a-f]{7,64}\b", "ID"),
    (r"\b[0-9.]+ ?ms\b", "N ms"),
    (r#""(elapsed_)?ms":\d+"#, r#""${1}ms":N"#),
    // the time of a file, and how well paths of chance compress
    (r"\b[0-9.]+ KiB\b", "N KiB"),
    (r#""updated":"[^"]+""#, r#""updated":"TIME""#),
    (r#""bytes_(before|after)":\d+"#, r#""bytes_$1":N"#),
    // of a site: also its style and script
    (r#""bytes":\d{4,},"written":"#, r#""bytes":N,"written":"#),
    (r#"("commit":"[^"]+",)?"target":"[^"]+","profile":"[^"]+""#, r#""target":"TARGET","profile":"PROFILE""#),
    // of an index: the engine of the test, and what it says of itself
    (r"127\.0\.0\.1:\d+", "ENGINE"),
    (r#""engine_ms":\d+"#, r#""engine_ms":N"#),
    (r#"("requests":\d+,|"documents":\d+,)"bytes":\d+"#, r#"$1"bytes":N"#),
    (r#""bytes_per_entry":\d+"#, r#""bytes_per_entry":N"#),
    (r", \d+ bytes each .*", ", N bytes each"),
    // which agents the machine has
    (r#""found":(true|false)"#, r#""found":HERE"#),
    (r"(?m)^(not found|found    ) ", "HERE "),
];

fn masked(env: &Env, text: &str) -> String {
    static MASKED: LazyLock<Vec<(Regex, &str)>> =
        LazyLock::new(|| MASKS.map(|(pattern, mask)| (Regex::new(pattern).unwrap(), mask)).into());
    let real = env.root().canonicalize().unwrap();
    let text = text.replace(real.to_str().unwrap(), "ROOT").replace(env.root().to_str().unwrap(), "ROOT");
    let text = text.replace(env!("CARGO_BIN_EXE_brv"), "BRV").replace(env!("CARGO_PKG_VERSION"), "VERSION");
    MASKED.iter().fold(text, |text, (pattern, mask)| pattern.replace_all(&text, *mask).into_owned())
}
