//! `brv derive --model`: summaries as one curation that waits for review, overviews for this machine, and what is paid for.

use crate::env::{Env, tree};
use crate::init::{commit, json, project, write};
use crate::review::waits;
use crate::scripted::{answer, prompts, with_model};
use serde_json::Value;

const GATE: &str = "---\ntitle: Gate\n---\n\nThe gate signs each token and hands it to the caller, who shows it to every service behind the gate. Tokens live 12 hours. A service never asks the gate again.\n\n## Facts\n- **lifetime**: tokens live 12 hours [project]\n";
const VAULT: &str = "---\ntitle: Vault\n---\n\nThe vault keeps the keys of the gate and rotates them every 90 days, without a restart of the gate. Old keys are kept for one lifetime.\n";
const TOLD: &str =
    "---\ntitle: Told\nsummary: It has one\n---\n\nThis entry has a summary, so nobody is asked about it.\n";

/// Answers with a sentence about the entry, or with the parts of an overview.
const GOOD: &str = r#"
name = os.path.basename(entry)
if "overview" in prompt[:200]:
    say({"gist": "What " + name + " is.", "points": ["It matters."], "entities": [], "patterns": []})
else:
    say({"summary": "What is decided in " + name})
"#;

fn told(answers: &str) -> Env {
    let env = project(&[("auth/gate.md", GATE), ("auth/vault.md", VAULT), ("ops/told.md", TOLD)]);
    commit(&env, "start");
    with_model(env, "one", answers)
}

/// The data of `brv derive --model` with this exit code.
#[track_caller]
fn derive(env: &Env, arguments: &[&str], code: i32) -> Value {
    let ran = env.brv(&[&["derive", "--model", "--json"], arguments].concat());
    assert_eq!(ran.code, code, "{arguments:?}: {}{}", ran.stdout, ran.stderr);
    json(&ran.stdout)
}

fn statuses(rows: &Value) -> Vec<(String, String)> {
    let text = |row: &Value, key: &str| row[key].as_str().unwrap_or_default().to_owned();
    rows.as_array().unwrap().iter().map(|row| (text(row, "path"), text(row, "status"))).collect()
}

fn read(env: &Env, path: &str) -> String {
    std::fs::read_to_string(tree(env).join(path)).unwrap()
}

#[test]
fn summaries_land_as_one_curation_that_waits_for_review() {
    let env = told(GOOD);
    let before = read(&env, "ops/told.md");
    let made = derive(&env, &[], 0);
    assert_eq!(made["schema"], "brv.derive.model/1");
    let data = &made["data"];
    let proposed = |path: &str| (path.to_owned(), "proposed".to_owned());
    assert_eq!(statuses(&data["summaries"]), [proposed("auth/gate.md"), proposed("auth/vault.md")]);
    assert_eq!((&data["model"]["name"], &data["model"]["calls"]), (&"one".into(), &2.into()));
    assert_eq!(made["next"][0], "brv review pending");
    assert!(read(&env, "auth/gate.md").contains("summary: What is decided in gate.md\n"));
    assert_eq!(read(&env, "ops/told.md"), before);
    assert!(read(&env, "auth/gate.abstract.md").contains("Gate: What is decided in gate.md"));
    let message = env.git(&tree(&env), &["log", "-1", "--format=%B"]);
    for line in [
        "propose summaries of entries\n",
        "Brv-Review: auth/gate.md model",
        "Brv-Review: auth/vault.md model",
        "Brv-Model: one",
    ] {
        assert!(message.contains(line), "{line}: {message}");
    }
    assert_eq!(env.git(&tree(&env), &["status", "--porcelain"]), "");
    let waiting = |path: &str| (path.to_owned(), "model".to_owned());
    assert_eq!(waits(&env), [waiting("auth/gate.md"), waiting("auth/vault.md")]);

    let again = derive(&env, &[], 0);
    assert_eq!((statuses(&again["data"]["summaries"]).len(), prompts(&env, "one").len()), (0, 2));
}

#[test]
fn an_undone_proposal_comes_back_only_if_the_entry_is_named() {
    let env = told(GOOD);
    derive(&env, &["auth/gate.md"], 0);
    assert_eq!(env.brv(&["undo"]).code, 0);
    assert_eq!(read(&env, "auth/gate.md"), GATE);
    let left = derive(&env, &["auth"], 0);
    assert_eq!(left["data"]["summaries"][0]["status"], "left");
    assert!(left["data"]["summaries"][0]["reason"].as_str().unwrap().contains("rejected before"), "{left}");
    assert_eq!(read(&env, "auth/gate.md"), GATE);
    let named = derive(&env, &["auth/gate.md"], 0);
    assert_eq!(named["data"]["summaries"][0]["status"], "proposed");
    assert_eq!(prompts(&env, "one").iter().filter(|prompt| prompt.contains("auth/gate.md")).count(), 2);
}

