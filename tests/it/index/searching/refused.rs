//! What cannot be answered says why, with the exit code of its kind.

use super::super::client;
use super::super::engine::faults::{Fault, Right};
use super::super::engine::{Engine, Family};
use super::{Organisation, envelope, places};
use crate::env::Env;
use serde_json::{Value, json};

const SEARCHING: [&[&str]; 3] =
    [&["index", "search", "carts"], &["index", "status"], &["index", "drop", "shop"]];

fn create(url: &str, index: &str, body: &Value) {
    let body = body.to_string();
    let answer = client::ask(url, "PUT", &format!("/{index}"), Some((client::JSON, &body))).unwrap();
    assert!(answer.status < 300, "{answer:?}");
}

#[test]
fn shards_that_do_not_answer_are_counted_and_what_the_others_have_is_shown() {
    let organisation = Organisation::small();
    let partial =
        |call: &super::super::engine::Call| call.path.ends_with("/_search").then_some(Fault::Partial);
    // with figures that are kept, and without
    for _ in 0..2 {
        organisation.engine.fail(partial);
        let (ran, data) = organisation.data(&["index", "search", "carts cards kept retried minute"]);
        assert_eq!(ran.code, 1, "{}{}", ran.stdout, ran.stderr);
        assert_eq!(data["stats"]["shards"], json!({"total": 2, "failed": 1}));
        let message = envelope(&ran)["error"]["message"].clone();
        assert!(message.as_str().unwrap().contains("1 of 2 shards"), "{message}");
        let some = places(&data).len();
        organisation.engine.heal();
        let all = organisation.search(&["carts cards kept retried minute"]);
        assert!(some < places(&all).len(), "{some}");
        // figures of a part are not kept
        assert_eq!(all["stats"]["documents"], 4);
    }
    // numbers that are not all are not given
    organisation.engine.fail(partial);
    let why = organisation.refused(9, &["index", "status"]);
    assert!(why.contains("shards"), "{why}");
}

#[test]
fn an_engine_of_which_no_shard_answers_has_failed() {
    let organisation = Organisation::small();
    organisation.engine.fail(|call| call.path.ends_with("/_search").then_some(Fault::Busy(503, Some(0))));
    for command in [&SEARCHING[0], &SEARCHING[1]] {
        let why = organisation.refused(9, command);
        assert!(why.contains("503"), "{why}");
    }
}

#[test]
fn an_index_that_is_not_there_or_not_ours_is_not_searched() {
    let organisation = Organisation::new();
    for command in SEARCHING {
        let why = organisation.refused(2, command);
        assert!(why.contains("has no index `brv`") && why.contains("brv index push"), "{why}");
    }
    assert!(organisation.engine.calls().iter().all(|call| !call.is_write()));
    create(&organisation.engine.url, "brv", &json!({"mappings": {"properties": {"a": {"type": "keyword"}}}}));
    let newer =
        json!({"mappings": {"_meta": {"brv": {"format": 2}}, "properties": {"a": {"type": "keyword"}}}});
    create(&organisation.engine.url, "newer", &newer);
    for command in SEARCHING {
        let why = organisation.refused(6, command);
        assert!(why.contains("not one of brv's"), "{why}");
        let why = organisation.refused(6, &[command, &["--index", "newer"]].concat());
        assert!(why.contains("newer brv"), "{why}");
    }
    for name in ["A", "a/b", "_all", "*", "a,b", "..", ""] {
        let why = organisation.refused(2, &["index", "search", "carts", "--index", name]);
        assert!(why.contains("is no name of an index"), "{name}: {why}");
    }
}

#[test]
fn terms_of_a_newer_brv_stop_a_search_before_and_after_figures_are_kept() {
    let organisation = Organisation::small();
    organisation.search(&["carts"]);
    let documents = organisation.engine.documents("brv");
    let (id, _, mut mark) =
        documents.into_iter().find(|(_, _, sent)| sent["kind"] == "mark" && sent["tree"] == "shop").unwrap();
    mark["tokens_version"] = json!(99);
    organisation.write(&id, &mark);
    for time in ["2023-11-14T22:13:20Z", "2023-11-14T22:33:20Z"] {
        let ran = organisation.env.brv_with(&[("BRV_CLOCK", time)], &["index", "search", "carts", "--json"]);
        let error = &envelope(&ran)["error"];
        assert_eq!((ran.code, &error["code"]), (6, &json!("tokens_newer")), "{}", ran.stdout);
        assert!(error["hint"].as_str().unwrap().contains("newer brv"), "{error}");
    }
}

