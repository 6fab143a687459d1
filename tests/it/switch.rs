//! `brv vc switch` and `checkout` compared with git's: the same HEAD, files, index and logs after each.

use crate::branch::history;
use crate::git_parity::Twins;
use crate::init::{commit, json, project, write};

fn twins() -> Twins {
    Twins::new(&[("a.md", "first\n"), ("b/c.md", "c\n")], history)
}

#[test]
fn head_goes_where_git_goes_and_the_logs_say_the_same() {
    let twins = twins();
    for line in [
        "switch side",
        "switch main",
        "switch -",
        "checkout -",
        "checkout -b topic",
        "switch -c old HEAD~1",
        "switch far",
        "checkout -b far-too origin/far --no-track",
        "checkout HEAD~1",
        "switch -",
        "switch --detach main",
        "checkout -",
        "checkout origin/side",
        "checkout main",
        "switch --force-create topic side",
        "checkout -B topic-two main",
        "switch -d",
        "checkout side --",
    ] {
        twins.both(line);
    }
    let ran = twins.env.brv(&["derive", "--check"]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    twins.env.fsck(&twins.ours);
}

#[test]
fn a_branch_that_is_made_again_is_not_called_new() {
    let twins = twins();
    for (line, told) in [
        ("switch --force-create o", "Switched to a new branch o.\n"),
        ("checkout -B side main", "Switched to and reset branch side.\n"),
        ("switch --force-create o HEAD~1", "Switched to and reset branch o.\n"),
        ("checkout -B o main", "Reset branch o.\n"),
    ] {
        let ran = twins.both(line);
        assert!(ran.stdout.starts_with(told), "{line}: {}", ran.stdout);
    }
    let before = twins.env.git(&twins.ours, &["rev-parse", "side"]);
    let told = json(&twins.env.brv(&["vc", "switch", "--force-create", "side", "HEAD~1", "--json"]).stdout);
    assert_eq!((&told["data"]["made"], &told["data"]["moved_from"]), (&"side".into(), &before.into()));
}

#[test]
fn a_branch_whose_log_has_no_room_leaves_files_and_head_where_they_are() {
    let twins = twins();
    std::fs::create_dir_all(twins.ours.join(".git/logs/refs/heads/n")).unwrap();
    std::fs::write(twins.ours.join(".git/logs/refs/heads/n/z"), "stale\n").unwrap();
    let ran = twins.env.brv(&["vc", "switch", "-c", "n", "side"]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    twins.are_equal("a switch that was refused");
    // on a branch without a commit
    for tree in [&twins.ours, &twins.theirs] {
        twins.env.git(tree, &["symbolic-ref", "HEAD", "refs/heads/n"]);
    }
    let ran = twins.env.brv(&["vc", "commit", "-m", "first"]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    twins.are_equal("a commit that was refused");
    assert_eq!(twins.env.git(&twins.ours, &["for-each-ref", "refs/brv/pending"]), "");
}

#[test]
fn what_leads_nowhere_changes_nothing() {
    let twins = twins();
    let ran = twins.neither("switch sied", 2);
    assert!(ran.stderr.contains("did you mean `side`?"), "{}", ran.stderr);
    twins.neither("switch origin/main", 2);
    twins.neither("checkout nothing", 2);
    twins.neither("switch -c side", 2);
    twins.neither("switch --no-guess far", 2);
    twins.neither("checkout -b side/deep", 2);
}

#[test]
fn local_changes_come_along_unless_they_collide() {
    let twins = twins();
    twins.write("b/c.md", "edited\n");
    twins.write("new.md", "new\n");
    twins.write("recorded.md", "recorded\n");
    twins.git(&["add", "recorded.md"]);
    twins.both("switch side");
    twins.both("switch main");
    // changed on both sides
    twins.write("a.md", "mine\n");
    let ran = twins.neither("switch side", 6);
    assert!(ran.stderr.contains("a.md"), "{}", ran.stderr);
    twins.git(&["add", "a.md"]);
    twins.neither("checkout side", 6);
    twins.git(&["reset", "-q", "--", "a.md"]);
    twins.both("restore a.md");
    // a new file where the other branch has one
    twins.write("side.md", "mine\n");
    let ran = twins.neither("switch side", 6);
    assert!(ran.stderr.contains("side.md"), "{}", ran.stderr);
    twins.both("switch -c here");
}

#[test]
fn what_force_gives_up_is_on_record() {
    let twins = twins();
    twins.write("a.md", "mine\n");
    twins.write("side.md", "untracked\n");
    twins.write("b/c.md", "recorded\n");
    twins.git(&["add", "b/c.md"]);
    twins.write("b/c.md", "edited since\n");
    twins.write("own.md", "stays\n");
    twins.both("checkout -f side");
    twins.is_on_record("^1:a.md", "mine\n");
    twins.is_on_record("^1:side.md", "untracked\n");
    twins.is_on_record("^1:b/c.md", "edited since\n");
    twins.is_on_record("^3:0/b/c.md", "recorded\n");
    twins.write("a.md", "again\n");
    twins.both("switch --discard-changes main");
    twins.is_on_record("^1:a.md", "again\n");
}

#[test]
fn nobody_leaves_a_merge_that_waits_but_by_force() {
    let twins = twins();
    twins.git(&["switch", "-q", "side"]);
    for tree in [&twins.ours, &twins.theirs] {
        twins.env.commit(tree, &[("a.md", "theirs\n")]);
        twins.env.try_git(tree, &["-c", "merge.brv.driver=false", "merge", "-q", "main"]);
    }
    twins.neither("switch main", 5);
    assert_eq!(twins.env.brv(&["vc", "switch", "-c", "away"]).code, 5);
    twins.both("checkout -f main");
}

#[cfg(unix)]
#[test]
fn a_branch_of_another_work_tree_and_paths_that_are_not_safe_are_refused() {
    let twins = twins();
    let other = twins.env.path("other");
    twins.env.git(&twins.ours, &["worktree", "add", "-q", other.to_str().unwrap(), "side"]);
    assert_eq!(twins.env.brv(&["vc", "switch", "side"]).code, 6);
    twins.env.git(&other, &["switch", "-q", "-c", "linked"]);
    std::os::unix::fs::symlink("/etc/passwd", other.join("link.md")).unwrap();
    twins.env.git(&other, &["add", "link.md"]);
    twins.env.git(&other, &["commit", "-q", "-m", "link"]);
    twins.env.git(&other, &["switch", "-q", "--detach"]);
    for line in ["switch linked", "switch -f linked", "checkout linked -- link.md"] {
        let arguments: Vec<&str> = ["vc"].into_iter().chain(line.split(' ')).collect();
        let ran = twins.env.brv(&arguments);
        assert_eq!(ran.code, 6, "{line}: {}", ran.stderr);
        assert!(ran.stderr.contains("link.md"), "{}", ran.stderr);
        assert!(!twins.ours.join("link.md").exists());
    }
}

#[test]
fn a_branch_without_commits_is_left_for_another_one() {
    let env = project(&[]);
    let ran = env.brv(&["vc", "switch", "-c", "trunk"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(env.git(&env.path(".brv/context-tree"), &["symbolic-ref", "HEAD"]), "refs/heads/trunk");
    write(&env, &[("a.md", "a\n")]);
    commit(&env, "first");
    assert_eq!(json(&env.brv(&["vc", "switch", "-c", "b", "--json"]).stdout)["data"]["after"]["branch"], "b");
}

#[test]
fn commits_that_nothing_names_once_a_detached_head_is_left_are_shown_with_how_to_keep_them() {
    let env = project(&[]);
    write(&env, &[("a.md", "a\n")]);
    commit(&env, "first");
    let tree = env.path(".brv/context-tree");
    let brv = |line: &str| {
        let ran = env.brv(&line.split(' ').collect::<Vec<_>>());
        assert_eq!(ran.code, 0, "{line}: {}", ran.stderr);
        ran
    };
    for (line, left) in [
        ("vc switch main", true),
        ("vc checkout main", true),
        ("vc switch -f main", true),
        ("vc switch --detach main", true),
        ("vc switch -c topic", false),
        ("vc switch topic", false),
        ("vc checkout --detach", false),
    ] {
        brv("vc checkout -f --detach main");
        for name in ["b.md", "c.md"] {
            write(&env, &[(name, line)]);
            commit(&env, name);
        }
        let last = env.git(&tree, &["rev-parse", "HEAD"]);
        if line.ends_with("switch topic") {
            env.git(&tree, &["branch", "-f", "topic"]);
        }
        let ran = brv(&format!("{line} --json"));
        let said = json(&ran.stdout);
        let expected = left.then(|| serde_json::json!({"commit": last, "commits": 2}));
        assert_eq!(said["data"].get("left_behind"), expected.as_ref(), "{line}");
        assert_eq!(said["warnings"].to_string().contains("brv vc branch NAME"), left, "{line}");
        if left {
            env.git(&tree, &["checkout", "-q", &last]);
            let ran = brv(line);
            let short = &last[..7];
            let expected = format!(
                "warning: 2 commits are on no branch, up to {short}; keep them with `brv vc branch NAME {short}`\n"
            );
            assert_eq!(ran.stderr, expected, "{line}");
        }
    }
    env.fsck(&tree);
}
