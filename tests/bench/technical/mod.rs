//! How well questions about technical documentation are served, beside plain BM25 and MiniSearch: one table, on the
//! questions that no constant was chosen on.

mod bm25;
#[path = "../../it/technical/questions.rs"]
mod questions;
#[path = "../../it/technical/trees.rs"]
mod trees;

use crate::env::Env;
use crate::servers;
use bm25::Bm25;
use questions::{Half, questions};
use serde_json::{Value, json};
use std::collections::BTreeMap;

const HEAD: &str = "| | R@1 | R@5 | AUROC: score | AUROC: share of idf | direct: share, right, phrase \
    | near: found, answered | far: found, answered | false alarms |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|";

/// For each question the paths that are found, the best first, with their scores.
type Rankings = Vec<Vec<(String, f64)>>;

/// Print the table.
pub fn run() {
    let packages = Env::in_memory();
    println!("{HEAD}");
    for (tree, _) in trees::TREES {
        let Some(entries) = trees::entries(&packages, tree) else { return };
        let lines = questions(tree, Half::HeldOut);
        let bm25 = Bm25::new(&entries);
        println!("| {tree}: brv | {} |", own(&entries, &lines));
        let ranked = lines.iter().map(|line| bm25.ranked(text(line))).collect();
        println!("| {tree}: BM25 | {} |", baseline(&lines, &bm25, &ranked));
        if let Some(ranked) = minisearch(&packages, &entries, &lines) {
            println!("| {tree}: MiniSearch | {} |", baseline(&lines, &bm25, &ranked));
        }
    }
}

fn text(line: &Value) -> &str {
    line["question"].as_str().unwrap()
}

/// The figures of brv, by `brv eval`.
fn own(entries: &BTreeMap<String, String>, lines: &[Value]) -> String {
    let env = trees::project(entries);
    let input: Vec<String> = lines.iter().map(Value::to_string).collect();
    let ran = env.brv_reading(&["eval", "-", "--json"], input.join("\n").as_bytes());
    let answer: Value = serde_json::from_str(&ran.stdout).unwrap();
    let cell = |pointers: &[&str]| {
        let figure = |pointer: &&str| answer["data"].pointer(pointer).and_then(Value::as_f64);
        pointers.iter().map(figure).map(shown).collect::<Vec<_>>().join(", ")
    };
    [
        cell(&["/recall/at_1"]),
        cell(&["/recall/at_5"]),
        cell(&["/auroc"]),
        "–".into(),
        cell(&["/direct/share", "/direct/precision", "/direct/phrase"]),
        cell(&["/near/found", "/near/answered"]),
        cell(&["/far/found", "/far/answered"]),
        cell(&["/not_covered/false_alarms"]),
    ]
    .join(" | ")
}

/// The figures of a search that only ranks.
fn baseline(lines: &[Value], bm25: &Bm25, ranked: &Rankings) -> String {
    let of =
        |kind: &str| -> Vec<usize> { (0..lines.len()).filter(|at| lines[*at]["kind"] == kind).collect() };
    let (covered, near) = (of("covered"), of("near"));
    let recall = |most: usize| {
        let share = |at: &usize| {
            let expected = lines[*at]["expected"].as_array().unwrap();
            let first = &ranked[*at][..most.min(ranked[*at].len())];
            let found = expected.iter().filter(|path| first.iter().any(|(own, _)| *path == own)).count();
            found as f64 / expected.len() as f64
        };
        covered.iter().map(share).sum::<f64>() / covered.len() as f64
    };
    let score = |at: &usize| ranked[*at].first().map_or(0.0, |(_, score)| score / (1.0 + score));
    let share =
        |at: &usize| ranked[*at].first().map_or(0.0, |(path, _)| bm25.covered(text(&lines[*at]), path));
    let figures = [recall(1), recall(5), auroc(&covered, &near, score), auroc(&covered, &near, share)];
    format!("{} | – | – | – | –", figures.map(|figure| shown(Some(figure))).join(" | "))
}

/// The probability that a question of the first kind has the greater value; equal ones count half.
fn auroc(covered: &[usize], near: &[usize], value: impl Fn(&usize) -> f64) -> f64 {
    let pairs = covered.iter().flat_map(|own| near.iter().map(|other| value(own) - value(other)));
    let won: f64 = pairs.map(|lead| if lead == 0.0 { 0.5 } else { f64::from(lead > 0.0) }).sum();
    won / (covered.len() * near.len()) as f64
}

/// What MiniSearch finds, where it is installed.
fn minisearch(env: &Env, entries: &BTreeMap<String, String>, lines: &[Value]) -> Option<Rankings> {
    let mut command = servers::script(env, "node", &["-e", "require('minisearch')"])?;
    let entry = |(path, text): (&String, &String)| {
        let title = text.lines().find_map(|line| line.strip_prefix("title: ")).unwrap_or_default();
        json!({"path": path, "title": title.trim_matches('"'), "content": text})
    };
    let entries: Vec<Value> = entries.iter().map(entry).collect();
    let input = env.path("minisearch.json");
    let questions: Vec<&str> = lines.iter().map(text).collect();
    std::fs::write(&input, json!({"entries": entries, "questions": questions}).to_string()).unwrap();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/bench/technical/minisearch.js");
    let output = command.arg(script).stdin(std::fs::File::open(input).unwrap()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(serde_json::from_slice(&output.stdout).unwrap())
}

/// `.62`
fn shown(figure: Option<f64>) -> String {
    let text = figure.map_or_else(|| "–".to_owned(), |figure| format!("{figure:.2}"));
    text.strip_prefix('0').map(str::to_owned).unwrap_or(text)
}
