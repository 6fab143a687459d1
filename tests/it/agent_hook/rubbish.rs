//! Whatever the host passes and wherever the hook runs: exit code 0, no complaint, and valid output or none.

use super::{added, hook, project, read_file, start, told};
use crate::env::Env;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

#[test]
fn what_cannot_be_read_is_answered_with_nothing() {
    let env = project();
    let whole = start(&env, "startup").to_string();
    let huge = format!("{{\"pad\":\"{}\",{}", "x".repeat(2 << 20), &whole[1..]);
    for input in
        ["", " ", "\0", "null", "[]", "{}", "\u{feff}", &whole[..20], &format!("{whole}{whole}"), &huge]
    {
        assert_eq!(hook(&env, "claude", input.as_bytes()).stdout, "");
    }
    for host in ["", "cursor", "CLAUDE", "--", "\u{1b}[2J"] {
        let arguments: Vec<&str> =
            if host == "--" { vec!["agent-hook", "--", "-x"] } else { vec!["agent-hook", host] };
        let ran = env.brv_reading(&arguments, whole.as_bytes());
        assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (0, "", ""), "{host}");
    }
    let off = project().with("BRV_HOOKS", "0");
    assert_eq!(told(&off, "claude", &start(&off, "startup")), "");
}

#[test]
fn without_a_tree_or_with_one_that_cannot_be_used_there_is_nothing_to_say() {
    let bare = Env::new();
    assert_eq!(told(&bare, "claude", &start(&bare, "startup")), "");
    let empty = crate::init::project(&[]);
    assert_eq!(told(&empty, "claude", &start(&empty, "startup")), "", "no entry");
    let env = project();
    let head = env.path(".brv/context-tree/.git/HEAD");
    let before = std::fs::read(&head).unwrap();
    std::fs::write(&head, "rubbish").unwrap();
    assert_eq!(told(&env, "claude", &start(&env, "startup")), "");
    std::fs::write(&head, before).unwrap();
    let settings = env.path("home/.config/brv");
    std::fs::create_dir_all(&settings).unwrap();
    std::fs::write(settings.join("config.yaml"), "color: [").unwrap();
    assert_eq!(told(&env, "claude", &start(&env, "startup")), "");
    std::fs::remove_dir_all(settings).unwrap();
    std::fs::write(
        env.path(".brv/context-tree/.git/brv/state.db"),
        "no database at all, and long enough to be read as one",
    )
    .unwrap();
    assert_ne!(told(&env, "claude", &start(&env, "startup")), "", "the state begins anew");
}

#[test]
fn a_locked_state_a_held_lock_and_an_input_without_an_end_are_left_in_time() {
    let env = project();
    assert_ne!(told(&env, "claude", &start(&env, "startup")), "");
    let quick = |silent: &dyn Fn()| {
        let began = Instant::now();
        silent();
        assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
    };
    let state = rusqlite::Connection::open(env.path(".brv/context-tree/.git/brv/state.db")).unwrap();
    state.execute_batch("BEGIN EXCLUSIVE").unwrap();
    quick(&|| assert_eq!(told(&env, "claude", &read_file(&env, "src/retry.rs")), ""));
    state.execute_batch("ROLLBACK").unwrap();
    let lock = env.path(".brv/cache/brain-8/lock");
    let guard = brv_base::fs::WriteGuard::acquire(&lock, Duration::from_secs(5)).unwrap();
    let patient = project_at(&env).with("BRV_LOCK_TIMEOUT", "60");
    quick(&|| {
        let input = read_file(&env, "src/retry.rs").to_string();
        let ran = patient.brv_reading(&["agent-hook", "claude"], input.as_bytes());
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
        assert_ne!(ran.stdout, "", "who writes the brain is not waited for");
    });
    drop(guard);
    quick(&|| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_brv"));
        env.prepare(&mut command);
        command.args(["agent-hook", "claude"]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let open = child.stdin.take();
        let output = child.wait_with_output().unwrap();
        assert_eq!((output.status.code(), output.stdout.len(), output.stderr.len()), (Some(0), 0, 0));
        drop(open);
    });
    assert_eq!(told(&env, "claude", &read_file(&env, "src/retry.rs")), "", "it was told once");
}

/// Another environment, for the same project.
fn project_at(env: &Env) -> Env {
    Env::new().with("HOME", env.path("home")).with("BRV_SEARCH_FRESHNESS", "0")
}

/// JSON of a few levels, with the names that mean something.
fn any_json() -> impl Strategy<Value = Value> {
    let name = prop::sample::select(vec![
        "session_id",
        "hook_event_name",
        "source",
        "cwd",
        "tool_name",
        "tool_input",
        "file_path",
        "command",
        "agent_id",
        "x",
    ]);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<f64>().prop_map(|number| json!(number)),
        "\\PC{0,12}".prop_map(Value::from),
        prop::sample::select(vec![
            "SessionStart",
            "PreToolUse",
            "SubagentStart",
            "PostCompact",
            "Read",
            "/",
            "src/retry.rs",
            "..",
            "*** Begin Patch\n*** Update File: src/retry.rs",
        ])
        .prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 8, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(name.clone(), inner, 0..8)
                .prop_map(|map| map.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()),
        ]
    })
}

#[test]
fn no_bytes_and_no_event_make_the_hook_fail_or_say_what_the_host_does_not_know() {
    let env = project();
    let bytes = prop::collection::vec(any::<u8>(), 0..200);
    let silent = |bytes: Vec<u8>| {
        prop_assert_eq!(hook(&env, "codex", &bytes).stdout, "");
        Ok(())
    };
    TestRunner::new(crate::cases::held_to(24)).run(&bytes, silent).unwrap();
    let harmless = |value: Value| {
        let mut input = super::event(&env, json!({}));
        if let (Some(all), Some(fields)) = (input.as_object_mut(), value.as_object()) {
            all.extend(fields.clone());
        }
        let name = input["hook_event_name"].as_str().unwrap_or_default();
        added(&hook(&env, "claude", input.to_string().as_bytes()).stdout, name);
        Ok(())
    };
    TestRunner::new(crate::cases::held_to(48)).run(&any_json(), harmless).unwrap();
}
