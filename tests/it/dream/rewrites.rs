//! How the texts of deciders are checked, measured on rewrites with labels: which of them wait, and what a merge loses.

use brv_text::doc::Document;
use brv_text::dream::{doubts, lacking, survival};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The folder with the labelled rewrites, and whether it is the one whose figures are known.
fn folder() -> (PathBuf, bool) {
    match std::env::var_os("BRV_REWRITES") {
        Some(folder) => (folder.into(), false),
        None => (Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/rewrites"), true),
    }
}

fn rows(name: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(folder().0.join(name)).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn text<'v>(row: &'v Value, field: &str) -> &'v str {
    row[field].as_str().unwrap()
}

/// The texts of a list of strings, or of objects with a text.
fn texts(list: &Value) -> Vec<&str> {
    let items = list.as_array().map(Vec::as_slice).unwrap_or_default();
    items.iter().map(|item| item.as_str().or_else(|| item["text"].as_str()).unwrap()).collect()
}

/// The paths of the files of the code.
fn paths(list: &Value) -> Vec<&str> {
    let items = list.as_array().map(Vec::as_slice).unwrap_or_default();
    items.iter().filter_map(|item| item["path"].as_str()).collect()
}

/// What a row, with the sources of another one, is doubted for.
fn doubted(row: &Value, sources: &Value) -> Vec<String> {
    let written = Document::parse(text(row, "text"));
    let entries: Vec<Document> = texts(&sources["files"]).into_iter().map(Document::parse).collect();
    let others = [paths(&sources["code"]), texts(&sources["code"]), texts(&sources["evidence"])].concat();
    let found = doubts(&written, &entries.iter().collect::<Vec<_>>(), &others);
    found.into_iter().map(|doubt| format!("{:?}: {}", doubt.kind, doubt.text)).collect()
}

/// By a word of each row: how many of how many are doubted.
type Figures = BTreeMap<String, [usize; 2]>;

fn count(figures: &mut Figures, word: &str, is_doubted: bool) {
    for word in [word, "all"] {
        let [doubted, all] = figures.entry(word.to_owned()).or_default();
        *doubted += usize::from(is_doubted);
        *all += 1;
    }
}

#[test]
fn honest_rewrites_pass_and_most_lies_wait() {
    let honest = rows("honest.jsonl");
    let (mut waiting, mut caught) = (Figures::new(), Figures::new());
    for row in &honest {
        let doubts = doubted(row, row);
        count(&mut waiting, text(row, "kind"), !doubts.is_empty());
        doubts.iter().for_each(|doubt| println!("{} waits: {doubt}", text(row, "id")));
    }
    for row in rows("lies.jsonl") {
        let twin = text(&row, "id").replacen("-l-", "-h-", 1);
        let sources = honest.iter().find(|one| text(one, "id") == twin);
        let doubts = doubted(&row, if row["files"].is_array() { &row } else { sources.unwrap() });
        count(&mut caught, text(&row, "type"), !doubts.is_empty());
        if doubts.is_empty() {
            println!("{} passes: {}", text(&row, "id"), text(&row, "lie"));
        }
    }
    println!("honest rewrites that wait: {waiting:?}\nlies that wait: {caught:?}");
    if folder().1 {
        assert_eq!((waiting["all"][1], caught["all"][1]), (6, 5));
        assert!(waiting["all"][0] <= 1, "false waits");
        assert!(caught["all"][0] >= LIES, "lies");
        for kind in ["name", "path"] {
            let [doubted, all] = caught[kind];
            assert_eq!(doubted, all, "{kind}");
        }
    }
}

/// How many of the five lies wait.
const LIES: usize = 2;

fn line(text: &str) -> String {
    text.replace(['*', '_'], "")
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .trim_end_matches('.')
        .to_owned()
}

/// A text with what it lacks of each entry below it, the size of both in parts of the entries, and what that drops.
fn merged(row: &Value) -> (String, f64, Vec<String>) {
    let entries: Vec<Document> = texts(&row["files"]).into_iter().map(Document::parse).collect();
    let mut whole = text(row, "text").trim_end().to_owned();
    for (at, entry) in entries.iter().enumerate() {
        let others: Vec<&Document> =
            entries.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, one)| one).collect();
        let rest = lacking(entry, &Document::parse(whole.as_str()), &others, &[]);
        whole = format!("{whole}\n\n{}", Document::parse(rest).body().trim());
    }
    let size: usize = entries.iter().map(|entry| entry.body().len()).sum();
    let dropped = survival(&entries.iter().collect::<Vec<_>>(), &Document::parse(whole.as_str())).dropped;
    let share = whole.trim_end().len() as f64 / size as f64;
    (whole, share, dropped)
}

#[test]
fn a_sloppy_merge_loses_no_sentence_unnamed() {
    let (mut lost, mut all) = (Vec::new(), 0);
    for row in rows("sloppy.jsonl") {
        let (whole, _, dropped) = merged(&row);
        for sentence in texts(&row["lost"]).into_iter().map(line) {
            all += 1;
            let is_named = dropped.iter().any(|one| sentence.starts_with(line(one).trim_end_matches('…')));
            if !line(&whole).contains(&sentence) && !is_named {
                lost.push(format!("{}: {sentence}", text(&row, "id")));
            }
        }
    }
    println!("of {all} sentences that the texts leave out, {} are lost unnamed: {lost:#?}", lost.len());
    let honest: Vec<f64> = rows("honest.jsonl")
        .iter()
        .filter(|row| text(row, "kind") == "MERGE")
        .map(|row| merged(row).1)
        .collect();
    let large = honest.iter().filter(|share| **share > 1.2).count();
    println!(
        "of {} honest merges {large} have more than 1.2 of the text of their entries: {honest:.2?}",
        honest.len()
    );
    if folder().1 {
        assert!(all >= 9 && lost.is_empty(), "{lost:#?}");
    }
}
