//! Every way in which git makes commits: each commit has the expected outcome, none has two, none is lost.

use super::{Code, message};
use std::collections::BTreeMap;

fn expected(all: &[(&str, &[&str])]) -> BTreeMap<String, Vec<String>> {
    all.iter()
        .map(|(word, outcomes)| ((*word).to_owned(), outcomes.iter().map(|one| (*one).to_owned()).collect()))
        .collect()
}

const CURATED: &[&str] = &["curated"];
const NOTHING: &[&str] = &["declined: no text"];

#[test]
fn commits_in_all_forms() {
    let code = Code::new();
    code.state("plain");
    code.write("start", "1\n");
    code.git(&["commit", "-qa", "-m", &message("all")]);
    code.write("start", "2\n");
    code.git(&["commit", "-qa", "--no-verify", "-m", &message("unverified")]);
    code.commit("quiet");
    code.state("amended");
    code.settle();
    code.write("amended", "other\n");
    code.git(&["commit", "-qa", "--amend", "--no-edit"]);
    let all = expected(&[
        ("all", CURATED),
        ("amended", &["replaced", "curated"]),
        ("plain", CURATED),
        ("quiet", NOTHING),
        ("unverified", CURATED),
    ]);
    assert_eq!(code.outcomes(), all);
    // nothing of it is a commit of the code
    assert_eq!(code.git(&["rev-list", "--count", "HEAD"]), "6");
    assert_eq!(code.git(&["status", "--porcelain"]), "");
}

#[test]
fn an_amend_before_the_worker_came_has_one_outcome_for_each_side() {
    let code = Code::new();
    code.state("first");
    code.git(&["commit", "-q", "--amend", "-m", &message("second")]);
    let outcomes = code.outcomes();
    assert_eq!(outcomes["first"], ["replaced"]);
    assert_eq!(outcomes["second"], CURATED);
}

#[test]
fn merges_and_pulls() {
    let code = Code::new();
    code.git(&["checkout", "-q", "-b", "topic"]);
    code.state("topic");
    code.git(&["checkout", "-q", "main"]);
    code.state("trunk");
    code.git(&["merge", "-q", "--no-ff", "-m", "joined", "topic"]);
    // one that a person ends
    code.git(&["checkout", "-q", "-b", "clash", "HEAD~1"]);
    code.write("topic", "clash\n");
    code.git(&["add", "."]);
    code.git(&["commit", "-q", "-m", "clash"]);
    assert_ne!(code.env.try_git(&code.path, &["merge", "-q", "main"]).code, 0);
    code.git(&["add", "."]);
    code.git(&["commit", "-q", "-m", "ended"]);
    // what others made is theirs
    let other = code.env.path("other");
    code.env.git(code.env.root(), &["clone", "-q", code.path.to_str().unwrap(), "other"]);
    code.env.git(&other, &["commit", "-q", "--allow-empty", "-m", &message("theirs")]);
    code.git(&["remote", "add", "other", other.to_str().unwrap()]);
    code.git(&["pull", "-q", "--ff-only", "other", "clash"]);
    let all = expected(&[
        ("clash", NOTHING),
        ("ended", &["declined: merge"]),
        ("topic", CURATED),
        ("trunk", CURATED),
    ]);
    assert_eq!(code.outcomes(), all);
}

#[test]
fn pull_with_rebase_takes_only_what_is_ours_and_once() {
    let code = Code::new();
    let other = code.env.path("other");
    code.env.git(code.env.root(), &["clone", "-q", code.path.to_str().unwrap(), "other"]);
    code.env.git(&other, &["commit", "-q", "--allow-empty", "-m", &message("theirs")]);
    code.state("ours");
    code.settle();
    code.git(&["pull", "-q", "--rebase", other.to_str().unwrap(), "main"]);
    assert_eq!(code.outcomes(), expected(&[("ours", &["replaced", "curated"])]));
    assert_eq!(code.facts("ours").len(), 1);
}

