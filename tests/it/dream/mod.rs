//! `brv dream`: what is certain without a writer, what a writer may decide, and what is refused.

mod again;
mod branch;
mod deciding;
mod kept;
mod plans;
mod precision;
mod queue;
mod removing;
mod rewrites;
mod running;
mod stopping;
mod suggested;
mod twins;
mod undoing;

use crate::env::{Env, Ran, tree};
use crate::init::{commit, json, project};
use serde_json::{Value, json as value};
use std::process::Command;

/// Two entries that say the same, one that nearly does, and one of another domain that links to the copy.
pub const FILES: [(&str, &str); 5] = [
    (
        "auth/tokens/lifetime.md",
        "---\ntitle: Token lifetime\ntags: [auth, tokens]\nrelated: []\ncreatedAt: \"2023-01-01T00:00:00Z\"\nupdatedAt: \"2023-03-01T00:00:00Z\"\n---\n\nAccess tokens are signed by the gate and checked by every service behind it, without asking the gate again.\n\n## Facts\n- **lifetime**: access tokens live 12 hours [project]\n- **signature**: ES256 with the key of the gate [project]\n",
    ),
    (
        "auth/lifetime/tokens.md",
        "---\ntitle: Tokens of a session\ntags: [auth]\nupdatedAt: \"2023-05-01T00:00:00Z\"\n---\n\nAccess tokens are signed by the gate and checked by every service behind it, without asking the gate again.\n\n## Facts\n- **lifetime**: access tokens live 12 hours [project]\n- **signature**: ES256 with the key of the gate [project]\n",
    ),
    (
        "auth/tokens/partner.md",
        "---\ntitle: Tokens of partners\nupdatedAt: \"2023-05-01T00:00:00Z\"\n---\n\nAccess tokens are signed by the gate and checked by every service behind it, without asking the gate again.\n\n## Facts\n- **lifetime**: access tokens live 13 hours [project]\n- **signature**: ES256 with the key of the gate [project]\n",
    ),
    (
        "ops/gate/keys.md",
        "---\ntitle: Keys of the gate\nrelated: [auth/lifetime/tokens.md]\n---\n\nThe gate keeps its keys in the vault, see [tokens](../../auth/lifetime/tokens.md).\n\n## Facts\n- **rotation**: keys rotate every 90 days\n- **lifetime**: keys live 90 days\n- **signature**: keys are made for ES256\n",
    ),
    (
        "ops/backups.md",
        "---\ntitle: Backups\n---\n\nThe database is copied at night and restored once a quarter, to see that it works.\n",
    ),
];

/// The entry that says all of its copy.
pub const TOKENS: &str = "auth/tokens/lifetime.md";
pub const COPY: &str = "auth/lifetime/tokens.md";
pub const PARTNER: &str = "auth/tokens/partner.md";
pub const KEYS: &str = "ops/gate/keys.md";

pub fn dreaming() -> Env {
    let env = project(&FILES);
    commit(&env, "start");
    env
}

/// Run the program at a moment.
pub fn at(env: &Env, moment: &str, arguments: &[&str]) -> Ran {
    let mut command = Command::new(env!("CARGO_BIN_EXE_brv"));
    env.prepare(&mut command);
    Ran::of(&command.env("BRV_CLOCK", moment).args(arguments).output().unwrap())
}

/// The data of `brv dream` with this exit code.
#[track_caller]
pub fn dream(env: &Env, arguments: &[&str], code: i32) -> Value {
    let ran = env.brv(&[&["dream"], arguments, &["--json"]].concat());
    assert_eq!(ran.code, code, "{arguments:?}: {}{}", ran.stdout, ran.stderr);
    json(&ran.stdout)["data"].clone()
}

/// A plan, whatever the gates say.
#[track_caller]
pub fn plan(env: &Env) -> Value {
    dream(env, &["--plan"], 0)
}

/// Carry out decisions about the newest plan.
#[track_caller]
pub fn decide(env: &Env, plan: &Value, decisions: Value, code: i32) -> Value {
    decide_with(env, plan, decisions, &[], code)
}

#[track_caller]
pub fn decide_with(env: &Env, plan: &Value, decisions: Value, flags: &[&str], code: i32) -> Value {
    let decisions = named(plan, decisions);
    let input = value!({"plan": plan["id"], "decisions": decisions}).to_string();
    let arguments = [&["dream", "--decisions", "-", "--json"], flags].concat();
    let ran = env.brv_reading(&arguments, input.as_bytes());
    assert_eq!(ran.code, code, "{}{}", ran.stdout, ran.stderr);
    json(&ran.stdout)["data"].clone()
}

/// The decisions with the names that candidates have in the plan: a `c1` is the one whose name begins with it.
fn named(plan: &Value, mut decisions: Value) -> Value {
    let ids = ["consolidate", "synthesize", "prune"].into_iter().filter_map(|kind| plan[kind].as_array());
    let ids: Vec<&str> = ids.flatten().filter_map(|one| one["id"].as_str()).collect();
    for decision in decisions.as_array_mut().into_iter().flatten() {
        let begins = |id: &&&str| {
            decision["candidate"].as_str().is_some_and(|name| id.split('-').next() == Some(name))
        };
        if let Some(id) = ids.iter().find(begins) {
            decision["candidate"] = value!(*id);
        }
    }
    decisions
}

/// The candidate whose files have this path first, or among them.
#[track_caller]
pub fn cluster(plan: &Value, path: &str) -> String {
    let clusters = plan["consolidate"].as_array().unwrap();
    let has = |cluster: &&Value| cluster["files"].as_array().unwrap().iter().any(|file| file["path"] == path);
    clusters.iter().find(has).unwrap_or_else(|| panic!("{plan:#}"))["id"].as_str().unwrap().to_owned()
}

/// Candidate, action and status of each decision.
pub fn rows(data: &Value) -> Vec<String> {
    let rows = data["operations"].as_array().unwrap();
    let word = |value: &Value| value.as_str().unwrap_or("-").to_owned();
    let number = |row: &Value| word(&row["candidate"]).split('-').next().unwrap_or_default().to_owned();
    rows.iter()
        .map(|row| format!("{} {} {}", number(row), word(&row["action"]), word(&row["status"])))
        .collect()
}

pub fn read(env: &Env, path: &str) -> Option<String> {
    std::fs::read_to_string(tree(env).join(path)).ok()
}

pub fn message(env: &Env) -> String {
    env.git(&tree(env), &["log", "-1", "--format=%B"])
}

/// What brv keeps of dreams: the state, and the log of a dream.
pub fn state(env: &Env) -> Value {
    serde_json::from_slice(&std::fs::read(env.path(".brv/dream-state.json")).unwrap()).unwrap()
}

pub fn log(env: &Env, id: &Value) -> Value {
    let file = env.path(".brv/dream-log").join(format!("{}.json", id.as_str().unwrap()));
    serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap()
}

/// Change the entry of the other domain that says related things.
pub fn turn(env: &Env) {
    let text = read(env, KEYS).unwrap();
    std::fs::write(tree(env).join(KEYS), format!("{text}\nTurned again.\n")).unwrap();
    commit(env, "turned");
}

/// A fact that is new to the tree.
#[track_caller]
pub fn curate(env: &Env, title: &str) {
    let ran = env.brv(&["curate", "-q", "Said.", "--into", "notes/all", "--title", title, "--reason", "x"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
}
