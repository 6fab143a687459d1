//! Each action of a dream, taken back and done again: the last dream and an earlier one, after a push, after later
//! edits, on another clone.

use super::*;
use crate::undo_shared::curated;
use std::path::{Path, PathBuf};

const ACTIONS: [&str; 6] = ["MERGE", "TEMPORAL_UPDATE", "CROSS_REFERENCE", "CREATE", "ARCHIVE", "MERGE_INTO"];
const BACKUPS: &str = "ops/backups.md";
const SYNTHESIS: &str = "synthesis/gate.md";

/// A tree whose entries are old, shared with a remote.
pub fn old() -> Env {
    let later = "2024-06-01T00:00:00Z";
    let env = dreaming().with("BRV_CLOCK", later).with("GIT_COMMITTER_DATE", later);
    crate::init::write(&env, &[("ops/context.md", "# Ops\n")]);
    commit(&env, "overview");
    let remote = env.bare("team.git");
    done(env.brv(&["vc", "remote", "add", "origin", remote.to_str().unwrap()]));
    done(env.brv(&["vc", "push", "-u", "origin", "main"]));
    env
}

#[track_caller]
pub fn done(ran: Ran) -> Ran {
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    ran
}

/// Dream one action; returns the id of the dream.
#[track_caller]
pub fn dreamt(env: &Env, action: &str) -> String {
    let plan = plan(env);
    let weak = |path: &str| {
        plan["prune"].as_array().unwrap().iter().find(|weak| weak["path"] == path).unwrap()["id"].clone()
    };
    let mut decision = match action {
        "MERGE" => value!({"candidate": cluster(&plan, TOKENS), "into": TOKENS, "sources": [COPY]}),
        "TEMPORAL_UPDATE" => {
            let text = read(env, TOKENS).unwrap().replace("12 hours", "12 hours since March 2024");
            let body = text.split_once("---\n\n").unwrap().1.to_owned();
            value!({"candidate": cluster(&plan, TOKENS), "path": TOKENS, "markdown": body})
        }
        "CROSS_REFERENCE" => value!({"candidate": cluster(&plan, TOKENS)}),
        "CREATE" => {
            value!({"candidate": "s1", "path": SYNTHESIS, "markdown": "# The gate\n\nIt signs, the vault keeps.\n"})
        }
        "ARCHIVE" => value!({"candidate": weak(BACKUPS)}),
        _ => value!({"candidate": weak(BACKUPS), "into": KEYS}),
    };
    decision["action"] = value!(action.to_owned());
    decision["reason"] = value!("because");
    let data = decide(env, &plan, value!([decision]), 0);
    assert_eq!(data["operation"].is_null(), action == "MERGE_INTO", "{action}: {data:#}");
    data["id"].as_str().unwrap().to_owned()
}

/// All that a dream may change in a clone: its files, the tree of its commit, the suggestions.
#[derive(Debug, PartialEq)]
struct Seen {
    files: Vec<(String, String)>,
    tree: String,
    merges: Value,
}

fn seen_in(env: &Env, clone: &Path) -> Seen {
    let tree = clone.join(".brv/context-tree");
    assert_eq!(env.git(&tree, &["status", "--porcelain"]), "");
    let state = std::fs::read(clone.join(".brv/dream-state.json")).ok();
    let state: Option<Value> = state.map(|bytes| serde_json::from_slice(&bytes).unwrap());
    let merges = state.map_or(value!([]), |state| state["pendingMerges"].clone());
    Seen { files: curated(&tree), tree: env.git(&tree, &["rev-parse", "HEAD^{tree}"]), merges }
}

fn seen(env: &Env) -> Seen {
    seen_in(env, env.root())
}

/// What log and counter say of a dream.
#[track_caller]
fn is_told(env: &Env, id: &str, status: &str, total: usize) {
    assert_eq!(
        (&log(env, &value!(id))["status"], &state(env)["totalDreams"]),
        (&value!(status), &value!(total))
    );
}

/// From `after`, back and forth and back.
#[track_caller]
fn back_and_forth(env: &Env, (action, id): (&str, &str), (before, after): (&Seen, &Seen), others: usize) {
    done(env.brv(&["dream", "--undo", id]));
    assert_eq!(seen(env), *before, "{action}: undone");
    is_told(env, id, "undone", others);
    assert_eq!(env.brv(&["dream", "--undo", id]).code, 6, "{action}: it is undone already");
    if action != "MERGE_INTO" {
        done(env.brv(&["undo", &crate::undo::last(env)]));
        assert_eq!(seen(env), *after, "{action}: redone");
        is_told(env, id, "completed", others + 1);
        done(env.brv(&["dream", "--undo", id]));
        assert_eq!(seen(env), *before, "{action}: undone again");
        is_told(env, id, "undone", others);
    }
    env.fsck(&tree(env));
}

