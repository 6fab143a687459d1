//! Edge cases of `brv vc commit`. git checks every outcome.

use crate::env::{Env, Ran, tree};
use crate::init::{commit, project, write};
use crate::lab::assert_agreement;

fn head(env: &Env) -> String {
    env.try_git(&tree(env), &["rev-parse", "-q", "--verify", "HEAD"]).stdout
}

fn ran(env: &Env, arguments: &[&str], code: i32) -> Ran {
    let ran = env.brv(arguments);
    assert_eq!(ran.code, code, "{arguments:?}: {}{}", ran.stdout, ran.stderr);
    assert_agreement(env, &tree(env), &format!("{arguments:?}"));
    ran
}

#[test]
fn a_folder_of_which_all_is_only_meant_to_be_added_is_in_no_commit() {
    let env = project(&[("a.md", "a\n")]);
    let tree = env.path(".brv/context-tree");
    commit(&env, "first");
    write(&env, &[("new/b.md", "b\n")]);
    env.git(&tree, &["add", "-N", "new/b.md"]);
    let head = env.git(&tree, &["rev-parse", "HEAD"]);
    assert_eq!(env.brv(&["vc", "commit", "-m", "nothing"]).code, 1, "as with nothing staged");
    assert_eq!(env.git(&tree, &["rev-parse", "HEAD"]), head);
    write(&env, &[("c.md", "c\n")]);
    assert_eq!(env.brv(&["vc", "add", "c.md"]).code, 0);
    assert_eq!(env.brv(&["vc", "commit", "-m", "second"]).code, 0);
    assert_eq!(env.git(&tree, &["ls-tree", "--name-only", "HEAD"]), "a.md\nc.md");
    assert_eq!(env.git(&tree, &["write-tree"]), env.git(&tree, &["rev-parse", "HEAD^{tree}"]));
}

#[test]
fn what_git_staged_is_what_brv_commits() {
    let env = project(&[("a.md", "a\n"), ("x/b.md", "b\n"), ("c.md", "c\n")]);
    commit(&env, "first");
    let tree = tree(&env);
    write(&env, &[("a.md", "staged\n"), ("new/d.md", "d\n")]);
    env.git(&tree, &["mv", "x/b.md", "moved.md"]);
    env.git(&tree, &["rm", "-q", "c.md"]);
    env.git(&tree, &["add", "a.md", "new"]);
    let expected = env.git(&tree, &["write-tree"]);
    write(&env, &[("a.md", "not staged\n")]);
    ran(&env, &["vc", "commit", "-m", "by brv"], 0);
    assert_eq!(env.git(&tree, &["rev-parse", "HEAD^{tree}"]), expected);
    assert_eq!(env.git(&tree, &["status", "--porcelain"]), " M a.md");
    // the other way round: git continues with an index that brv wrote
    ran(&env, &["vc", "add", "."], 0);
    env.git(&tree, &["commit", "-q", "-m", "by git"]);
    assert_eq!(env.git(&tree, &["show", "HEAD:a.md"]), "not staged");
    ran(&env, &["vc", "commit", "-m", "nothing"], 1);
}

#[test]
fn a_file_intended_to_be_added_is_not_committed_empty() {
    let env = project(&[("a.md", "a\n"), ("x/later.md", "later\n")]);
    let tree = tree(&env);
    env.git(&tree, &["add", "a.md"]);
    write(&env, &[("empty.md", "")]);
    env.git(&tree, &["add", "-N", "x/later.md", "empty.md"]);
    ran(&env, &["vc", "commit", "-m", "first"], 0);
    assert_eq!(env.git(&tree, &["ls-tree", "-r", "--name-only", "HEAD"]), "a.md");
    env.fsck(&tree);
    ran(&env, &["vc", "add", "x/later.md"], 0);
    ran(&env, &["vc", "commit", "-a", "-m", "second"], 0);
    assert_eq!(env.git(&tree, &["show", "HEAD:x/later.md"]), "later");
    assert_eq!(env.git(&tree, &["ls-tree", "--name-only", "HEAD"]), "a.md\nempty.md\nx");
}

