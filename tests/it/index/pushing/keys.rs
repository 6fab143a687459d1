//! Where the key comes from, and where it goes.

use super::*;
use crate::index::engine::Family;
use crate::index::engine::faults::{Fault, Right};

const BASIC: &str = "Basic YWRtaW46c2VjcmV0";

fn set(env: &Env, key: &str, value: &str) {
    let ran = env.brv(&["config", "set", key, value]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
}

/// The values of `Authorization` that an engine saw, each once.
fn seen(engine: &Engine) -> Vec<Option<String>> {
    let mut seen: Vec<Option<String>> = engine.calls().into_iter().map(|call| call.authorization).collect();
    seen.dedup();
    engine.forget_calls();
    seen
}

#[test]
fn the_key_of_the_settings_goes_to_the_engine_of_the_settings_alone() {
    let env = Env::in_memory().with("SEARCH_KEY", "admin:secret").with("OTHER_KEY", "Bearer abc");
    let team = Team::new(&env, "team", "dream");
    let (own, other) = (Engine::start(Family::OpenSearch), Engine::start(Family::Elasticsearch));
    own.demand(&[(BASIC, Right::Write)]);
    set(&env, "index.engine", &own.url);
    set(&env, "index.key_env", "SEARCH_KEY");
    let push = |arguments: &[&str], code: i32| {
        let ran = env.brv(&[&["index", "push", "--json", "--remote", team.url()], arguments].concat());
        assert!(!format!("{}{}", ran.stdout, ran.stderr).contains("secret"), "{}{}", ran.stdout, ran.stderr);
        ended(&ran, code)
    };
    push(&[], 0);
    assert_eq!(seen(&own), [Some(BASIC.to_owned())]);
    // the same address as a flag is the same origin
    push(&["--engine", &format!("{}/", own.url)], 0);
    assert_eq!(seen(&own), [Some(BASIC.to_owned())]);
    push(&["--engine", &other.url], 0);
    assert_eq!(seen(&other), [None], "another engine gets no key");
    push(&["--engine", &other.url, "--key-env", "OTHER_KEY"], 0);
    assert_eq!(seen(&other), [Some("Bearer abc".to_owned())]);
    push(&["--key-env", "OTHER_KEY"], 4);
    assert_eq!(seen(&own), [Some("Bearer abc".to_owned())]);
    let told = push(&["--key-env", "NOT_SET"], 4);
    assert!(told["error"]["message"].as_str().unwrap().contains("NOT_SET"), "{told}");
    assert_eq!(seen(&own), []);
    // a command gives it
    assert_eq!(env.brv(&["config", "unset", "index.key_env"]).code, 0);
    set(&env, "index.key_command", "printf 'admin:secret\\nmore\\n'");
    push(&["--full"], 0);
    assert_eq!(seen(&own), [Some(BASIC.to_owned())]);
    push(&["--engine", &other.url, "--full"], 0);
    assert_eq!(seen(&other), [None], "nor one of the command");
    set(&env, "index.key_command", "exit 3");
    push(&[], 4);
    assert_eq!(seen(&own), []);
}

#[test]
fn without_a_key_or_with_one_that_may_only_read_it_is_4() {
    let env = Env::in_memory().with("READ_KEY", "cmVhZGVy").with("WRITE_KEY", "ApiKey d3JpdGVy");
    let team = Team::new(&env, "team", "dream");
    let engine = Engine::start(Family::Elasticsearch);
    engine.demand(&[("ApiKey cmVhZGVy", Right::Read), ("ApiKey d3JpdGVy", Right::Write)]);
    let told = ended(&run(&env, &engine, &["--remote", team.url()]), 4);
    assert!(told["error"]["message"].as_str().unwrap().contains("none is set"), "{told}");
    let reader = ["--remote", team.url(), "--key-env", "READ_KEY"];
    let told = ended(&run(&env, &engine, &reader), 4);
    assert!(told["error"]["message"].as_str().unwrap().contains("does not allow"), "{told}");
    assert!(engine.documents("brv").is_empty());
    ended(&run(&env, &engine, &["--remote", team.url(), "--key-env", "WRITE_KEY"]), 0);
    let before = engine.documents("brv");
    team.commit(&env, &[("new.md", &entry("New", "one"))]);
    ended(&run(&env, &engine, &reader), 4);
    assert_eq!(before, engine.documents("brv"));
    // a key in the place of a name is not shown
    let slip = run(&env, &engine, &["--remote", team.url(), "--key-env", "elastic:sup3rs3cret"]);
    assert_eq!((slip.code, slip.stdout.contains("sup3r") || slip.stderr.contains("sup3r")), (2, false));
    // what it may do: look
    let told = ended(&run(&env, &engine, &[&reader[..], &["--dry-run"]].concat()), 0);
    assert_eq!(told["data"]["summary"]["sent"], 1);
}

#[test]
fn a_certificate_that_nobody_signed_needs_its_file() {
    let env = Env::in_memory();
    let team = Team::new(&env, "team", "dream");
    let Some((engine, certificate)) = Engine::start_tls(&env, Family::OpenSearch) else { return };
    let told = ended(&run(&env, &engine, &["--remote", team.url()]), 9);
    assert!(told["error"]["message"].as_str().unwrap().to_lowercase().contains("certificate"), "{told}");
    assert!(told["error"]["hint"].as_str().unwrap().contains("`index.ca_file`"), "{told}");
    assert!(engine.calls().is_empty());
    set(&env, "index.ca_file", certificate.to_str().unwrap());
    ended(&run(&env, &engine, &["--remote", team.url()]), 0);
    assert!(living(&engine).len() > 100);
    std::fs::write(&certificate, "no certificate\n").unwrap();
    let told = ended(&run(&env, &engine, &["--remote", team.url()]), 2);
    assert!(told["error"]["message"].as_str().unwrap().starts_with("`index.ca_file`: "), "{told}");
}

#[test]
fn a_redirect_is_not_followed_and_the_key_does_not_arrive_there() {
    let env = Env::in_memory().with("SEARCH_KEY", "admin:secret");
    let team = Team::new(&env, "team", "dream");
    let (engine, other) = (Engine::start(Family::OpenSearch), Engine::start(Family::OpenSearch));
    let to = other.url.clone();
    engine.fail(move |_| Some(Fault::Redirect(to.clone())));
    let arguments = ["--remote", team.url(), "--key-env", "SEARCH_KEY"];
    let told = ended(&run(&env, &engine, &arguments), 9);
    let elsewhere = format!("redirects to `{}`", other.url.strip_prefix("http://").unwrap());
    assert!(told["error"]["message"].as_str().unwrap().contains(&elsewhere), "{told}");
    assert!(other.calls().is_empty());
    // in the midst of a push
    let to = other.url.clone();
    engine.fail(move |call| call.path.ends_with("/_bulk").then(|| Fault::Redirect(to.clone())));
    let told = ended(&run(&env, &engine, &arguments), 1);
    assert!(told["data"]["trees"][0]["message"].as_str().unwrap().contains("redirects to"), "{told}");
    assert!(other.calls().is_empty() && living(&engine).is_empty());
}

#[test]
fn plain_http_to_another_machine_and_no_engine_at_all_are_wrong_usage() {
    let env = Env::in_memory();
    let team = Team::new(&env, "team", "dream");
    for engine in [
        "http://search.example:9200",
        "ftp://search.example",
        "search.example",
        "https://a:b@search.example",
        "http://127.0.0.1:99999",
    ] {
        let ran = env.brv(&["index", "push", "--json", "--engine", engine, "--remote", team.url()]);
        assert_eq!(ran.code, 2, "{engine}: {}{}", ran.stdout, ran.stderr);
    }
    let told = ended(&env.brv(&["index", "push", "--json", "--remote", team.url()]), 2);
    assert!(told["error"]["message"].as_str().unwrap().contains("no search engine is named"), "{told}");
}
