//! `brv eval`: measures, thresholds and files that are none.

use super::{asked, knowledge, write};
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

/// Questions about [`knowledge`]; other keys are left to others.
const KINDS: &str = r#"{"question": "access token lifetime", "expected": ["auth/tokens/token_lifetime.md"], "kind": "covered", "phrase": "24\n hours", "form": "plain"}
{"question": "signing keys gateway previous pair", "expected": ["auth/keys/key_rotation"], "phrase": "nothing of it"}
{"question": "Redis", "expected": ["storage/cache/redis_usage.md"]}
{"question": "Which gateway certificate do access tokens of the staging cluster need?", "expected": [], "kind": "near"}
{"question": "What is our vacation policy in Portugal?", "expected": [], "kind": "far"}
{"question": "Who may sign access tokens on Sundays?", "expected": []}
"#;

#[test]
fn answers_and_passages_are_measured_as_brv_query_gives_them() {
    let env = knowledge();
    let (_, answer) = eval(&env, &[], KINDS);
    let (mut answered, mut right, mut phrases, mut chars) = (0.0, 0.0, Vec::new(), Vec::new());
    let mut told = std::collections::BTreeMap::new();
    for line in KINDS.lines().map(json) {
        let question = line["question"].as_str().unwrap();
        let (_, reply) = asked(&env, &["query", question, "--no-cache", "--no-hits"]);
        let is_covered = line["expected"].as_array().is_some_and(|expected| !expected.is_empty());
        match (is_covered, reply["answer"].as_str()) {
            (false, text) => {
                let kind = line["kind"].as_str().unwrap_or_default().to_owned();
                let is_noticed = reply["covered"] == false || reply.get("missing").is_some();
                told.insert(kind, (is_noticed, text.is_some()));
            }
            (true, Some(text)) => {
                answered += 1.0;
                let source = reply["sources"][0]["path"].as_str().unwrap().trim_end_matches(".md");
                right += f64::from(line["expected"][0].as_str().unwrap().starts_with(source));
                let phrase = line["phrase"].as_str().map(|phrase| phrase.replace('\n', ""));
                phrases.extend(phrase.map(|phrase| f64::from(text.contains(&phrase))));
            }
            (true, None) => {
                let texts =
                    reply["passages"].as_array().unwrap().iter().map(|one| one["text"].as_str().unwrap());
                chars.push(texts.map(|text| text.chars().count()).sum::<usize>());
            }
        }
    }
    let number = |pointer: &str| answer["data"].pointer(pointer).unwrap().as_f64();
    let near = |pointer: &str, value: f64| {
        assert!(
            number(pointer).is_some_and(|found| (found - value).abs() < 1e-3),
            "{pointer} {value}: {answer}"
        );
    };
    near("/direct/share", answered / 3.0);
    near("/direct/precision", right / answered);
    near("/direct/phrase", phrases.iter().sum::<f64>() / phrases.len() as f64);
    chars.sort_unstable();
    assert_eq!(
        number("/passages/median_chars"),
        chars.get(chars.len() / 2).map(|chars| *chars as f64),
        "{answer}"
    );
    for kind in ["near", "far"] {
        let (is_found, is_answered) = told[kind];
        near(&format!("/{kind}/found"), f64::from(is_found));
        near(&format!("/{kind}/answered"), f64::from(is_answered));
    }
    assert!(number("/auroc").is_some_and(|share| (0.0..=1.0).contains(&share)), "{answer}");
    let uncovered = told.values().filter(|(is_found, _)| *is_found).count() as f64 / 3.0;
    near("/not_covered/found", uncovered);
    // and the text has them all
    let text = env.brv_reading(&["eval", "-"], KINDS.as_bytes()).stdout;
    for name in [
        "covered over near",
        "direct answers",
        "with the phrase",
        "near: found",
        "far: found",
        "passages: median",
    ] {
        assert!(text.contains(name), "{text}");
    }
}

#[test]
fn a_file_that_has_no_questions_is_wrong_usage() {
    let env = knowledge();
    for (input, said) in [
        ("", "no questions"),
        ("{}\n", "line 1"),
        ("\n[1]\n", "line 2"),
        ("{\"question\":\" \",\"expected\":[]}", "line 1"),
        (
            r#"{"question":"a","expected":[],"kind":"nearly"}"#,
            "line 1 is not a question: its kind is `nearly`",
        ),
        (r#"{"question":"a","expected":["a.md"],"kind":"near"}"#, "it is `near`"),
        (r#"{"question":"a","expected":["a.md"],"kind":"far"}"#, "it is `far`"),
        (r#"{"question":"a","expected":[],"kind":"covered"}"#, "no entry is expected"),
        (r#"{"question":"a","expected":["a.md"],"phrase":" "}"#, "its phrase is empty"),
        (r#"{"question":"a","expected":[],"kind":3}"#, "line 1"),
    ] {
        let ran = env.brv_reading(&["eval", "-"], input.as_bytes());
        assert_eq!((ran.code, ran.stderr.contains(said)), (2, true), "{input:?}: {}", ran.stderr);
    }
    assert_eq!(env.brv(&["eval", "none.jsonl"]).code, 2);
    assert_eq!(env.brv(&["eval", "-", "--min-recall", "2"]).code, 2);
}