#[test]
fn an_entry_that_changed_meanwhile_is_left_for_the_next_run() {
    let env = told("");
    let file = tree(&env).join("auth/vault.md");
    let edit = format!("open({:?}, 'a').write('\\nOne line more.\\n')\n{GOOD}", file.to_str().unwrap());
    answer(&env, "one", &edit);
    let made = derive(&env, &["auth"], 0);
    let (proposed, left) = ("proposed".to_owned(), "left".to_owned());
    let expected = [("auth/gate.md".to_owned(), proposed), ("auth/vault.md".to_owned(), left)];
    assert_eq!(statuses(&made["data"]["summaries"]), expected);
    assert!(
        read(&env, "auth/vault.md").starts_with(VAULT) && !read(&env, "auth/vault.md").contains("summary")
    );
    answer(&env, "one", GOOD);
    let unfinished = derive(&env, &["auth/vault.md"], 0);
    assert_eq!(unfinished["data"]["summaries"][0]["reason"], "it has uncommitted changes");
    commit(&env, "more");
    let next = derive(&env, &["auth"], 0);
    assert_eq!(statuses(&next["data"]["summaries"]), [("auth/vault.md".into(), "proposed".into())]);
}

#[test]
fn what_was_answered_before_a_kill_is_not_paid_for_again() {
    let env = told("");
    let kill = format!(
        "if 'vault' in entry and not os.path.exists(os.path.join(here, 'killed')):\n    open(os.path.join(here, 'killed'), 'w')\n    os.kill(os.getppid(), 9)\n    sys.exit(1)\n{GOOD}"
    );
    answer(&env, "one", &kill);
    let ran = env.brv(&["derive", "--model"]);
    assert_ne!(ran.code, 0, "{}", ran.stdout);
    assert_eq!(read(&env, "auth/gate.md"), GATE, "nothing lands before all requests are answered");
    let made = derive(&env, &[], 0);
    assert_eq!((statuses(&made["data"]["summaries"]).len(), &made["data"]["model"]["calls"]), (2, &1.into()));
    let asked = prompts(&env, "one");
    assert_eq!(asked.iter().filter(|prompt| prompt.contains("auth/gate.md")).count(), 1);
}

#[test]
fn a_bad_answer_fails_its_entry_alone_and_is_asked_for_again() {
    let env = told(&format!(
        "if 'vault' in entry:\n    say({{'summary': 'Keys rotate every 30 days'}})\n    sys.exit()\n{GOOD}"
    ));
    let made = derive(&env, &[], 1);
    assert_eq!(made["error"]["code"], "model_invalid");
    let expected =
        [("auth/gate.md".to_owned(), "proposed".to_owned()), ("auth/vault.md".into(), "failed".into())];
    assert_eq!(statuses(&made["data"]["summaries"]), expected);
    assert_eq!(made["data"]["model"]["calls"], 4, "one, and three for the other");
    assert_eq!(read(&env, "auth/vault.md"), VAULT);
    assert!(prompts(&env, "one").last().unwrap().contains("the number 30"));
    answer(&env, "one", "say('no JSON at all')");
    let none = derive(&env, &[], 1);
    assert_eq!(none["error"]["code"], "model_invalid");
    assert_eq!(read(&env, "auth/vault.md"), VAULT);
}