/// A branch of three commits, and a trunk that moved.
fn branched() -> Code {
    let code = Code::new();
    code.git(&["checkout", "-q", "-b", "topic"]);
    ["one", "two", "three"].iter().for_each(|name| drop(code.state(name)));
    code.git(&["checkout", "-q", "main"]);
    code.state("trunk");
    code.git(&["checkout", "-q", "topic"]);
    code.settle();
    code
}

#[test]
fn both_backends_of_rebase() {
    for backend in ["--merge", "--apply"] {
        let code = branched();
        code.git(&["rebase", "-q", backend, "main"]);
        let twice: &[&str] = &["replaced", "curated"];
        let all = expected(&[("one", twice), ("three", twice), ("trunk", CURATED), ("two", twice)]);
        assert_eq!(code.outcomes(), all, "{backend}");
        assert_eq!(code.facts("one"), ["holds one [project]"], "{backend}");
        let (standing, by) = code.source("code/code.md", "one");
        assert_eq!((standing, by.as_str()), (Some(code.git(&["rev-parse", "HEAD~2"])), "map"), "{backend}");
    }
}

#[test]
fn an_interactive_squash() {
    let code = branched();
    code.git(&[
        "-c",
        "sequence.editor=sed -i -e '2,$s/^pick/squash/'",
        "-c",
        "core.editor=true",
        "rebase",
        "-q",
        "-i",
        "main",
    ]);
    let outcomes = code.outcomes();
    assert_eq!(outcomes["two"], ["replaced"]);
    assert_eq!(outcomes["three"], ["replaced"]);
    assert_eq!(outcomes["one"][0], "replaced");
    assert_eq!(outcomes["one"].len(), 2, "{outcomes:?}");
    let head = code.head();
    for name in ["one", "two", "three"] {
        let (standing, by) = code.source("code/code.md", name);
        assert_eq!((standing.as_deref(), by.as_str()), (Some(head.as_str()), "map"), "{name}");
    }
}

#[test]
fn a_rebase_that_stops_tells_nothing_until_it_ends() {
    let code = branched();
    code.write("start", "clash\n");
    code.git(&["commit", "-qa", "-m", &message("clash")]);
    code.git(&["checkout", "-q", "main"]);
    code.write("start", "trunk\n");
    code.git(&["commit", "-qa", "-m", "moved"]);
    code.git(&["checkout", "-q", "topic"]);
    code.settle();
    assert_ne!(code.env.try_git(&code.path, &["rebase", "-q", "main"]).code, 0);
    let before = code.settle().len();
    code.write("start", "both\n");
    code.git(&["add", "."]);
    assert_eq!(code.settle().len(), before);
    code.git(&["-c", "core.editor=true", "rebase", "--continue"]);
    assert_eq!(code.outcomes()["clash"], ["replaced", "curated"]);
}

#[test]
fn a_squash_merge_is_declined_and_stands_for_its_branch() {
    let code = branched();
    code.git(&["checkout", "-q", "main"]);
    code.git(&["merge", "-q", "--squash", "topic"]);
    code.git(&["commit", "-q", "--no-edit"]);
    code.git(&["branch", "-q", "-D", "topic"]);
    let outcomes = code.outcomes();
    assert_eq!(outcomes["Squashed"], ["declined: the commits of its branch said so already"]);
    let (standing, by) = code.source("code/code.md", "two");
    assert_eq!((standing, by.as_str()), (Some(code.head()), "squash"));
}

