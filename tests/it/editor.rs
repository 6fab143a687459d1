//! Commit messages written in an editor on a terminal.

use crate::env::Env;
use crate::init::{commit, project, write};
use crate::terminal::on_terminal;

fn staged() -> Env {
    let env = project(&[("a.md", "a\n"), ("b.md", "b\n")]);
    commit(&env, "first");
    write(&env, &[("a.md", "changed\n"), ("b.md", "draft\n")]);
    assert_eq!(env.brv(&["vc", "add", "a.md"]).code, 0);
    env
}

fn log(env: &Env) -> String {
    env.git(&env.path(".brv/context-tree"), &["log", "--format=%B"])
}

/// An editor that prints its input and runs a script on it.
fn editor(env: Env, variable: &str, script: &str) -> Env {
    let file = env.path("editor");
    std::fs::write(&file, format!("#!/bin/sh\nsed s/^/given:/ \"$1\"\n{script}\n")).unwrap();
    std::fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let file = file.to_str().unwrap().to_owned();
    env.with(variable, file)
}

#[test]
fn the_message_comes_from_the_editor_without_its_comments() {
    let env =
        editor(staged(), "VISUAL", "printf '\nsubject  \n# no\n\n\nbody\n' | cat - \"$1\" > x; mv x \"$1\"");
    let env = env.with("EDITOR", "false");
    let Some(ran) = on_terminal(&env, 80, &["vc", "commit"]) else { return };
    assert_eq!(ran.code, 0, "{}", ran.stdout);
    assert_eq!(log(&env), "subject\n\nbody\n\nfirst");
    for part in ["given:# On branch main", "given:#   modified: a.md", "an empty message aborts"] {
        assert!(ran.stdout.contains(part), "{part}: {}", ran.stdout);
    }
    assert!(!ran.stdout.contains("b.md"), "it is not staged: {}", ran.stdout);
}

#[test]
fn an_editor_that_fails_or_leaves_nothing_ends_without_a_commit() {
    for (script, code, words) in [
        (":", 2, "empty commit message"),
        ("printf '# only\n  \n' > \"$1\"", 2, "empty commit message"),
        ("exit 3", 1, "ended with an error"),
    ] {
        let env = editor(staged(), "GIT_EDITOR", script);
        let Some(ran) = on_terminal(&env, 80, &["vc", "commit"]) else { return };
        assert_eq!(ran.code, code, "{script}: {}", ran.stdout);
        assert!(ran.stdout.contains(words), "{}", ran.stdout);
        assert_eq!(log(&env), "first");
    }
    let env = staged().with("GIT_EDITOR", "/nowhere/editor");
    let ran = on_terminal(&env, 80, &["vc", "commit"]).unwrap();
    assert_eq!((ran.code, ran.stdout.contains("/nowhere/editor")), (1, true), "{}", ran.stdout);
}

#[test]
fn no_editor_opens_for_nothing_for_programs_or_with_a_message() {
    let env = editor(staged(), "GIT_EDITOR", "echo by-editor > \"$1\"");
    let Some(ran) = on_terminal(&env, 80, &["vc", "commit", "--json"]) else { return };
    assert_eq!(ran.code, 2, "{}", ran.stdout);
    assert_eq!(env.brv(&["vc", "commit"]).code, 2);
    for arguments in [&["vc", "commit", "-m", "second"][..], &["vc", "commit", "--amend", "--no-edit"]] {
        let ran = on_terminal(&env, 80, arguments).unwrap();
        assert_eq!((ran.code, ran.stdout.contains("given:")), (0, false), "{arguments:?}: {}", ran.stdout);
    }
    let ran = on_terminal(&env, 80, &["vc", "commit"]).unwrap();
    assert_eq!((ran.code, ran.stdout.contains("given:")), (1, false), "{}", ran.stdout);
    assert!(ran.stdout.contains("nothing staged to commit"), "{}", ran.stdout);
    assert_eq!(log(&env), "second\n\nfirst");
}

#[test]
fn an_amended_commit_begins_with_its_own_message_whatever_its_lines_begin_with() {
    let env = editor(staged(), "GIT_EDITOR", "echo more >> \"$1\"");
    let tree = env.path(".brv/context-tree");
    env.git(&tree, &["commit", "-q", "--amend", "--cleanup=verbatim", "-m", "#1 is fixed"]);
    let Some(ran) = on_terminal(&env, 80, &["vc", "commit", "--amend"]) else { return };
    assert_eq!(ran.code, 0, "{}", ran.stdout);
    assert_eq!(log(&env), "#1 is fixed\n\nmore");
}

#[test]
fn a_commit_that_somebody_made_meanwhile_is_not_replaced() {
    let env =
        editor(staged(), "GIT_EDITOR", "git -C .brv/context-tree commit -q -m meanwhile; echo mine > \"$1\"");
    let Some(ran) = on_terminal(&env, 80, &["vc", "commit", "--amend"]) else { return };
    assert_eq!(ran.code, 6, "{}", ran.stdout);
    assert_eq!(log(&env), "meanwhile\n\nfirst");
    let kept = std::fs::read_to_string(env.path(".brv/context-tree/.git/COMMIT_EDITMSG")).unwrap();
    assert_eq!(kept, "mine\n", "the message is not lost");
}

#[test]
fn a_merge_is_ended_with_its_message_in_the_editor() {
    let env = editor(staged(), "GIT_EDITOR", ":");
    let tree = env.path(".brv/context-tree");
    env.git(&tree, &["stash", "-q"]);
    env.git(&tree, &["checkout", "-q", "-b", "topic"]);
    env.commit(&tree, &[("a.md", "topic\n")]);
    env.git(&tree, &["checkout", "-q", "main"]);
    env.commit(&tree, &[("a.md", "main\n")]);
    assert_eq!(env.brv(&["vc", "merge", "topic"]).code, 5);
    let Some(ran) = on_terminal(&env, 80, &["vc", "merge", "--continue"]) else { return };
    assert_eq!((ran.code, ran.stdout.contains("given:")), (5, false), "{}", ran.stdout);
    assert_eq!(env.brv(&["vc", "resolve", "a.md", "--ours"]).code, 0);
    let ran = on_terminal(&env, 80, &["vc", "merge", "--continue"]).unwrap();
    assert_eq!((ran.code, ran.stdout.contains("given:Merge branch 'topic'")), (0, true), "{}", ran.stdout);
    assert!(log(&env).starts_with("Merge branch 'topic'\n"), "{}", log(&env));
}
