//! A tree as large as wanted, a million entries unless told: each command once, with its result as soon as it ends.
//!
//! For how things grow: whoever runs it with several sizes sees what is not linear. It takes hours and tens of
//! gigabytes, so that it stands apart from the rows, holds one tree at a time, and files are made one by one.

use crate::corpus;
use crate::lab::{self, Lab};
use crate::rows::bare;
use crate::table::Amount;
use crate::usage::{self, Usage, Watch};
use std::path::Path;
use std::process::Command;
use std::time::Instant;

/// Entries of the commit that is checked.
const CHANGED: usize = 20;

const HEAD: &str = "| what | processor time | wall | memory |\n|---|--:|--:|--:|";

/// Everything, in the order of a tree's life.
pub fn run(lab: &Lab) {
    println!("{HEAD}");
    let (first, remote) = (lab.env.path("first"), lab.env.path("shared.git"));
    std::fs::create_dir(&first).unwrap();
    step(lab, "init", lab.brv(&first, &["init"]));
    let sample = generate(lab, &first.join(".brv/context-tree"));
    step(lab, "first add of everything", lab.brv(&first, &["vc", "add", "--all"]));
    step(lab, "commit of everything", lab.brv(&first, &["vc", "commit", "--no-gpg-sign", "-m", "all"]));
    bare(lab, &remote);
    let url = remote.to_str().unwrap();
    lab.run(lab.brv(&first, &["vc", "remote", "add", "origin", url]));
    step(lab, "push of everything to a path", lab.brv(&first, &["vc", "push", "-u", "origin", "main"]));
    std::fs::remove_dir_all(&first).unwrap();
    let clone = lab.env.path("clone");
    let target = clone.to_str().unwrap();
    step(lab, "clone, everything derived", lab.brv(lab.env.root(), &["vc", "clone", url, target]));
    sizes(&clone);
    step(lab, "derive --all", lab.brv(&clone, &["derive", "--all"]));
    step(lab, "derive, nothing to do", lab.brv(&clone, &["derive"]));
    daily(lab, &clone, &sample);
    changes(lab, &clone, &sample);
    sizes(&clone);
}

/// Make the tree, and keep the paths of entries from all over it.
fn generate(lab: &Lab, tree: &Path) -> Vec<String> {
    let begun = Instant::now();
    let (mut sample, mut bytes, mut number) = (Vec::new(), 0, 0);
    corpus::each(lab.options.entries, |file| {
        corpus::write_one(&file, tree).unwrap();
        bytes += file.text.len() as u64;
        number += 1;
        if number % (lab.options.entries / (2 * CHANGED)).max(1) == 0 && !file.path.ends_with("context.md") {
            sample.push(file.path);
        }
    });
    let (seconds, size) = (Amount::Seconds(begun.elapsed().as_secs_f64()), Amount::Bytes(bytes));
    println!("| the generator, {number} files, {size} | | {seconds} | |");
    sample
}

/// What reads.
fn daily(lab: &Lab, clone: &Path, sample: &[String]) {
    let entry = sample[sample.len() / 2].as_str();
    let name = entry.rsplit('/').next().unwrap_or_default().trim_end_matches(".md").replace('_', " ");
    let question = format!("What is known about {name}?");
    let rows: [(&str, &[&str]); 14] = [
        ("vc status, the first", &["vc", "status"]),
        ("vc status", &["vc", "status"]),
        ("status", &["status"]),
        ("first query, which makes the index", &["query", &question, "--no-cache"]),
        ("query", &["query", &question, "--no-cache"]),
        ("query --fresh", &["query", &question, "--no-cache", "--fresh"]),
        ("first brain", &["brain"]),
        ("brain", &["brain"]),
        ("prime", &["prime"]),
        ("links of an entry", &["links", entry]),
        ("links --broken", &["links", "--broken"]),
        ("stale", &["stale", "list"]),
        ("check --all", &["vc", "check", "--all", "--fail-on", "never"]),
        ("dream -n", &["dream", "--force", "--dry-run"]),
    ];
    for (row, words) in rows {
        step(lab, row, lab.brv(clone, words));
    }
}

/// What a commit of some entries costs, and its check.
fn changes(lab: &Lab, clone: &Path, sample: &[String]) {
    for (number, path) in sample.iter().take(CHANGED).enumerate() {
        let file = clone.join(".brv/context-tree").join(path);
        let text = std::fs::read(&file).unwrap();
        std::fs::write(&file, corpus::edited(&text, number)).unwrap();
    }
    step(lab, "commit -a of 20 entries", lab.brv(clone, &["vc", "commit", "-a", "-m", "twenty"]));
    step(lab, "push of it", lab.brv(clone, &["vc", "push"]));
    step(lab, "check of it", lab.brv(clone, &["vc", "check", "HEAD", "--fail-on", "never"]));
    step(lab, "show --stat of everything", lab.brv(clone, &["vc", "show", "--stat", "HEAD~1"]));
    step(lab, "log -n 10", lab.brv(clone, &["vc", "log", "-n", "10"]));
}

/// One command, once. One that fails is a row, too: the others go on.
fn step(lab: &Lab, name: &str, mut command: Command) {
    lab.quiet(&mut command);
    let (status, Usage { wall, processor, memory }) = usage::of(&mut command, Watch::LongRun).unwrap();
    let seconds = |seconds| Amount::Seconds(seconds).to_string();
    let (processor, memory) = (processor.map(seconds), memory.map(|bytes| Amount::Bytes(bytes).to_string()));
    let unknown = || "–".to_owned();
    println!(
        "| {name} | {} | {} | {} |",
        processor.unwrap_or_else(unknown),
        seconds(wall),
        memory.unwrap_or_else(unknown)
    );
    if !status.success() {
        println!("{name}: {status}\n{}", lab.errors());
    }
}

/// What a project has on disk beside its entries.
fn sizes(project: &Path) {
    let objects = lab::weight(&project.join(".brv/context-tree/.git/objects"));
    println!("| size of the objects | | | {} |", Amount::Bytes(objects));
    for (name, bytes) in lab::caches(project) {
        println!("| size of .brv/cache/{name} | | | {} |", Amount::Bytes(bytes));
    }
}
