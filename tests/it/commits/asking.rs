//! Hooks and `dream.auto` with a model: asked in the background only with `model.background`, and only about what the rules
//! find silent.

use super::Code;
use crate::env::Env;
use crate::review::waits_in;
use crate::scripted::{answer, prompts, with_model};
use serde_json::Value;

/// A message in which the rules find nothing: ten words or more, and no rule or reason.
const SILENT: &str =
    "Bump the pool\n\nThe pool of the gate has 40 connections now, and the one of the vault 12.\n";

/// How the rules say that they find nothing.
const NO_REASON: &str = "no sentence gives a reason, rule or limit";

const FACT: &str = "say({'facts': [{'subject': 'pool of the gate', 'statement': 'the gate has 40 connections', 'category': 'project'}]})";

fn code(answers: &str, background: &str) -> Code {
    Code::of(with_model(Env::new(), "one", answers).with("BRV_MODEL_BACKGROUND", background))
}

fn last(code: &Code) -> Value {
    code.settle().pop().unwrap()
}

#[test]
fn without_the_setting_no_hook_asks() {
    let code = code(FACT, "false");
    code.commit(SILENT);
    let job = last(&code);
    assert_eq!(job["outcome"], "declined");
    assert!(job["reason"].as_str().unwrap().starts_with(NO_REASON), "{job}");
    assert_eq!(prompts(&code.env, "one"), Vec::<String>::new());
}

#[test]
fn a_silent_commit_is_asked_about_and_what_comes_back_waits_for_nobody() {
    let code = code(FACT, "true");
    code.write("gate.rs", "let key = \"never sent\";\n");
    code.git(&["add", "gate.rs"]);
    let commit = code.commit(SILENT);
    let job = last(&code);
    assert_eq!((&job["outcome"], &job["commit"]), (&"curated".into(), &commit.clone().into()), "{job}");
    assert_eq!(code.facts("pool of the gate"), ["the gate has 40 connections [project]"]);
    let asked = prompts(&code.env, "one");
    assert_eq!(asked.len(), 1);
    assert!(asked[0].contains("has 40 connections now") && asked[0].contains("A gate.rs"), "{}", asked[0]);
    assert!(!asked[0].contains("never sent"), "the change itself is never sent");
    assert!(waits_in(&code.env, &code.path).is_empty());
    let message = code.env.git(&code.tree(), &["log", "-1", "--format=%B"]);
    assert!(message.contains("Brv-Model: one") && message.contains(&commit), "{message}");
}

/// A message from which the rules take an item, and what a model says about it.
const TAKEN: &str = "net: retry twice\n\nThe server drops the first call after a restart, because its pool stays empty until the first health \
check is done. A second try must always wait for a second, since without the pause it fails in the same way.\n";
const BETTER: &str = "say({'facts': [{'subject': 'first call', 'statement': 'the server drops it after a restart', 'category': 'project'}]})";

/// The lines of the tree that have the item of the rules.
fn tracked(code: &Code) -> String {
    let mut found = String::new();
    for path in code.env.git(&code.tree(), &["ls-files", "*.md"]).lines() {
        let text = std::fs::read_to_string(code.tree().join(path)).unwrap_or_default();
        text.lines()
            .filter(|line| line.contains("second try must always wait"))
            .for_each(|line| found.push_str(line));
    }
    found
}

fn take(code: &Code) -> Value {
    code.write("net.rs", "1\n");
    code.git(&["add", "."]);
    code.commit(TAKEN);
    last(code)
}

#[test]
fn what_the_model_finds_replaces_what_the_rules_took_and_undo_brings_that_back() {
    let code = code(BETTER, "true");
    let job = take(&code);
    assert_eq!(job["outcome"], "curated", "{job}");
    assert_eq!(code.facts("first call"), ["the server drops it after a restart [project]"]);
    assert_eq!(tracked(&code), "");
    assert!(waits_in(&code.env, &code.path).is_empty());
    code.run(&["undo", job["operation"].as_str().unwrap()]);
    assert!(tracked(&code).contains("- **"), "{}", tracked(&code));
    assert!(code.facts("first call").is_empty());
}

