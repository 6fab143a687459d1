//! For which commit of the code a line was written: told by the commit of the tree, on every clone.

use super::{TRIES, learn, look, sending, state, tries, write};
use crate::init::json;
use crate::lab;
use crate::provenance::World;
use brv_engine::journal::LineMark;
use std::path::PathBuf;

pub(super) const ENTRY: &str = "code/sending.md";

/// Another line about the file.
pub(super) const MORE: &str = "- **MAX_WAIT**: `src/send.rs` waits nine seconds [project]\n";

/// The file with two constants.
pub(super) fn both(tries: u32, wait: u32) -> String {
    format!("{}pub const MAX_WAIT: u32 = {wait};\n", super::tries(tries))
}

pub(super) fn trailers(world: &World, key: &str) -> Vec<String> {
    let message = world.env.git(&world.tree(), &["log", "-1", "--format=%B"]);
    let prefix = format!("{key}: ");
    message.lines().filter_map(|line| line.strip_prefix(&prefix)).map(str::to_owned).collect()
}

/// Write entries and commit them as a person does.
pub(super) fn by_hand(world: &World, entries: &[(&str, &str)], options: &[&str]) {
    lab::write(&world.tree(), entries);
    world.brv(&["vc", "add", "."]);
    world.brv(&[&["vc", "commit", "-q"], options].concat());
}

/// The lines that `brv stale` names.
pub(super) fn doubtful(world: &World) -> Vec<String> {
    let ran = world.brv(&["stale", "--json"]);
    let entries = json(&ran.stdout)["data"]["entries"].take();
    let facts =
        entries.as_array().unwrap().iter().flat_map(|entry| entry["facts"].as_array().unwrap().clone());
    facts.map(|fact| fact["text"].as_str().unwrap().to_owned()).collect()
}

/// A clone of code and tree as a teammate has it, made now: nothing that no branch has, and no state.
pub(super) fn teammate(world: World, name: &str) -> World {
    let (host, tree): (PathBuf, _) = (world.env.path(name), world.tree());
    let from = format!("file://{}", world.host.display());
    world.env.git(world.env.root(), &["clone", "-q", &from, host.to_str().unwrap()]);
    let mate = World { env: world.env, host };
    mate.brv(&["init", "-q"]);
    mate.env.git(&mate.tree(), &["fetch", "-q", tree.to_str().unwrap(), "main"]);
    mate.env.git(&mate.tree(), &["reset", "-q", "--hard", "FETCH_HEAD"]);
    mate
}

#[test]
fn a_line_that_is_committed_while_the_checkout_is_behind_is_judged_from_there() {
    let world = World::new();
    world.commit("src/send.rs", &tries(3));
    world.commit("src/send.rs", &tries(8));
    world.git(&["checkout", "-q", "HEAD~1"]);
    by_hand(&world, &[(ENTRY, TRIES)], &["-m", "by hand"]);
    let head = world.head();
    assert_eq!(trailers(&world, "Brv-Code-Head"), [head], "where it left main is the same commit");
    world.git(&["checkout", "-q", "main"]);
    assert_eq!(doubtful(&world), [TRIES.lines().last().unwrap()]);
    assert_eq!(look(&world, &[ENTRY])[ENTRY]["base_by"], serde_json::Value::Null);
}

#[test]
fn an_amend_keeps_the_base_of_the_lines_that_it_does_not_change() {
    let world = World::new();
    world.commit("src/send.rs", &both(3, 9));
    by_hand(&world, &[(ENTRY, TRIES)], &["-m", "one"]);
    let first = world.head();
    world.commit("src/send.rs", &both(8, 9));
    let second = world.head();
    let text = format!("{TRIES}{MORE}");
    by_hand(&world, &[(ENTRY, &text)], &["--amend", "-m", "two"]);
    assert_eq!(trailers(&world, "Brv-Code-Head"), std::slice::from_ref(&first));
    let line = LineMark::of(MORE.as_bytes()).unwrap();
    assert_eq!(trailers(&world, "Brv-Code-Head-Of"), [format!("{second} {line}")]);
    assert_eq!(doubtful(&world), [TRIES.lines().last().unwrap()], "the new line knows the code of now");
    by_hand(&world, &[], &["--amend", "-m", "three"]);
    assert_eq!(trailers(&world, "Brv-Code-Head"), [first]);
    assert_eq!(trailers(&world, "Brv-Code-Head-Of"), [format!("{second} {line}")]);
    world.commit("src/send.rs", &both(8, 10));
    assert_eq!(doubtful(&world).len(), 2);
}

