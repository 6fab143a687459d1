//! Twenty rewrites of the code's history, asked about in a clone that has none of them: each of ten ways to bring a branch in,
//! with and without a later change of what an entry says.

use super::bases::{by_hand, teammate};
use super::{TRIES, look, state, tries, write};
use crate::provenance::World;

const ENTRY: &str = "code/sending.md";

const SUBJECT: &str = "mail: three tries, since the relay drops the first";

/// A branch with a commit that an entry was learned from.
fn branched() -> World {
    let world = World::new();
    world.git(&["switch", "-q", "-c", "topic"]);
    world.write("src/send.rs", &tries(3));
    world.git(&["add", "-A"]);
    world.git(&["commit", "-q", "-m", SUBJECT]);
    let source =
        format!("Brv-Source-Commit: {}\nBrv-Source-Subject: {SUBJECT}", world.recorded(&world.head()));
    write(&world, &[(ENTRY, TRIES)], &["-m", "learn", "-m", &source]);
    world.note_branch();
    world.git(&["switch", "-q", "main"]);
    world.commit("upstream.txt", "more\n");
    world
}

/// The commit changes its content, and git's hook says what it became.
fn amend_with_hook(world: &World) {
    world.git(&["switch", "-q", "topic"]);
    let old = world.head();
    world.write("src/send.rs", &tries(3).replace("Sends", "Sends mail"));
    world.git(&["commit", "-q", "-a", "--amend", "-m", "other words"]);
    world.rewrote(&old, &world.head());
    assert_eq!(state(world, ENTRY), "fresh");
    by_hand(world, &[("code/one.md", "# One\n\nOne.\n")], &["-m", "one"]);
    world.git(&["switch", "-q", "main"]);
    world.git(&["merge", "-q", "--no-ff", "-m", "merge", "topic"]);
}

fn rebase(world: &World) {
    world.git(&["switch", "-q", "topic"]);
    world.git(&["rebase", "-q", "main"]);
    world.git(&["switch", "-q", "main"]);
    world.git(&["merge", "-q", "topic"]);
}

/// The rebase changes the commit, too, and no hook says so.
fn rebase_with_edits(world: &World) {
    world.git(&["switch", "-q", "topic"]);
    world.git(&["rebase", "-q", "main"]);
    world.write("src/send.rs", &tries(3).replace("Sends", "Sends mail"));
    world.git(&["commit", "-q", "-a", "--amend", "--no-edit"]);
    world.git(&["switch", "-q", "main"]);
    world.git(&["merge", "-q", "topic"]);
}

fn more_on_the_branch(world: &World) {
    world.git(&["switch", "-q", "topic"]);
    world.commit("src/other.rs", "pub fn other() {}\n");
    world.git(&["switch", "-q", "main"]);
}

fn squash(world: &World, message: &[&str]) {
    more_on_the_branch(world);
    world.git(&["merge", "-q", "--squash", "topic"]);
    world.git(&[&["commit", "-q"], message].concat());
}

/// What brings a branch in.
type Way = (&'static str, fn(&World));

const WAYS: [Way; 10] = [
    ("merge", |world| drop(world.git(&["merge", "-q", "--no-ff", "-m", "merge", "topic"]))),
    ("amended words", |world| {
        world.git(&["switch", "-q", "topic"]);
        world.git(&["commit", "-q", "--amend", "-m", "other words"]);
        world.git(&["switch", "-q", "main"]);
        world.git(&["merge", "-q", "--no-ff", "-m", "merge", "topic"]);
    }),
    ("amended content", amend_with_hook),
    ("rebase", rebase),
    ("rebase with edits", rebase_with_edits),
    ("cherry-pick", |world| drop(world.git(&["cherry-pick", "-x", "topic"]))),
    ("squash by git", |world| squash(world, &["--no-edit"])),
    ("squash by a host", |world| {
        squash(world, &["-m", "Mail (#12)", "-m", &format!("* {SUBJECT}\n\n* other things")]);
    }),
    ("squash of one by a host", |world| squash(world, &["-m", &format!("{SUBJECT} (#12)")])),
    ("fixup", |world| {
        world.git(&["switch", "-q", "topic"]);
        world.write("src/send.rs", &format!("{}// the end\n", tries(3)));
        world.git(&["commit", "-q", "-a", "--fixup", "HEAD"]);
        world
            .env
            .git(&world.host, &["-c", "sequence.editor=:", "rebase", "-q", "-i", "--autosquash", "main"]);
        world.git(&["switch", "-q", "main"]);
        world.git(&["merge", "-q", "topic"]);
    }),
];

#[test]
fn twenty_rewrites_are_known_in_a_second_clone() {
    let (mut right, mut wrong) = (0, Vec::new());
    for (way, bring_in) in WAYS {
        for is_edited in [false, true] {
            let world = branched();
            bring_in(&world);
            world.git(&["branch", "-q", "-D", "topic"]);
            if is_edited {
                world.commit("src/send.rs", &tries(8));
            }
            let mate = teammate(world, "mate");
            let (found, truth) = (state(&mate, ENTRY), if is_edited { "changed" } else { "fresh" });
            println!("{way}, edited {is_edited}: {found}");
            match found.as_str() {
                found if found == truth => right += 1,
                "unknown" => {}
                _ => wrong.push((way, is_edited, look(&mate, &[ENTRY]))),
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
    assert!(right >= 18, "{right} of 20");
}

#[test]
fn a_subject_that_two_have_or_that_says_nothing_names_no_commit() {
    for (subject, again) in [(SUBJECT, true), ("fix it", false)] {
        let world = World::new();
        world.git(&["switch", "-q", "-c", "topic"]);
        world.commit("src/send.rs", &tries(3));
        let source = format!("Brv-Source-Commit: {}\nBrv-Source-Subject: {subject}", world.head());
        write(&world, &[(ENTRY, TRIES)], &["-m", "learn", "-m", &source]);
        world.git(&["switch", "-q", "main"]);
        world.git(&["branch", "-q", "-D", "topic"]);
        world.write("src/send.rs", &format!("{}\n", tries(3)));
        world.git(&["add", "-A"]);
        world.git(&["commit", "-q", "-m", subject]);
        if again {
            world.write("other.txt", "x\n");
            world.git(&["add", "-A"]);
            world.git(&["commit", "-q", "-m", subject]);
        }
        assert_eq!(state(&teammate(world, "mate"), ENTRY), "unknown", "{subject}");
    }
}