#[test]
fn all_takes_changes_and_deletions_but_nothing_new() {
    let env = project(&[("a.md", "a\n"), ("b.md", "b\n")]);
    commit(&env, "first");
    write(&env, &[("a.md", "changed\n"), ("new.md", "new\n")]);
    std::fs::remove_file(tree(&env).join("b.md")).unwrap();
    ran(&env, &["vc", "commit", "-a", "-m", "second"], 0);
    assert_eq!(env.git(&tree(&env), &["ls-tree", "--name-only", "HEAD"]), "a.md");
    assert_eq!(env.git(&tree(&env), &["status", "--porcelain"]), "?? new.md");
}

#[test]
fn a_recorded_file_whose_bytes_became_unfit_is_named_and_the_rest_is_committed() {
    let env = project(&[("a.md", "a\n"), ("b.md", "b\n")]);
    commit(&env, "first");
    std::fs::write(tree(&env).join("a.md"), b"a\xff\n").unwrap();
    write(&env, &[("b.md", "changed\n")]);
    let ran = ran(&env, &["vc", "commit", "-a", "-m", "second"], 1);
    assert!(ran.stderr.contains("`a.md`: it is not valid UTF-8"), "{}", ran.stderr);
    assert_eq!(env.git(&tree(&env), &["show", "HEAD:a.md", "HEAD:b.md"]), "a\nchanged");
    assert_eq!(env.git(&tree(&env), &["status", "--porcelain"]), " M a.md");
}

#[test]
fn without_a_message_nothing_is_committed() {
    let env = project(&[("a.md", "a\n")]);
    ran(&env, &["vc", "add", "."], 0);
    for arguments in [&["vc", "commit"][..], &["vc", "commit", "-m", ""], &["vc", "commit", "-m", " \n\t"]] {
        let ran = ran(&env, arguments, 2);
        assert!(ran.stderr.contains("hint: "), "{}", ran.stderr);
        assert_eq!(head(&env), "");
    }
}

#[test]
fn paragraphs_and_odd_messages_arrive_as_git_would_keep_them() {
    let env = project(&[("a.md", "a\n")]);
    ran(&env, &["vc", "add", "."], 0);
    ran(
        &env,
        &["vc", "commit", "-m", "subject", "-m", "# not a comment\nbody", "-m", "Signed-off-by: Ada <a@b>"],
        0,
    );
    let message = env.git(&tree(&env), &["log", "-1", "--format=%B"]);
    assert_eq!(message.trim_end(), "subject\n\n# not a comment\nbody\n\nSigned-off-by: Ada <a@b>");
    assert_eq!(
        env.git(&tree(&env), &["log", "-1", "--format=%(trailers:key=Signed-off-by,valueonly)"]).trim(),
        "Ada <a@b>"
    );
}

#[test]
fn without_an_identity_the_hint_says_how_to_set_one() {
    let env = project(&[("a.md", "a\n")]);
    ran(&env, &["vc", "add", "."], 0);
    let nobody = |arguments: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_brv"));
        env.prepare(&mut command);
        for name in ["GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"] {
            command.env_remove(name);
        }
        Ran::of(&command.args(arguments).output().unwrap())
    };
    let ran = nobody(&["vc", "commit", "-m", "first"]);
    assert_eq!(ran.code, 1, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stderr.contains("hint: set yours with `brv vc config user.name NAME`"), "{}", ran.stderr);
    assert_eq!(head(&env), "");
    assert!(!tree(&env).join(".git/index.lock").exists());
    for (key, value) in [("user.name", "Grace"), ("user.email", "grace@example.com")] {
        assert_eq!(nobody(&["vc", "config", key, value]).code, 0);
    }
    let ran = nobody(&["vc", "commit", "-m", "first"]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    assert_eq!(env.git(&tree(&env), &["log", "-1", "--format=%an <%ae>"]), "Grace <grace@example.com>");
}

