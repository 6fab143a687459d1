//! The trailers that say for which commit of the code lines were written, whatever becomes of the commit.

use super::bases::{ENTRY, MORE, both, by_hand, doubtful, trailers};
use super::{TRIES, learn, tries, write};
use crate::lab;
use crate::provenance::World;
use brv_engine::journal::LineMark;

const HEAD: &str = "Brv-Code-Head";
const OF_LINES: &str = "Brv-Code-Head-Of";

/// The line about `MAX_TRIES`.
fn first_line() -> &'static str {
    TRIES.lines().last().unwrap()
}

#[test]
fn an_amend_that_moves_an_entry_and_its_lines_keeps_their_heads() {
    let world = World::new();
    world.commit("src/send.rs", &both(3, 9));
    by_hand(&world, &[(ENTRY, TRIES)], &["-m", "one"]);
    let first = world.head();
    let second = world.commit("src/send.rs", &both(8, 9));
    by_hand(&world, &[(ENTRY, &format!("{TRIES}{MORE}"))], &["--amend", "-m", "two"]);
    let third = world.commit("other.txt", "third\n");
    world.brv(&["vc", "mv", ENTRY, "code/mail.md"]);
    let text = format!("{TRIES}{MORE}").replace("## Facts\n", "Some words first.\n\n## Facts\n");
    by_hand(&world, &[("code/mail.md", &text)], &["--amend", "-m", "three"]);
    assert_eq!(trailers(&world, HEAD), [first]);
    let of = |head: &str, line: &str| format!("{head} {}", LineMark::of(line.as_bytes()).unwrap());
    let mut expected = [of(&second, MORE), of(&third, "Some words first.")];
    expected.sort();
    assert_eq!(trailers(&world, OF_LINES), expected);
    assert_eq!(doubtful(&world), [first_line()]);
}

#[test]
fn an_amend_that_only_cites_a_new_path_is_of_the_old_head() {
    let world = World::new();
    world.commit("src/send.rs", &tries(3));
    by_hand(&world, &[(ENTRY, TRIES)], &["-m", "one"]);
    let head = world.head();
    world.git(&["mv", "src/send.rs", "src/mail.rs"]);
    world.write("src/mail.rs", &tries(8));
    world.git(&["commit", "-q", "-a", "-m", "moved and changed"]);
    by_hand(&world, &[(ENTRY, &TRIES.replace("src/send.rs", "src/mail.rs"))], &["--amend", "-m", "mended"]);
    assert_eq!((trailers(&world, HEAD), trailers(&world, OF_LINES).len()), (vec![head], 0));
    assert_eq!(doubtful(&world).len(), 1);
}

#[test]
fn other_words_for_a_learned_commit_keep_what_it_was_learned_from() {
    let world = World::new();
    world.commit("src/send.rs", &both(3, 9));
    learn(&world, &[(ENTRY, TRIES)]);
    let source = trailers(&world, "Brv-Source-Commit");
    world.commit("src/send.rs", &both(8, 9));
    by_hand(&world, &[(ENTRY, &format!("{TRIES}{MORE}"))], &["--amend", "-m", "other words"]);
    assert_eq!((trailers(&world, "Brv-Source-Commit"), trailers(&world, HEAD).len()), (source, 0));
    assert_eq!(trailers(&world, OF_LINES).len(), 1);
    assert_eq!(doubtful(&world), [first_line()]);
}

#[test]
fn an_amended_merge_says_nothing() {
    let world = World::new();
    world.commit("src/send.rs", &tries(3));
    by_hand(&world, &[(ENTRY, TRIES)], &["-m", "base"]);
    let tree = world.tree();
    world.env.git(&tree, &["branch", "-q", "other"]);
    by_hand(&world, &[("code/one.md", "# One\n\nOne.\n")], &["-m", "one"]);
    world.brv(&["vc", "switch", "-q", "other"]);
    by_hand(&world, &[("code/two.md", "# Two\n\nTwo.\n")], &["-m", "two"]);
    world.brv(&["vc", "merge", "-q", "main"]);
    by_hand(&world, &[("code/two.md", "# Two\n\nThree.\n")], &["--amend", "-m", "merged"]);
    assert_eq!(world.env.git(&tree, &["log", "-1", "--format=%P"]).split(' ').count(), 2);
    assert_eq!(trailers(&world, HEAD).len() + trailers(&world, OF_LINES).len(), 0);
}

