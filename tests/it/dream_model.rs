//! `brv dream --model`: one request for each domain, decisions checked like those of any writer, and what fails.

use crate::dream::{COPY, FILES, PARTNER, TOKENS, dream, dreaming};
use crate::env::{Env, tree};
use crate::init::{commit, json, project, write};
use crate::review::waits;
use crate::scripted::{answer, prompts, with_model};
use serde_json::Value;

/// What each answer begins with: the ids of the candidates, and a decision about one.
const START: &str = r#"
candidates = re.findall(r'"candidate":"([\w-]+)"', prompt)
def decide(candidate, action, **more):
    return {"candidate": candidate, "action": action, "reason": "they say the same", "confidence": 0.9, **more}
"#;

fn told(answers: &str) -> Env {
    with_model(dreaming(), "one", &format!("{START}{answers}"))
}

fn rows(data: &Value) -> Vec<(String, String)> {
    let text = |row: &Value, key: &str| row[key].as_str().unwrap_or("-").to_owned();
    let rows = data["operations"].as_array().unwrap();
    rows.iter().map(|row| (text(row, "action"), text(row, "status"))).collect()
}

fn is_there(env: &Env, path: &str) -> bool {
    tree(env).join(path).exists()
}

#[test]
fn a_good_decision_lands_and_names_the_model() {
    let merge = format!(
        "if '{COPY}' in prompt:\n    say({{'decisions': [decide(candidates[0], 'MERGE', into='{TOKENS}', sources=['{COPY}'])]}})\nelse:\n    say({{'decisions': []}})"
    );
    let env = told(&merge);
    let planned = dream(&env, &["--model", "--force", "--dry-run"], 0);
    assert_eq!((&planned["status"], is_there(&env, COPY)), (&"planned".into(), true));
    let done = dream(&env, &["--model", "--force"], 0);
    assert_eq!((&done["status"], is_there(&env, COPY)), (&"completed".into(), false), "{done}");
    assert_eq!((&done["model"]["name"], &done["model"]["repaired"]), (&"one".into(), &0.into()));
    let message = env.git(&tree(&env), &["log", "-1", "--format=%B"]);
    assert!(message.contains("Brv-Model: one") && message.contains("Brv-Dream: drm-"), "{message}");
    assert_eq!(waits(&env)[0].0, TOKENS);
    assert_eq!(env.brv(&["dream", "--undo"]).code, 0);
    assert!(is_there(&env, COPY));
}

#[test]
fn each_domain_is_asked_about_once_and_in_bounds() {
    let mut files: Vec<(String, String)> = Vec::new();
    for domain in ["auth", "ops"] {
        for copy in ["one", "two"] {
            let text = format!(
                "---\ntitle: Part {copy}\n---\n\nThe {domain} gate signs every token and hands it to whoever asks for it, day and night.\n\n## Facts\n- **gate**: {domain} has {copy} of them\n"
            );
            files.push((format!("{domain}/gate/{copy}.md"), text));
        }
    }
    let filler =
        "Long words fill this entry so that no request has room for it, and nobody reads them. ".repeat(280);
    for copy in ["long", "longer"] {
        files.push((
            format!("ops/files/{copy}.md"),
            format!("---\ntitle: {copy}\n---\n\n{filler}\n\nIt is {copy}.\n"),
        ));
    }
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let env = project(&files);
    commit(&env, "start");
    let env = with_model(
        env,
        "one",
        &format!("{START}say({{'decisions': [decide(one, 'SKIP') for one in candidates]}})"),
    );
    let done = dream(&env, &["--model", "--force"], 0);
    let asked = prompts(&env, "one");
    assert_eq!((asked.len(), &done["model"]["calls"]), (2, &2.into()));
    assert!(
        asked.iter().all(|prompt| prompt.contains("auth/gate/one.md") != prompt.contains("ops/gate/one.md"))
    );
    assert!(!asked.iter().any(|prompt| prompt.contains("Long words")));
    let reasons = done["operations"].to_string();
    assert!(reasons.contains("too long for one request to a model"), "{reasons}");
}