#[test]
fn a_merge_that_git_began_is_concluded_with_both_parents() {
    let env = project(&[("a.md", "base\n")]);
    commit(&env, "base");
    let tree = tree(&env);
    env.git(&tree, &["checkout", "-q", "-b", "side"]);
    let side = env.commit(&tree, &[("b.md", "side\n")]);
    env.git(&tree, &["checkout", "-q", "main"]);
    let main = env.commit(&tree, &[("c.md", "main\n")]);
    env.git(&tree, &["merge", "-q", "--no-commit", "side"]);
    ran(&env, &["vc", "commit"], 0);
    assert_eq!(
        env.git(&tree, &["log", "-1", "--format=%P|%s"]),
        format!("{main} {side}|Merge branch 'side'")
    );
    assert!(!tree.join(".git/MERGE_HEAD").exists());
}

#[test]
fn a_commit_in_the_middle_of_gits_own_picks_leaves_them_to_git() {
    let env = project(&[("a.md", "base\n")]);
    commit(&env, "base");
    let tree = tree(&env);
    env.git(&tree, &["checkout", "-q", "-b", "side"]);
    let side = env.commit(&tree, &[("a.md", "side\n")]);
    env.git(&tree, &["checkout", "-q", "main"]);
    env.commit(&tree, &[("a.md", "main\n")]);
    assert_eq!(env.try_git(&tree, &["cherry-pick", &side]).code, 1);
    assert_eq!(env.brv(&["vc", "commit", "-m", "x"]).code, 5, "it is in conflict");
    write(&env, &[("a.md", "decided\n")]);
    ran(&env, &["vc", "add", "a.md"], 0);
    ran(&env, &["vc", "commit", "-m", "picked"], 0);
    assert_eq!(env.git(&tree, &["log", "-1", "--format=%s"]), "picked");
    assert!(!env.git(&tree, &["status"]).contains("cherry-pick"), "{}", env.git(&tree, &["status"]));
}

#[test]
fn a_pick_or_revert_that_a_commit_or_a_reset_ends_comes_back_with_an_undo() {
    for (begun, head) in
        [(["cherry-pick", "side"], "CHERRY_PICK_HEAD"), (["revert", "HEAD~1"], "REVERT_HEAD")]
    {
        for ending in [&["commit", "-m", "ended"][..], &["reset", "--hard"], &["switch", "--force", "side"]] {
            let env = project(&[("a.md", "base\n")]);
            commit(&env, "base");
            let tree = tree(&env);
            env.git(&tree, &["checkout", "-q", "-b", "side"]);
            env.commit(&tree, &[("a.md", "side\n")]);
            env.git(&tree, &["checkout", "-q", "main"]);
            env.commit(&tree, &[("a.md", "main\n")]);
            env.commit(&tree, &[("a.md", "main, further\n")]);
            assert_eq!(env.try_git(&tree, &begun).code, 1);
            write(&env, &[("a.md", "decided\n")]);
            ran(&env, &["vc", "add", "a.md"], 0);
            let files = [head, "MERGE_MSG"].map(|name| tree.join(".git").join(name));
            let held = || files.each_ref().map(|file| std::fs::read_to_string(file).ok());
            let before = held();
            assert!(before.iter().all(Option::is_some), "{begun:?}");
            ran(&env, &[&["vc"], ending].concat(), 0);
            assert_eq!(held(), [None, None], "{begun:?} {ending:?}");
            ran(&env, &["undo"], 0);
            assert_eq!(held(), before, "{begun:?} {ending:?}");
        }
    }
}

#[test]
fn an_emptied_tree_can_be_committed_and_filled_again() {
    let env = project(&[("x/a.md", "a\n")]);
    commit(&env, "first");
    std::fs::remove_file(tree(&env).join("x/a.md")).unwrap();
    ran(&env, &["vc", "commit", "-a", "-m", "empty"], 0);
    assert_eq!(env.git(&tree(&env), &["ls-tree", "HEAD"]), "");
    write(&env, &[("x/a.md", "again\n")]);
    commit(&env, "again");
    assert_agreement(&env, &tree(&env), "again");
}