#[test]
fn an_engine_that_is_down_unnamed_or_elsewhere() {
    let organisation = Organisation::small();
    let env = Env::new();
    for command in [
        &["index", "search", "carts"][..],
        &["index", "status"],
        &["index", "check"],
        &["index", "drop", "x"],
    ] {
        let ran = env.brv(&[command, &["--json"]].concat());
        let error = envelope(&ran)["error"].to_string();
        assert_eq!(ran.code, 2, "{command:?}: {error}");
        assert!(error.contains("no search engine is named") && error.contains("--engine"), "{error}");
        for url in [
            "http://search.example:9200",
            "http://127.0.0.1.example",
            "ftp://127.0.0.1",
            "search.example",
            "",
        ] {
            let why = organisation.refused(2, &[command, &["--engine", url]].concat());
            assert!(why.contains("https address"), "{url}: {why}");
        }
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        drop(listener);
        let why = organisation.refused(9, &[command, &["--engine", &url]].concat());
        assert!(why.contains("127.0.0.1"), "{why}");
    }
}

#[test]
fn keys_that_are_refused_and_redirects_that_are_not_followed() {
    let organisation = Organisation::small();
    organisation.engine.demand(&[("ApiKey good", Right::Read), ("ApiKey best", Right::Write)]);
    for command in SEARCHING {
        let why = organisation.refused(4, command);
        assert!(why.contains("asks for a key"), "{why}");
    }
    let with = |key: &str, command: &[&str]| {
        organisation
            .env
            .brv_with(&[("THE_KEY", key)], &[command, &["--key-env", "THE_KEY", "--json"]].concat())
    };
    for command in SEARCHING {
        let ran = with("bad", command);
        assert_eq!(ran.code, 4, "{command:?} {}", ran.stdout);
        assert!(ran.stdout.contains("refuses the key") && !ran.stdout.contains("ApiKey"), "{}", ran.stdout);
    }
    assert_eq!(with("good", SEARCHING[0]).code, 0);
    assert_eq!(with("good", SEARCHING[1]).code, 0);
    let ran = with("", SEARCHING[0]);
    assert!(ran.code == 4 && ran.stdout.contains("`THE_KEY` (`--key-env`) is not set"), "{}", ran.stdout);
    // a reader cannot drop, and nothing is gone
    let ran = with("good", SEARCHING[2]);
    assert_eq!(ran.code, 4, "{}", ran.stdout);
    assert_eq!(with("best", SEARCHING[0]).stdout.matches("\"tree\":\"shop\"").count(), 2);
    let other = Engine::start(Family::Elasticsearch);
    let target = other.url.clone();
    organisation.engine.fail(move |_| Some(Fault::Redirect(target.clone())));
    for command in SEARCHING {
        let ran = with("best", command);
        assert_eq!(ran.code, 9, "{command:?} {}", ran.stdout);
        assert!(ran.stdout.contains("redirects to"), "{}", ran.stdout);
    }
    assert_eq!(other.calls(), []);
}

#[test]
fn an_engine_with_a_certificate_that_nobody_signed_is_searched_with_it_only() {
    let organisation = Organisation::small();
    let Some((engine, certificate)) = Engine::start_tls(&organisation.env, Family::Elasticsearch) else {
        return;
    };
    let search = ["index", "search", "carts", "--engine", &engine.url];
    let why = organisation.refused(9, &search);
    assert!(why.contains("certificate"), "{why}");
    assert_eq!(engine.calls(), []);
    let ran = organisation.env.brv(&["config", "set", "index.ca_file", certificate.to_str().unwrap()]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let why = organisation.refused(2, &search);
    assert!(why.contains("has no index"), "{why}");
}
