//! What was curated without a commit of the code is compared with the head of then, however that landed; and places that
//! paths may mean.

use super::{learn, look, state};
use crate::init::json;
use crate::provenance::World;
use serde_json::json as value;

const ENTRY: &str = "net/limit.md";

fn code(limit: u32) -> String {
    format!("pub const MAX_UPLOADS: u32 = {limit};\n")
}

fn curate(world: &World) {
    let fact = "limit: `MAX_UPLOADS` in `src/upload.rs` bounds the uploads";
    world.brv(&["curate", "--into", "net", "--title", "Limit", "--reason", "r", "--fact", fact]);
}

/// A branch of the code on which the entry was written, and `main` before it.
fn branched() -> World {
    let world = World::new();
    world.commit("src/upload.rs", &code(3));
    world.git(&["checkout", "-q", "-b", "topic"]);
    world.commit("src/upload.rs", &code(8));
    curate(&world);
    assert_eq!(state(&world, ENTRY), "fresh");
    world
}

#[test]
fn a_branch_that_lands_makes_nothing_stale_that_was_written_on_it() {
    for landing in [
        &[&["checkout", "-q", "main"][..], &["merge", "-q", "--no-ff", "-m", "m", "topic"]][..],
        &[
            &["checkout", "-q", "main"],
            &["merge", "-q", "--squash", "topic"],
            &["commit", "-q", "-m", "s"],
            &["branch", "-D", "topic"],
        ],
        &[&["commit", "-q", "--amend", "-m", "other words"]],
    ] {
        let world = branched();
        for command in landing {
            world.git(command);
        }
        assert_eq!(state(&world, ENTRY), "fresh", "{landing:?}");
        world.commit("src/upload.rs", &code(9));
        assert_eq!(state(&world, ENTRY), "changed", "{landing:?}");
    }
}

#[test]
fn a_range_lists_what_was_written_beside_it_and_not_what_was_written_upon_it() {
    let world = World::new();
    world.commit("src/upload.rs", &code(3));
    world.git(&["checkout", "-q", "-b", "topic"]);
    world.commit("src/upload.rs", &code(8));
    world.git(&["checkout", "-q", "main"]);
    curate(&world);
    world.git(&["checkout", "-q", "topic"]);
    let counts = |range: &str| json(&world.brv(&["stale", range, "--json"]).stdout)["data"]["counts"].clone();
    assert_eq!(counts("main...HEAD")["changed"], 1, "as in the pull request of the branch");
    assert_eq!(
        (&counts("HEAD..HEAD")["changed"], &counts("HEAD..HEAD")["uncited"]),
        (&value!(0), &value!(0))
    );
    learn(&world, &[(ENTRY, "# Limit\n\n`MAX_UPLOADS` in `src/upload.rs` is eight.\n")]);
    assert_eq!(counts("main...HEAD")["changed"], 0, "who wrote it knew the change");
}

#[test]
fn a_rename_is_followed_on_although_an_earlier_one_is_remembered() {
    let world = World::new();
    world.commit("src/upload.rs", &code(3));
    learn(&world, &[(ENTRY, "# Limit\n\n`MAX_UPLOADS` in `src/upload.rs`.\n")]);
    world.git(&["mv", "src/upload.rs", "src/first.rs"]);
    world.git(&["commit", "-q", "-m", "one"]);
    let place = || look(&world, &[ENTRY])[ENTRY]["files"][0]["moved_to"].clone();
    assert_eq!(place(), "src/first.rs");
    world.git(&["mv", "src/first.rs", "src/second.rs"]);
    assert_eq!(place(), "src/second.rs", "staged");
    world.git(&["commit", "-q", "-m", "two"]);
    assert_eq!(place(), "src/second.rs");
}

#[test]
fn a_confirmation_for_code_that_is_not_here_leaves_it_unknown() {
    let world = World::new();
    world.commit("src/upload.rs", &code(3));
    let text = "# Limit\n\n`MAX_UPLOADS` in `src/upload.rs`.\n";
    let elsewhere = format!("---\nverified: {} 2033-01-01T00:00:00Z\n---\n{text}", "5".repeat(40));
    learn(&world, &[(ENTRY, &elsewhere)]);
    assert_eq!(state(&world, ENTRY), "unknown");
}

#[test]
fn values_in_quotes_count_and_a_file_that_git_does_not_know_is_unknown() {
    let world = World::new();
    let config =
        |version: &str, note: &str| format!("MIN_RUST = \"{version}\"\nSEPARATOR_A = \"a # {note}\"\n");
    world.commit("tool.toml", &config("1.70", "b"));
    let entry = "# Tool\n\n`MIN_RUST` and `SEPARATOR_A` in `tool.toml`.\n";
    learn(&world, &[("tool.md", entry), ("new.md", "# New\n\n`NEW_LIMIT` in `src/new.rs`.\n")]);
    world.commit("tool.toml", &config("1.95", "c"));
    let names = look(&world, &["tool.md"])["tool.md"]["files"][0]["names"].clone();
    assert_eq!(names, value!(["MIN_RUST", "SEPARATOR_A"]));
    assert_eq!(state(&world, "new.md"), "none");
    world.write("src/new.rs", "pub const NEW_LIMIT: u32 = 1;\n");
    assert_eq!(state(&world, "new.md"), "unknown");
}
