//! `brv index check`: an engine that does as it must, and engines that do not.

use super::super::engine::faults::{Fault, Right};
use super::super::engine::{Call, Engine, Family};
use super::super::noida::Noida;
use super::{Organisation, envelope};
use crate::env::{Env, Ran};
use serde_json::{Value, json};
use std::process::{Command, Stdio};
use std::time::Duration;

const STEPS: [&str; 9] = [
    "create the index",
    "create it twice",
    "change a mark only as it was read",
    "send entries",
    "refuse an older version",
    "list a tree",
    "find and rank as one local index",
    "mark as gone, and remove",
    "remove the index",
];

/// Which fault a request meets.
type OnCall = Box<dyn Fn(&Call) -> Option<Fault> + Send>;

/// The names of the indexes that requests were about.
fn indexes(calls: &[Call]) -> Vec<String> {
    let mut names: Vec<String> =
        calls.iter().filter_map(|call| call.path.split('/').nth(1).map(str::to_owned)).collect();
    names.sort();
    names.dedup();
    names.retain(|name| !name.is_empty());
    names
}

fn passes(env: &Env, url: &str) -> Value {
    let ran = env.brv(&["index", "check", "--engine", url, "--json"]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    let data = envelope(&ran)["data"].clone();
    let steps = data["steps"].as_array().unwrap();
    let names: Vec<&str> = steps.iter().map(|step| step["name"].as_str().unwrap()).collect();
    assert_eq!(names, STEPS);
    for step in steps {
        assert!(step["ok"] == true && step["ms"].is_u64() && step.get("message").is_none(), "{step}");
    }
    assert!(data["overlap_at_10"].as_f64().unwrap() >= 0.95, "{data}");
    data
}

#[test]
fn an_engine_that_does_as_it_must_passes_and_is_left_as_it_was() {
    for family in [Family::OpenSearch, Family::Elasticsearch] {
        let (env, engine) = (Env::new(), Engine::start(family));
        passes(&env, &engine.url);
        let names = indexes(&engine.calls());
        let [name] = &names[..] else { panic!("{names:?}") };
        assert!(name.starts_with("brv-check-") && name.len() > 15, "{name}");
        assert_eq!(engine.documents(name), []);
    }
}

#[test]
fn other_indexes_are_not_touched_and_two_checks_have_an_index_each() {
    let organisation = Organisation::small();
    let before = organisation.engine.documents("brv");
    organisation.engine.forget_calls();
    for _ in 0..2 {
        let shown = organisation.env.brv(&["index", "check"]);
        assert_eq!(shown.code, 0, "{}", shown.stdout);
        assert!(
            STEPS.iter().all(|step| shown.stdout.contains(&format!("ok     {step} ("))),
            "{}",
            shown.stdout
        );
        assert!(shown.stdout.contains("of the first 10 results"), "{}", shown.stdout);
    }
    assert_eq!(organisation.env.brv(&["index", "check", "--index", "knowledge"]).code, 0);
    let names = indexes(&organisation.engine.calls());
    assert_eq!((names.len(), names.iter().any(|name| name == "brv")), (3, false), "{names:?}");
    assert!(names[2].starts_with("knowledge-check-"), "{names:?}");
    assert_eq!(organisation.engine.documents("brv"), before);
}

#[test]
fn noida_passes() {
    let env = Env::new();
    let Some(noida) = Noida::start(&env) else { return };
    let data = passes(&env, &noida.url);
    assert_eq!(data["engine"]["name"], "elasticsearch");
}

/// The step at which a check of a broken engine fails, and why.
fn fails(rule: impl Fn(&Call) -> Option<Fault> + Send + 'static) -> (String, String) {
    let (env, engine) = (Env::new(), Engine::start(Family::OpenSearch));
    engine.fail(rule);
    let ran = env.brv(&["index", "check", "--engine", &engine.url, "--json"]);
    assert_eq!(ran.code, 1, "{}{}", ran.stdout, ran.stderr);
    let whole = envelope(&ran);
    let steps = whole["data"]["steps"].as_array().unwrap();
    let failed = steps.iter().find(|step| step["ok"] == false).unwrap();
    let (name, why) = (failed["name"].as_str().unwrap(), failed["message"].as_str().unwrap());
    let message = whole["error"]["message"].as_str().unwrap();
    assert!(message.contains(name) && message.contains(why), "{message}");
    // nothing after it but the removal
    let rest = steps.iter().skip_while(|step| step["ok"] == true).skip(1).map(|step| &step["name"]);
    assert!(rest.eq([&json!("remove the index")]) || name == "remove the index", "{steps:?}");
    let removed = engine.calls().iter().filter(|call| call.method == "DELETE").count();
    assert!(removed > 0, "{:?}", engine.calls());
    let shown = env.brv(&["index", "check", "--engine", &engine.url]);
    assert!(shown.stdout.contains(&format!("FAILED {name}")), "{}", shown.stdout);
    (name.to_owned(), why.to_owned())
}

#[test]
fn a_broken_engine_fails_at_the_step_that_it_breaks() {
    let to = || Fault::Redirect("http://127.0.0.1:9".into());
    let cases: [(&str, OnCall); 6] = [
        (
            STEPS[0],
            Box::new(move |call| (call.method == "PUT" && call.path.matches('/').count() == 1).then(to)),
        ),
        (STEPS[2], Box::new(move |call| call.path.contains("/_create/").then(to))),
        (STEPS[3], Box::new(move |call| call.path.ends_with("/_bulk").then_some(Fault::ReadOnly))),
        (STEPS[5], Box::new(move |call| call.path.ends_with("/_search").then_some(Fault::Partial))),
        (STEPS[7], Box::new(move |call| call.path.ends_with("/_delete_by_query").then(to))),
        (STEPS[8], Box::new(move |call| (call.method == "DELETE").then(to))),
    ];
    for (step, rule) in cases {
        let (name, why) = fails(rule);
        assert_eq!(name, step, "{why}");
        assert!(!why.is_empty());
    }
}

#[test]
fn a_reader_cannot_check_and_leaves_nothing() {
    let organisation = Organisation::small();
    organisation.engine.demand(&[("ApiKey reads", Right::Read)]);
    let ran = organisation
        .env
        .brv_with(&[("THE_KEY", "reads")], &["index", "check", "--key-env", "THE_KEY", "--json"]);
    assert_eq!(ran.code, 1, "{}", ran.stdout);
    assert_eq!(envelope(&ran)["data"]["steps"][0]["ok"], false);
    let ran = organisation.env.brv(&["index", "check", "--json"]);
    assert_eq!(ran.code, 4, "{}", ran.stdout);
}

#[cfg(unix)]
#[test]
fn a_check_that_is_interrupted_leaves_no_index() {
    let (env, engine) = (Env::new(), Engine::start(Family::OpenSearch));
    engine.fail(|call| call.path.ends_with("/_bulk").then_some(Fault::Late(60_000)));
    let mut command = Command::new(env!("CARGO_BIN_EXE_brv"));
    env.prepare(&mut command);
    command.args(["index", "check", "--engine", &engine.url]).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    while !engine.calls().iter().any(|call| call.path.ends_with("/_bulk")) {
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let ran = Ran::of(&child.wait_with_output().unwrap());
    assert_eq!(ran.code, 130, "{}{}", ran.stdout, ran.stderr);
    let last = engine.calls().pop().unwrap();
    assert!(last.method == "DELETE" && last.path.starts_with("/brv-check-"), "{last:?}");
}
