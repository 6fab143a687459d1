//! `brv vc revert`: commits reverted by new ones, compared with git where git can, and by meaning where it cannot.

use crate::env::{Env, tree};
use crate::init::{json, project, write};

fn entry(title: &str, facts: &[&str]) -> String {
    let facts: String = facts.iter().map(|fact| format!("- {fact}\n")).collect();
    format!("---\ntitle: {title}\n---\n\n## Facts\n\n{facts}")
}

/// Five commits: an entry is added, changed, another is renamed, one deleted, one changed in a merge.
fn history() -> Env {
    let env = project(&[]);
    let tree = tree(&env);
    let commit = |files: &[(&str, &str)]| env.commit(&tree, files);
    commit(&[
        ("a.md", &entry("A", &["**ttl**: 12 hours"])),
        ("b.md", "# B\n\ntext\n"),
        ("gone.md", "gone\n"),
    ]);
    commit(&[("a.md", &entry("A", &["**ttl**: 24 hours"]))]);
    env.git(&tree, &["mv", "b.md", "moved.md"]);
    commit(&[]);
    env.git(&tree, &["rm", "-q", "gone.md"]);
    commit(&[]);
    env.git(&tree, &["checkout", "-q", "-b", "side", "HEAD~1"]);
    commit(&[("side.md", "side\n")]);
    env.git(&tree, &["checkout", "-q", "main"]);
    env.git(&tree, &["merge", "-q", "--no-edit", "side"]);
    env
}

fn state(env: &Env) -> [String; 4] {
    let git = |arguments: &[&str]| env.git(&tree(env), arguments);
    [
        git(&["ls-files", "-s"]),
        git(&["status", "--porcelain"]),
        git(&["log", "--format=%T %an %s%n%b", "-12"]),
        git(&["symbolic-ref", "HEAD"]),
    ]
}

#[test]
fn what_git_takes_back_brv_takes_back_to_the_same_commits() {
    let env = history();
    let ids = env.git(&tree(&env), &["rev-list", "--first-parent", "HEAD"]);
    let ids: Vec<&str> = ids.lines().collect();
    let [merge, removal, renaming, change, ..] = ids[..] else { panic!("{ids:?}") };
    for arguments in [
        vec![removal],
        vec![renaming],
        vec![change],
        vec!["-m", "1", merge],
        vec!["-m", "2", merge],
        vec![removal, renaming],
        vec!["--no-commit", change, removal],
    ] {
        let (ours, gits) = (history(), history());
        let ran = ours.brv(&[&["vc", "revert"], &arguments[..]].concat());
        assert_eq!(ran.code, 0, "{arguments:?}: {}", ran.stderr);
        let edit = if arguments[0] == "--no-commit" { "--no-commit" } else { "--no-edit" };
        gits.git(&tree(&gits), &[&["revert", edit], &arguments[..]].concat());
        assert_eq!(state(&ours), state(&gits), "{arguments:?}");
        ours.fsck(&tree(&ours));
    }
}

