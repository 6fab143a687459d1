//! `brv review`: what waits, who may decide, and what a decision does.

mod archived;
mod commenting;
mod deciding;
mod gate;
mod marks;
mod reopening;
mod settings;

use crate::curate::apply;
pub use crate::curate::read;
use crate::env::{Env, Ran, tree};
use crate::init::{json, project};
use serde_json::{Value, json as value};
use std::path::{Path, PathBuf};

pub const TOKENS: &str = "auth/tokens/token_lifetime.md";
pub const KEYS: &str = "auth/keys/signing_keys.md";
pub const OLD: &str = "auth/old/old_keys.md";
pub const USES: &str = "auth/uses/uses.md";

/// A team: a project whose first commits are at the remote, and its remote.
pub fn shared() -> Env {
    let env = project(&[]);
    let facts = |facts: &[(&str, &str)]| -> Value {
        facts
            .iter()
            .map(|(subject, statement)| value!({"subject": subject, "statement": statement}))
            .collect()
    };
    let first = value!([
        {"type": "ADD", "path": "auth/tokens", "title": "Token lifetime", "reason": "start", "content": {
            "narrative": {"rules": "Rotate keys weekly, and never by hand.\n\nAsk the gate first."},
            "facts": facts(&[("lifetime", "24 hours"), ("issuer", "the gate")])}},
        {"type": "ADD", "path": "auth/keys", "title": "Signing keys", "reason": "start",
            "content": {"facts": facts(&[("count", "two keys")])}},
        {"type": "ADD", "path": "auth/old", "title": "Old keys", "reason": "start",
            "content": {"facts": facts(&[("storage", "in the vault")])}},
        {"type": "ADD", "path": "auth/uses", "title": "Uses", "reason": "start",
            "markdown": "See [old](../old/old_keys.md) for storage.\n"},
    ]);
    done(apply(&env, &first).0);
    let remote = env.bare("team.git");
    done(env.brv(&["vc", "remote", "add", "origin", remote.to_str().unwrap()]));
    done(env.brv(&["vc", "push", "-u", "origin", "main"]));
    env
}

/// Another clone of the team's remote, by brv.
pub fn clone(env: &Env) -> PathBuf {
    let folder = env.path("bo");
    std::fs::create_dir(&folder).unwrap();
    done(env.brv_in(&folder, &["vc", "clone", env.path("team.git").to_str().unwrap(), "."]));
    folder
}

#[track_caller]
pub fn done(ran: Ran) -> Ran {
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    ran
}

/// The data of a command with this exit code.
#[track_caller]
pub fn data_in(env: &Env, folder: &Path, arguments: &[&str], code: i32) -> Value {
    let ran = env.brv_in(folder, &[arguments, &["--json"]].concat());
    assert_eq!(ran.code, code, "{arguments:?}: {}{}", ran.stdout, ran.stderr);
    json(&ran.stdout)["data"].clone()
}

#[track_caller]
pub fn data(env: &Env, arguments: &[&str], code: i32) -> Value {
    data_in(env, env.root(), arguments, code)
}

#[track_caller]
pub fn error(env: &Env, arguments: &[&str], code: i32) -> Value {
    let ran = env.brv(&[arguments, &["--json"]].concat());
    assert_eq!(ran.code, code, "{arguments:?}: {}{}", ran.stdout, ran.stderr);
    json(&ran.stdout)["error"].clone()
}

/// Path and reasons of what waits, sorted.
#[track_caller]
pub fn waits_in(env: &Env, folder: &Path) -> Vec<(String, String)> {
    let data = data_in(env, folder, &["review"], 0);
    let rows = data["pending"].as_array().unwrap();
    assert_eq!(data["count"], rows.len());
    let mut waits: Vec<(String, String)> =
        rows.iter().map(|row| (text(&row["path"]), words(&row["why"]))).collect();
    waits.sort();
    waits
}

#[track_caller]
pub fn waits(env: &Env) -> Vec<(String, String)> {
    waits_in(env, env.root())
}

