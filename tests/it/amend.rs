//! `brv vc commit --amend`: replaces the last commit as git does, and can be undone like any other operation.

use crate::env::{Env, Ran, tree};
use crate::init::{commit, json, project, write};

fn head(env: &Env) -> String {
    env.git(&tree(env), &["rev-parse", "HEAD"])
}

#[track_caller]
fn ran(env: &Env, arguments: &[&str], code: i32) -> Ran {
    let ran = env.brv(arguments);
    assert_eq!(ran.code, code, "{arguments:?}: {}{}", ran.stdout, ran.stderr);
    ran
}

/// Two commits by another author, a staged change, and a draft.
fn drafted() -> Env {
    let env = project(&[("a.md", "a\n"), ("b.md", "b\n"), ("c.md", "c\n")]);
    commit(&env, "first");
    let tree = tree(&env);
    write(&env, &[("a.md", "second\n")]);
    let author = ["--author", "Eve <eve@example.org>", "--date", "1600000000 +0200"];
    env.git(&tree, &[&["commit", "-q", "-a", "-m", "second\n\nwith words"][..], &author].concat());
    write(&env, &[("b.md", "staged\n"), ("c.md", "draft\n"), ("new.md", "new\n")]);
    env.git(&tree, &["add", "b.md"]);
    env
}

/// The content of a commit, except for its committer's time.
fn said(env: &Env) -> String {
    let commit = env.git(&tree(env), &["cat-file", "commit", "HEAD"]);
    format!("{commit}\n{}", env.git(&tree(env), &["status", "--porcelain"]))
}

#[test]
fn the_commit_is_the_one_that_git_would_make() {
    for arguments in [
        &["--amend", "--no-edit"][..],
        &["--amend", "-m", "other words"],
        &["--amend", "-a", "-m", "other words"],
        &["--amend", "--no-edit", "c.md"],
        &["--amend", "--no-edit", "--author", "Joe <joe@example.org>"],
    ] {
        let (ours, gits) = (drafted(), drafted());
        let before = head(&ours);
        let told = json(&ran(&ours, &[&["vc", "commit", "--json"], arguments].concat(), 0).stdout);
        gits.git(&tree(&gits), &[&["commit", "-q"], arguments].concat());
        assert_eq!(said(&ours), said(&gits), "{arguments:?}");
        assert_eq!(told["data"]["commit"]["amended"], before.as_str());
        assert_eq!(told["data"]["commit"]["id"], head(&ours).as_str());
        let reflog = |env: &Env| env.git(&tree(env), &["reflog", "-1", "--format=%gs"]);
        assert_eq!(reflog(&ours), reflog(&gits));
        ours.fsck(&tree(&ours));
    }
}

#[test]
fn without_a_flag_the_message_stays_where_nobody_is_asked() {
    let env = drafted();
    ran(&env, &["vc", "commit", "--amend"], 0);
    assert_eq!(env.git(&tree(&env), &["log", "-1", "--format=%B%an"]), "second\n\nwith words\nEve");
    let before = head(&env);
    for arguments in [&["-m", ""][..], &["-m", " \n"]] {
        ran(&env, &[&["vc", "commit", "--amend"], arguments].concat(), 2);
        assert_eq!(head(&env), before, "{arguments:?}");
    }
    let told = ran(&env, &["vc", "commit", "--amend"], 0);
    assert_eq!(told.stdout, "Nothing to commit, working tree clean.\n", "it would be the same commit");
}