#[test]
fn a_detached_head_moves_alone() {
    let env = project(&[("a.md", "a\n")]);
    commit(&env, "first");
    let main = env.git(&tree(&env), &["rev-parse", "main"]);
    env.git(&tree(&env), &["checkout", "-q", "--detach"]);
    write(&env, &[("a.md", "b\n")]);
    ran(&env, &["vc", "commit", "-a", "-m", "second"], 0);
    assert_eq!(env.git(&tree(&env), &["rev-parse", "main"]), main);
    assert_eq!(env.git(&tree(&env), &["rev-parse", "HEAD~1"]), main);
}

/// Files that are staged, changed, both, removed in the index or on disk, new, or intended to be added.
fn mixed() -> Env {
    let names = ["auth/a.md", "auth/b.md", "c.md", "d.md", "e.md", "gone.md", "both.md"];
    let env = project(&names.map(|name| (name, "old\n")));
    commit(&env, "first");
    let tree = tree(&env);
    write(
        &env,
        &[("auth/a.md", "staged\n"), ("both.md", "staged\n"), ("new.md", "staged\n"), ("x.md", "x\n")],
    );
    env.git(&tree, &["add", "auth/a.md", "both.md", "new.md"]);
    env.git(&tree, &["mv", "e.md", "moved.md"]);
    env.git(&tree, &["rm", "-q", "--cached", "d.md"]);
    env.git(&tree, &["add", "-N", "x.md"]);
    write(
        &env,
        &[("auth/b.md", "changed\n"), ("both.md", "changed\n"), ("d.md", "changed\n"), ("u.md", "u\n")],
    );
    std::fs::remove_file(tree.join("gone.md")).unwrap();
    env
}

#[test]
fn a_commit_of_paths_takes_what_gits_takes_and_leaves_the_rest_staged() {
    for paths in [
        "auth/a.md",
        "auth",
        "auth/b.md",
        "both.md",
        "new.md",
        "gone.md",
        "d.md",
        "e.md",
        "moved.md",
        "e.md moved.md",
        "x.md",
        ".",
        "*.md",
        "auth/*.md c.md",
        "c.md",
        "u.md",
        "c.md u.md",
        "absent.md",
    ] {
        let (ours, gits) = (mixed(), mixed());
        let paths: Vec<&str> = paths.split(' ').collect();
        let ran = ours.brv_in(&tree(&ours), &[&["vc", "commit", "-m", "part"], &paths[..]].concat());
        let theirs = gits.try_git(&tree(&gits), &[&["commit", "-q", "-m", "part"], &paths[..]].concat());
        let state = |env: &Env| {
            let git = |arguments: &[&str]| env.git(&tree(env), arguments);
            [git(&["ls-tree", "-r", "HEAD"]), git(&["ls-files", "-s"]), git(&["status", "--porcelain"])]
        };
        assert_eq!(state(&ours), state(&gits), "{paths:?}: {}{}", ran.stdout, ran.stderr);
        let is_unknown = theirs.stderr.contains("did not match");
        assert_eq!(ran.code, if is_unknown { 2 } else { theirs.code }, "{paths:?}: {}", ran.stderr);
        ours.fsck(&tree(&ours));
    }
}

