//! `brv vc log` beside git's.

use crate::init::{commit, json, project, write};

#[test]
fn the_history_is_gits_in_both_forms() {
    let env = project(&[("auth/a.md", "a\n")]);
    commit(&env, "first");
    write(&env, &[("b.md", "b\n")]);
    let ran = env.brv(&["vc", "add", "b.md"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let message =
        ["vc", "commit", "-m", "second", "-m", "with a body", "--author", "Bob B <bob@example.com>"];
    assert_eq!(env.brv(&message).code, 0);
    let tree = env.path(".brv/context-tree");
    for what in [
        &["log"][..],
        &["log", "--oneline"],
        &["log", "-1"],
        &["log", "--oneline", "-n", "5", "auth"],
        &["log", "HEAD~1"],
    ] {
        let ours = env.brv(&[&["vc"], what].concat()).stdout;
        assert_eq!(ours.trim_end(), env.git(&tree, what), "{what:?}");
    }
    let log = json(&env.brv(&["vc", "log", "--json"]).stdout);
    let newest = &log["data"]["commits"][0];
    assert_eq!((&newest["subject"], &newest["author"]["name"]), (&"second".into(), &"Bob B".into()));
    assert_eq!(newest["names"][0]["name"], "main");
}

#[test]
fn a_branch_without_commits_says_so() {
    let env = project(&[]);
    let ran = env.brv(&["vc", "log"]);
    assert_eq!(ran.code, 1);
    assert!(ran.stderr.contains("no commits yet"), "{}", ran.stderr);
}
