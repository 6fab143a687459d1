//! Many clones that commit and sync to one repository at once: in the end every fact of every writer is in every clone.
//!
//! The full load takes minutes and runs on request: `cargo test --test it clones:: -- --ignored --nocapture`;
//! `BRV_CLONES=12 BRV_EDITS=20` changes its size.

use crate::env::{Env, context};
use crate::servers::{Http, ServerMode};
use brv_commands::vc::sync::{self, Queueing, Relation};
use brv_commands::vc::{clone, commit};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The number of writers and edits.
#[derive(Debug, Clone, Copy)]
struct Load {
    clones: usize,
    edits: usize,
    transport: Transport,
    turns: Queueing,
}

#[derive(Debug, Clone, Copy)]
enum Transport {
    Path,
    Http,
    /// Every other clone uses one transport, the rest the other.
    PathAndHttp,
}

/// The number of entries that all writers share: most edits of two writers meet in one file.
const ENTRIES: usize = 8;

fn entry(number: usize) -> String {
    format!("load/topic_{}/entry_{number}.md", number % 3)
}

fn fact(clone: usize, edit: usize) -> String {
    format!("- **clone {clone} edit {edit}**: was written by {clone} [project]")
}

/// The full load, unless another one is requested.
fn full(transport: Transport, turns: Queueing) -> Load {
    let number = |variable: &str, usual: usize| match std::env::var(variable) {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("{variable} must be a number")),
        Err(_) => usual,
    };
    Load { clones: number("BRV_CLONES", 32), edits: number("BRV_EDITS", 50), transport, turns }
}

/// The results of one writer.
#[derive(Default)]
struct Diary {
    /// The number of attempts of each sync.
    tries: Vec<u32>,
    slowest: Duration,
}

#[test]
fn clones_that_sync_at_once_over_a_path_lose_nothing() {
    run(Load { clones: 6, edits: 10, transport: Transport::Path, turns: Queueing::Ignored });
}

#[test]
fn clones_that_sync_at_once_over_http_lose_nothing() {
    run(Load { clones: 6, edits: 10, transport: Transport::Http, turns: Queueing::Taken });
}

#[test]
#[ignore = "takes minutes: 1,600 syncs"]
fn thirty_two_clones_with_fifty_edits_each_over_a_path_and_over_http_at_once_lose_nothing() {
    run(full(Transport::PathAndHttp, Queueing::Taken));
}

#[test]
#[ignore = "takes minutes: 1,600 syncs"]
fn thirty_two_clones_as_if_each_had_a_machine_of_its_own_lose_nothing() {
    run(full(Transport::Path, Queueing::Ignored));
}