#[test]
fn a_merge_keeps_its_parents_and_a_first_commit_has_none() {
    let env = project(&[("a.md", "a\n")]);
    commit(&env, "first");
    ran(&env, &["vc", "commit", "--amend", "-m", "really first"], 0);
    assert_eq!(env.git(&tree(&env), &["log", "--format=%s %p"]), "really first ");
    env.git(&tree(&env), &["checkout", "-q", "-b", "topic"]);
    env.commit(&tree(&env), &[("t.md", "t\n")]);
    env.git(&tree(&env), &["checkout", "-q", "main"]);
    env.commit(&tree(&env), &[("m.md", "m\n")]);
    ran(&env, &["vc", "merge", "topic"], 0);
    let parents = env.git(&tree(&env), &["log", "-1", "--format=%P"]);
    write(&env, &[("a.md", "fixed\n")]);
    ran(&env, &["vc", "commit", "-a", "--amend", "-m", "both"], 0);
    assert_eq!(env.git(&tree(&env), &["log", "-1", "--format=%P"]), parents);
    let id = crate::undo::last(&env);
    assert_eq!(env.git(&tree(&env), &["show", "HEAD:a.md"]), "fixed");
    ran(&env, &["undo", &id], 0);
    assert_eq!(env.git(&tree(&env), &["log", "-1", "--format=%P"]), parents);
    assert_eq!(env.git(&tree(&env), &["show", "HEAD:a.md"]), "a");
}

#[test]
fn what_a_remote_has_is_replaced_only_where_that_is_said_and_why() {
    let env = drafted();
    let remote = env.bare("team.git");
    env.git(&tree(&env), &["remote", "add", "origin", remote.to_str().unwrap()]);
    ran(&env, &["vc", "push", "-u", "origin", "main"], 0);
    let before = said(&env);
    let told = json(&ran(&env, &["vc", "commit", "--amend", "-m", "x", "--json"], 6).stdout);
    assert_eq!(told["error"]["code"], "refused");
    assert!(told["error"]["hint"].as_str().unwrap().contains("--allow rewrite"), "{told}");
    assert_eq!(said(&env), before);
    for arguments in [
        &["--amend", "-m", "x", "--allow", "rewrite"][..],
        &["--amend", "-m", "x", "--reason", "r"],
        &["-m", "x", "--allow", "rewrite", "--reason", "r"],
        &["--amend", "-m", "x", "--allow", "mass-delete", "--reason", "r"],
    ] {
        ran(&env, &[&["vc", "commit"], arguments].concat(), 2);
        assert_eq!(said(&env), before, "{arguments:?}");
    }
    let old = head(&env);
    ran(
        &env,
        &["vc", "commit", "--amend", "-m", "x", "--allow", "rewrite", "--reason", "a name was wrong"],
        0,
    );
    let log = ran(&env, &["op", "log", "-n", "1"], 0).stdout;
    assert!(log.contains("amend: x (allowed rewrite: a name was wrong)"), "{log}");
    ran(&env, &["vc", "push"], 6);
    ran(&env, &["undo"], 0);
    assert_eq!(head(&env), old);
}

#[test]
fn one_that_a_remote_has_by_now_is_taken_back_by_a_commit() {
    let env = drafted();
    let remote = env.bare("team.git");
    env.git(&tree(&env), &["remote", "add", "origin", remote.to_str().unwrap()]);
    env.git(&tree(&env), &["push", "-q", "origin", "HEAD~1:refs/heads/main"]);
    ran(&env, &["vc", "fetch"], 0);
    ran(&env, &["vc", "commit", "--amend", "-m", "amended"], 0);
    let amended = head(&env);
    let id = crate::undo::last(&env);
    ran(&env, &["vc", "push", "-u", "origin", "main"], 0);
    ran(&env, &["undo", &id], 0);
    assert_eq!(env.git(&tree(&env), &["rev-parse", "HEAD~1"]), amended, "it is already pushed");
    assert_eq!(env.git(&tree(&env), &["show", "HEAD:b.md", "HEAD:a.md"]), "b\nsecond");
}

