//! `brv vc reset` beside git's.

use crate::branch::history;
use crate::git_parity::Twins;
use crate::init::project;

fn twins() -> Twins {
    Twins::new(&[("a.md", "first\n"), ("b/c.md", "c\n")], history)
}

#[test]
fn the_branch_goes_alone_with_the_index_or_with_the_files() {
    let twins = twins();
    twins.write("b/c.md", "edited\n");
    twins.write("recorded.md", "recorded\n");
    twins.write("own.md", "own\n");
    twins.git(&["add", "b/c.md", "recorded.md"]);
    twins.both("reset --soft HEAD~1");
    twins.both("reset --soft side");
    twins.both("reset main@{2}");
    twins.both("reset");
    twins.git(&["add", "recorded.md"]);
    twins.write("recorded.md", "edited since\n");
    twins.both("reset --hard side");
    twins.is_on_record("^1:recorded.md", "edited since\n");
    twins.is_on_record("^1:b/c.md", "edited\n");
    twins.both("reset --hard");
    twins.write("a.md", "mine\n");
    twins.both("reset --hard origin/main");
    twins.is_on_record("^1:a.md", "mine\n");
    twins.both("reset --hard ORIG_HEAD");
    twins.both("checkout --detach");
    twins.both("reset --hard HEAD~1");
    twins.neither("reset --hard nothing", 2);
    twins.env.fsck(&twins.ours);
}

#[test]
fn what_git_tidied_up_since_is_no_part_of_the_record() {
    let twins = twins();
    twins.git(&["commit", "-q", "--allow-empty", "-m", "to go"]);
    twins.git(&["reset", "-q", "--hard", "HEAD~1"]);
    twins.git(&["reflog", "expire", "--expire=now", "--all"]);
    twins.git(&["gc", "-q", "--prune=now"]);
    let gone = twins.env.git(&twins.ours, &["rev-parse", "ORIG_HEAD"]);
    assert_ne!(twins.env.try_git(&twins.ours, &["cat-file", "-e", &gone]).code, 0);
    twins.both("reset --soft HEAD~1");
    twins.env.fsck(&twins.ours);
}

#[test]
fn paths_are_unrecorded_alone() {
    let twins = twins();
    twins.write("a.md", "mine\n");
    twins.write("b/n.md", "n\n");
    twins.git(&["add", "."]);
    twins.both("reset -q a.md");
    twins.both("reset -q HEAD b");
    twins.both("reset -q HEAD~1 -- a.md");
    twins.neither("reset --hard -- a.md", 2);
    twins.neither("reset nothing.md", 2);
}

#[test]
fn a_merge_that_waits_ends_with_its_index() {
    let twins = twins();
    twins.git(&["switch", "-q", "side"]);
    for tree in [&twins.ours, &twins.theirs] {
        twins.env.commit(tree, &[("a.md", "theirs\n")]);
        twins.env.try_git(tree, &["-c", "merge.brv.driver=false", "merge", "-q", "main"]);
    }
    twins.neither("reset --soft HEAD~1", 5);
    twins.write("a.md", "half decided\n");
    twins.both("reset --hard");
    twins.is_on_record("^1:a.md", "half decided\n");
}

#[test]
fn nothing_is_recorded_any_more_on_a_branch_without_commits() {
    let env = project(&[("a.md", "a\n")]);
    assert_eq!(env.brv(&["vc", "add", "."]).code, 0);
    let ran = env.brv(&["vc", "reset"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let tree = env.path(".brv/context-tree");
    assert_eq!(env.git(&tree, &["ls-files"]), "");
    assert_eq!(std::fs::read_to_string(tree.join("a.md")).unwrap(), "a\n");
}

#[test]
fn where_only_the_mark_of_a_reset_would_move_there_is_no_operation() {
    let twins = twins();
    twins.both("reset --hard");
    let operations = || twins.env.brv_in(&twins.ours, &["op", "log", "--json"]).stdout;
    let before = operations();
    twins.git(&["update-ref", "-d", "ORIG_HEAD"]);
    for line in ["reset --hard", "reset", "reset --soft HEAD"] {
        twins.both(line);
        assert_eq!(operations(), before, "{line}");
    }
}

#[test]
fn what_is_no_revision_is_named_whatever_is_reset() {
    let env = project(&[("a.md", "# A\n")]);
    for arguments in [&["vc", "add", "."][..], &["vc", "commit", "-m", "one"]] {
        assert_eq!(env.brv(arguments).code, 0);
    }
    for extent in ["--soft", "--mixed", "--hard"] {
        let ran = env.brv(&["vc", "reset", extent, "HEAD~1"]);
        assert_eq!(ran.code, 2, "{extent}");
        assert!(ran.stderr.contains("`HEAD~1` is neither a revision nor a path"), "{extent} {}", ran.stderr);
    }
}