#[test]
fn picked_reverted_and_mailed_commits() {
    let code = Code::new();
    code.git(&["checkout", "-q", "-b", "topic"]);
    let picked = code.state("picked");
    let mailed = code.state("mailed");
    let patch = code.env.path("patch");
    let text = code.git(&["format-patch", "--stdout", "-1", &mailed]);
    std::fs::write(&patch, format!("{text}\n")).unwrap();
    code.settle();
    code.git(&["checkout", "-q", "main"]);
    code.commit("moved");
    code.git(&["cherry-pick", &picked]);
    code.git(&["revert", "--no-edit", "HEAD"]);
    code.git(&["am", "-q", patch.to_str().unwrap()]);
    let outcomes = code.outcomes();
    let same = |id: &str| format!("declined: the same change as {id}");
    assert_eq!(outcomes["picked"], ["curated".to_owned(), same(&picked)]);
    assert_eq!(outcomes["mailed"], ["curated".to_owned(), same(&mailed)]);
    assert_eq!(outcomes["Revert"].len(), 1);
    assert_eq!(code.facts("picked").len(), 1);
    // the branch goes, and what was picked stands for it
    code.git(&["branch", "-q", "-D", "topic"]);
    let (standing, by) = code.source("code/code.md", "mailed");
    assert_eq!((standing, by.as_str()), (Some(code.head()), "patch"));
}

#[test]
fn stash_switch_and_reset_make_nothing() {
    let code = Code::new();
    code.write("start", "1\n");
    code.git(&["stash", "-q"]);
    code.git(&["stash", "pop", "-q"]);
    code.git(&["checkout", "-q", "."]);
    code.git(&["switch", "-q", "-c", "topic"]);
    code.git(&["switch", "-q", "main"]);
    code.git(&["reset", "-q", "--hard", "topic"]);
    assert!(code.outcomes().is_empty());
}

#[test]
fn a_linked_work_tree_feeds_the_same_tree() {
    let code = Code::new();
    let linked = code.env.path("linked");
    code.git(&["worktree", "add", "-q", "-b", "side", linked.to_str().unwrap()]);
    code.env.git(&linked, &["commit", "-q", "--allow-empty", "-m", &message("side")]);
    let mail = code.env.git(&linked, &["commit", "-q", "--allow-empty", "-m", &message("aside")]);
    drop(mail);
    let jobs = code.settle();
    let branches: Vec<_> = jobs.iter().map(|job| job["branch"].as_str().unwrap()).collect();
    assert_eq!(branches, ["side", "side"]);
    assert_eq!(code.outcomes(), expected(&[("aside", CURATED), ("side", CURATED)]));
    assert_eq!(code.facts("side").len(), 1);
}

#[test]
fn a_rebase_that_stops_for_an_edit_names_what_each_commit_became() {
    let code = Code::new();
    code.state("first");
    code.settle();
    let edit = "sequence.editor=sed -i -e 's/^pick/edit/'";
    code.git(&["-c", edit, "rebase", "-q", "-i", "HEAD~1"]);
    code.git(&["commit", "-q", "--amend", "-m", "second is done\n\nFact: first: holds more"]);
    let amended = code.head();
    code.commit("extra");
    code.git(&["rebase", "--continue"]);
    let outcomes = code.outcomes();
    assert_eq!(
        (&outcomes["first"][0], &outcomes["second"][0]),
        (&"replaced".into(), &"curated".into()),
        "{outcomes:?}"
    );
    assert_eq!(outcomes["extra"], NOTHING);
    assert_eq!(code.facts("first"), ["holds more [project]"]);
    let (standing, _) = code.source("code/code.md", "first");
    assert_eq!(standing, Some(amended));
}

#[test]
fn what_a_rebase_left_as_it_was_is_not_replaced() {
    let code = Code::new();
    code.state("first");
    code.settle();
    code.git(&["-c", "sequence.editor=sed -i -e 's/^pick/edit/'", "rebase", "-q", "-i", "HEAD~1"]);
    code.commit("extra");
    code.git(&["rebase", "--continue"]);
    let outcomes = code.outcomes();
    assert_eq!(
        (&outcomes["first"][..], &outcomes["extra"][..]),
        (&["curated".to_owned()][..], &[NOTHING[0].to_owned()][..])
    );
}