#[test]
fn nothing_is_amended_where_git_would_not_either() {
    let unborn = project(&[("a.md", "a\n")]);
    assert!(ran(&unborn, &["vc", "commit", "--amend", "-m", "x"], 2).stderr.contains("brv vc commit -m MSG"));
    let env = drafted();
    let before = said(&env);
    env.git(&tree(&env), &["stash", "-q", "-u"]);
    env.git(&tree(&env), &["checkout", "-q", "-b", "topic", "HEAD~1"]);
    env.commit(&tree(&env), &[("a.md", "theirs\n")]);
    env.git(&tree(&env), &["checkout", "-q", "main"]);
    for command in [&["merge", "topic"][..], &["cherry-pick", "topic"], &["revert", "--no-edit", "HEAD~1"]] {
        env.try_git(&tree(&env), command);
        let at = head(&env);
        let told = ran(&env, &["vc", "commit", "--amend", "-m", "x"], 6);
        assert!(told.stderr.contains(&format!("{} --continue", command[0])), "{}", told.stderr);
        assert_eq!(head(&env), at);
        env.git(&tree(&env), &[command[0], "--abort"]);
    }
    env.git(&tree(&env), &["stash", "pop", "-q", "--index"]);
    assert_eq!(said(&env), before);
}

#[test]
fn a_commit_of_which_nothing_would_be_left_stays_unless_that_is_wanted() {
    let env = project(&[("a.md", "a\n")]);
    commit(&env, "first");
    write(&env, &[("a.md", "b\n")]);
    commit(&env, "second");
    let before = head(&env);
    write(&env, &[("a.md", "a\n")]);
    let told = ran(&env, &["vc", "commit", "-a", "--amend"], 6);
    assert!(told.stderr.contains("--allow-empty"), "{}", told.stderr);
    assert_eq!(head(&env), before);
    ran(&env, &["vc", "commit", "-a", "--amend", "--allow-empty", "-m", "empty"], 0);
    ran(&env, &["vc", "commit", "--amend", "-m", "still empty"], 0);
    assert_eq!(env.git(&tree(&env), &["log", "--format=%s"]), "still empty\nfirst");
}

#[test]
fn where_the_history_ends_its_last_commit_keeps_its_parents_or_stays() {
    let env = drafted();
    let url = format!("file://{}", tree(&env).display());
    ran(&env, &["vc", "clone", "--depth", "1", &url, "copy"], 0);
    let copy = env.path("copy/.brv/context-tree");
    env.git(&copy, &["remote", "remove", "origin"]);
    let amend = ["vc", "commit", "--amend", "-m", "x", "--allow", "rewrite", "--reason", "r"];
    let told = env.brv_in(&env.path("copy"), &amend);
    assert_eq!(told.code, 6, "{}", told.stderr);
    assert!(told.stderr.contains("--unshallow"), "{}", told.stderr);
}

#[test]
fn the_trailers_are_those_of_a_commit_and_name_the_new_operation() {
    let env = drafted().with("BRV_ACTOR", "claude").with("BRV_SESSION", "7");
    ran(&env, &["vc", "commit", "-a", "-m", "third"], 0);
    let trailer = |key: &str| {
        let format = format!("--format=%(trailers:key={key},valueonly,separator=%x2C)");
        env.git(&tree(&env), &["log", "-1", &format])
    };
    let first = trailer("Brv-Op");
    ran(&env, &["vc", "commit", "--amend"], 0);
    let second = trailer("Brv-Op");
    assert!(!second.contains(',') && second != first, "{first} {second}");
    assert_eq!((trailer("Brv-Actor").as_str(), trailer("Brv-Session").as_str()), ("claude", "7"));
    assert_eq!(crate::undo::last(&env), second);
    ran(&env, &["vc", "commit", "--amend", "-m", "words"], 0);
    assert_eq!((trailer("Brv-Actor").as_str(), trailer("Brv-Op")), ("claude", crate::undo::last(&env)));
}

#[test]
fn in_a_tree_that_is_a_folder_of_the_code_the_commit_is_the_users_own() {
    let env = Env::new();
    env.git(env.root(), &["init", "-q"]);
    env.commit(env.root(), &[("main.c", "int main;\n")]);
    ran(&env, &["init", "-q", "--in-repo"], 0);
    let before = env.git(env.root(), &["rev-parse", "HEAD"]);
    let told = ran(&env, &["vc", "commit", "--amend", "-m", "x"], 6);
    assert!(told.stderr.contains("git commit --amend"), "{}", told.stderr);
    assert_eq!(env.git(env.root(), &["rev-parse", "HEAD"]), before);
}
