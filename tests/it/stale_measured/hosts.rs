//! What people do to the code's history and files beside editing them.

use super::{TRIES, days_later, learn, look, sending, state, tries, write};
use crate::env::Env;
use crate::lab;
use crate::provenance::World;

const ENTRY: &str = "code/sending.md";

/// The entry is fresh, and changed once the constant is.
fn assert_known(world: &World) {
    assert_eq!(state(world, ENTRY), "fresh");
    world.commit("src/send.rs", &tries(8));
    assert_eq!(state(world, ENTRY), "changed");
}

#[test]
fn an_amended_commit_makes_nothing_stale() {
    let world = sending();
    let old = world.head();
    world.git(&["commit", "-q", "--amend", "-m", "another message"]);
    world.forget(&old);
    assert_known(&world);
}

#[test]
fn a_commit_amended_in_its_content_makes_nothing_stale_where_git_said_so() {
    let world = sending();
    let old = world.head();
    world.write("other.txt", "more\n");
    world.git(&["add", "-A"]);
    world.git(&["commit", "-q", "--amend", "--no-edit"]);
    world.rewrote(&old, &world.head());
    world.forget(&old);
    assert_known(&world);
}

#[test]
fn a_rebased_branch_makes_nothing_stale() {
    let world = World::new();
    world.git(&["switch", "-q", "-c", "topic"]);
    let old = world.commit("src/send.rs", &tries(3));
    learn(&world, &[(ENTRY, TRIES)]);
    world.git(&["switch", "-q", "main"]);
    world.commit("other.txt", "upstream\n");
    world.git(&["switch", "-q", "topic"]);
    world.git(&["rebase", "-q", "main"]);
    world.forget(&old);
    assert_known(&world);
}

#[test]
fn a_squashed_branch_makes_nothing_stale() {
    let world = World::new();
    world.git(&["switch", "-q", "-c", "topic"]);
    let old = world.commit("src/send.rs", &tries(3));
    learn(&world, &[(ENTRY, TRIES)]);
    world.note_branch();
    world.commit("other.txt", "more\n");
    world.note_branch();
    world.git(&["switch", "-q", "main"]);
    world.git(&["merge", "-q", "--squash", "topic"]);
    world.git(&["commit", "-q", "-m", "squash"]);
    world.git(&["branch", "-q", "-D", "topic"]);
    world.forget(&old);
    assert_known(&world);
}

#[test]
fn where_no_commit_is_recorded_the_time_of_the_line_decides() {
    let world = World::new();
    world.commit("src/send.rs", &tries(3));
    write(&world, &[(ENTRY, TRIES)], &["-m", "by hand"]);
    let world = days_later(world, 1);
    world.commit("src/send.rs", &tries(8));
    let seen = look(&world, &[ENTRY]);
    assert_eq!((&seen[ENTRY]["state"], &seen[ENTRY]["base_by"]), (&"changed".into(), &"time".into()));
}

#[test]
fn a_base_that_is_lost_is_unknown() {
    let world = World::new();
    world.commit("src/send.rs", &tries(3));
    let world = days_later(world, 1);
    world.git(&["switch", "-q", "-c", "topic"]);
    let gone = world.commit("other.txt", "never merged\n");
    learn(&world, &[(ENTRY, TRIES)]);
    world.git(&["switch", "-q", "main"]);
    world.git(&["branch", "-q", "-D", "topic"]);
    world.forget(&gone);
    let world = days_later(world, 2);
    assert_eq!(state(&world, ENTRY), "unknown");
}

#[test]
fn a_clone_that_is_shallow_does_not_guess() {
    let world = sending();
    let world = days_later(world, 1);
    world.commit("src/send.rs", &tries(8));
    let shallow = world.env.path("shallow");
    let from = format!("file://{}", world.host.display());
    world.env.git(world.env.root(), &["clone", "-q", "--depth", "1", &from, shallow.to_str().unwrap()]);
    let tree = world.tree();
    let World { env, host: _ } = world;
    let world = World { env, host: shallow };
    world.brv(&["init", "-q"]);
    world.env.git(
        &world.tree(),
        &["pull", "-q", "--allow-unrelated-histories", "-X", "theirs", tree.to_str().unwrap(), "main"],
    );
    assert_eq!(state(&world, ENTRY), "unknown");
}

