//! The tokens of the day: set aside before a request, counted after it, over all projects and processes.

use super::{Scripted, ready, test, usage};
use crate::env::Env;
use serde_json::json;

fn file(env: &Env) -> std::path::PathBuf {
    env.path("home/.local/state/brv/model.json")
}

#[test]
fn at_80_percent_there_is_a_warning_and_at_100_no_request() {
    let server = Scripted::start(&[ready()]);
    // a test asks twice, and takes 120 tokens each time; it sets aside 1,024 and the question
    let env = server.env().with("BRV_MODEL_DAILY_TOKENS", "1700");
    for round in 1..=2 {
        let (_, _, ran) = test(&env);
        assert_eq!((ran.code, ran.stdout.contains("are used")), (0, false), "{round}: {ran:?}");
    }
    let mut rounds = 2;
    let ran = loop {
        let (_, _, ran) = test(&env);
        rounds += 1;
        if ran.code != 0 || rounds > 9 {
            break ran;
        }
    };
    assert_eq!(ran.code, 1);
    assert!(ran.stdout.contains("over_budget") && ran.stdout.contains("model.daily_tokens"), "{ran:?}");
    let before = server.seen().len();
    test(&env);
    assert_eq!(server.seen().len(), before, "nothing is sent");
    let used: u64 = usage(&env)["input_tokens"].as_u64().unwrap();
    assert!(used <= 1700);
    let tight = server.env().with("BRV_MODEL_DAILY_TOKENS", "0");
    assert_eq!(test(&tight).2.code, 1);
}

#[test]
fn a_warning_comes_before_the_end() {
    let server = Scripted::start(&[ready()]);
    let env = server.env();
    std::fs::create_dir_all(file(&env).parent().unwrap()).unwrap();
    let days = json!({"days": {"2023-11-14": {"input_tokens": 399_000, "output_tokens": 900}, "2023-11-13": {"calls": 1}, "2020-01-01": {"calls": 7}}});
    std::fs::write(file(&env), days.to_string()).unwrap();
    let ran = env.brv(&["model", "test"]);
    assert_eq!((ran.code, ran.stderr.matches("are used").count()), (0, 1), "{ran:?}");
    assert!(ran.stderr.contains("400020 of the 500000"), "{ran:?}");
    let text = std::fs::read_to_string(file(&env)).unwrap();
    assert!(text.contains("2023-11-13") && !text.contains("2020-01-01"), "{text}");
    let by = usage(&env);
    assert_eq!((&by["by"]["query"], &by["calls"]), (&json!(240), &json!(2)));
}

#[test]
fn a_count_that_is_damaged_is_set_aside_with_a_warning() {
    let server = Scripted::start(&[ready()]);
    let env = server.env();
    std::fs::create_dir_all(file(&env).parent().unwrap()).unwrap();
    for damage in ["{\"days\": {\"2023", "", "\0\0\0", "{\"days\": {\"2023-11-14\": {\"calls\": -1}}}"] {
        std::fs::write(file(&env), damage).unwrap();
        assert_eq!(env.brv(&["model", "usage"]).code, 0, "{damage:?}");
        let ran = env.brv(&["model", "test"]);
        assert_eq!(ran.code, 0, "{damage:?} {ran:?}");
        assert!(ran.stderr.contains("starts again"), "{ran:?}");
        assert_eq!(std::fs::read_to_string(file(&env).with_extension("damaged.json")).unwrap(), damage);
        assert_eq!(usage(&env)["calls"], 2);
    }
}

#[cfg(unix)]
#[test]
fn without_a_place_to_count_no_model_is_asked() {
    let server = Scripted::start(&[ready()]);
    let env = server.env().with("XDG_STATE_HOME", "/dev/null/state");
    let (_, error, ran) = test(&env);
    assert_eq!((ran.code, error["code"].as_str()), (1, Some("over_budget")), "{error}");
    assert!(server.seen().is_empty());
}

#[test]
fn two_processes_never_spend_the_same_tokens() {
    let server = Scripted::start(&[ready()]);
    // each request sets aside more than a third of the day
    let env = server.env().with("BRV_MODEL_DAILY_TOKENS", "2900");
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| test(&env));
        }
    });
    let day = usage(&env);
    let taken = day["input_tokens"].as_u64().unwrap() + day["output_tokens"].as_u64().unwrap();
    assert_eq!(taken, 120 * server.seen().len() as u64);
    assert_eq!(day["calls"], server.seen().len());
    let text = std::fs::read_to_string(file(&env)).unwrap();
    assert!(text.contains("\"reserved\": 0"), "{text}");
}

#[cfg(unix)]
#[test]
fn what_a_killed_process_had_set_aside_stays_counted_and_is_said() {
    use std::process::{Command, Stdio};
    let server = Scripted::start(&[super::Reply::Drip]);
    let env = server.env();
    let mut command = Command::new(env!("CARGO_BIN_EXE_brv"));
    env.prepare(&mut command);
    let mut child =
        command.args(["model", "test"]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    while server.seen().is_empty() {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let ran = env.brv(&["model", "usage"]);
    assert!(ran.stderr.contains("set aside") && ran.stderr.contains("killed"), "{ran:?}");
}