#[test]
fn a_merge_is_not_committed_in_parts() {
    let env = project(&[("a.md", "a\n"), ("b.md", "b\n")]);
    commit(&env, "first");
    let tree = tree(&env);
    env.git(&tree, &["checkout", "-q", "-b", "other"]);
    env.commit(&tree, &[("a.md", "theirs\n")]);
    env.git(&tree, &["checkout", "-q", "main"]);
    env.commit(&tree, &[("c.md", "ours\n")]);
    env.git(&tree, &["merge", "-q", "--no-commit", "--no-ff", "other"]);
    let (before, status) = (head(&env), env.git(&tree, &["status", "--porcelain"]));
    let ran = env.brv(&["vc", "commit", "-m", "part", "a.md"]);
    assert_eq!((ran.code, head(&env)), (6, before), "{}", ran.stderr);
    assert_eq!(env.git(&tree, &["status", "--porcelain"]), status);
    assert_eq!(env.brv(&["vc", "commit", "-a", "-m", "part", "a.md"]).code, 2);
    assert_eq!(env.brv(&["vc", "commit", "-m", "all"]).code, 0);
}

#[test]
fn a_commit_of_paths_is_undone_to_the_index_as_it_was() {
    let env = mixed();
    assert_eq!(env.brv(&["derive"]).code, 0);
    let before = crate::undo::state(&env, &tree(&env));
    let ran = env.brv(&["vc", "commit", "-m", "part", "both.md", "auth", "d.md", "x.md", "gone.md"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let ran = env.brv(&["undo"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(crate::undo::state(&env, &tree(&env)), before);
    let status = env.git(&tree(&env), &["status", "--porcelain", "x.md", "both.md"]);
    assert_eq!(status, "MM both.md\n A x.md", "also files added with intent-to-add");
}

#[cfg(unix)]
#[test]
fn a_file_that_became_a_link_is_named_and_not_committed() {
    let env = project(&[("a.md", "a\n"), ("b.md", "b\n")]);
    commit(&env, "first");
    let (tree, before) = (tree(&env), head(&env));
    std::fs::remove_file(tree.join("a.md")).unwrap();
    std::os::unix::fs::symlink("b.md", tree.join("a.md")).unwrap();
    for arguments in [&["-a", "-m", "x"][..], &["-m", "x", "a.md"]] {
        let ran = env.brv(&[&["vc", "commit"], arguments].concat());
        assert_eq!((ran.code, head(&env)), (1, before.clone()), "{arguments:?}");
        assert!(ran.stderr.contains("`a.md`: it is not a regular file"), "{}", ran.stderr);
    }
    assert_eq!(env.git(&tree, &["status", "--porcelain"]), " T a.md");
}

#[test]
fn names_and_dates_of_a_commit_are_those_of_git() {
    let env = project(&[]);
    let both = |name: &str, email: &str, date: &str| {
        let variables = [("GIT_AUTHOR_NAME", name), ("GIT_AUTHOR_EMAIL", email), ("GIT_AUTHOR_DATE", date)];
        let mut git = env.git_command(&tree(&env));
        git.envs(variables);
        let theirs = git.args(["var", "GIT_AUTHOR_IDENT"]).output().unwrap();
        let theirs = String::from_utf8(theirs.stdout).unwrap();
        write(&env, &[("a.md", &format!("{name}{email}{date}"))]);
        assert_eq!(env.brv(&["vc", "add", "."]).code, 0);
        let ran = env.brv_with(&variables, &["vc", "commit", "-m", "x"]);
        assert_eq!(ran.code, 0, "{name} {email} {date}: {}", ran.stderr);
        let ours = env.git(&tree(&env), &["cat-file", "commit", "HEAD"]);
        let ours = ours.lines().find_map(|line| line.strip_prefix("author ")).unwrap();
        assert_eq!(ours, theirs.trim_end(), "{name} {email} {date}");
    };
    for sign in [".", ",", ":", ";", "<", ">", "\"", "\\", "'", "!", "(", "-", "`", "#", "\t"] {
        both(&format!("Sam Doe Jr{sign}"), &format!("{sign}sam@x{sign}"), "@1600000000 +0200");
    }
    for date in [
        "2005-04-07T22:13:13",
        "2005-04-07 22:13:13 +0200",
        "Thu, 07 Apr 2005 22:13:13 -0330",
        "Thu Apr 7 22:13:13 2005 +0200",
        "1600000000",
        "@0 +0000",
    ] {
        both("Sam", "sam@x", date);
    }
}
