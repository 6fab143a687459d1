//! Which pairs are merged without a writer, on pairs that a stranger to the rules wrote: twins that differ in form, and pairs
//! that look alike and mean something else.

use brv_base::content::ContentId;
use brv_base::path::TreePath;
use brv_text::doc::Document;
use brv_text::dream::{Action, Certain, Cluster, ClusterEntry, ClusterEvidence, Plan, certain};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The folder of the pairs; `BRV_DREAM_PAIRS` names another one, to measure on pairs that no rule was tuned on.
fn folder() -> PathBuf {
    let given = std::env::var_os("BRV_DREAM_PAIRS").map(PathBuf::from);
    given.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/dreams"))
}

fn pairs(name: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(folder().join(name)).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Whether one of the two is merged into the other.
fn is_merged(pair: &Value) -> bool {
    let side = |name: &str| {
        let text = pair[name]["text"].as_str().unwrap();
        let path = TreePath::parse(pair[name]["path"].as_str().unwrap().as_bytes()).unwrap();
        (path, Document::parse(text))
    };
    let files = [side("a"), side("b")];
    let listed = |(path, document): &(TreePath, Document)| ClusterEntry {
        path: path.clone(),
        blob: ContentId::of(document.as_bytes()),
        title: String::new(),
        abstract_text: String::new(),
    };
    let cluster = Cluster {
        id: "c1".to_owned(),
        domain: String::new(),
        files: files.iter().map(listed).collect(),
        evidence: ClusterEvidence::default(),
        hint: None,
    };
    let plan = Plan { consolidate: vec![cluster], ..Plan::default() };
    let read =
        |path: &TreePath| files.iter().find(|(own, _)| own == path).map(|(_, document)| document.clone());
    let is_merge = |one: &Certain| matches!(one, Certain::Do(decision) if decision.action == Action::Merge);
    certain(&plan, &read).iter().any(|(_, one)| is_merge(one))
}

#[test]
fn twins_are_merged_and_what_means_something_else_is_not() {
    let (twins, others) = (pairs("twins.jsonl"), pairs("reorderings.jsonl"));
    let missed: Vec<&Value> = twins.iter().filter(|pair| !is_merged(pair)).map(|pair| &pair["id"]).collect();
    let wrong: Vec<String> = others
        .iter()
        .filter(|pair| is_merged(pair))
        .map(|pair| format!("{} {}", pair["id"], pair["why"]))
        .collect();
    println!(
        "twins: {} of {} merged; others: {} of {}",
        twins.len() - missed.len(),
        twins.len(),
        wrong.len(),
        others.len()
    );
    println!("missed {missed:?}\nwrong {wrong:#?}");
    assert!(missed.len() * 10 <= twins.len(), "{missed:?}");
    assert_eq!(wrong, [""; 0]);
}