#[test]
fn two_curations_before_one_commit_have_a_head_each() {
    let world = World::new();
    world.commit("src/send.rs", &both(3, 9));
    world.brv(&["config", "set", "commit.auto", "false"]);
    let curate = |fact: &str| {
        world.brv(&["curate", "--into", "net", "--title", "Tries", "--reason", "r", "--fact", fact]);
        world.head()
    };
    let first = curate("tries: `MAX_TRIES` in `src/send.rs` is three");
    world.commit("src/send.rs", &both(8, 9));
    let second = curate("wait: `MAX_WAIT` in `src/send.rs` is nine");
    world.commit("other.txt", "third\n");
    let text = std::fs::read_to_string(world.tree().join("net/tries.md")).unwrap();
    lab::write(&world.tree(), &[("net/tries.md", &format!("{text}\nBy hand.\n"))]);
    let is_right = |when: &str| {
        let lines = doubtful(&world);
        assert!(lines.len() == 1 && lines[0].contains("MAX_TRIES"), "{when}: {lines:?}");
    };
    is_right("not committed");
    by_hand(&world, &[], &["-m", "both"]);
    assert_eq!(trailers(&world, HEAD), [world.head()]);
    let of_lines = trailers(&world, OF_LINES);
    for head in [first, second] {
        assert!(of_lines.iter().any(|value| value.starts_with(&head)), "{head} of {of_lines:?}");
    }
    is_right("committed");
}

/// A line by a commit of its own, and another one after the code moved on.
fn two_commits() -> World {
    let world = World::new();
    world.commit("src/send.rs", &both(3, 9));
    by_hand(&world, &[("code/base.md", "# Base\n\nText.\n")], &["-m", "base"]);
    world.env.git(&world.tree(), &["switch", "-q", "-c", "topic"]);
    by_hand(&world, &[(ENTRY, TRIES)], &["-m", "one"]);
    world.commit("src/send.rs", &both(8, 9));
    by_hand(&world, &[(ENTRY, &format!("{TRIES}{MORE}"))], &["-m", "two"]);
    world
}

#[test]
fn of_a_squash_by_git_the_older_head_counts() {
    let world = two_commits();
    let tree = world.tree();
    let messages = world.env.git(&tree, &["log", "--reverse", "--format=%B", "-2"]);
    world.env.git(&tree, &["reset", "-q", "--soft", "HEAD~2"]);
    write(&world, &[], &["-m", &messages]);
    assert_eq!(doubtful(&world), [first_line()]);
    world.commit("src/send.rs", &both(8, 10));
    assert_eq!(doubtful(&world).len(), 2);
}

#[test]
fn a_squash_by_brv_says_all_heads_once() {
    let world = two_commits();
    let tree = world.tree();
    let squash = |branch: &str| {
        world.env.git(&tree, &["switch", "-q", "main"]);
        world.brv(&["vc", "merge", "-q", "--squash", branch]);
        world.brv(&["vc", "commit", "-q", "-m", "squashed"]);
    };
    squash("topic");
    assert_eq!((trailers(&world, HEAD).len(), trailers(&world, OF_LINES).len()), (2, 0));
    assert_eq!(doubtful(&world), [first_line()]);
    world.env.git(&tree, &["switch", "-q", "-c", "plain"]);
    write(&world, &[("code/one.md", "# One\n")], &["-m", "one"]);
    squash("plain");
    assert_eq!(trailers(&world, HEAD).len(), 0, "no commit said one");
}

#[test]
fn a_cherry_pick_with_a_conflict_keeps_the_head_of_the_picked_commit() {
    let world = World::new();
    world.commit("src/send.rs", &tries(3));
    by_hand(&world, &[(ENTRY, "# Sending\n\nBase.\n")], &["-m", "base"]);
    let (tree, head) = (world.tree(), world.head());
    world.env.git(&tree, &["switch", "-q", "-c", "topic"]);
    by_hand(&world, &[(ENTRY, TRIES)], &["-m", "picked"]);
    world.env.git(&tree, &["switch", "-q", "main"]);
    world.commit("src/send.rs", &tries(8));
    world.env.git(&tree, &["rm", "-q", ENTRY]);
    write(&world, &[], &["-m", "ours"]);
    world.env.try_git(&tree, &["cherry-pick", "topic"]);
    world.env.git(&tree, &["rev-parse", "-q", "--verify", "CHERRY_PICK_HEAD"]);
    by_hand(&world, &[(ENTRY, TRIES)], &["-m", "in other words"]);
    assert_eq!(trailers(&world, HEAD), [head]);
    assert_eq!(doubtful(&world), [first_line()]);
}
