//! An undone dream, after a merge kept an entry that the dream had removed and another branch had edited.

use super::undoing::{clone, done, dreamt, old};
use super::*;
use std::path::Path;

const EDITED: (&str, &str) = ("without asking the gate again", "without ever asking the gate again");

fn read_in(folder: &Path, path: &str) -> String {
    std::fs::read_to_string(folder.join(".brv/context-tree").join(path)).unwrap()
}

/// Change the entry that the dream removes, and commit.
fn edit_in(env: &Env, folder: &Path, (from, to): (&str, &str)) -> String {
    let text = read_in(folder, COPY);
    assert!(text.contains(from), "{text}");
    let text = text.replace(from, to) + "\nSaid by somebody since.\n";
    let tree = folder.join(".brv/context-tree");
    std::fs::write(tree.join(COPY), &text).unwrap();
    env.git(&tree, &["commit", "-qam", "meanwhile"]);
    text
}

#[test]
fn a_source_that_a_merge_kept_stays_as_it_was_edited() {
    for is_rejected in [false, true] {
        let env = dreaming();
        let target = read(&env, TOKENS);
        let data = dream(&env, &["--force", "--branch", "tidy-up"], 0);
        let edited = edit_in(&env, env.root(), EDITED);
        done(env.brv(&["vc", "merge", "tidy-up"]));
        assert_eq!(read(&env, COPY).as_ref(), Some(&edited), "the merge keeps it");
        assert_ne!(read(&env, TOKENS), target);
        if is_rejected {
            let waiting = json(&done(env.brv(&["review", "--json"])).stdout)["data"]["pending"].clone();
            let row = waiting.as_array().unwrap().iter().find(|row| row["path"] == TOKENS).unwrap().clone();
            done(env.brv(&["review", "reject", row["id"].as_str().unwrap()]));
        } else {
            done(env.brv(&["dream", "--undo", data["id"].as_str().unwrap()]));
        }
        assert_eq!(read(&env, COPY), Some(edited), "rejected: {is_rejected}");
        assert_eq!(read(&env, TOKENS), target, "rejected: {is_rejected}");
        assert_eq!(env.git(&tree(&env), &["status", "--porcelain"]), "");
    }
}

#[test]
fn a_source_that_a_pull_kept_stays_on_every_clone() {
    for is_undone_by_bo in [false, true] {
        let env = old();
        let target = read(&env, TOKENS).unwrap();
        let bo = clone(&env);
        let id = dreamt(&env, "MERGE");
        done(env.brv(&["vc", "push", "--allow", "review", "--reason", "r"]));
        let edited = edit_in(&env, &bo, EDITED);
        done(env.brv_in(&bo, &["vc", "pull"]));
        done(env.brv_in(&bo, &["vc", "push", "--allow", "review", "--reason", "r"]));
        done(env.brv(&["vc", "pull"]));
        let folder = if is_undone_by_bo { &bo } else { env.root() };
        done(env.brv_in(folder, &["dream", "--undo", &id]));
        assert_eq!(read_in(folder, COPY), edited, "by bo: {is_undone_by_bo}");
        assert_eq!(read_in(folder, TOKENS), target, "by bo: {is_undone_by_bo}");
    }
}

/// The kept file descends from an older version than the one that the dream removed: neither edit is lost.
#[test]
fn a_kept_source_gets_back_what_it_never_had() {
    let env = old();
    let bo = clone(&env);
    let text = read(&env, COPY).unwrap() + "- **issuer**: the gate of the north [project]\n";
    std::fs::write(tree(&env).join(COPY), text).unwrap();
    commit(&env, "issuer");
    let id = dreamt(&env, "MERGE");
    assert!(read(&env, TOKENS).unwrap().contains("gate of the north"));
    done(env.brv(&["vc", "push", "--allow", "review", "--reason", "r"]));
    let text = read_in(&bo, COPY).replace(EDITED.0, EDITED.1);
    std::fs::write(bo.join(".brv/context-tree").join(COPY), text).unwrap();
    env.git(&bo.join(".brv/context-tree"), &["commit", "-qam", "meanwhile"]);
    done(env.brv_in(&bo, &["vc", "pull"]));
    assert!(!read_in(&bo, COPY).contains("gate of the north"));
    done(env.brv_in(&bo, &["dream", "--undo", &id]));
    let text = read_in(&bo, COPY);
    for (part, times) in [(EDITED.1, 1), (EDITED.0, 0), ("gate of the north", 1), ("live 12 hours", 1)] {
        assert_eq!(text.matches(part).count(), times, "{part}: {text}");
    }
    assert!(!read_in(&bo, TOKENS).contains("gate of the north"));
}
