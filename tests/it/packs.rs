//! Whether an agent is given what it needs for a task, and for a file of the code: measured on what was planted in
//! `fixtures/brain` before the ranking was tuned.

use crate::init::json;
use crate::lab;
use crate::provenance::World;
use serde_json::Value;
use std::path::Path;

/// The rows of a table in `fixtures/brain`, cell by cell.
fn rows(name: &str) -> Vec<Vec<String>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/brain").join(name);
    let text = std::fs::read_to_string(path).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let rows: Vec<Vec<String>> = lines.map(|line| line.split('\t').map(str::to_owned).collect()).collect();
    assert_eq!(rows.len(), 50, "{name}");
    rows
}

/// The two trees as one. What is learned from a commit of the code has that commit as its source.
fn world() -> World {
    let world = World::new();
    let mut later = Vec::new();
    for row in rows("files.tsv") {
        if row[0] == "source" {
            later.push((row[1].clone(), format!("{}.md", row[2])));
        } else {
            world.write(&row[1], "// code\n");
        }
    }
    world.commit("README.md", "# Code\n");
    let trees = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/trees");
    let mut files = lab::picture(&trees.join("brv"), &|_| false);
    files.extend(lab::picture(&trees.join("dream"), &|_| false));
    let text = |path: &String| String::from_utf8(files[path].clone()).unwrap();
    let commit = |paths: &[&String], words: &str| {
        for path in paths {
            lab::write(&world.tree(), &[(path, &text(path))]);
        }
        world.env.git(&world.tree(), &["add", "-A"]);
        world.env.git(&world.tree(), &["commit", "-q", "-m", words]);
    };
    let is_late = |path: &String| later.iter().any(|(_, entry)| entry == path);
    commit(&files.keys().filter(|path| !is_late(path)).collect::<Vec<_>>(), "what is known");
    for (code, entry) in &later {
        world.commit(code, "code\n");
        commit(&[entry], &format!("learn\n\nBrv-Source-Commit: {}", world.recorded(&world.head())));
    }
    world.brv(&["derive", "-q"]);
    world
}

fn data(world: &World, arguments: &[&str]) -> Value {
    json(&world.brv(arguments).stdout)["data"].take()
}

/// Print what was not given, and hold the rest against what is promised.
fn check(what: &str, misses: &[String], promised: f64) {
    let given = 50 - u32::try_from(misses.len()).unwrap();
    println!("{what}: {given} of 50");
    misses.iter().for_each(|miss| println!("  {miss}"));
    assert!(f64::from(given) / 50.0 >= promised, "{what}: {given} of 50");
}

#[test]
fn a_task_gets_the_entry_that_it_needs() {
    let world = world();
    let mut misses = Vec::new();
    for row in rows("tasks.tsv") {
        let task = data(&world, &["brain", "--no-brief", "--task", &row[1], "--json"]);
        // not what the layers show for any task
        let (_, pack) = task["document"].as_str().unwrap().split_once("## For the task").expect("a pack");
        if !row[0].split(' ').any(|entry| pack.contains(entry)) {
            misses.push(format!("{}: {}", row[0], row[1]));
        }
    }
    check("tasks", &misses, 0.9);
}

#[test]
fn a_file_gets_the_fact_that_it_needs() {
    let world = world();
    let mut misses = Vec::new();
    for row in rows("files.tsv") {
        let file = data(&world, &["brain", "--for", &row[1], "--json"]);
        assert!(file["token_estimate"].as_u64().unwrap() <= 800, "{}", row[1]);
        let document = file["document"].as_str().unwrap().split_whitespace().collect::<Vec<_>>().join(" ");
        let entry = format!("{}.md", row[2]);
        let is_listed = file["items"].as_array().unwrap().iter().any(|item| item["path"] == *entry);
        if !is_listed || !document.contains(&row[3]) {
            let why = if is_listed { "without its fact" } else { "without its entry" };
            misses.push(format!("{} ({}) {why}: {}, {}", row[1], row[0], row[2], row[3]));
        }
    }
    // nine statements at most
    check("files", &misses, 0.9);
}
