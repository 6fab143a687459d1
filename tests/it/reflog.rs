//! The entries of `git reflog` for the commands that moved a branch.

use crate::env::Env;
use crate::init::{commit, project, write};

fn log(env: &Env, of: &str) -> Vec<String> {
    let tree = env.path(".brv/context-tree");
    let lines = env.git(&tree, &["log", "-g", "--format=%H %gs", of, "--"]);
    lines.lines().map(ToOwned::to_owned).collect()
}

#[test]
fn the_log_of_head_tells_of_every_move_of_the_branch_that_it_is_on() {
    let env = project(&[("a.md", "a\n")]);
    let tree = env.path(".brv/context-tree");
    commit(&env, "first");
    write(&env, &[("a.md", "b\n")]);
    commit(&env, "second");
    assert_eq!(log(&env, "HEAD"), log(&env, "main"));
    assert_eq!(log(&env, "HEAD").len(), 2);
    assert_eq!(env.git(&tree, &["log", "-1", "--format=%s", "HEAD@{1}"]), "first");
    // another branch, whose moves are not those of main
    env.git(&tree, &["switch", "-q", "-c", "other"]);
    write(&env, &[("a.md", "c\n")]);
    commit(&env, "third");
    assert_eq!((log(&env, "HEAD").len(), log(&env, "main").len(), log(&env, "other").len()), (4, 2, 2));
    env.git(&tree, &["switch", "-q", "--detach"]);
    write(&env, &[("a.md", "d\n")]);
    commit(&env, "fourth");
    assert_eq!((log(&env, "HEAD").len(), log(&env, "other").len()), (6, 2));
    env.fsck(&tree);
}

#[test]
fn clone_and_pull_are_in_the_log_of_head() {
    let env = Env::new();
    let (remote, mate) = (env.bare("remote.git"), env.path("mate"));
    env.git(env.root(), &["clone", "-q", remote.to_str().unwrap(), "mate"]);
    env.git(&mate, &["checkout", "-q", "-B", "main"]);
    env.commit(&mate, &[("a.md", "a\n")]);
    env.git(&mate, &["push", "-q", "-u", "origin", "main"]);
    let run = |arguments: &[&str]| {
        let ran = env.brv(arguments);
        assert_eq!(ran.code, 0, "{arguments:?}: {}", ran.stderr);
    };
    run(&["vc", "clone", remote.to_str().unwrap()]);
    assert_eq!(log(&env, "HEAD").len(), 1);
    env.commit(&mate, &[("b.md", "b\n")]);
    env.git(&mate, &["push", "-q"]);
    run(&["vc", "pull"]);
    assert_eq!(log(&env, "HEAD").len(), 2);
    assert_eq!(log(&env, "HEAD"), log(&env, "main"));
}

#[test]
fn the_log_is_asked_for_a_date_as_git_is() {
    let env = project(&[("a.md", "a\n")]);
    let tree = env.path(".brv/context-tree");
    // the clock of the tests stands at 2023-11-14 22:13:20
    for (day, text) in [("2023-11-10T12:00:00Z", "ten"), ("2023-11-13T12:00:00Z", "thirteen")] {
        write(&env, &[("a.md", text)]);
        env.git(&tree, &["add", "-A"]);
        let mut git = env.git_command(&tree);
        assert!(
            git.env("GIT_COMMITTER_DATE", day).args(["commit", "-q", "-m", text]).status().unwrap().success()
        );
    }
    let now = "1700000000";
    for date in
        ["yesterday", "2.days.ago", "3 days ago", "last sunday", "2023-11-12", "2023-11-13 13:00Z", "noon"]
    {
        let revision = format!("main@{{{date}}}");
        let mut git = env.git_command(&tree);
        let theirs =
            git.env("GIT_TEST_DATE_NOW", now).args(["log", "-1", "--format=%s", &revision]).output().unwrap();
        let theirs = String::from_utf8(theirs.stdout).unwrap();
        let ours = env.brv(&["vc", "show", &format!("{revision}:a.md")]);
        assert_eq!((ours.code, ours.stdout.trim()), (0, theirs.trim()), "{revision}: {}", ours.stderr);
        let log = env.brv(&["vc", "log", "-n", "1", "--oneline", &revision]);
        assert!(log.stdout.trim_end().ends_with(theirs.trim()), "{revision}: {}{}", log.stdout, log.stderr);
    }
    let ran = env.brv(&["vc", "log", "main@{soonish}"]);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
}