#[test]
fn lies_are_refused_and_the_rest_lands() {
    let env = told("");
    let before = env.git(&tree(&env), &["rev-parse", "HEAD"]);
    for (decision, part) in [
        ("decide('c77', 'SKIP')", "was not asked"),
        ("decide(candidates[0], 'MERGE', into='ops/backups.md')", "is not a file of"),
        ("decide(candidates[0], 'ARCHIVE')", "does not fit"),
        (
            "decide(candidates[0], 'TEMPORAL_UPDATE', path='auth/tokens/lifetime.md', markdown='The key is AKIAIOSFODNN7EXAMPLQ.')",
            "BRV006",
        ),
    ] {
        answer(
            &env,
            "one",
            &format!(
                "{START}say({{'decisions': [{decision}]}} if 'auth' in prompt else {{'decisions': []}})"
            ),
        );
        let done = dream(&env, &["--model", "--force"], 1);
        let refused = done["operations"].as_array().unwrap().iter().find(|row| row["status"] == "refused");
        let why = refused.unwrap_or_else(|| panic!("{decision}: {done}"))["message"].to_string();
        assert!(why.contains(part), "{decision}: {why}");
    }
    assert_eq!(env.git(&tree(&env), &["rev-parse", "HEAD"]), before);
    for (path, text) in FILES {
        assert_eq!(std::fs::read_to_string(tree(&env).join(path)).unwrap(), text, "{path}");
    }
    let update = "say({'decisions': [decide('c77', 'SKIP'), decide(candidates[0], 'TEMPORAL_UPDATE', path='auth/tokens/partner.md', markdown='Access tokens of partners live 13 hours.')]} if 'auth' in prompt else {'decisions': []})";
    answer(&env, "one", &format!("{START}{update}"));
    dream(&env, &["--model", "--force"], 1);
    let text = std::fs::read_to_string(tree(&env).join(PARTNER)).unwrap();
    assert!(text.contains("partners live 13 hours."), "{text}");
    let marked = waits(&env);
    assert!(marked[0].1.contains("model"), "what a model wrote waits, however sure it is: {marked:?}");
}

#[test]
fn what_has_a_secret_is_not_decided_by_a_model() {
    let secret = format!("{}\nThe key is AKIAIOSFODNN7EXAMPLQ, for now.\n", FILES[0].1);
    let env = project(&[FILES[1]]);
    commit(&env, "start");
    // by git, since brv refuses it
    env.commit(&tree(&env), &[(FILES[0].0, &secret)]);
    let env = with_model(env, "one", &format!("{START}say({{'decisions': []}})"));
    let done = dream(&env, &["--model", "--force"], 0);
    assert!(prompts(&env, "one").iter().all(|prompt| !prompt.contains("AKIA")), "{done}");
    assert!(done["operations"].to_string().contains("a file of it has a secret"), "{done}");
    assert_eq!(std::fs::read_to_string(tree(&env).join(FILES[0].0)).unwrap(), secret);
}

/// "Nothing to do" is an answer: candidates carry the error of another domain.
#[test]
fn an_unusable_answer_about_one_domain_is_no_failure_of_a_dream_that_another_one_answered() {
    let text = |word: &str, end: &str| {
        format!(
            "---\ntitle: Part {end}\n---\n\nThe {word} gate signs every token and hands it to whoever asks for it, day and night, {end}.\n"
        )
    };
    let names = ["auth", "ops"].into_iter().flat_map(|domain| ["one", "two"].map(|end| (domain, end)));
    let files = names.map(|(domain, end)| (format!("{domain}/gate/{end}.md"), text(domain, end)));
    let files: Vec<(String, String)> = files.collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    for answers in [["{'decisions': []}", "'Hm.'"], ["'Hm.'", "{'decisions': []}"]] {
        let env = project(&files);
        commit(&env, "start");
        let told = format!("say({} if 'auth/gate/one.md' in prompt else {})", answers[0], answers[1]);
        let env = with_model(env, "one", &format!("{START}{told}"));
        let done = dream(&env, &["--model", "--force"], 0);
        assert_eq!((&done["status"], &done["operation"]), (&"completed".into(), &Value::Null), "{done}");
        let said = done["operations"].to_string();
        assert!(said.contains("no decision") && said.contains("the model"), "{said}");
    }
    let env = with_model(project(&files), "one", "say('Hm.')");
    commit(&env, "start");
    let ran = env.brv(&["dream", "--model", "--force", "--json"]);
    assert_eq!((ran.code, &json(&ran.stdout)["error"]["code"]), (1, &"model_invalid".into()));
}