#[test]
fn a_merge_and_a_revert_say_nothing_of_their_own() {
    let world = sending();
    let tree = world.tree();
    world.env.git(&tree, &["branch", "-q", "other"]);
    by_hand(&world, &[("code/one.md", "# One\n\nOne.\n")], &["-m", "one"]);
    world.brv(&["vc", "switch", "-q", "other"]);
    by_hand(&world, &[("code/two.md", "# Two\n\nTwo.\n")], &["-m", "two"]);
    assert_eq!(trailers(&world, "Brv-Code-Head").len(), 1);
    world.brv(&["vc", "merge", "-q", "main"]);
    assert_eq!(trailers(&world, "Brv-Code-Head").len(), 0);
    by_hand(&world, &[("code/two.md", "# Two\n\nThree.\n")], &["-m", "three"]);
    world.brv(&["vc", "revert", "-q", "HEAD"]);
    assert_eq!(trailers(&world, "Brv-Code-Head").len(), 0);
}

#[test]
fn a_line_that_a_merge_made_is_as_old_as_the_older_of_its_sides() {
    let world = World::new();
    world.commit("src/send.rs", &both(3, 9));
    let base = "# Sending\n\n`MAX_TRIES` and `MAX_WAIT` of `src/send.rs` are three and nine, it says.\n";
    by_hand(&world, &[(ENTRY, base)], &["-m", "base"]);
    let tree = world.tree();
    world.env.git(&tree, &["branch", "-q", "other"]);
    by_hand(&world, &[(ENTRY, &base.replace("it says", "it says here"))], &["-m", "ours"]);
    world.commit("src/send.rs", &both(8, 9));
    world.env.git(&tree, &["checkout", "-q", "other"]);
    by_hand(&world, &[(ENTRY, &base.replace("it says", "it says there"))], &["-m", "theirs"]);
    world.env.try_git(&tree, &["merge", "-q", "main"]);
    write(&world, &[(ENTRY, &base.replace("it says", "it says here and there"))], &["-m", "merged"]);
    assert_eq!(world.env.git(&tree, &["log", "-1", "--format=%P"]).split(' ').count(), 2);
    assert_eq!(doubtful(&world).len(), 1, "one side saw three tries");
    let other = base.replace(
        "`MAX_TRIES` and `MAX_WAIT` of `src/send.rs` are three and nine, it says",
        "`MAX_TRIES` (`src/send.rs`)",
    );
    let world = World { env: world.env, host: world.host };
    world.env.git(&tree, &["reset", "-q", "--hard", "HEAD^1"]);
    world.env.try_git(&tree, &["merge", "-q", "main"]);
    write(&world, &[(ENTRY, &other)], &["-m", "all new"]);
    assert_eq!(state(&world, ENTRY), "unknown", "no side has a line like it");
}

#[test]
fn a_source_that_is_nowhere_is_unknown_and_never_the_time() {
    let world = World::new();
    world.commit("src/send.rs", &tries(3));
    world.git(&["switch", "-q", "-c", "topic"]);
    world.commit("other.txt", "never merged\n");
    learn(&world, &[(ENTRY, TRIES)]);
    by_hand(&world, &[("code/head.md", TRIES)], &["-m", "by hand"]);
    let main = world.git(&["rev-parse", "main"]);
    assert_eq!(trailers(&world, "Brv-Code-Head"), [format!("{} {main}", world.head())]);
    world.git(&["switch", "-q", "main"]);
    world.git(&["branch", "-q", "-D", "topic"]);
    let mate = teammate(world, "mate");
    assert_eq!(state(&mate, ENTRY), "unknown");
    assert_eq!(state(&mate, "code/head.md"), "fresh", "the file is as it was where the branch began");
    mate.commit("src/send.rs", &tries(8));
    assert_eq!(state(&mate, ENTRY), "unknown");
    assert_eq!(state(&mate, "code/head.md"), "unknown");
}

#[test]
fn with_commits_by_hand_the_head_of_the_curation_counts() {
    let world = World::new();
    world.commit("src/send.rs", &tries(3));
    world.brv(&["config", "set", "commit.auto", "false"]);
    let fact = "tries: `MAX_TRIES` in `src/send.rs` is three";
    world.brv(&["curate", "--into", "net", "--title", "Tries", "--reason", "r", "--fact", fact]);
    let head = world.head();
    world.commit("src/send.rs", &tries(8));
    assert_eq!(doubtful(&world).len(), 1, "not committed, and the operation says when");
    world.brv(&["vc", "add", "."]);
    world.brv(&["vc", "commit", "-q", "-m", "by hand"]);
    assert_eq!(trailers(&world, "Brv-Code-Head"), [head]);
    assert_eq!(doubtful(&world).len(), 1);
}

