//! The commit: exactly the paths of the operations, whatever else is staged, edited or in progress.

use super::{ENTRY, apply, curated, message, read};
use crate::env::{Env, tree};
use crate::init::{json, write};
use serde_json::json as value;

fn update(statement: &str) -> serde_json::Value {
    value!([{"type": "UPDATE", "path": ENTRY, "reason": "why", "content": {"facts": [{"subject": "lifetime", "statement": statement}]}}])
}

#[test]
fn what_is_staged_stays_staged_and_is_not_committed() {
    let env = curated();
    write(&env, &[("mine/a.md", "# Mine\n"), ("auth/context.md", "# Edited\n")]);
    assert_eq!(env.brv(&["vc", "add", "mine/a.md"]).code, 0);
    let (ran, data) = apply(&env, &update("12 hours"));
    assert_eq!(ran.code, 0, "{data}");
    assert_eq!(env.git(&tree(&env), &["show", "--format=", "--name-only", "HEAD"]), ENTRY);
    assert_eq!(env.git(&tree(&env), &["status", "--porcelain"]), " M auth/context.md\nA  mine/a.md");
    env.fsck(&tree(&env));
}

#[test]
fn a_path_with_uncommitted_changes_is_written_and_left_to_the_user() {
    for stage in [false, true] {
        let env = curated();
        let edited = read(&env, ENTRY).replace("Rotate", "Always rotate");
        write(&env, &[(ENTRY, &edited)]);
        if stage {
            assert_eq!(env.brv(&["vc", "add", ENTRY]).code, 0);
        }
        let mut operations = update("12 hours");
        operations
            .as_array_mut()
            .unwrap()
            .push(value!({"type": "ADD", "path": "a/b", "title": "New", "reason": "other"}));
        let (ran, data) = apply(&env, &operations);
        assert_eq!(ran.code, 0);
        assert_eq!(data["uncommitted"], value!([ENTRY]));
        assert!(json(&ran.stdout)["warnings"][0].as_str().unwrap().contains(ENTRY));
        let text = read(&env, ENTRY);
        assert!(text.contains("Always rotate") && text.contains("12 hours"), "{text}");
        let shown = env.git(&tree(&env), &["show", "--format=", "--name-only", "HEAD"]);
        assert_eq!(shown, "a/b/context.md\na/b/new.md\na/context.md");
        assert!(message(&env).starts_with("other\n"), "N counts what is committed: {}", message(&env));
        let state = if stage { "MM" } else { " M" };
        assert_eq!(env.git(&tree(&env), &["status", "--porcelain"]), format!("{state} {ENTRY}"));
        assert_eq!(env.brv(&["undo"]).code, 0);
        assert_eq!(read(&env, ENTRY), edited);
    }
}

#[test]
fn who_did_it_in_which_session_and_why_is_in_the_history_of_the_fact() {
    let env = curated().with("BRV_ACTOR", "claude").with("BRV_SESSION", "s7");
    let operations = value!([
        {"type": "UPDATE", "path": ENTRY, "reason": "measured in\nproduction", "content": {"facts": [{"subject": "lifetime", "statement": "12 hours"}]}},
        {"type": "ADD", "path": "a/b", "title": "New", "reason": "another reason"},
    ]);
    assert_eq!(apply(&env, &operations).0.code, 0);
    let ran = env.brv(&["vc", "blame", "--fact", "lifetime", ENTRY, "--json"]);
    let text = json(&ran.stdout).to_string();
    for word in ["claude", "s7", "\"reason\":\"measured in production\""] {
        assert!(text.contains(word), "{word}: {text}");
    }
}