pub fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("{value} is not text")).to_owned()
}

pub fn words(value: &Value) -> String {
    let words: Vec<String> = value.as_array().unwrap().iter().map(text).collect();
    words.join(" ")
}

/// The id of the change that waits at a path.
#[track_caller]
pub fn id(env: &Env, path: &str) -> String {
    let data = data(env, &["review", "--all"], 0);
    let rows = data["pending"].as_array().unwrap();
    text(&rows.iter().find(|row| row["path"] == path).unwrap_or_else(|| panic!("{data}"))["id"])
}

#[track_caller]
pub fn curate(env: &Env, operations: Value) -> Value {
    let (ran, data) = apply(env, &operations);
    done(ran);
    data
}

pub fn delete(path: &str) -> Value {
    value!([{"type": "DELETE", "path": path, "reason": "outdated"}])
}

/// Propose to delete [`USES`] and [`OLD`].
pub fn delete_both(env: &Env) {
    let delete = |path: &str| value!({"type": "DELETE", "path": path, "reason": "outdated"});
    curate(env, value!([delete(USES), delete(OLD)]));
}

pub fn merge() -> Value {
    value!([{"type": "MERGE", "path": "auth/keys", "title": "Signing keys", "source": OLD, "reason": "same topic"}])
}

pub fn is_there(env: &Env, path: &str) -> bool {
    tree(env).join(path).exists()
}

pub fn pair(path: &str, why: &str) -> (String, String) {
    (path.to_owned(), why.to_owned())
}

#[test]
fn risky_changes_wait_and_others_do_not() {
    let env = shared();
    assert_eq!(waits(&env), [], "a remote has all of it");
    curate(
        &env,
        value!([{"type": "UPDATE", "path": TOKENS, "reason": "measured",
        "content": {"facts": [{"subject": "lifetime", "statement": "12 hours"}]}}]),
    );
    assert_eq!(waits(&env), [], "an altered fact is reported, and does not wait");
    curate(&env, merge());
    curate(
        &env,
        value!([{"type": "UPDATE", "path": TOKENS, "reason": "gone", "remove": {"facts": ["issuer"]}}]),
    );
    curate(&env, delete(USES));
    let expected = [pair(KEYS, "merged"), pair(TOKENS, "fact_removed"), pair(USES, "deleted")];
    assert_eq!(waits(&env), expected, "a merge is one change, at its target");
    let data = data(&env, &["review", "pending"], 0);
    let row = data["pending"].as_array().unwrap().iter().find(|row| row["path"] == TOKENS).unwrap();
    assert_eq!(row["line"], format!("[curate] UPDATE {TOKENS}: gone"));
    assert_eq!((row["type"].as_str(), row["action"].as_str()), (Some("curate"), Some("UPDATE")));
    assert_eq!((&row["dropped"], &row["reason"]), (&value!(["issuer: the gate"]), &value!("gone")));
    assert!(row["commit"].is_string() && row["time"].is_string() && row["actor"].is_string(), "{row}");
    let shown = env.brv(&["review"]).stdout;
    assert!(shown.contains("issuer: the gate") && shown.contains("3 changes wait for review"), "{shown}");
}

#[test]
fn much_text_that_goes_and_a_pinned_entry_wait() {
    let env = shared();
    curate(
        &env,
        value!([
            {"type": "UPDATE", "path": TOKENS, "reason": "shorter", "replace": true,
                "markdown": "Short.\n\n## Facts\n- **lifetime**: 24 hours\n- **issuer**: the gate\n"},
            {"type": "UPDATE", "path": KEYS, "reason": "pin", "pinned": true},
        ]),
    );
    assert_eq!(waits(&env), [pair(TOKENS, "body_removed")]);
    curate(
        &env,
        value!([{"type": "UPDATE", "path": KEYS, "reason": "more",
        "content": {"facts": [{"subject": "size", "statement": "4096 bits"}]}}]),
    );
    assert_eq!(waits(&env), [pair(KEYS, "pinned"), pair(TOKENS, "body_removed")]);
}