#[test]
fn in_the_repository_of_the_code_no_commit_says_its_head() {
    let world = World::in_repo();
    world.commit("src/send.rs", &tries(3));
    lab::write(&world.tree(), &[(ENTRY, TRIES)]);
    world.brv(&["vc", "add", "."]);
    world.brv(&["vc", "commit", "-q", "-m", "by hand"]);
    assert_eq!(trailers(&world, "Brv-Code-Head").len(), 0);
}

#[test]
fn what_one_clone_saw_another_knows_by_the_next_commit() {
    let world = sending();
    let old = world.head();
    world.write("src/send.rs", &tries(3).replace("Sends", "Sends mail"));
    world.git(&["commit", "-q", "-a", "--amend", "-m", "other words"]);
    let new = world.head();
    world.rewrote(&old, &new);
    assert_eq!(state(&world, ENTRY), "fresh");
    by_hand(&world, &[("code/one.md", "# One\n\nOne.\n")], &["-m", "one"]);
    assert_eq!(trailers(&world, "Brv-Source-Moved"), [format!("{old} {new}")]);
    by_hand(&world, &[("code/one.md", "# One\n\nTwo.\n")], &["-m", "two"]);
    assert_eq!(trailers(&world, "Brv-Source-Moved").len(), 0, "once");
    let mate = teammate(world, "mate");
    assert_eq!(state(&mate, ENTRY), "fresh");
    let blamed = mate.brv(&["vc", "blame", ENTRY, "--json"]);
    let source = |text: &str| {
        json(text)["data"]["commits"]
            .as_array()
            .unwrap()
            .iter()
            .find(|one| one["source"].is_object())
            .cloned()
    };
    let commit = source(&blamed.stdout).unwrap();
    assert_eq!((&commit["source"]["by"], &commit["source_commit"]), (&"map".into(), &new.clone().into()));
    let text = mate.brv(&["vc", "blame", ENTRY]).stdout;
    assert!(text.contains(&format!("was learned from {new} (replaces {old}, found by map)")), "{text}");
    mate.commit("src/send.rs", &tries(8));
    assert_eq!(state(&mate, ENTRY), "changed");
}

#[test]
fn a_stranger_cannot_map_a_source_to_another_commit() {
    let world = sending();
    let old = world.head();
    world.git(&["reset", "-q", "--hard", "HEAD~1"]);
    world.commit("src/send.rs", &tries(3).replace("Sends", "Sends mail"));
    let other = world.commit("docs/readme.txt", "text\n");
    let claim = |new: &str| format!("Brv-Source-Moved: {old} {new}");
    write(&world, &[("code/one.md", "# One\n")], &["-m", "one", "-m", &claim(&other)]);
    let world = teammate(world, "mate");
    assert_eq!(state(&world, ENTRY), "unknown", "it touches no file of the entry");
    let blob = world.git(&["rev-parse", "HEAD:src/send.rs"]);
    let future = "f".repeat(40);
    let claims = format!("{}\n{}", claim(&blob), claim(&future));
    write(&world, &[("code/one.md", "# Two\n")], &["-m", "two", "-m", &claims]);
    assert_eq!(state(&world, ENTRY), "unknown", "no commit of the history");
}

#[test]
fn a_check_tells_where_a_file_went_and_its_fix_is_no_news() {
    let world = World::new();
    world.commit("src/send.rs", &tries(3));
    let entry = format!("{TRIES}\n## Raw Concept\n**Files:**\n- src/send.rs\n");
    by_hand(&world, &[(ENTRY, &entry)], &["-m", "one"]);
    world.git(&["mv", "src/send.rs", "src/mail.rs"]);
    world.write("src/mail.rs", &tries(8));
    world.git(&["commit", "-q", "-a", "-m", "moved and changed"]);
    assert_eq!((state(&world, ENTRY), doubtful(&world).len()), ("changed".to_owned(), 1));
    let ran = world.env.brv_in(&world.host, &["vc", "check", "--all"]);
    assert!(ran.stdout.contains("cites `src/send.rs`, which moved to `src/mail.rs`"), "{}", ran.stdout);
    world.env.brv_in(&world.host, &["vc", "check", "--all", "--fix"]);
    let text = std::fs::read_to_string(world.tree().join(ENTRY)).unwrap();
    assert_eq!(text, entry.replace("src/send.rs", "src/mail.rs"));
    assert_eq!(doubtful(&world).len(), 1, "not committed yet");
    by_hand(&world, &[], &["-m", "mended"]);
    let ran = world.env.brv_in(&world.host, &["vc", "check", "--all"]);
    assert!(!ran.stdout.contains("src/send.rs"), "{}", ran.stdout);
    assert_eq!(doubtful(&world).len(), 1);
    let mate = teammate(world, "mate");
    assert_eq!(doubtful(&mate).len(), 1, "in another clone, too");
}