#[test]
fn a_revert_of_a_revert_brings_it_back() {
    let env = history();
    let before = env.git(&tree(&env), &["rev-parse", "HEAD^{tree}"]);
    for _ in 0..2 {
        assert_eq!(env.brv(&["vc", "revert", "HEAD", "-m", "1"]).code, 0);
        let ran = env.brv(&["vc", "revert", "HEAD"]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        assert_eq!(env.git(&tree(&env), &["rev-parse", "HEAD^{tree}"]), before);
        assert!(env.git(&tree(&env), &["log", "-1", "--format=%s"]).starts_with("Reapply \"Merge"));
        env.git(&tree(&env), &["reset", "-q", "--hard", "HEAD~2"]);
    }
}

#[test]
fn what_was_written_since_stays() {
    let env = history();
    let tree = tree(&env);
    let later = entry("A", &["**ttl**: 24 hours", "**owner**: the platform team"]);
    env.commit(&tree, &[("a.md", &later)]);
    write(&env, &[("moved.md", "edited and not recorded\n")]);
    let change = env.git(&tree, &["log", "--format=%H", "--reverse", "--", "a.md"]);
    let ran = env.brv(&["vc", "revert", change.lines().nth(1).unwrap()]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let text = std::fs::read_to_string(tree.join("a.md")).unwrap();
    assert_eq!(text, entry("A", &["**ttl**: 12 hours", "**owner**: the platform team"]));
    assert_eq!(env.git(&tree, &["status", "--porcelain"]), " M moved.md");
}

#[test]
fn a_conflict_is_told_and_nothing_is_written_unless_it_is_decided_beforehand() {
    let env = history();
    let tree = tree(&env);
    env.commit(&tree, &[("a.md", &entry("A", &["**ttl**: 48 hours"]))]);
    let change = env.git(&tree, &["log", "--format=%H", "--reverse", "--", "a.md"]);
    let change = change.lines().nth(1).unwrap();
    let before = state(&env);
    let ran = env.brv(&["vc", "revert", change, "--json"]);
    assert_eq!(ran.code, 5, "{}", ran.stdout);
    let data = json(&ran.stdout)["data"].clone();
    assert_eq!(data["conflicts"][0]["path"], "a.md");
    assert!(data.get("operation").is_none());
    assert_eq!(state(&env), before);
    let ran = env.brv(&["vc", "revert", change, "--on-conflict", "theirs"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(std::fs::read_to_string(tree.join("a.md")).unwrap(), entry("A", &["**ttl**: 12 hours"]));
}

#[test]
fn what_cannot_be_taken_back_is_refused_and_changes_nothing() {
    let env = history();
    let before = state(&env);
    for (arguments, code, word) in [
        (vec!["HEAD"], 2, "is a merge"),
        (vec!["-m", "3", "HEAD"], 2, "no parent 3"),
        (vec!["-m", "1", "HEAD~1"], 2, ""),
        (vec!["absent"], 2, "absent"),
        (vec!["HEAD...side"], 2, "cannot revert"),
    ] {
        let ran = env.brv(&[&["vc", "revert"], &arguments[..]].concat());
        let is_plain = arguments == ["-m", "1", "HEAD~1"];
        assert_eq!(ran.code, if is_plain { 0 } else { code }, "{arguments:?}: {}", ran.stderr);
        assert!(ran.stderr.contains(word), "{}", ran.stderr);
        if is_plain {
            env.git(&tree(&env), &["reset", "-q", "--hard", "HEAD~1"]);
        }
        assert_eq!(state(&env), before, "{arguments:?}");
    }
    write(&env, &[("new.md", "staged\n")]);
    env.git(&tree(&env), &["add", "new.md"]);
    let ran = env.brv(&["vc", "revert", "HEAD~1"]);
    assert_eq!((ran.code, ran.stderr.contains("new.md")), (6, true), "{}", ran.stderr);
}

#[test]
fn a_binary_file_is_shown_as_one_and_counts_no_lines() {
    let env = project(&[]);
    env.commit(&tree(&env), &[("logo.bin", "a\0b\n"), ("text.md", "text\n")]);
    env.commit(&tree(&env), &[("logo.bin", "a\0c\nd\n"), ("text.md", "other text\n")]);
    let ran = env.brv(&["vc", "revert", "HEAD", "--json"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let files = json(&ran.stdout)["data"]["files"].clone();
    let told =
        |at: usize| (files[at]["path"].clone(), files[at]["binary"].clone(), files[at]["added"].clone());
    assert_eq!(told(0), ("logo.bin".into(), true.into(), 0.into()), "{files}");
    assert_eq!((told(1).0, told(1).2), ("text.md".into(), 1.into()), "{files}");
    let shown = env.brv(&["op", "show"]).stdout;
    assert!(shown.contains(" logo.bin | Bin\n text.md  |   2 +-\n"), "{shown}");
    let listed = env.brv(&["vc", "show", "HEAD", "--stat"]).stdout;
    assert!(listed.contains(" logo.bin | Bin\n text.md  |   2 +-\n"), "{listed}");
    let listed = env.brv(&["vc", "show", "HEAD", "--stat", "--json"]).stdout;
    assert_eq!(json(&listed)["data"]["files"], files, "the same files as the revert told");
}