fn run(load: Load) {
    let env = Env::new();
    let remote = env.bare("remote.git");
    let seed = env.path("seed");
    env.git(env.root(), &["init", "-q", "seed"]);
    let text = |number| {
        format!(
            "# Entry {number}\n\nWhat all of them write.\n\n## Facts\n\n- **first**: stood here before [project]\n"
        )
    };
    let files: Vec<(String, String)> = (0..ENTRIES).map(|number| (entry(number), text(number))).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    env.commit(&seed, &files);
    env.git(&seed, &["push", "-q", remote.to_str().unwrap(), "main"]);
    let server = Http::start(env.root(), ServerMode::Open);
    let url = |number: usize| match load.transport {
        Transport::Http => server.url("remote.git"),
        Transport::PathAndHttp if number % 2 == 1 => server.url("remote.git"),
        Transport::Path | Transport::PathAndHttp => remote.to_str().unwrap().to_owned(),
    };
    let trees: Vec<PathBuf> = (0..load.clones).map(|number| cloned(&env, &url(number), number)).collect();
    let begun = Instant::now();
    let diaries: Result<Vec<Diary>, String> = std::thread::scope(|threads| {
        let writers: Vec<_> = trees
            .iter()
            .enumerate()
            .map(|(number, tree)| threads.spawn(move || write(tree, number, load)))
            .collect();
        let diaries: Vec<_> = writers.into_iter().map(|writer| writer.join().unwrap()).collect();
        diaries.into_iter().collect()
    });
    let diaries = diaries.unwrap_or_else(|why| panic!("{why}"));
    tell(load, begun.elapsed(), &diaries);
    let expected: BTreeSet<String> =
        (0..load.clones).flat_map(|clone| (0..load.edits).map(move |edit| fact(clone, edit))).collect();
    let tip = env.git(&remote, &["rev-parse", "main"]);
    for tree in &trees {
        let outcome = sync::run(&context(tree), &sync::Options::default()).unwrap();
        assert!(outcome.sent.is_none(), "everything had arrived");
        assert_eq!(env.git(tree, &["rev-parse", "HEAD"]), tip);
        assert_eq!(env.git(tree, &["status", "--porcelain"]), "");
        let facts = facts(tree);
        let twice: Vec<_> = facts.iter().filter(|(_, times)| **times != 1).collect();
        assert!(twice.is_empty(), "{twice:?}");
        assert!(facts.into_keys().collect::<BTreeSet<_>>() == expected, "in {}", tree.display());
    }
    env.fsck(&remote);
    env.fsck(&trees[0]);
    let ran = env.brv_in(&trees[0], &["derive", "--check"]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    // no writer's commit was rewritten or dropped
    let commits = env.git(&remote, &["rev-list", "--count", "--no-merges", "main"]);
    assert_eq!(commits, (load.clones * load.edits + 1).to_string());
}

fn cloned(env: &Env, url: &str, number: usize) -> PathBuf {
    let project = env.path(format!("clone_{number}"));
    let options = clone::Options {
        url: url.into(),
        folder: Some(project.clone()),
        branch: None,
        depth: clone::Depth::Unchanged,
        branches: clone::Branches::All,
        tags: clone::Tags::Configured,
        remote: "origin".into(),
        derive: clone::Derive::Now,
    };
    clone::run(&context(env.root()), &options).unwrap();
    project.join(".brv/context-tree")
}

/// Commit and sync each edit. Errors are reported in full, since they may happen once in thousands of runs.
fn write(tree: &Path, number: usize, load: Load) -> Result<Diary, String> {
    let mut diary = Diary::default();
    for edit in 0..load.edits {
        let wrong = |what: &dyn Debug| format!("clone {number}, edit {edit}: {what:?}");
        let path = tree.join(entry((number + edit) % ENTRIES));
        let text = std::fs::read_to_string(&path).map_err(|error| wrong(&error))?;
        std::fs::write(&path, format!("{}\n{}\n", text.trim_end(), fact(number, edit)))
            .map_err(|error| wrong(&error))?;
        let options = commit::Options {
            message: vec![format!("clone {number}, edit {edit}")],
            include: commit::Include::AllChanges,
            ..commit::Options::default()
        };
        commit::run(&context(tree), &options).map_err(|error| wrong(&error))?;
        let begun = Instant::now();
        let options = sync::Options { turns: load.turns, ..sync::Options::default() };
        let outcome = sync::run(&context(tree), &options).map_err(|error| wrong(&error))?;
        if outcome.brought.relation == Relation::Conflicted {
            return Err(wrong(&outcome.brought.conflicts));
        }
        diary.tries.push(outcome.tries);
        diary.slowest = diary.slowest.max(begun.elapsed());
    }
    Ok(diary)
}

/// The fact lines of the load in all entries, each with its count.
fn facts(tree: &Path) -> BTreeMap<String, usize> {
    let mut found = BTreeMap::new();
    for number in 0..ENTRIES {
        let text = std::fs::read_to_string(tree.join(entry(number))).unwrap();
        for line in text.lines().filter(|line| line.starts_with("- **clone ")) {
            *found.entry(line.to_owned()).or_default() += 1;
        }
    }
    found
}

fn tell(load: Load, took: Duration, diaries: &[Diary]) {
    let mut tries: Vec<u32> = diaries.iter().flat_map(|diary| diary.tries.iter().copied()).collect();
    tries.sort_unstable();
    let slowest = diaries.iter().map(|diary| diary.slowest).max().unwrap_or_default();
    println!(
        "{load:?}: {} syncs in {:.1} s, {:.0} ms each; tries: median {}, 99 of 100 at most {}, most {}; the longest sync took {:.1} s",
        tries.len(),
        took.as_secs_f64(),
        took.as_secs_f64() * 1000.0 / tries.len() as f64,
        tries[tries.len() / 2],
        tries[tries.len() * 99 / 100],
        tries[tries.len() - 1],
        slowest.as_secs_f64(),
    );
}
