//! `brv vc branch` compared with git's: references, logs and settings are equal after each command.

use crate::env::Env;
use crate::git_parity::Twins;
use crate::init::json;
use std::path::Path;

/// `main` with two commits, `side` with its own commit, and a remote that has both and also `far`.
pub fn history(env: &Env, tree: &Path) {
    env.git(tree, &["branch", "-M", "main"]);
    env.git(tree, &["switch", "-q", "-c", "side"]);
    env.commit(tree, &[("side.md", "side\n")]);
    env.git(tree, &["switch", "-q", "main"]);
    let remote = env.bare("team.git");
    env.git(tree, &["remote", "add", "origin", remote.to_str().unwrap()]);
    env.git(tree, &["push", "-q", "-u", "origin", "main", "side"]);
    env.git(tree, &["push", "-q", "origin", "side:far"]);
    env.commit(tree, &[("a.md", "second\n")]);
}

fn twins() -> Twins {
    Twins::new(&[("a.md", "first\n"), ("b/c.md", "c\n")], history)
}

#[test]
fn branches_are_made_where_git_makes_them() {
    let twins = twins();
    twins.both("branch topic");
    twins.both("branch old HEAD~1");
    twins.both("branch from-remote origin/far");
    twins.both("branch far origin/far --no-track");
    twins.both("branch --track follower main");
    twins.both("branch deep/er side");
    twins.both("branch -f topic side");
    twins.neither("branch topic", 2);
    twins.neither("branch deep", 2);
    twins.neither("branch deep/er/still", 2);
    twins.neither("branch a..b", 2);
    twins.neither("branch new nothing", 2);
    twins.neither("branch -f main side", 6);
}

#[test]
fn a_branch_whose_log_has_no_room_is_not_made_and_keeps_nobody_from_writing() {
    let twins = twins();
    for tree in [&twins.ours, &twins.theirs] {
        std::fs::create_dir_all(tree.join(".git/logs/refs/heads/n")).unwrap();
        std::fs::create_dir_all(tree.join(".git/logs/refs/heads/empty/folder")).unwrap();
        std::fs::write(tree.join(".git/logs/refs/heads/n/z"), "stale\n").unwrap();
    }
    let logged = |twins: &Twins| twins.env.brv(&["op", "log", "--json"]).stdout;
    let before = logged(&twins);
    let ran = twins.neither("branch n", 1);
    assert!(ran.stderr.contains("logs/refs/heads/n/z` is in the way"), "{}", ran.stderr);
    assert_eq!(logged(&twins), before);
    twins.both("branch empty");
    std::fs::remove_file(twins.ours.join(".git/logs/refs/heads/n/z")).unwrap();
    std::fs::remove_file(twins.theirs.join(".git/logs/refs/heads/n/z")).unwrap();
    twins.both("branch n/z");
    twins.both("branch -m n/z n");
}

#[test]
fn a_renamed_branch_keeps_its_log_and_its_settings() {
    let twins = twins();
    twins.both("branch -m side other");
    twins.both("branch -m trunk");
    twins.both("branch -m other other/deep");
    twins.both("branch -m other/deep other");
    twins.both("branch plain");
    twins.neither("branch -m plain other", 2);
    twins.both("branch -M plain other");
    twins.neither("branch -M other trunk", 6);
    twins.neither("branch -m nothing something", 2);
}

#[test]
fn what_is_not_merged_is_deleted_only_on_demand_and_stays_on_record() {
    let twins = twins();
    twins.both("branch merged HEAD~1");
    twins.both("branch -d merged");
    twins.git(&["switch", "-q", "-c", "lost"]);
    for tree in [&twins.ours, &twins.theirs] {
        twins.env.commit(tree, &[("lost.md", "lost\n")]);
        twins.env.git(tree, &["switch", "-q", "main"]);
    }
    let lost = twins.env.git(&twins.ours, &["rev-parse", "lost"]);
    let ran = twins.neither("branch -d lost", 6);
    assert!(ran.stderr.contains("lost"), "{}", ran.stderr);
    let ran = twins.both("branch -D lost");
    assert_eq!(ran.stdout, format!("Deleted branch lost (was {}).\n", &lost[..7]));
    twins.both("branch -d side");
    twins.both("branch -d -r origin/far");
    twins.neither("branch -d main", 6);
    twins.neither("branch -d nothing", 2);
    // only the operation log keeps the commit
    let kept = twins.env.git(&twins.ours, &["for-each-ref", "--contains", &lost, "--format=%(refname)"]);
    assert!(kept.starts_with("refs/brv/ops/"), "{kept}");
    twins.env.git(&twins.ours, &["reflog", "expire", "--expire=now", "--all"]);
    twins.env.git(&twins.ours, &["gc", "-q", "--prune=now"]);
    assert_eq!(twins.env.git(&twins.ours, &["show", &format!("{lost}:lost.md")]), "lost");
}

#[test]
fn a_branch_follows_what_it_is_told_to() {
    let twins = twins();
    twins.both("branch -u origin/far");
    twins.both("branch --set-upstream-to main side");
    twins.both("branch --unset-upstream");
    twins.neither("branch --unset-upstream", 2);
    twins.neither("branch -u HEAD~1", 2);
    twins.neither("branch -u origin/nothing", 2);
}

#[test]
fn branches_are_named_as_git_names_them() {
    let twins = twins();
    twins.git(&["branch", "gone", "--track", "origin/far"]);
    twins.git(&["update-ref", "-d", "refs/remotes/origin/far"]);
    twins.git(&["symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main"]);
    let other = twins.env.path("other");
    twins.env.git(&twins.ours, &["worktree", "add", "-q", other.to_str().unwrap(), "side"]);
    let named = || {
        for line in [
            "branch",
            "branch -a",
            "branch -r",
            "branch -v",
            "branch -vv",
            "branch -avv",
            "branch --merged",
            "branch --no-merged",
            "branch --merged side",
            "branch --contains origin/main",
            "branch -a --no-contains side",
            "branch --list s*",
            "branch --show-current",
        ] {
            let arguments: Vec<&str> = line.split(' ').collect();
            let ours = twins.env.brv_in(&twins.ours, &[&["vc"], &arguments[..]].concat());
            let theirs = twins.env.git(&twins.ours, &arguments);
            assert_eq!(ours.stdout.trim_end_matches('\n'), theirs, "{line}: {}", ours.stderr);
        }
    };
    named();
    twins.env.git(&twins.ours, &["checkout", "-q", "--detach", "HEAD~1"]);
    named();
    twins.env.commit(&twins.ours, &[("d.md", "d\n")]);
    named();
    let said = json(&twins.env.brv(&["vc", "branch", "--json"]).stdout);
    assert_eq!(said["data"]["branches"][2]["checked_out_in"], other.to_str().unwrap());
    let ran = twins.env.brv(&["vc", "branch", "-D", "side"]);
    assert_eq!(ran.code, 6, "another work tree has it checked out: {}", ran.stderr);
}

#[test]
fn a_branch_without_commits_is_renamed_and_has_none_made_from_it() {
    let env = crate::init::project(&[]);
    let tree = env.path(".brv/context-tree");
    assert_eq!(env.brv(&["vc", "branch", "new"]).code, 2);
    assert_eq!(env.brv(&["vc", "branch", "-m", "trunk"]).code, 0);
    assert_eq!(env.git(&tree, &["symbolic-ref", "HEAD"]), "refs/heads/trunk");
}
