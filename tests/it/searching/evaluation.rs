//! `brv eval`: measures, thresholds and files that are none.

use super::{knowledge, write};
use crate::env::Env;
use crate::init::json;
use serde_json::Value;

const GOLDEN: &str = r#"{"question": "How long do access tokens live?", "expected": ["auth/tokens/token_lifetime.md"]}
{"question": "signing key rotation", "expected": ["auth/keys/key_rotation"]}

{"question": "What is our vacation policy in Portugal?", "expected": []}
"#;

fn eval(env: &Env, flags: &[&str], input: &str) -> (u8, Value) {
    let ran = env.brv_reading(&[&["eval", "-", "--json"], flags].concat(), input.as_bytes());
    (u8::try_from(ran.code).unwrap(), json(&ran.stdout))
}

#[test]
fn the_measures_are_printed_and_compared_with_thresholds() {
    let env = knowledge();
    let (code, answer) = eval(&env, &["--min-recall", "1", "--min-ood", "1"], GOLDEN);
    let data = &answer["data"];
    assert_eq!((code, data["questions"].as_u64()), (0, Some(3)), "{answer}");
    assert_eq!((data["recall"]["at_1"].as_f64(), data["mrr"].as_f64()), (Some(1.0), Some(1.0)));
    assert_eq!(
        (data["not_covered"]["found"].as_f64(), data["not_covered"]["false_alarms"].as_f64()),
        (Some(1.0), Some(0.0))
    );
    let wrong = GOLDEN.replace("auth/keys/key_rotation", "deploy/canary/nothing");
    let (code, answer) = eval(&env, &["--min-recall", "0.9"], &wrong);
    assert_eq!(
        (code, answer["ok"].as_bool(), answer["error"]["code"].as_str()),
        (1, Some(false), Some("failed"))
    );
    assert_eq!(answer["data"]["absent"][0], "deploy/canary/nothing.md");
    assert!(answer["error"]["message"].as_str().unwrap().contains("recall at 5 is 0.500"), "{answer}");
    write(&env, "golden.jsonl", GOLDEN);
    assert_eq!(env.brv(&["eval", ".brv/context-tree/golden.jsonl"]).code, 0);
}

#[test]
fn a_file_that_has_no_questions_is_wrong_usage() {
    let env = knowledge();
    for (input, said) in [
        ("", "no questions"),
        ("{}\n", "line 1"),
        ("\n[1]\n", "line 2"),
        ("{\"question\":\" \",\"expected\":[]}", "line 1"),
    ] {
        let ran = env.brv_reading(&["eval", "-"], input.as_bytes());
        assert_eq!((ran.code, ran.stderr.contains(said)), (2, true), "{input:?}: {}", ran.stderr);
    }
    assert_eq!(env.brv(&["eval", "none.jsonl"]).code, 2);
    assert_eq!(env.brv(&["eval", "-", "--min-recall", "2"]).code, 2);
}