#[test]
fn during_a_merge_the_files_on_disk_are_judged() {
    let world = sending();
    world.git(&["switch", "-q", "-c", "topic"]);
    world.commit("src/send.rs", &tries(8));
    world.git(&["switch", "-q", "main"]);
    world.commit("src/send.rs", &tries(3).replace("Sends", "Sends mail"));
    assert_eq!(state(&world, ENTRY), "touched");
    world.commit("src/send.rs", &tries(5));
    assert_eq!(world.env.try_git(&world.host, &["merge", "-q", "topic"]).code, 1, "a conflict");
    assert_eq!(state(&world, ENTRY), "changed", "neither side has the old value");
    world.git(&["merge", "--abort"]);
    assert_eq!(state(&world, ENTRY), "changed");
}

#[test]
fn line_endings_are_no_change() {
    let world = World::new();
    world.git(&["config", "core.autocrlf", "false"]);
    world.commit("src/send.rs", &tries(3).replace('\n', "\r\n"));
    learn(&world, &[(ENTRY, &TRIES.replace('\n', "\r\n"))]);
    assert_eq!(state(&world, ENTRY), "fresh");
    world.commit("src/send.rs", &tries(3));
    assert_eq!(state(&world, ENTRY), "touched");
    world.commit("src/send.rs", &tries(8).replace('\n', "\r\n"));
    assert_eq!(state(&world, ENTRY), "changed");
}

#[test]
fn a_binary_file_is_touched_at_most() {
    let world = World::new();
    let picture = |last: u8| std::fs::write(world.host.join("logo.png"), [0x89, b'P', 0, 0, last]).unwrap();
    picture(1);
    world.commit("other.txt", "text\n");
    learn(&world, &[(ENTRY, "# Logo\n\nThe logo is `logo.png`, drawn by `make_logo`.\n")]);
    assert_eq!(state(&world, ENTRY), "fresh");
    picture(2);
    assert_eq!(state(&world, ENTRY), "touched");
    std::fs::remove_file(world.host.join("logo.png")).unwrap();
    assert_eq!(state(&world, ENTRY), "gone");
}

#[test]
fn a_submodule_is_not_of_this_code() {
    let world = World::new();
    let library = world.env.path("library");
    world.env.git(world.env.root(), &["init", "-q", "library"]);
    world.env.commit(&library, &[("src/a.rs", "pub const DEPTH_MAX: u8 = 1;\n")]);
    world.git(&["submodule", "--quiet", "add", library.to_str().unwrap(), "vendor/library"]);
    world.commit("other.txt", "text\n");
    let inside = "# Library\n\n- **DEPTH_MAX**: 1, in `vendor/library/src/a.rs` of `vendor/library`\n";
    learn(&world, &[(ENTRY, inside)]);
    world.write("vendor/library/src/a.rs", "pub const DEPTH_MAX: u8 = 2;\n");
    assert_eq!(state(&world, ENTRY), "none");
}

#[test]
fn in_the_repository_of_the_code_the_commit_of_the_line_counts() {
    let world = World::in_repo();
    world.commit("src/send.rs", &tries(3));
    write(&world, &[(ENTRY, TRIES)], &["-m", "learn"]);
    assert_known(&world);
}

#[test]
fn without_a_repository_of_code_nobody_knows() {
    let env = Env::new();
    let host = env.path("notes");
    lab::write(&host, &[("src/send.rs", &tries(3))]);
    let world = World { env, host };
    world.brv(&["init", "-q"]);
    let entry = "# Sending\n\n## Raw Concept\n\n**Files:**\n- src/send.rs\n";
    write(&world, &[(ENTRY, entry), ("code/plain.md", "# Plain\n\nNothing.\n")], &["-m", "by hand"]);
    assert_eq!(state(&world, ENTRY), "unknown");
    assert_eq!(state(&world, "code/plain.md"), "none");
}