#[test]
fn the_last_dream_is_undone_byte_for_byte_and_redone() {
    for action in ACTIONS {
        for is_pushed in [false, true] {
            let env = old();
            let before = seen(&env);
            let id = dreamt(&env, action);
            let after = seen(&env);
            assert_ne!(before, after, "{action}");
            if is_pushed {
                done(env.brv(&["vc", "push", "--allow", "review", "--reason", "r"]));
            }
            back_and_forth(&env, (action, &id), (&before, &after), 0);
            let missing = env.git(&tree(&env), &["rev-list", "--count", "HEAD..origin/main"]);
            assert_eq!(missing, "0", "{action}: what others have is not rewritten");
        }
    }
}

#[test]
fn the_review_log_says_who_undid_a_dream() {
    for (env, actor) in [(old(), "Ada <ada@example.com>"), (old().with("BRV_ACTOR", "claude"), "claude")] {
        let id = dreamt(&env, "MERGE");
        done(env.brv(&["dream", "--undo", &id]));
        let log = json(&done(env.brv(&["review", "log", "--json"])).stdout)["data"]["decisions"].clone();
        assert_eq!((&log[0]["decision"], &log[0]["actor"]), (&value!("rejected"), &value!(actor)), "{log}");
    }
}

#[test]
fn an_earlier_dream_is_undone_alone() {
    for action in ACTIONS {
        // the later dream alone
        let later = |env: &Env| {
            turn(env);
            let plan = plan(env);
            let text = "# Nights\n\nWhoever restores needs patience.\n";
            let create = value!({"candidate": "s1", "action": "CREATE", "path": "synthesis/nights.md", "markdown": text, "reason": "r"});
            decide(env, &plan, value!([create]), 0);
        };
        let env = old();
        later(&env);
        let without = seen(&env);
        let env = old();
        let id = dreamt(&env, action);
        later(&env);
        let with = seen(&env);
        // its sources are in the order in which the plan shows the domains, and the overview of its folder is older
        let texts = |seen: &Seen| -> Vec<(String, String)> {
            seen.files
                .iter()
                .filter(|(path, _)| !["synthesis/nights.md", "synthesis/context.md"].contains(&path.as_str()))
                .cloned()
                .collect()
        };
        done(env.brv(&["dream", "--undo", &id]));
        assert_eq!(texts(&seen(&env)), texts(&without), "{action}");
        is_told(&env, &id, "undone", 1);
        if action != "MERGE_INTO" {
            done(env.brv(&["undo", &crate::undo::last(&env)]));
            assert_eq!(seen(&env), with, "{action}: redone");
            is_told(&env, &id, "completed", 2);
        }
    }
}

/// `brv undo` knows nothing of dreams, and says the same.
#[test]
fn a_plain_undo_of_the_operation_settles_all_that_is_said_of_a_dream() {
    let env = old();
    let plan = plan(&env);
    let weak = |path: &str| {
        plan["prune"].as_array().unwrap().iter().find(|weak| weak["path"] == path).unwrap()["id"].clone()
    };
    let decisions = value!([
        {"candidate": weak(BACKUPS), "action": "ARCHIVE", "reason": "old"},
        {"candidate": weak(KEYS), "action": "MERGE_INTO", "into": "ops/other.md", "reason": "no such entry"},
        {"candidate": weak(COPY), "action": "MERGE_INTO", "into": TOKENS, "reason": "same topic"},
    ]);
    let data = decide(&env, &plan, decisions, 1);
    let (id, operation) = (data["id"].as_str().unwrap(), data["operation"].as_str().unwrap());
    let waits = || json(&env.brv(&["review", "--json"]).stdout)["data"]["count"].clone();
    assert_eq!((waits(), state(&env)["pendingMerges"].as_array().unwrap().len()), (value!(1), 1));
    is_told(&env, id, "completed", 1);
    done(env.brv(&["undo", operation]));
    assert_eq!((waits(), &state(&env)["pendingMerges"]), (value!(0), &value!([])));
    is_told(&env, id, "undone", 0);
    done(env.brv(&["undo", &crate::undo::last(&env)]));
    assert_eq!((waits(), state(&env)["pendingMerges"].as_array().unwrap().len()), (value!(1), 1));
    is_told(&env, id, "completed", 1);
}

