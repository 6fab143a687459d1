//! `brv vc restore`, and `checkout` of paths, compared with git's.

use crate::branch::history;
use crate::git_parity::Twins;

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

#[test]
fn what_stands_in_the_place_of_a_file_is_named_and_nothing_is_written() {
    let twins = twins();
    let (env, tree) = (&twins.env, &twins.ours);
    std::fs::write(tree.join("b/d.md"), "mine\n").unwrap();
    std::fs::remove_file(tree.join("a.md")).unwrap();
    std::fs::create_dir_all(tree.join("a.md/deep")).unwrap();
    std::fs::write(tree.join("a.md/deep/own.txt"), "own\n").unwrap();
    for line in ["restore a.md", "restore .", "reset --hard", "switch -f side", "checkout -- a.md"] {
        let arguments: Vec<&str> = ["vc"].into_iter().chain(line.split(' ')).collect();
        let ran = env.brv(&arguments);
        assert_eq!(ran.code, 6, "{line}: {}{}", ran.stdout, ran.stderr);
        assert!(ran.stderr.contains("other files are in the way\n  a.md/deep/own.txt\n"), "{}", ran.stderr);
        assert_eq!(ran.stdout, "", "{line}");
        assert_eq!(std::fs::read_to_string(tree.join("b/d.md")).unwrap(), "mine\n", "{line}");
    }
    assert_eq!(env.git(tree, &["branch", "--show-current"]), "main");
    let ran = env.brv(&["vc", "rm", "-f", "b/c.md"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    std::fs::create_dir_all(tree.join("b/c.md")).unwrap();
    std::fs::write(tree.join("b/c.md/own.txt"), "own\n").unwrap();
    let ran = env.brv(&["undo"]);
    assert!(ran.code == 6 && ran.stderr.contains("in the way\n  b/c.md/own.txt\n"), "{}", ran.stderr);
    std::fs::remove_dir_all(tree.join("b/c.md")).unwrap();
    let ran = env.brv(&["undo"]);
    assert_eq!(ran.code, 0, "another file that is now a folder does not block: {}", ran.stderr);
    // a file where a folder must be
    std::fs::remove_dir_all(tree.join("b")).unwrap();
    std::fs::write(tree.join("b"), "own\n").unwrap();
    let ran = env.brv(&["vc", "restore", "b/c.md", "b/d.md"]);
    assert_eq!((ran.code, ran.stderr.contains("in the way\n  b\n")), (6, true), "{}", ran.stderr);
    // an empty folder does not block
    std::fs::remove_file(tree.join("b")).unwrap();
    std::fs::remove_file(tree.join("a.md/deep/own.txt")).unwrap();
    let ran = env.brv(&["vc", "restore", "."]);
    assert!(ran.code == 0 && ran.stdout.starts_with("Restored 3 files.\n"), "{}{}", ran.stdout, ran.stderr);
    assert_eq!(env.git(tree, &["status", "--porcelain"]), "");
}