#[test]
fn what_a_remote_has_waits_for_nobody_and_a_fresh_clone_begins_with_nothing() {
    let env = shared();
    curate(&env, merge());
    let here = id(&env, KEYS);
    done(env.brv(&["vc", "push", "--allow", "review", "--reason", "checked elsewhere"]));
    assert_eq!(waits(&env), []);
    let bo = clone(&env);
    assert_eq!(waits_in(&env, &bo), []);
    let all = data_in(&env, &bo, &["review", "--all"], 0);
    assert_eq!(
        (all["count"].as_u64(), &all["pending"][0]["id"]),
        (Some(1), &value!(here)),
        "the same id there"
    );
    let data = data_in(&env, &bo, &["review", "reject", &here], 0);
    assert!(data["commit"].is_string(), "{data}");
    assert!(bo.join(".brv/context-tree").join(OLD).exists());
}

#[test]
fn without_an_upstream_all_waits_that_no_remote_has() {
    let env = project(&[]);
    curate(
        &env,
        value!([{"type": "ADD", "path": "auth/a", "title": "A", "reason": "r", "markdown": "Text.\n"}]),
    );
    curate(&env, delete("auth/a/a.md"));
    assert_eq!(waits(&env), [pair("auth/a/a.md", "deleted")]);
    let env = shared();
    done(env.brv(&["vc", "switch", "-c", "side"]));
    assert_eq!(waits(&env), [], "what another branch of the remote has is reviewed there");
    done(env.brv(&["vc", "branch", "--set-upstream-to", "main"]));
    assert_eq!(waits(&env), [], "a branch of this clone is no remote");
    curate(&env, delete(USES));
    assert_eq!(waits(&env), [pair(USES, "deleted")]);
}

#[test]
fn a_change_is_shown_by_meaning_with_what_belongs_to_it() {
    let env = shared();
    curate(&env, merge());
    let id = id(&env, KEYS);
    let data = data(&env, &["review", "show", &id[..6]], 0);
    let item = &data["items"][0];
    assert_eq!((&item["path"], &item["entry"]["path"]), (&value!(KEYS), &value!(KEYS)), "{data}");
    let text = done(env.brv(&["review", "show", &id])).stdout;
    assert!(
        text.contains("[curate] MERGE") && text.contains("storage") && text.contains("old_keys"),
        "{text}"
    );
}

#[test]
fn an_id_names_one_change_or_says_why_not() {
    let env = shared();
    curate(&env, value!([{"type": "DELETE", "path": "auth/uses", "recursive": true, "reason": "outdated"}]));
    assert_eq!(error(&env, &["review", "show", "0123456789abcdef"], 2)["code"], "usage");
    for bad in ["zzz", "", "drm-1"] {
        let said = error(&env, &["review", "approve", bad], 2);
        assert!(text(&said["message"]).contains("no change"), "{said}");
    }
    let operation = text(&json(&env.brv(&["op", "log", "--json"]).stdout)["data"]["operations"][0]["id"]);
    let all = data(&env, &["review", "show", &operation], 0);
    assert_eq!(all["items"].as_array().unwrap().len(), waits(&env).len());
    let said = error(&env, &["review", "reject", &operation, "auth/keys"], 2);
    assert!(text(&said["message"]).contains("not among the paths"), "{said}");
    let said = error(&env, &["review", "--all", "log"], 2);
    assert!(text(&said["message"]).contains("--all"), "{said}");
    assert_eq!(said["hint"], "usage: brv review pending [OPTIONS]");
}