#[test]
fn later_edits_in_the_same_files_are_kept() {
    for (action, edited) in
        ACTIONS.into_iter().zip([TOKENS, TOKENS, TOKENS, SYNTHESIS, "ops/context.md", BACKUPS])
    {
        let env = old();
        let before = seen(&env);
        let id = dreamt(&env, action);
        let file = tree(&env).join(edited);
        let text = std::fs::read_to_string(&file).unwrap() + "\n## Later\n\nSaid by somebody since.\n";
        std::fs::write(&file, text).unwrap();
        commit(&env, "since");
        let after = seen(&env);
        let ran = env.brv(&["dream", "--undo", &id]);
        if action == "CREATE" {
            // the file would go, with what somebody wrote into it
            assert_eq!((ran.code, ran.stdout.as_str()), (5, ""), "{}", ran.stderr);
            assert!(ran.stderr.contains(" --on-conflict HOW` decides the conflicts"), "{}", ran.stderr);
            assert_eq!(seen(&env), after);
            is_told(&env, &id, "completed", 1);
            continue;
        }
        done(ran);
        let undone = seen(&env);
        for (path, text) in &before.files {
            let now = read(&env, path).unwrap_or_else(|| panic!("{action}: {path} is gone"));
            let is_edited = path == edited || path.starts_with("ops/") && action == "ARCHIVE";
            let now =
                if is_edited { now.replace("\n## Later\n\nSaid by somebody since.\n", "") } else { now };
            assert_eq!(now, *text, "{action}: {path}");
        }
        assert!(read(&env, edited).unwrap().contains("Said by somebody since."), "{action}");
        if action != "MERGE_INTO" {
            done(env.brv(&["undo", &crate::undo::last(&env)]));
            assert_eq!(seen(&env), after, "{action}: redone");
            done(env.brv(&["dream", "--undo", &id]));
            assert_eq!(seen(&env), undone, "{action}: undone again");
        }
    }
}

pub fn clone(env: &Env) -> PathBuf {
    let folder = env.path("bo");
    std::fs::create_dir(&folder).unwrap();
    done(env.brv_in(&folder, &["vc", "clone", env.path("team.git").to_str().unwrap(), "."]));
    folder
}

#[test]
fn another_clone_undoes_and_redoes_and_all_say_the_same() {
    for action in ACTIONS.into_iter().filter(|action| *action != "MERGE_INTO") {
        let env = old();
        let before = seen(&env);
        let id = dreamt(&env, action);
        let after = seen(&env);
        done(env.brv(&["vc", "push", "--allow", "review", "--reason", "r"]));
        let bo = clone(&env);
        for (wanted, status, total) in
            [(&before, "undone", 0), (&after, "completed", 1), (&before, "undone", 0)]
        {
            match status {
                "undone" => done(env.brv_in(&bo, &["dream", "--undo", &id])),
                _ => {
                    let undo = ["log", "-1", "--format=%(trailers:key=Brv-Op,valueonly)"];
                    let undo = env.git(&bo.join(".brv/context-tree"), &undo);
                    done(env.brv_in(&bo, &["undo", undo.trim()]))
                }
            };
            assert_eq!(seen_in(&env, &bo).files, wanted.files, "{action}: {status}");
            done(env.brv_in(&bo, &["vc", "push", "--allow", "review", "--reason", "r"]));
            done(env.brv(&["vc", "pull"]));
            assert_eq!(seen(&env), *wanted, "{action}: {status}, pulled");
            is_told(&env, &id, status, total);
            let waits = |clone: &Path| {
                let ran = done(env.brv_in(clone, &["review", "--all", "--json"]));
                json(&ran.stdout)["data"].clone()
            };
            assert_eq!(waits(&bo), waits(env.root()), "{action}: {status}");
            if status == "undone" {
                assert_eq!(waits(&bo)["count"], 0, "{action}");
            }
        }
        assert_eq!(env.brv(&["dream", "--undo", &id]).code, 6, "{action}: undone by somebody else");
        env.fsck(&tree(&env));
    }
}

#[test]
fn a_rejection_is_not_undone_alone_once_its_dream_is_undone() {
    let env = old();
    let before = curated(&tree(&env));
    let plan = plan(&env);
    let decisions = value!([
        {"candidate": cluster(&plan, TOKENS), "action": "MERGE", "into": TOKENS, "sources": [COPY], "reason": "same"},
        {"candidate": "s1", "action": "CREATE", "path": SYNTHESIS, "markdown": "# The gate\n\nIt signs.\n", "reason": "both"},
    ]);
    let id = decide(&env, &plan, decisions, 0)["id"].as_str().unwrap().to_owned();
    done(env.brv(&["vc", "push", "--allow", "review", "--reason", "r"]));
    let bo = clone(&env);
    done(env.brv_in(&bo, &["review", "reject", &id, TOKENS]));
    done(env.brv_in(&bo, &["dream", "--undo"]));
    let ran = env.brv_in(&bo, &["undo"]);
    assert_eq!((ran.code, ran.stderr.contains("a clone cannot be undone")), (6, true), "{}", ran.stderr);
    assert_eq!(seen_in(&env, &bo).files, before);
}
