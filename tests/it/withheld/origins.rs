//! Which versions were made here.

use super::{PLAIN, STEERING, agent, entry, poisoned, pull, push, reading, team, withheld};
use crate::env::{Env, tree};
use crate::init::{commit, write};
use crate::review::done;

fn steering(more: &str) -> String {
    entry("Injection", &format!("{STEERING}\n\n{more}"))
}

/// Whether an agent gets an entry.
#[track_caller]
fn is_served(env: &Env, path: &str) -> bool {
    let outcome = reading(&agent(env), &[path], None, None);
    assert_eq!(outcome.pieces.len() + outcome.withheld, 1, "{outcome:?}");
    outcome.withheld == 0
}

#[test]
fn an_own_entry_is_served_however_it_was_written() {
    let (env, _) = team();
    write(&env, &[("ops/notes.md", &steering("Uncommitted."))]);
    assert!(is_served(&env, "ops/notes.md"), "no commit has it");
    commit(&env, "by brv");
    assert!(is_served(&env, "ops/notes.md"));
    env.commit(&tree(&env), &[("ops/notes.md", &steering("By git."))]);
    assert!(is_served(&env, "ops/notes.md"));
    env.git(&tree(&env), &["commit", "-q", "--amend", "-m", "other words"]);
    assert!(is_served(&env, "ops/notes.md"));
    write(&env, &[("ops/attacks.md", &steering("Known ones."))]);
    commit(&env, "attacks");
    assert!(is_served(&env, "ops/attacks.md"));
    done(env.brv(&["vc", "mv", "ops/attacks.md", "ops/moved.md"]));
    commit(&env, "moved");
    assert!(is_served(&env, "ops/moved.md"));
    done(env.brv(&["vc", "rm", "ops/moved.md"]));
    commit(&env, "removed");
    done(env.brv(&["undo"]));
    done(env.brv(&["undo"]));
    assert!(is_served(&env, "ops/moved.md"));
    assert_eq!(withheld(&env), 0);
}

#[test]
fn an_own_entry_is_served_after_a_rebase_and_after_a_merge_of_both_sides() {
    let (env, other) = team();
    let text =
        |first: &str, last: &str| entry("Injection", &format!("{first}\n\n{PLAIN}\n\nThe end.\n\n{last}"));
    push(&env, &other, &[("ops/notes.md", &text("One.", "Two."))]);
    pull(&env);
    let folder = tree(&env);
    env.commit(&folder, &[("ops/notes.md", &text(STEERING, "Two."))]);
    push(&env, &other, &[("ops/notes.md", &text("One.", "Three."))]);
    env.git(&folder, &["fetch", "-q"]);
    env.git(&folder, &["branch", "-q", "side"]);
    env.git(&folder, &["rebase", "-q", "origin/main"]);
    assert!(std::fs::read_to_string(folder.join("ops/notes.md")).unwrap().contains("Three."));
    assert!(is_served(&env, "ops/notes.md"), "rebased");
    env.git(&folder, &["switch", "-q", "side"]);
    env.git(&folder, &["merge", "-q", "origin/main"]);
    assert!(is_served(&env, "ops/notes.md"), "merged by git");
    env.git(&folder, &["reset", "-q", "--hard", "HEAD~1"]);
    done(env.brv(&["vc", "merge", "origin/main"]));
    assert!(is_served(&env, "ops/notes.md"), "merged by brv");
    assert_eq!(withheld(&env), 0);
}

#[test]
fn a_merge_of_ours_adopts_nothing() {
    for by_brv in [true, false] {
        let (env, other) = team();
        env.commit(&tree(&env), &[("ops/own.md", &entry("Own", "Own text."))]);
        push(&env, &other, &[("ops/notes.md", &steering("Theirs."))]);
        env.git(&tree(&env), &["fetch", "-q"]);
        match by_brv {
            true => drop(done(env.brv(&["vc", "merge", "origin/main"]))),
            false => drop(env.git(&tree(&env), &["merge", "-q", "origin/main"])),
        }
        assert!(!is_served(&env, "ops/notes.md"), "by brv: {by_brv}");
        assert!(is_served(&env, "ops/own.md"));
    }
}

#[test]
fn a_merge_of_both_sides_of_a_file_does_not_free_what_theirs_brought() {
    let (env, other) = team();
    let text =
        |first: &str, last: &str| entry("Deploys", &format!("{first}\n\n{PLAIN}\n\nThe end.\n\n{last}"));
    push(&env, &other, &[("ops/deploys.md", &text("One.", "Two."))]);
    pull(&env);
    env.commit(&tree(&env), &[("ops/deploys.md", &text("First.", "Two."))]);
    push(&env, &other, &[("ops/deploys.md", &text("One.", STEERING))]);
    pull(&env);
    let merged = std::fs::read_to_string(tree(&env).join("ops/deploys.md")).unwrap();
    assert!(merged.contains("First.") && merged.contains(STEERING), "{merged}");
    let read = super::json(&reading(&agent(&env), &["ops/deploys.md"], None, None));
    assert!(read.contains("First.") && !read.contains(STEERING), "as it was here before: {read}");
}

