//! What is said to help where a command could not do what was asked.

use crate::env::Env;
use crate::init::{commit, project};

/// A tree with one commit, pushed to a remote.
fn shared() -> Env {
    let env = project(&[("a.md", "a\n")]);
    commit(&env, "first");
    let bare = env.bare("team.git");
    let tree = env.path(".brv/context-tree");
    env.git(&tree, &["remote", "add", "origin", bare.to_str().unwrap()]);
    said(&env, 0, &["vc", "push", "-u", "origin", "main"]);
    env
}

/// Standard error of a run that ends with `code`.
fn said(env: &Env, code: i32, arguments: &[&str]) -> String {
    let ran = env.brv(arguments);
    assert_eq!(ran.code, code, "{arguments:?}\n{}{}", ran.stdout, ran.stderr);
    ran.stderr
}

#[test]
fn where_head_is_on_no_branch_or_has_no_commit_the_way_on_is_named() {
    let env = shared();
    env.git(&env.path(".brv/context-tree"), &["checkout", "-q", "--detach"]);
    assert!(said(&env, 2, &["vc", "pull"]).contains("hint: `git switch NAME`"));
    assert!(said(&env, 2, &["vc", "push"]).contains("hint: name what is pushed"));
    let unborn = project(&[]);
    assert!(said(&unborn, 2, &["vc", "show"]).contains("hint: `brv vc commit -m MSG`"));
}

#[test]
fn a_slip_in_a_schema_or_a_branch_to_delete_is_answered_with_what_was_meant() {
    let env = shared();
    assert!(said(&env, 2, &["schema", "brv.vc.psh"]).contains("`vc push`"));
    assert!(said(&env, 2, &["schema", "brv.vc.psh/1"]).contains("`vc push`"));
    let told = said(&env, 9, &["vc", "push", "--delete", "origin", "mian"]);
    assert!(told.contains("did you mean `main`?"), "{told}");
    let told = said(&env, 9, &["vc", "push", "--delete", "origin", "zebra"]);
    assert!(told.contains("fetch --prune"), "{told}");
}

#[test]
fn a_rejection_says_whether_the_commits_that_are_missing_are_here() {
    let env = shared();
    let tree = env.path(".brv/context-tree");
    env.git(env.root(), &["clone", "-q", "team.git", "mate"]);
    env.commit(&env.path("mate"), &[("b.md", "b\n")]);
    env.git(&env.path("mate"), &["push", "-q", "origin", "main"]);
    env.commit(&tree, &[("c.md", "c\n")]);
    let told = said(&env, 6, &["vc", "push"]);
    assert!(told.contains("(fetch first)") && told.contains("that are not here"), "{told}");
    said(&env, 0, &["vc", "fetch"]);
    let told = said(&env, 6, &["vc", "push"]);
    assert!(told.contains("(non-fast-forward)") && !told.contains("not here"), "{told}");
    assert!(told.contains("`brv vc pull` merges them"), "{told}");
}
