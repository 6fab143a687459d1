//! `brv vc restore`, and `checkout` of paths, beside git's.

use crate::branch::history;
use crate::twins::Twins;

fn twins() -> Twins {
    Twins::new(&[("a.md", "first\n"), ("b/c.md", "c\n"), ("b/d.md", "d\n")], history)
}

#[test]
fn files_come_back_as_they_are_recorded_and_what_stood_there_stays_on_record() {
    let twins = twins();
    twins.write("a.md", "mine\n");
    twins.both("restore a.md");
    twins.is_on_record("^1:a.md", "mine\n");
    twins.write("b/c.md", "edited\n");
    twins.git(&["rm", "-q", "--cached", "b/d.md"]);
    twins.both("restore b");
    twins.both("restore --staged b");
    twins.write("a.md", "one\n");
    twins.git(&["add", "a.md"]);
    twins.write("a.md", "two\n");
    twins.both("checkout a.md");
    twins.both("restore --staged --worktree a.md");
    twins.write("a.md", "three\n");
    twins.both("checkout -- .");
    for tree in [&twins.ours, &twins.theirs] {
        std::fs::remove_dir_all(tree.join("b")).unwrap();
    }
    twins.both("restore b/c.md b/d.md");
    twins.neither("restore nothing.md", 2);
    twins.neither("restore --source nothing a.md", 2);
}

#[test]
fn a_commit_gives_what_it_has_and_takes_what_it_lacks() {
    let twins = twins();
    twins.both("restore --source HEAD~1 a.md");
    twins.both("restore --source side --staged --worktree side.md a.md");
    twins.both("restore --source HEAD --staged --worktree .");
    twins.both("checkout side -- side.md");
    twins.both("checkout HEAD~1 -- a.md");
    twins.both("checkout HEAD a.md");
    twins.both("restore -s HEAD -SW *.md");
    twins.neither("checkout HEAD~1 -- nothing.md", 2);
}

#[test]
fn of_a_conflict_either_side_comes_back() {
    let twins = twins();
    twins.git(&["switch", "-q", "side"]);
    for tree in [&twins.ours, &twins.theirs] {
        twins.env.commit(tree, &[("a.md", "theirs\n")]);
        twins.env.try_git(tree, &["-c", "merge.brv.driver=false", "merge", "-q", "main"]);
    }
    twins.neither("restore a.md", 5);
    twins.both("restore --ours a.md");
    twins.both("checkout --theirs a.md");
    twins.both("restore --staged a.md");
}
