//! A program of the user's as the model.
#![cfg(unix)]

use super::{test, usage};
use crate::env::Env;
use serde_json::json;
use std::time::{Duration, Instant};

fn env_of(script: &str) -> Env {
    let words = json!(["sh", "-c", script]).to_string();
    Env::new().with("BRV_MODEL_COMMAND", words)
}

#[test]
fn a_program_reads_the_prompt_and_its_output_is_the_answer() {
    let env = env_of("cat > prompt; printf %s \"$BRV_HOOKS\" > hooks; echo '{\"ok\": true}'");
    let (data, _, ran) = test(&env);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!((&data["api"], &data["key"]), (&json!("command"), &json!("none")));
    assert_eq!(data["features"], json!({"json_schema": true, "tools": false, "usage": false}));
    assert!(std::fs::read_to_string(env.path("prompt")).unwrap().contains("look_up"));
    assert_eq!(std::fs::read_to_string(env.path("hooks")).unwrap(), "0");
    let day = usage(&env);
    assert!(
        day["input_tokens"].as_u64().unwrap() > 20 && day["output_tokens"].as_u64().unwrap() > 0,
        "{day}"
    );
}

#[test]
fn a_program_that_reads_nothing_does_not_block() {
    let (_, _, ran) = test(&env_of("exec 0<&-; echo '{\"ok\": true}'"));
    assert_eq!(ran.code, 0, "{ran:?}");
}

#[test]
fn a_program_that_fails_says_why() {
    for (script, exit, words) in [
        ("echo 'log in \u{1b}[1mfirst' >&2; exit 1", 9, "log in first"),
        ("exit 3", 9, "3"),
        ("true", 1, "wrote nothing"),
        ("yes", 1, "more than 8 MB"),
    ] {
        let (_, error, ran) = test(&env_of(script));
        assert_eq!(ran.code, exit, "{script} {error}");
        assert!(error["message"].as_str().unwrap().contains(words), "{error}");
    }
    let env = Env::new().with("BRV_MODEL_COMMAND", "[\"no-such-program\"]");
    assert_eq!(test(&env).2.code, 9);
    assert_eq!(usage(&env)["input_tokens"], 0, "no model was asked");
}

#[test]
fn a_program_and_what_it_started_end_with_the_time() {
    let env = env_of("(sleep 40; touch late) & echo $! > child; sleep 41").with("BRV_MODEL_TIMEOUT", "1");
    let start = Instant::now();
    let (_, error, ran) = test(&env);
    assert_eq!(ran.code, 9, "{error}");
    assert!(start.elapsed() < Duration::from_secs(4), "{:?}", start.elapsed());
    let child: i32 = std::fs::read_to_string(env.path("child")).unwrap().trim().parse().unwrap();
    let child = rustix::process::Pid::from_raw(child).unwrap();
    let lives = || rustix::process::test_kill_process(child).is_ok();
    while lives() {
        assert!(start.elapsed() < Duration::from_secs(10), "it goes on");
        std::thread::sleep(Duration::from_millis(20));
    }
}
