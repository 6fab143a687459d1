//! The settings: what is refused, what is shown, and that showing them makes no request.

use super::{Scripted, ready};
use crate::env::Env;
use serde_json::{Value, json};

#[test]
fn the_password_of_an_address_is_shown_nowhere() {
    let (env, address) = (Env::new(), "http://tess:hunter2@127.0.0.1:9/x.git");
    assert_eq!(env.brv(&["init"]).code, 0);
    let tree = crate::env::tree(&env);
    for (key, value) in [("branch.main.remote", address), ("branch.main.merge", "refs/heads/main")] {
        env.git(&tree, &["config", key, value]);
    }
    for line in [
        &["status"][..],
        &["vc", "status"],
        &["vc", "branch"],
        &["config", "set", "model.url", address],
        &["config", "set", "color", address],
        &["config", "set", "model.key_command", address],
        &["config", "get", "model.key_command"],
        &["config", "list"],
        &["vc", "fetch", "http://tess:hunter2@[::/x"],
        &["vc", "switch", address],
        &["vc", "log", address],
        &["read", address],
        &["curate", "--file", address, "--into", "a/b", "--title", "T", "--reason", "r"],
        &["curate", "--ops", address],
        &["curate", "--commit", address],
        &["init", address],
        &[address],
        &["help", address],
        &["jobs", "wait", address],
        &["-C", address, "status"],
    ] {
        for form in [&[][..], &["--json"]] {
            let ran = env.brv(&[line, form].concat());
            let said = ran.stdout + &ran.stderr;
            // the data of an answer repeats what was asked
            let is_echo = line[0] == "read" && !form.is_empty();
            assert!(is_echo || !said.contains("hunter2"), "{line:?} {form:?}: {said}");
        }
    }
    let env = env.with("BRV_MODEL_COMMAND", format!("[\"curl\", \"{address}\"]"));
    for form in [&["model", "show"][..], &["model", "show", "--json"]] {
        let ran = env.brv(form);
        assert!(ran.stdout.contains("http://****@127.0.0.1:9/x.git"), "{}", ran.stdout);
    }
}

#[test]
fn an_address_that_is_not_safe_is_refused_with_the_reason() {
    let env = Env::new();
    for (key, value) in [
        ("model.url", "http://example.com"),
        ("model.url", "example.com/v1"),
        ("model.url", "ftp://localhost"),
        ("model.url", "https://user:secret@host/v1"),
        ("model.api", "gemini"),
        ("model.params", "temperature"),
        ("model.command", "claude -p"),
        ("model.timeout", "0"),
        ("model.daily_tokens", "many"),
    ] {
        let ran = env.brv(&["config", "set", key, value]);
        assert_eq!(ran.code, 2, "{key} {value} {ran:?}");
        assert!(ran.stderr.contains(" is not "), "{ran:?}");
    }
    let ran = env.brv(&["config", "set", "model.url", "http://example.com"]);
    assert!(ran.stderr.contains("https") && ran.stderr.contains("this machine"), "{ran:?}");
    assert!(!env.brv(&["config"]).stdout.contains("example.com"));
}

#[test]
fn the_settings_in_effect_are_shown_and_nothing_is_asked() {
    let server = Scripted::start(&[ready()]);
    let env = server.env();
    for (key, value) in
        [("model.params", "{\"temperature\": 0}"), ("model.timeout", "5"), ("model.key_env", "K")]
    {
        assert_eq!(env.brv(&["config", "set", key, value]).code, 0);
    }
    let shown: Value = serde_json::from_str(&env.brv(&["model", "show", "--json"]).stdout).unwrap();
    let expected = json!({
        "api": "openai", "url": server.url, "name": "small", "command": [], "key": "env:K", "key_set": false,
        "params": {"temperature": 0}, "timeout": 5.0, "daily_tokens": 500_000, "background": false,
    });
    assert_eq!(shown["data"], expected);
    assert!(env.brv(&["config"]).stdout.contains("model.timeout"));
    assert!(server.seen().is_empty());
    let anthropic = Env::new().with("BRV_MODEL_URL", "https://api.anthropic.com");
    assert!(anthropic.brv(&["model", "show"]).stdout.contains("anthropic"));
}

#[test]
fn without_a_model_there_is_a_hint() {
    let env = Env::new();
    assert!(env.brv(&["model", "show"]).stdout.contains("brv help models"));
    let ran = env.brv(&["model", "test"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("brv help models"), "{ran:?}");
    assert!(env.brv(&["model", "usage"]).stdout.contains("No model was asked"));
}

#[test]
fn what_is_sent_has_no_field_of_sampling_unless_it_is_set() {
    let server = Scripted::start(&[ready()]);
    super::test(&server.env());
    for seen in server.seen() {
        let fields: Vec<&String> = seen.body.as_object().unwrap().keys().collect();
        for field in fields {
            assert!(
                ["model", "messages", "max_tokens", "max_completion_tokens", "response_format", "tools"]
                    .contains(&field.as_str()),
                "{field}"
            );
        }
    }
    let server = Scripted::start(&[ready()]);
    super::test(
        &server.env().with("BRV_MODEL_PARAMS", "{\"top_p\": 0.5, \"max_tokens\": 7, \"store\": null}"),
    );
    let body = &server.seen()[0].body;
    assert_eq!((&body["top_p"], &body["max_tokens"], body.get("store")), (&json!(0.5), &json!(7), None));
}
