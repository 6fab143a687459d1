//! `brv undo`: whatever was done is as before, byte for byte, and what was done since is kept.

use crate::env::{Env, Ran};
use crate::init::{json, project, write};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

pub const A: &str = "---\ntitle: A\ntags: [a]\n---\n\n## Narrative\n\nOne.\n\n- x\n\nTwo.\n\nThree.\n";

pub fn tree(env: &Env) -> PathBuf {
    env.path(".brv/context-tree")
}

/// All that an undo must bring back: files, index, references, what waits for a commit.
#[derive(Debug, PartialEq, Eq)]
pub struct State {
    files: BTreeMap<String, String>,
    index: String,
    references: String,
    merge: Vec<Option<String>>,
}

pub fn state(env: &Env, tree: &Path) -> State {
    let mut files = BTreeMap::new();
    gather(tree, tree, &mut files);
    let read = |name: &str| std::fs::read_to_string(tree.join(".git").join(name)).ok();
    State {
        files,
        index: env.git(tree, &["ls-files", "-s"]),
        references: format!(
            "{}\n{}",
            env.git(tree, &["for-each-ref", "refs/heads", "refs/tags", "refs/remotes"]),
            read("HEAD").unwrap()
        ),
        merge: ["MERGE_HEAD", "MERGE_MSG", "SQUASH_MSG"].map(read).into(),
    }
}

fn gather(root: &Path, folder: &Path, files: &mut BTreeMap<String, String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            if path.file_name().unwrap() != ".git" {
                gather(root, &path, files);
            }
        } else {
            let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
            files.insert(name, String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned());
        }
    }
}

#[track_caller]
fn done(ran: Ran) -> Ran {
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    ran
}

/// The name of the newest operation.
pub fn last(env: &Env) -> String {
    let log = json(&done(env.brv(&["op", "log", "-n", "1", "--json"])).stdout);
    log["data"]["operations"][0]["id"].as_str().unwrap().to_owned()
}

/// A project with two committed entries.
fn two() -> Env {
    let env = project(&[("auth/a.md", A), ("b.md", "# B\n")]);
    done(env.brv(&["vc", "add", "."]));
    done(env.brv(&["vc", "commit", "-m", "first"]));
    env
}

/// What a command did is undone, redone and undone again.
#[track_caller]
fn round_trip(env: &Env, command: &[&str], code: i32) {
    let tree = tree(env);
    done(env.brv(&["derive"]));
    let before = state(env, &tree);
    let ran = env.brv(command);
    assert_eq!(ran.code, code, "{command:?} {}{}", ran.stdout, ran.stderr);
    done(env.brv(&["derive"]));
    let after = state(env, &tree);
    assert_ne!(before, after, "{command:?} changed something");
    let id = last(env);
    done(env.brv(&["undo", &id, "--dry-run"]));
    assert_eq!(state(env, &tree), after, "a dry run writes nothing");
    done(env.brv(&["undo", &id]));
    assert_eq!(state(env, &tree), before, "{command:?} is undone");
    let undo = last(env);
    done(env.brv(&["undo", &undo]));
    assert_eq!(state(env, &tree), after, "{command:?} is redone");
    done(env.brv(&["undo", &last(env)]));
    assert_eq!(state(env, &tree), before, "{command:?} is undone again");
    env.fsck(&tree);
}

#[test]
fn a_commit_is_undone_with_what_was_staged() {
    let env = two();
    write(&env, &[("auth/a.md", &A.replace("Two.", "Deux.")), ("c.md", "# C\n")]);
    done(env.brv(&["vc", "add", "auth/a.md", "c.md"]));
    write(&env, &[("auth/a.md", &A.replace("Two.", "Zwei.")), ("b.md", "# B, edited\n")]);
    round_trip(&env, &["vc", "commit", "-m", "second"], 0);
    round_trip(&env, &["vc", "commit", "-a", "-m", "all of it"], 0);
}

#[test]
fn the_first_commit_is_undone() {
    let env = project(&[("a.md", A)]);
    done(env.brv(&["vc", "add", "."]));
    round_trip(&env, &["vc", "commit", "-m", "first"], 0);
}
