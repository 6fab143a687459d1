//! What a clone finds out of commits of the code that it does not have, and when it forgets that it found nothing.

use super::bases::{by_hand, teammate, trailers};
use super::{TRIES, learn, state, tries, write};
use crate::lab;
use crate::provenance::World;

const ENTRY: &str = "code/sending.md";

const SUBJECT: &str = "mail: three tries, since the relay drops the first";

fn commit(world: &World, path: &str, text: &str, subject: &str) -> String {
    world.write(path, text);
    world.git(&["add", "-A"]);
    world.git(&["commit", "-q", "-m", subject]);
    world.head()
}

/// Where nothing else is known, the subject is looked for, but not in what is older than the entry.
#[test]
fn an_older_commit_of_the_same_subject_is_not_the_source() {
    let world = World::new();
    commit(&world, "src/send.rs", &tries(8), SUBJECT);
    let world = super::days_later(world, 3);
    world.git(&["switch", "-q", "-c", "topic"]);
    commit(&world, "src/send.rs", &tries(3), SUBJECT);
    let source = format!("Brv-Source-Commit: {}\nBrv-Source-Subject: {SUBJECT}", world.head());
    write(&world, &[(ENTRY, TRIES)], &["-m", "learn", "-m", &source]);
    world.git(&["switch", "-q", "main"]);
    world.git(&["branch", "-q", "-D", "topic"]);
    assert_eq!(state(&teammate(world, "mate"), ENTRY), "unknown");
}

#[test]
fn two_clones_that_tell_different_things_are_not_believed() {
    let world = World::new();
    world.git(&["switch", "-q", "-c", "topic"]);
    let old = commit(&world, "src/send.rs", &tries(3), "three");
    learn(&world, &[(ENTRY, TRIES)]);
    world.git(&["switch", "-q", "main"]);
    world.git(&["branch", "-q", "-D", "topic"]);
    let one = world.commit("src/send.rs", &tries(4));
    let two = world.commit("src/send.rs", &tries(3).replace("Sends", "Sends mail"));
    let claim = |new: &str| format!("Brv-Source-Moved: {old} {new}");
    write(&world, &[("code/one.md", "# One\n")], &["-m", "one", "-m", &claim(&one)]);
    let world = teammate(world, "mate");
    assert_eq!(state(&world, ENTRY), "changed", "one is believed");
    write(&world, &[("code/one.md", "# Two\n")], &["-m", "two", "-m", &claim(&two)]);
    let third = teammate(world, "third");
    assert_eq!(state(&third, ENTRY), "unknown");
}

#[test]
fn what_was_unknown_is_looked_for_again_when_it_may_be_here() {
    let world = World::new();
    world.git(&["switch", "-q", "-c", "topic"]);
    commit(&world, "src/send.rs", &tries(3), "three");
    learn(&world, &[(ENTRY, TRIES)]);
    world.git(&["switch", "-q", "main"]);
    let host = world.host.clone();
    let mate = teammate(world, "mate");
    mate.git(&["update-ref", "-d", "refs/remotes/origin/topic"]);
    mate.git(&["reflog", "expire", "--expire=now", "--all"]);
    mate.git(&["gc", "-q", "--prune=now"]);
    mate.write("src/send.rs", &tries(8));
    mate.git(&["add", "-A"]);
    mate.git(&["commit", "-q", "-m", "eight"]);
    assert_eq!(state(&mate, ENTRY), "unknown");
    mate.git(&["fetch", "-q", host.to_str().unwrap(), "topic:refs/remotes/origin/topic"]);
    assert_eq!(state(&mate, ENTRY), "changed");
}

#[test]
fn an_entry_from_the_archive_is_as_old_as_it_was() {
    let world = World::new();
    world.commit("src/send.rs", &tries(3));
    by_hand(&world, &[(ENTRY, TRIES)], &["-m", "one"]);
    world.brv(&["archive", "run", ENTRY]);
    world.commit("src/send.rs", &tries(8));
    world.brv(&["archive", "restore", ENTRY]);
    assert_eq!(state(&world, ENTRY), "changed");
}

#[test]
fn of_operations_only_those_without_a_source_are_of_now() {
    let world = World::new();
    let three = world.commit("src/send.rs", &tries(3));
    world.commit("src/send.rs", &tries(8));
    world.git(&["checkout", "-q", "HEAD~1"]);
    let operation = |path: &str, source: &str| {
        format!(
            r#"{{"type":"ADD","path":"{path}","title":"T","reason":"r","content":{{"facts":[{{"subject":"tries of {path}","statement":"`MAX_TRIES` in `src/send.rs` is three"}}]}}{source}}}"#
        )
    };
    let source = format!(r#","source_commit":"{three}""#);
    let text =
        format!(r#"{{"operations":[{},{}]}}"#, operation("net/a.md", &source), operation("net/b.md", ""));
    lab::write(&world.host, &[("ops.json", &text)]);
    world.brv(&["curate", "--ops", "ops.json"]);
    let all = world.env.git(&world.tree(), &["log", "--format=%B"]);
    assert_eq!(all.matches(&format!("Brv-Code-Head: {three}")).count(), 1, "{all}");
    assert_eq!(all.matches("Brv-Source-Subject: change src/send.rs").count(), 1, "{all}");
    world.git(&["checkout", "-q", "main"]);
    assert_eq!((state(&world, "net/a.md"), state(&world, "net/b.md")), ("changed".into(), "changed".into()));
}

#[test]
fn the_default_branch_is_that_of_any_remote() {
    let world = World::new();
    let main = world.commit("src/send.rs", &tries(3));
    world.git(&["update-ref", "refs/remotes/up/trunk", &main]);
    let head = world.commit("src/send.rs", &tries(8));
    by_hand(&world, &[(ENTRY, TRIES)], &["-m", "one"]);
    assert_eq!(trailers(&world, "Brv-Code-Head"), [format!("{head} {main}")]);
}