#[test]
fn a_model_that_fails_changes_nothing_or_ends_the_dream_early() {
    let env = told("say('I would rather talk.')");
    let head = env.git(&tree(&env), &["rev-parse", "HEAD"]);
    let ran = env.brv(&["dream", "--model", "--force", "--json"]);
    let said = json(&ran.stdout);
    assert!(ran.code == 1 || rows(&said["data"]).iter().all(|row| row.1 == "skipped"), "{said}");
    let env = env.with("BRV_MODEL_COMMAND", r#"["/nowhere/at-all"]"#);
    let down = env.brv(&["dream", "--model", "--force", "--json"]);
    assert_eq!(down.code, 9, "{}", down.stdout);
    assert_eq!(env.git(&tree(&env), &["rev-parse", "HEAD"]), head);
    let env = dreaming();
    assert_eq!(env.brv(&["dream", "--model", "--force"]).code, 2, "no model is set");
    for other in [&["--plan"][..], &["--decisions", "-"], &["--undo"]] {
        assert_eq!(env.brv(&[&["dream", "--model"], other].concat()).code, 2, "{other:?}");
    }
}

#[test]
fn a_queued_dream_remembers_that_the_model_decides_and_one_that_is_due_asks_it_only_in_the_background() {
    let env = told("say({'decisions': [decide(one, 'SKIP') for one in candidates]})");
    let queued = dream(&env, &["--model", "--force", "--detach"], 0);
    let waited = env.brv(&["jobs", "wait", queued["id"].as_str().unwrap(), "--json"]);
    assert_eq!(waited.code, 0, "{}", waited.stdout);
    let asked = prompts(&env, "one").len();
    assert!(asked > 0, "asked for by a person, so `model.background` is not needed");

    write(&env, &[("auth/tokens/more.md", FILES[0].1)]);
    commit(&env, "more");
    let env = env.with("BRV_DREAM_AUTO", "true");
    let done = dream(&env, &["--force"], 0);
    assert_eq!((prompts(&env, "one").len(), &done["model"]), (asked, &Value::Null));
}

#[test]
fn a_dream_whose_time_is_up_asks_nothing_more_and_is_no_dream() {
    use brv_commands::dream::work::{self, Decisive, Gates, Request, Writer};
    use brv_engine::dream::Trigger;
    use brv_engine::open::models;
    use brv_engine::write::overriding::Allowed;
    let env = told("say({'decisions': []})");
    let environment = env.environment();
    let mut cx = crate::env::context_of(env.root(), &environment);
    cx.config = brv_base::config::Config::load(brv_base::config::Flags::default(), &environment).unwrap();
    let opened = cx.open().unwrap();
    let model = models::needed(&cx).unwrap();
    let request = Request {
        gates: Gates::Open,
        mode: brv_engine::Mode::Write,
        branch: None,
        writer: Writer::Model(Box::new(Decisive::new(model, std::time::Instant::now()))),
        trigger: Trigger::Manual,
        job: None,
        limit: 50,
        allowed: &Allowed::default(),
        halt: &|| None,
    };
    let outcome = work::run(cx.parts(&opened), &request).unwrap();
    assert_eq!((outcome.status, prompts(&env, "one").len()), (work::DreamStatus::Error, 0));
    assert!(outcome.reason.unwrap().contains("time"));
    assert!(!env.path(".brv/dream-state.json").exists());
}
