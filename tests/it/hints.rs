//! The hints that are printed when a command fails.

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

/// The standard error of a run that ends with `code`.
fn said(env: &Env, code: i32, arguments: &[&str]) -> String {
    let ran = env.brv(arguments);
    assert_eq!(ran.code, code, "{arguments:?}\n{}{}", ran.stdout, ran.stderr);
    ran.stderr
}

#[test]
fn where_head_is_on_no_branch_or_has_no_commit_the_way_on_is_named() {
    let env = shared();
    env.git(&env.path(".brv/context-tree"), &["checkout", "-q", "--detach"]);
    assert!(said(&env, 2, &["vc", "pull"]).contains("hint: switch to a branch with `git switch NAME`"));
    assert!(said(&env, 2, &["vc", "push"]).contains("hint: name what to push"));
    let unborn = project(&[]);
    assert!(
        said(&unborn, 2, &["vc", "show"])
            .contains("hint: create the first commit with `brv vc commit -m MSG`")
    );
}

#[test]
fn a_slip_in_a_schema_or_a_branch_to_delete_is_answered_with_what_was_meant() {
    let env = shared();
    assert!(said(&env, 2, &["schema", "brv.vc.psh"]).contains("`vc push`"));
    assert!(said(&env, 2, &["schema", "brv.vc.psh/1"]).contains("`vc push`"));
    let told = said(&env, 2, &["vc", "push", "--delete", "origin", "mian"]);
    assert!(told.contains("did you mean `main`?"), "{told}");
    let told = said(&env, 2, &["vc", "push", "--delete", "origin", "zebra"]);
    assert!(told.contains("fetch --prune"), "{told}");
}

#[test]
fn a_remote_that_exists_names_the_command_that_changes_its_address() {
    let added = said(&shared(), 2, &["vc", "remote", "add", "origin", "../other.git"]);
    assert!(added.contains("hint: `brv vc remote set-url` changes its URL"), "{added}");
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

#[test]
fn wrong_numbers_and_flags_are_told_in_plain_words() {
    let env = project(&[]);
    for arguments in [
        &["vc", "fetch", "--depth", "x"][..],
        &["vc", "fetch", "--depth", "0"],
        &["vc", "fetch", "--deepen", "0"],
        &["vc", "clone", "--depth", "-1", "x"],
        &["tree", "--depth", "0"],
        &["vc", "log", "--skip", "x"],
        &["vc", "log", "-n", "x"],
    ] {
        let told = said(&env, 2, arguments);
        assert!(told.contains(": must be a number"), "{arguments:?}: {told}");
    }
    for arguments in [&["vc", "push", "--forse"][..], &["vc", "push", "origin", "--forc-with-lease"]] {
        let told = said(&env, 2, arguments);
        assert!(told.contains("\nhint: ") && told.contains("--force"), "{told}");
        assert!(!told.contains("tip:") && !told.contains("brv vc push --"), "{told}");
        assert!(told.contains("Usage: brv vc push [OPTIONS] [REMOTE] [REFSPEC]..."), "{told}");
    }
}

#[test]
fn a_setting_that_is_nearly_a_known_one_is_stored_with_a_word() {
    let env = project(&[]);
    let told = said(&env, 0, &["vc", "config", "user.nmae", "x"]);
    assert_eq!(told, "warning: `user.nmae` is set; did you mean `user.name`?\n");
    assert_eq!(env.git(&env.path(".brv/context-tree"), &["config", "user.nmae"]), "x");
    for key in
        ["user.name", "http.proxyAuthMethod", "http.sslVersion", "core.editor", "own.setting", "pull.octopus"]
    {
        assert_eq!(said(&env, 0, &["vc", "config", key, "x"]), "", "{key}");
    }
}

#[test]
fn a_push_of_a_branch_that_tracks_nothing_names_the_command_that_does_it() {
    let env = project(&[("a.md", "a\n")]);
    commit(&env, "first");
    let (bare, tree) = (env.bare("team.git"), env.path(".brv/context-tree"));
    env.git(&tree, &["remote", "add", "hub", bare.to_str().unwrap()]);
    env.git(&tree, &["checkout", "-q", "-b", "it's"]);
    let told = said(&env, 2, &["vc", "push"]);
    assert!(
        told.contains(r"hint: push it and set its upstream with `brv vc push -u hub 'it'\''s'`"),
        "{told}"
    );
    env.git(&tree, &["checkout", "-q", "main"]);
    let told = said(&env, 2, &["vc", "push"]);
    let command = told.split('`').find(|part| part.starts_with("brv vc push")).unwrap().to_owned();
    let words: Vec<&str> = command.split(' ').skip(1).collect();
    said(&env, 0, &words);
    assert_eq!(env.git(&tree, &["rev-parse", "--abbrev-ref", "main@{upstream}"]), "hub/main");
}

#[test]
fn what_brv_leaves_to_git_is_answered_with_how_git_does_it() {
    let env = project(&[("a.md", "a\n")]);
    commit(&env, "first");
    for verb in ["stash", "cherry-pick", "rebase", "reflog", "grep", "clean"] {
        let told = said(&env, 2, &["vc", verb, "-x", "more"]);
        let [error, hint] = told.lines().collect::<Vec<_>>()[..] else { panic!("{told}") };
        assert_eq!(error, format!("error: brv has no `{verb}`: use git for that"));
        assert!(hint.contains(&format!("`git -C .brv/context-tree {verb}")), "{hint}");
        let ran = env.brv(&["vc", verb, "--json"]);
        let told = crate::init::json(&ran.stdout);
        assert_eq!((ran.code, told["error"]["code"].as_str()), (2, Some("usage")), "{told}");
        assert!(told["error"]["hint"].as_str().unwrap().contains(&format!("context-tree {verb}")), "{told}");
    }
    let told = env.brv_in(&env.path(".brv/context-tree"), &["vc", "stash"]).stderr;
    assert!(told.contains("`git -C . stash`"), "{told}");
    let told = env.brv_in(&env.path("home"), &["-C", "..", "vc", "stash"]).stderr;
    assert!(told.contains("/.brv/context-tree stash`"), "{told}");
    assert!(said(&env, 2, &["stash"]).contains("brv has no `stash`: use git for that"));
    assert!(said(&env, 2, &["vc", "statsh"]).contains("did you mean `brv vc status`?"));
}