#[test]
fn without_an_answer_or_with_one_that_waits_the_rules_item_stays() {
    for (answers, facts) in [
        ("say({'facts': []})".to_owned(), 0),
        ("say('Certainly! Here is some prose.')".to_owned(), 0),
        (BETTER.replace("the server drops it", "Kubernetes drops it"), 1),
    ] {
        let code = code(&answers, "true");
        assert_eq!(take(&code)["outcome"], "curated");
        assert!(tracked(&code).contains("- **"), "{answers}");
        assert_eq!((code.facts("first call").len(), waits_in(&code.env, &code.path).len()), (facts, facts));
        let job = last(&code);
        let is_told = job["reason"].as_str().unwrap().contains("once it is approved");
        let items = job["items"].as_array().unwrap().len();
        assert_eq!((is_told, items), (facts == 1, 1 + facts), "{job}");
        let text = code.brv(&["hooks", "log"]).stdout;
        assert_eq!(text.contains("once it is approved"), is_told, "{text}");
    }
}

#[test]
fn a_fact_that_the_message_does_not_hold_is_told_apart() {
    let code = code(&FACT.replace("the gate has 40", "Kubernetes gives Redis 40"), "true");
    code.commit(SILENT);
    assert_eq!(last(&code)["outcome"], "curated");
    let marked = waits_in(&code.env, &code.path);
    assert!(!marked.is_empty() && marked.iter().all(|one| one.1.contains("unsupported")), "{marked:?}");
    assert!(marked.iter().all(|one| !one.1.contains("model")), "{marked:?}");
}

#[test]
fn what_is_short_or_all_trailers_or_is_told_to_be_skipped_is_not_sent() {
    let code = code(FACT, "true");
    code.commit("Short\n\nOnly a few words here.\n");
    code.commit(&format!("{SILENT}\nBrv-Skip: true\n"));
    code.commit(&super::message("stated"));
    code.commit("Release 2.0\n\nThis has more than ten words in its body, all of them about the release.\n");
    code.settle();
    assert_eq!(prompts(&code.env, "one"), Vec::<String>::new());
}

#[test]
fn a_model_that_fails_or_finds_nothing_leaves_the_commit_declined() {
    for (answers, part) in [
        ("say({'facts': []})", "the model found nothing either"),
        ("say('Certainly! Here is some prose.')", "the model did not answer"),
        (
            "say({'facts': [{'subject': 'pool', 'statement': 'it has 41 connections', 'category': 'x'}]})",
            "the number 41",
        ),
    ] {
        let code = code(answers, "true");
        let head = code.env.git(&code.tree(), &["rev-list", "--all", "--count"]);
        code.commit(SILENT);
        let job = last(&code);
        let reason = job["reason"].as_str().unwrap();
        assert!(
            job["outcome"] == "declined" && reason.starts_with(NO_REASON) && reason.contains(part),
            "{job}"
        );
        assert_eq!(code.env.git(&code.tree(), &["rev-list", "--all", "--count"]), head);
    }
}

#[test]
fn the_quota_holds_for_the_model_too() {
    let code = code(FACT, "true");
    let code = Code { env: code.env.with("BRV_HOOKS_QUOTA", "1"), ..code };
    code.commit(SILENT);
    last(&code);
    let other = FACT.replace("40", "12").replace("of the gate", "of the vault");
    answer(&code.env, "one", &other);
    code.commit(&format!("{SILENT}\nThat is all of it.\n"));
    assert_eq!(last(&code)["outcome"], "over_quota");
    assert_eq!(prompts(&code.env, "one").len(), 1, "what has no room is not asked about");
}

#[test]
fn a_dream_that_is_due_asks_only_with_the_setting() {
    for (background, asks) in [("false", false), ("true", true)] {
        let answers = "say({'decisions': []} if 'decisions' in prompt else {'facts': []})";
        let code = code(answers, background);
        let code = Code { env: code.env.with("BRV_DREAM_AUTO", "true"), ..code };
        for name in ["one", "two", "three"] {
            let fact =
                format!("{name}: the gate signs every token and hands it to whoever asks, day and night");
            let title = format!("The gate {name}");
            let arguments =
                ["curate", "The gate signs every token and hands it to whoever asks.", "--into", "auth/gate"];
            code.run(&[&arguments[..], &["--title", &title, "--reason", "x", "--fact", &fact]].concat());
        }
        code.run(&["hooks", "run", "worker"]);
        let dreamt = || code.path.join(".brv/dream-state.json").exists();
        let start = std::time::Instant::now();
        while !dreamt() && start.elapsed().as_secs() < 60 {
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        assert!(dreamt());
        assert_eq!(!prompts(&code.env, "one").is_empty(), asks, "{background}");
    }
}
