//! Each line of an entry is compared with the code that it was written for.

use super::{TRIES, days_later, learn, look, sending, state, tries, write};
use crate::provenance::World;

const ENTRY: &str = "code/sending.md";

#[test]
fn a_line_that_was_rewritten_is_compared_with_later_code() {
    let world = World::new();
    let code = |low, high| format!("pub const LOW_MARK: u32 = {low};\npub const HIGH_MARK: u32 = {high};\n");
    let entry = |low, high| {
        format!(
            "# Marks\n\nSee `src/marks.rs`.\n\n## Facts\n- **LOW_MARK**: {low}\n- **HIGH_MARK**: {high}\n"
        )
    };
    world.commit("src/marks.rs", &code(1, 10));
    learn(&world, &[("code/marks.md", &entry(1, 10))]);
    world.commit("src/marks.rs", &code(2, 20));
    learn(&world, &[("code/marks.md", &entry(2, 10))]);
    let seen = look(&world, &["code/marks.md"]);
    assert_eq!(seen["code/marks.md"]["files"][0]["names"], serde_json::json!(["HIGH_MARK"]));
    learn(&world, &[("code/marks.md", &entry(2, 20))]);
    assert_ne!(state(&world, "code/marks.md"), "changed", "the line of the citation names nothing");
}

#[test]
fn a_confirmed_entry_is_compared_with_the_code_that_it_was_confirmed_for() {
    let world = sending();
    let head = world.commit("src/send.rs", &tries(8));
    assert_eq!(state(&world, ENTRY), "changed");
    let confirmed = format!("---\nverified: {head} 2023-11-14T22:13:20Z\n---\n{TRIES}");
    write(&world, &[(ENTRY, &confirmed)], &["-m", "confirm"]);
    assert_eq!(state(&world, ENTRY), "fresh");
    world.commit("src/send.rs", &tries(9));
    assert_eq!(state(&world, ENTRY), "changed");
}

#[test]
fn an_older_confirmation_does_not_count() {
    let world = sending();
    let old = world.head();
    world.commit("src/send.rs", &tries(8));
    let text = format!("---\nverified: {old}\n---\n{}", TRIES.replace("three", "eight"));
    learn(&world, &[(ENTRY, &text)]);
    assert_eq!(state(&world, ENTRY), "fresh");
}

#[test]
fn the_frontmatter_and_the_name_of_an_entry_say_nothing_of_the_code() {
    let world = sending();
    world.commit("src/send.rs", &tries(8));
    learn(&world, &[(ENTRY, &format!("---\ntags: [mail]\nimportance: 70\n---\n{TRIES}"))]);
    assert_eq!(state(&world, ENTRY), "changed");
    world.env.git(&world.tree(), &["mv", ENTRY, "code/mail.md"]);
    world.env.git(&world.tree(), &["commit", "-q", "-m", "rename"]);
    assert_eq!(state(&world, "code/mail.md"), "changed");
}

/// An entry that said three, and eight after the code did, two days later.
fn corrected() -> World {
    let curate = |world: &World, statement: &str| {
        let fact = format!("MAX_TRIES: `src/send.rs` tries {statement} times [project]");
        let what =
            ["curate", "--into", "code/mail", "--title", "Sending", "--reason", "told", "--fact", &fact];
        world.brv(&what);
    };
    let world = World::new();
    world.commit("src/send.rs", &tries(3));
    curate(&world, "three");
    let world = days_later(world, 2);
    world.commit("src/send.rs", &tries(8));
    assert_eq!(state(&world, "code/mail/sending.md"), "changed");
    let world = days_later(world, 4);
    curate(&world, "eight");
    assert_eq!(state(&world, "code/mail/sending.md"), "fresh");
    days_later(world, 6)
}

#[test]
fn what_a_revert_restores_is_as_old_as_it_was() {
    let world = corrected();
    world.brv(&["vc", "revert", "HEAD"]);
    assert_eq!(state(&world, "code/mail/sending.md"), "changed");
}

#[test]
fn what_an_undo_restores_is_as_old_as_it_was() {
    let world = corrected();
    world.brv(&["undo", "last"]);
    assert!(world.brv(&["read", "code/mail/sending"]).stdout.contains("three"));
    assert_eq!(state(&world, "code/mail/sending.md"), "changed");
    assert_eq!(state(&world, "code/mail/sending.md"), "changed");
}

#[test]
fn what_is_not_committed_is_compared_with_the_last_commit_of_the_code() {
    let world = World::new();
    world.commit("src/send.rs", &tries(3));
    crate::lab::write(&world.tree(), &[(ENTRY, TRIES)]);
    assert_eq!(state(&world, ENTRY), "fresh");
    world.write("src/send.rs", &tries(8));
    assert_eq!(state(&world, ENTRY), "changed", "the work tree of the code counts");
    world.git(&["checkout", "-q", "--", "."]);
    assert_eq!(state(&world, ENTRY), "fresh");
}