#[test]
fn two_clones_with_different_models_have_the_same_derived_files() {
    let env = told(GOOD);
    let made = derive(&env, &["--overviews"], 0);
    let remote = env.bare("shared");
    assert_eq!(env.brv(&["vc", "remote", "add", "origin", remote.to_str().unwrap()]).code, 0);
    assert_eq!(env.brv(&["review", "approve", made["data"]["operation"].as_str().unwrap()]).code, 0);
    let pushed = env.brv(&["vc", "push", "-u", "origin", "main"]);
    assert_eq!(pushed.code, 0, "{}", pushed.stderr);
    let env = with_model(env, "two", &GOOD.replace("It matters.", "Another model wrote that."));
    let other = env.path("other");
    std::fs::create_dir_all(&other).unwrap();
    let cloned = env.brv_in(&other, &["vc", "clone", remote.to_str().unwrap()]);
    assert_eq!(cloned.code, 0, "{}", cloned.stderr);
    let ran = env.brv_in(&other, &["derive", "--model", "--overviews", "--json"]);
    assert_eq!(ran.code, 0, "{}", ran.stdout);
    let l1 = |folder: &std::path::Path| {
        let ran = env.brv_in(folder, &["read", "auth/gate.md", "--level", "l1", "--json"]);
        json(&ran.stdout)["data"]["pieces"][0].take()
    };
    let two = l1(&other);
    assert_eq!((&two["maker"], &two["origin"]), (&"model".into(), &"cache".into()));
    assert!(two["text"].as_str().unwrap().contains("Another model"), "{two}");
    for folder in [env.root(), &other] {
        let checked = env.brv_in(folder, &["derive", "--check"]);
        assert_eq!((checked.code, checked.stdout.as_str()), (0, "All derived files are up to date.\n"));
        let overview =
            std::fs::read_to_string(folder.join(".brv/context-tree/auth/gate.overview.md")).unwrap();
        assert!(overview.contains("maker: extractive") && !overview.contains("Another model"), "{overview}");
    }
    // the model of the first clone wrote none here
    assert_eq!(env.brv(&["read", "auth/gate.md", "--level", "l1", "--json"]).code, 0);
    assert_eq!(l1(env.root())["maker"], Value::Null);
    let env = with_model(env, "one", GOOD);
    let one = json(&env.brv(&["read", "auth/gate.md", "--level", "l1", "--json"]).stdout);
    assert!(one["data"]["pieces"][0]["text"].as_str().unwrap().contains("It matters."), "{one}");
}

#[test]
fn the_cache_of_answers_is_in_no_repository() {
    let env = Env::new();
    env.git(env.root(), &["init", "-q"]);
    assert_eq!(env.brv(&["init", "-q"]).code, 0);
    write(&env, &[("auth/gate.md", GATE)]);
    commit(&env, "start");
    let env = with_model(env, "one", GOOD);
    derive(&env, &["--overviews"], 0);
    let kept: Vec<_> = std::fs::read_dir(env.path(".brv/cache/model")).unwrap().map(Result::unwrap).collect();
    assert!(kept.len() >= 2, "{kept:?}");
    let path = kept[0].path();
    assert_eq!(env.try_git(env.root(), &["check-ignore", "-q", path.to_str().unwrap()]).code, 0);
}

#[test]
fn a_model_that_is_missing_or_down_changes_nothing() {
    let env = project(&[("auth/gate.md", GATE)]);
    commit(&env, "start");
    let head = env.git(&tree(&env), &["rev-parse", "HEAD"]);
    assert_eq!(derive(&env, &[], 2)["error"]["code"], "usage");
    let env = env.with("BRV_MODEL_COMMAND", r#"["/nowhere/at-all"]"#);
    derive(&env, &[], 9);
    derive(&env, &["auth/nothing.md"], 2);
    for flags in [&["--check"][..], &["--all"]] {
        derive(&env, flags, 2);
    }
    assert_eq!(env.brv(&["derive", "--overviews"]).code, 2);
    assert_eq!(env.brv(&["derive", "auth"]).code, 2);
    assert_eq!(env.git(&tree(&env), &["rev-parse", "HEAD"]), head);
    assert_eq!(read(&env, "auth/gate.md"), GATE);
}

#[test]
fn a_budget_that_is_used_up_ends_the_run_with_what_was_made() {
    // the prose around the first answer uses the budget up
    let env = told(&format!("{GOOD}print('And so on. ' * 2000)")).with("BRV_MODEL_DAILY_TOKENS", "6000");
    let made = derive(&env, &[], 1);
    assert_eq!(made["error"]["code"], "over_budget");
    let expected =
        [("auth/gate.md".to_owned(), "proposed".to_owned()), ("auth/vault.md".into(), "failed".into())];
    assert_eq!(statuses(&made["data"]["summaries"]), expected);
    assert!(read(&env, "auth/gate.md").contains("summary: What is decided"));
    let env = env.with("BRV_MODEL_DAILY_TOKENS", "500000");
    let rest = derive(&env, &[], 0);
    assert_eq!((statuses(&rest["data"]["summaries"]).len(), prompts(&env, "one").len()), (1, 2));
}
