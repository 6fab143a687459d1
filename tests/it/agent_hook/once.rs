//! Each agent gets each thing once: whoever asks at the same time, until it forgets, or there is news.

use super::{RETRY, added, event, inside, project, read_file, start, subagent, told};
use crate::env::Env;
use crate::init::{commit, write};
use serde_json::json;
use std::io::Write as _;
use std::process::{Child, Command, Stdio};

fn at(env: Env, time: &str) -> Env {
    env.with("BRV_CLOCK", format!("2023-11-14T{time}Z"))
}

#[test]
fn a_session_is_told_once_of_each_source_agent_and_file() {
    let env = project();
    let mut other = start(&env, "startup");
    other["session_id"] = "another".into();
    for (input, is_told) in [
        (start(&env, "startup"), true),
        (start(&env, "startup"), false),
        (start(&env, "resume"), true),
        (other, true),
        (subagent(&env, "a"), true),
        (subagent(&env, "a"), false),
        (subagent(&env, "b"), true),
        (read_file(&env, "src/retry.rs"), true),
        (read_file(&env, "src/retry.rs"), false),
    ] {
        assert_eq!(!told(&env, "claude", &input).is_empty(), is_told, "{input}");
    }
    let mut of_agent = read_file(&env, "src/retry.rs");
    of_agent["agent_id"] = "a".into();
    assert_ne!(told(&env, "claude", &of_agent), "", "another context");
}

#[test]
fn an_entry_about_two_files_is_shown_at_the_first_of_them() {
    let env = project();
    let both = "---\ntitle: Both\n---\n\n## Facts\n- **both**: `src/retry.rs` and `src/other.rs` never block [project]\n";
    write(&env, &[("net/both.md", both)]);
    assert!(told(&env, "claude", &read_file(&env, "src/retry.rs")).contains("never block"));
    assert_eq!(told(&env, "claude", &read_file(&env, "src/other.rs")), "");
}

#[test]
fn a_compaction_makes_the_agent_forget_and_is_one_event_however_often_it_is_reported() {
    let env = at(project(), "10:00:00");
    assert_ne!(told(&env, "claude", &start(&env, "startup")), "");
    assert_ne!(told(&env, "claude", &read_file(&env, "src/retry.rs")), "");
    assert_ne!(told(&env, "claude", &subagent(&env, "a")), "");
    let env = at(env, "10:05:00");
    let compacted = event(&env, json!({"hook_event_name": "PostCompact", "trigger": "auto"}));
    assert_eq!(told(&env, "claude", &compacted), "");
    let first = told(&env, "claude", &start(&env, "compact"));
    assert!(inside(&first).contains("net/retries.md"), "{first}");
    assert_eq!(told(&env, "claude", &compacted), "");
    assert_eq!(told(&env, "claude", &start(&env, "compact")), "");
    assert_ne!(told(&env, "claude", &read_file(&env, "src/retry.rs")), "", "told again");
    assert_eq!(told(&env, "claude", &subagent(&env, "a")), "", "the agent has a context of its own");
    let env = at(env, "10:06:00");
    assert_eq!(told(&env, "claude", &start(&env, "compact")), first, "the next compaction, and equal bytes");
    assert_ne!(told(&env, "claude", &read_file(&env, "src/retry.rs")), "");
}

#[test]
fn after_thirty_minutes_news_are_told_and_nothing_else() {
    let env = at(project(), "10:00:00");
    assert_ne!(told(&env, "claude", &read_file(&env, "src/retry.rs")), "");
    let env = at(env, "10:31:00");
    assert_eq!(told(&env, "claude", &read_file(&env, "src/retry.rs")), "", "nothing changed");
    write(&env, &[("net/retries.md", &RETRY.replace("is 5", "is 6"))]);
    commit(&env, "more");
    let news = told(&env, "claude", &read_file(&env, "src/retry.rs"));
    assert!(news.contains("is 6"), "{news}");
    write(&env, &[("net/retries.md", &RETRY.replace("is 5", "is 7"))]);
    assert_eq!(told(&env, "claude", &read_file(&env, "src/retry.rs")), "", "too soon");
    let env = at(env, "11:02:00");
    assert!(told(&env, "claude", &read_file(&env, "src/retry.rs")).contains("is 7"));
    // a clock that went back does not silence the hook for ever
    write(&env, &[("net/retries.md", &RETRY.replace("is 5", "is 8"))]);
    let env = at(env, "09:00:00");
    assert!(told(&env, "claude", &read_file(&env, "src/retry.rs")).contains("is 8"));
}

#[test]
fn what_was_told_long_ago_is_forgotten() {
    let env = project();
    assert_ne!(told(&env, "claude", &start(&env, "startup")), "");
    let env = env.with("BRV_CLOCK", "2023-11-30T00:00:00Z");
    let mut other = start(&env, "startup");
    other["session_id"] = "another".into();
    assert_ne!(told(&env, "claude", &other), "");
    let state = rusqlite::Connection::open(env.path(".brv/context-tree/.git/brv/state.db")).unwrap();
    let rows: i64 = state.query_row("SELECT count(*) FROM hook_calls", [], |row| row.get(0)).unwrap();
    assert_eq!(rows, 2, "what it got, and when its session began");
}

#[test]
fn of_hooks_that_run_at_the_same_time_one_speaks() {
    let env = project();
    for (name, input) in [
        ("SessionStart", start(&env, "startup")),
        ("PreToolUse", read_file(&env, "src/retry.rs")),
        ("SessionStart", start(&env, "compact")),
    ] {
        let mut children: Vec<Child> = (0..4).map(|_| spawned(&env)).collect();
        for child in &mut children {
            child.stdin.take().unwrap().write_all(input.to_string().as_bytes()).unwrap();
        }
        let printed = children.into_iter().map(|child| child.wait_with_output().unwrap());
        let texts: Vec<String> =
            printed.map(|output| added(&String::from_utf8(output.stdout).unwrap(), name)).collect();
        assert_eq!(texts.iter().filter(|text| !text.is_empty()).count(), 1, "{name}: {texts:?}");
    }
}

fn spawned(env: &Env) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_brv"));
    env.prepare(&mut command);
    command.args(["agent-hook", "claude"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    command.spawn().unwrap()
}