#[test]
fn in_a_folder_of_the_code_and_without_commits_the_journal_says_what_waits() {
    for flags in [&["init", "--in-repo"][..], &["init"]] {
        let env = Env::new();
        let host = env.path("host");
        env.git(env.root(), &["init", "-q", host.to_str().unwrap()]);
        env.commit(&host, &[("code.rs", "fn main() {}\n")]);
        done(env.brv_in(&host, flags));
        done(env.brv_in(&host, &["config", "set", "commit.auto", "false", "--user"]));
        let brv = |arguments: &[&str]| done(env.brv_in(&host, arguments));
        brv(&["curate", "One text.", "--into", "a/b", "--title", "T", "--reason", "r", "--fact", "one: 1"]);
        let operations = host.join("operations.json");
        std::fs::write(&operations, delete("a/b/t.md").to_string()).unwrap();
        brv(&["curate", "--ops", operations.to_str().unwrap()]);
        assert_eq!(waits_in(&env, &host), [pair("a/b/t.md", "deleted")], "{flags:?}");
        let row = data_in(&env, &host, &["review"], 0)["pending"][0].clone();
        assert!(row["commit"].is_null(), "{row}");
        let rejected = data_in(&env, &host, &["review", "reject", row["id"].as_str().unwrap()], 0);
        assert_eq!(rejected["decided"][0]["decision"], "rejected");
        assert_eq!(waits_in(&env, &host), [], "{flags:?}");
        let log = brv(&["op", "log", "--json"]).stdout;
        assert_eq!(json(&log)["data"]["operations"][0]["kind"], "reject");
        let file = json(&brv(&["read", "a/b/t.md", "--json"]).stdout);
        assert!(file.to_string().contains("One text."), "{file}");
    }
}

#[test]
fn what_was_approved_before_its_commit_stays_approved_in_it() {
    let env = shared();
    done(env.brv(&["config", "set", "commit.auto", "false", "--user"]));
    curate(&env, delete(USES));
    let id = id(&env, USES);
    done(env.brv(&["review", "approve", &id]));
    done(env.brv(&["vc", "commit", "-m", "by hand"]));
    assert!(crate::curate::message(&env).contains("Brv-Review: "));
    assert_eq!(waits(&env), []);
    done(env.brv(&["vc", "push"]));
}

#[test]
fn a_check_and_a_diff_tell_merged_entries_from_deleted_ones() {
    let env = shared();
    let fact = |path: &str, title: &str, subject: &str| {
        value!({"type": "ADD", "path": path, "title": title, "reason": "r",
            "content": {"facts": [{"subject": subject, "statement": "yes"}]}})
    };
    let all: Vec<Value> = (0..12).map(|n| fact(&format!("many/t{n}"), &format!("E{n}"), "same")).collect();
    curate(&env, all.into());
    done(env.brv(&["vc", "push"]));
    // each source has only a fact that the target has, too, and too few words to be recognised
    let merges: Vec<Value> = (1..7)
        .map(|n| {
            value!({"type": "MERGE", "path": "many/t0", "title": "E0", "source": format!("many/t{n}/e{n}.md"), "reason": "same"})
        })
        .collect();
    curate(&env, merges.into());
    let ran = env.brv(&["vc", "check", "--json"]);
    let data = json(&ran.stdout)["data"].clone();
    let verdict = &data["verdict"];
    let entries = &verdict["entries"];
    assert_eq!((entries["merged"].as_u64(), entries["deleted"].as_u64()), (Some(6), Some(6)), "{verdict}");
    assert_eq!(verdict["facts"]["removed"], 0, "{verdict}");
    let rules: Vec<String> =
        data["findings"].as_array().unwrap().iter().map(|one| text(&one["rule"])).collect();
    assert!(!rules.contains(&"BRV009".to_owned()), "{rules:?}");
    let flagged = &data["flagged"][0];
    assert_eq!((&flagged["path"], &flagged["reason"]), (&value!("many/t0/e0.md"), &value!("same")));
    assert_eq!(data["flagged"].as_array().unwrap().len(), 1);
    let diff = done(env.brv(&["vc", "diff", "origin/main", "HEAD"])).stdout;
    assert!(diff.contains("merged into many/t0/e0.md") || diff.contains("many/t0/e0"), "{diff}");
}
