//! What was taken back is not done again, on no clone: an undo or a rejection travels with the history.

use super::undoing::{clone, done, dreamt, old};
use super::*;
use std::path::Path;

const BACKUPS: &str = "ops/backups.md";

/// What a dream without a writer does in a clone.
#[track_caller]
fn consolidated(env: &Env, folder: &Path) -> Value {
    let ran = done(env.brv_in(folder, &["dream", "--force", "--json"]));
    json(&ran.stdout)["data"]["summary"]["consolidated"].clone()
}

fn push(env: &Env, folder: &Path) {
    done(env.brv_in(folder, &["vc", "push", "--allow", "review", "--reason", "r"]));
}

#[test]
fn a_merge_that_one_clone_undid_is_done_by_no_other() {
    for verb in ["undo", "reject", "git revert"] {
        let env = old();
        let id = dreamt(&env, "MERGE");
        push(&env, env.root());
        let bo = clone(&env);
        match verb {
            "undo" => drop(done(env.brv_in(&bo, &["dream", "--undo", &id]))),
            "reject" => drop(done(env.brv_in(&bo, &["review", "reject", &id]))),
            _ => drop(env.git(&bo.join(".brv/context-tree"), &["revert", "--no-edit", "HEAD"])),
        }
        push(&env, &bo);
        done(env.brv(&["vc", "pull"]));
        let third = env.path("third");
        std::fs::create_dir(&third).unwrap();
        done(env.brv_in(&third, &["vc", "clone", env.path("team.git").to_str().unwrap(), "."]));
        for folder in [env.root(), &bo, &third] {
            assert_eq!(consolidated(&env, folder), 0, "{verb}: {}", folder.display());
        }
        // an edit makes it another question
        let file = third.join(".brv/context-tree").join(COPY);
        let text = std::fs::read_to_string(&file)
            .unwrap()
            .replace("title: Tokens of a session", "title: Session tokens");
        std::fs::write(&file, text).unwrap();
        done(env.brv_in(&third, &["vc", "commit", "-a", "-m", "edit"]));
        assert_eq!(consolidated(&env, &third), 1, "{verb}");
    }
}

#[test]
fn a_dream_that_was_merged_from_a_branch_and_undone_is_not_done_again() {
    let env = dreaming();
    let branch = dream(&env, &["--force", "--branch"], 0)["branch"].as_str().unwrap().to_owned();
    done(env.brv(&["vc", "merge", &branch]));
    done(env.brv(&["dream", "--undo"]));
    assert_eq!(dream(&env, &["--force"], 0)["summary"]["consolidated"], 0);
}

#[test]
fn relations_and_archives_that_were_taken_back_elsewhere_stay_so() {
    let fact = "- **port**: the gate listens on 8443\n- **owner**: the team of Mia\n";
    let texts = [
        format!(
            "---\ntitle: Gate\n---\n\nWhoever enters shows a token to the porter first.\n\n## Facts\n{fact}"
        ),
        format!(
            "---\ntitle: Porter\n---\n\nNights belong to somebody else, who sleeps at noon.\n\n## Facts\n{fact}"
        ),
    ];
    let env = old();
    crate::init::write(&env, &[("doors/gate.md", texts[0].as_str()), ("doors/porter.md", &texts[1])]);
    commit(&env, "doors");
    let data = dream(&env, &["--force"], 0);
    let linked = rows(&data).iter().filter(|row| row.ends_with("CROSS_REFERENCE applied")).count();
    assert_eq!(linked, 1, "{data:#}");
    let archived = dreamt(&env, "ARCHIVE");
    push(&env, env.root());
    let bo = clone(&env);
    for id in [archived.as_str(), data["id"].as_str().unwrap()] {
        done(env.brv(&["dream", "--undo", id]));
    }
    push(&env, env.root());
    done(env.brv_in(&bo, &["vc", "pull"]));
    assert_eq!(consolidated(&env, &bo), 0);
    // months later the entries are stale again
    let mut command = Command::new(env!("CARGO_BIN_EXE_brv"));
    env.prepare(&mut command);
    command.current_dir(&bo).env("BRV_CLOCK", "2024-12-01T00:00:00Z");
    let ran = Ran::of(&command.args(["dream", "--plan", "--force", "--json"]).output().unwrap());
    let plan = json(&done(ran).stdout)["data"].clone();
    let weak: Vec<&Value> = plan["prune"].as_array().unwrap().iter().map(|one| &one["path"]).collect();
    assert!(weak.contains(&&value!(KEYS)) && !weak.contains(&&value!(BACKUPS)), "{weak:?}");
}