#[test]
fn undo_takes_it_back_here_and_on_any_other_clone() {
    let env = curated();
    let remote = env.bare("team.git");
    let tree = tree(&env);
    for arguments in [
        &["vc", "remote", "add", "origin", remote.to_str().unwrap()][..],
        &["vc", "push", "-u", "origin", "main"],
    ] {
        assert_eq!(env.brv(arguments).code, 0);
    }
    let before = read(&env, ENTRY);
    let (_, data) = apply(&env, &update("12 hours"));
    let operation = data["operation"].as_str().unwrap().to_owned();
    assert_eq!(env.brv(&["undo"]).code, 0);
    assert_eq!(read(&env, ENTRY), before);
    assert_eq!(env.brv(&["undo", "last"]).code, 0, "redo");
    assert_eq!(env.brv(&["vc", "push"]).code, 0);
    let other = env.path("other");
    std::fs::create_dir(&other).unwrap();
    assert_eq!(env.brv(&["vc", "clone", remote.to_str().unwrap(), "other"]).code, 0);
    let ran = env.brv_in(&other, &["undo", &operation]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(std::fs::read_to_string(other.join(".brv/context-tree").join(ENTRY)).unwrap(), before);
    assert_eq!(env.git(&tree, &["status", "--porcelain"]), "");
}

#[test]
fn in_a_merge_nothing_is_written() {
    let env = curated();
    let tree = tree(&env);
    env.git(&tree, &["checkout", "-q", "-b", "side"]);
    env.commit(&tree, &[("x.md", "one\n")]);
    env.git(&tree, &["checkout", "-q", "main"]);
    env.commit(&tree, &[("x.md", "two\n")]);
    assert_eq!(env.brv(&["vc", "merge", "side"]).code, 5);
    let before = read(&env, ENTRY);
    let ran = env.brv_reading(&["curate", "--ops", "-", "--json"], update("1 hour").to_string().as_bytes());
    assert_eq!(ran.code, 6, "{}", ran.stdout);
    assert!(json(&ran.stdout)["error"]["hint"].as_str().unwrap().contains("merge --continue"));
    assert_eq!(read(&env, ENTRY), before);
}

#[test]
fn without_an_identity_the_files_are_written_and_staged() {
    let env = curated();
    let env = ["AUTHOR", "COMMITTER"]
        .iter()
        .fold(env, |env, who| env.with(format!("GIT_{who}_NAME"), "").with(format!("GIT_{who}_EMAIL"), ""));
    let (ran, data) = apply(&env, &update("12 hours"));
    assert_eq!(ran.code, 0, "{}", ran.stdout);
    assert!(data["commit"].is_null(), "{data}");
    assert_eq!(data["uncommitted"], value!([ENTRY]));
    assert!(json(&ran.stdout)["warnings"][0].as_str().unwrap().contains("not committed"), "{}", ran.stdout);
    assert_eq!(env.git(&tree(&env), &["status", "--porcelain"]), format!("M  {ENTRY}"));
}

/// `commit.auto: false`.
fn by_hand() -> Env {
    curated().with("BRV_COMMIT_AUTO", "false").with("BRV_ACTOR", "claude").with("BRV_SESSION", "s7")
}

#[test]
fn without_a_commit_of_its_own_the_next_one_says_why() {
    let env = by_hand();
    let head = env.git(&tree(&env), &["rev-parse", "HEAD"]);
    for statement in ["12 hours", "6 hours"] {
        let mut operations = update(statement);
        operations[0]["reason"] = value!(format!("now {statement}"));
        assert_eq!(apply(&env, &operations).0.code, 0);
    }
    let (_, data) = apply(&env, &value!([{"type": "DELETE", "path": ENTRY, "reason": "never mind"}]));
    assert_eq!(data["uncommitted"], value!(["auth/context.md", "auth/tokens/context.md", ENTRY]));
    assert_eq!(env.brv(&["undo"]).code, 0);
    assert_eq!(env.git(&tree(&env), &["rev-parse", "HEAD"]), head);
    let person = env.with("BRV_ACTOR", "").with("BRV_SESSION", "");
    assert_eq!(person.brv(&["vc", "commit", "-m", "by hand"]).code, 0);
    let message = message(&person);
    assert!(
        message.contains("\nBrv-Op: ") && message.contains("\nBrv-Actor: claude\nBrv-Session: s7\n"),
        "{message}"
    );
    assert!(message.contains(&format!("\nBrv-Reason: {ENTRY}: now 12 hours; now 6 hours")), "{message}");
    assert!(!message.contains("never mind"), "{message}");
}

#[test]
fn in_a_folder_of_a_bigger_repository_nothing_is_committed() {
    let env = Env::new();
    env.git(env.root(), &["init", "-q"]);
    env.commit(env.root(), &[("main.c", "int main;\n")]);
    assert_eq!(env.brv(&["init", "-q", "--in-repo"]).code, 0);
    let head = env.git(env.root(), &["rev-parse", "HEAD"]);
    let (ran, data) =
        apply(&env, &value!([{"type": "ADD", "path": "a/b", "title": "New", "reason": "so it is"}]));
    assert_eq!(ran.code, 0, "{}", ran.stdout);
    assert!(data["commit"].is_null() && data["operation"].is_string(), "{data}");
    assert_eq!(data["uncommitted"].as_array().unwrap().len(), 3);
    assert_eq!(env.git(env.root(), &["rev-parse", "HEAD"]), head);
    assert_eq!(env.git(env.root(), &["diff", "--cached", "--name-only", "--", ".brv/context-tree/a"]), "");
    assert!(env.path(".brv/context-tree/a/b/new.md").exists());
    assert_eq!(env.brv(&["undo"]).code, 0);
    assert!(!env.path(".brv/context-tree/a").exists());
}