#[test]
fn an_edit_a_move_and_an_undo_of_ours_do_not_free_it() {
    let (env, other) = team();
    push(&env, &other, &[("ops/notes.md", &steering("Theirs."))]);
    pull(&env);
    write(&env, &[("ops/notes.md", &steering("Edited here."))]);
    assert!(!is_served(&env, "ops/notes.md"), "not committed");
    commit(&env, "edited");
    assert!(!is_served(&env, "ops/notes.md"), "committed");
    done(env.brv(&["vc", "mv", "ops/notes.md", "ops/moved.md"]));
    commit(&env, "moved");
    assert!(!is_served(&env, "ops/moved.md"), "moved");
    env.git(&tree(&env), &["rm", "-q", "ops/moved.md"]);
    env.git(&tree(&env), &["commit", "-q", "-m", "removed"]);
    env.git(&tree(&env), &["checkout", "HEAD~1", "--", "ops/moved.md"]);
    assert!(!is_served(&env, "ops/moved.md"), "brought back");
    env.git(&tree(&env), &["commit", "-q", "-m", "back"]);
    assert!(!is_served(&env, "ops/moved.md"), "brought back and committed");
    write(&env, &[("ops/moved.md", &entry("Injection", "Only our words."))]);
    commit(&env, "ours");
    assert!(is_served(&env, "ops/moved.md"), "nothing of it is left");
    write(&env, &[("ops/moved.md", &steering("Our own example."))]);
    commit(&env, "example");
    assert!(is_served(&env, "ops/moved.md"), "written here");
}

#[test]
fn an_amended_commit_of_others_stays_theirs() {
    let (env, other) = team();
    push(&env, &other, &[("ops/notes.md", &steering("Theirs."))]);
    pull(&env);
    env.git(&tree(&env), &["commit", "-q", "--amend", "-m", "our words"]);
    assert!(!is_served(&env, "ops/notes.md"));
}

#[test]
fn a_fresh_clone_accepts_nothing_and_its_own_commits_only() {
    let (env, _) = team();
    write(&env, &[("ops/notes.md", &steering("First."))]);
    commit(&env, "ours");
    done(env.brv(&["vc", "push"]));
    assert_eq!(withheld(&env), 0);
    let folder = crate::review::clone(&env);
    let brain = crate::review::data_in(&env, &folder, &["brain"], 0);
    assert_eq!(brain["withheld"], 1, "{brain}");
}

#[test]
fn while_a_merge_waits_its_files_are_theirs() {
    let (env, other) = team();
    env.commit(&tree(&env), &[("ops/deploys.md", &entry("Deploys", "One way."))]);
    let files = [("ops/deploys.md", entry("Deploys", "Another way.")), ("ops/notes.md", steering("Theirs."))];
    push_unmerged(&env, &other, &files.each_ref().map(|(path, text)| (*path, text.as_str())));
    env.git(&tree(&env), &["fetch", "-q"]);
    assert_ne!(env.try_git(&tree(&env), &["merge", "-q", "origin/main"]).code, 0);
    assert!(!is_served(&env, "ops/notes.md"));
}

fn push_unmerged(env: &Env, other: &std::path::Path, files: &[(&str, &str)]) {
    env.commit(other, files);
    env.git(other, &["push", "-q", "origin", "HEAD:main"]);
}

#[test]
fn old_logs_may_go() {
    let (env, _) = poisoned();
    write(&env, &[("ops/notes.md", &steering("Ours."))]);
    commit(&env, "ours");
    assert_eq!(withheld(&env), 2);
    std::fs::write(tree(&env).join(".git/logs/HEAD"), "").unwrap();
    assert_eq!(withheld(&env), 2, "what was looked at is kept");
}

#[test]
fn in_a_folder_of_the_code_it_is_the_same() {
    let env = Env::new().with("BRV_SEARCH_FRESHNESS", "0");
    env.git(env.root(), &["init", "-q"]);
    done(env.brv(&["init", "-q", "--in-repo"]));
    std::fs::create_dir_all(env.path("src")).unwrap();
    std::fs::write(env.path("src/gate.rs"), "fn gate() {}\n").unwrap();
    write(&env, &[("ops/own.md", &steering("See `src/gate.rs`."))]);
    env.git(env.root(), &["add", "-A"]);
    env.git(env.root(), &["commit", "-q", "-m", "start"]);
    let (remote, other) = (env.path("code.git"), env.path("other"));
    env.git(env.root(), &["clone", "-q", "--bare", ".", remote.to_str().unwrap()]);
    env.git(env.root(), &["clone", "-q", remote.to_str().unwrap(), other.to_str().unwrap()]);
    let theirs = entry("Gate", &format!("{STEERING} See `src/gate.rs`."));
    env.commit(&other, &[(".brv/context-tree/ops/gate.md", &theirs)]);
    env.git(&other, &["push", "-q", "origin", "HEAD:main"]);
    env.git(env.root(), &["pull", "-q", remote.to_str().unwrap(), "main"]);
    assert!(is_served(&env, "ops/own.md") && !is_served(&env, "ops/gate.md"));
    assert_eq!(withheld(&env), 1);
    let known = super::data(&env, &["brain", "--for", "src/gate.rs"]);
    assert_eq!(
        (known["withheld"].as_u64(), known["items"][0]["path"].as_str()),
        (Some(1), Some("ops/own.md"))
    );
}
