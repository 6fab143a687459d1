//! The strict engine alone: what noida-db does not have, and each fault that it has on order.

use super::client::{Answer, JSON, LINES, ask, ask_with, exchange};
use super::engine::faults::{Fault, Right};
use super::engine::{Call, Engine, Family};
use super::questions::{bulk, document, id, mark, settings, tombstone};
use crate::env::Env;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// An engine with an index and three documents of version 2.
fn engine() -> Engine {
    let engine = Engine::start(Family::OpenSearch);
    put(&engine, "/brv", &settings());
    assert_eq!(statuses(&send_bulk(&engine, 0..3, 2).unwrap()), [201, 201, 201]);
    engine.forget_calls();
    engine
}

fn put(engine: &Engine, target: &str, body: &Value) -> Answer {
    ask(&engine.url, "PUT", target, Some((JSON, &body.to_string()))).unwrap()
}

fn search(engine: &Engine) -> Answer {
    let body = json!({"track_total_hits": true}).to_string();
    ask(&engine.url, "POST", "/brv/_search", Some((JSON, &body))).unwrap()
}

fn send_bulk(engine: &Engine, numbers: std::ops::Range<usize>, version: u64) -> std::io::Result<Answer> {
    let body = bulk(numbers.map(|number| (id(number), version, document(number))));
    ask(&engine.url, "POST", "/brv/_bulk?refresh=true", Some((LINES, &body)))
}

fn statuses(answer: &Answer) -> Vec<u64> {
    let items = answer.body["items"].as_array().unwrap();
    items.iter().map(|item| item["index"]["status"].as_u64().unwrap()).collect()
}

fn versions(engine: &Engine) -> Vec<u64> {
    engine.documents("brv").into_iter().map(|(_, version, _)| version).collect()
}

fn kind(answer: &Answer) -> (u16, &str) {
    (answer.status, answer.body["error"]["type"].as_str().unwrap_or_default())
}

#[test]
fn what_the_mapping_excludes_is_searched_and_not_returned() {
    let engine = engine();
    let found = search(&engine);
    let source = &found.body["hits"]["hits"][0]["_source"];
    assert_eq!((&source["path"], &source["terms_body"]), (&json!("f0/e0.md"), &Value::Null));
    // the test sees what was sent
    assert_eq!(engine.documents("brv")[0], (id(0), 2, document(0)));
}

#[test]
fn a_search_sees_what_was_written_before_a_refresh() {
    let engine = engine();
    let body = bulk((0..5).map(|number| (id(number), 3, document(number))));
    ask(&engine.url, "POST", "/brv/_bulk", Some((LINES, &body))).unwrap();
    assert_eq!(search(&engine).body["hits"]["total"]["value"], 3);
    assert_eq!(ask(&engine.url, "GET", &format!("/brv/_doc/{}", id(4)), None).unwrap().status, 200);
    ask(&engine.url, "POST", "/brv/_refresh", None).unwrap();
    assert_eq!(search(&engine).body["hits"]["total"]["value"], 5);
}

#[test]
fn a_delete_is_remembered_with_its_version() {
    let engine = engine();
    let gone = bulk([(id(1), 3, tombstone(1))]);
    ask(&engine.url, "POST", "/brv/_bulk?refresh=true", Some((LINES, &gone))).unwrap();
    let query = json!({"query": {"term": {"gone": true}}}).to_string();
    let target = "/brv/_delete_by_query?conflicts=proceed&refresh=true";
    let swept = ask(&engine.url, "POST", target, Some((JSON, &query))).unwrap();
    assert_eq!((&swept.body["deleted"], versions(&engine)), (&json!(1), vec![2, 2]));
    assert_eq!(statuses(&send_bulk(&engine, 1..2, 3).unwrap()), [409]);
    assert_eq!(statuses(&send_bulk(&engine, 1..2, 4).unwrap()), [201]);
}

#[test]
fn a_document_makes_an_index_that_is_nobodys() {
    let engine = Engine::start(Family::OpenSearch);
    send_bulk(&engine, 0..1, 1).unwrap();
    let mapping = ask(&engine.url, "GET", "/brv/_mapping", None).unwrap();
    assert_eq!((mapping.status, &mapping.body["brv"]["mappings"]["_meta"]), (200, &Value::Null));
}

#[test]
fn the_families_differ_where_they_do() {
    for (family, distribution, status, error) in [
        (Family::OpenSearch, json!("opensearch"), 406, "mapper_parsing_exception"),
        (Family::Elasticsearch, Value::Null, 415, "document_parsing_exception"),
    ] {
        let engine = Engine::start(family);
        put(&engine, "/brv", &settings());
        let root = ask(&engine.url, "GET", "/", None).unwrap();
        assert_eq!(root.body["version"]["distribution"], distribution);
        let text = ask(&engine.url, "POST", "/brv/_search", Some(("text/plain", "{}"))).unwrap();
        assert_eq!(text.status, status);
        assert_eq!(kind(&put(&engine, "/brv/_doc/x", &json!({"day": "today"}))), (400, error));
    }
}

#[test]
fn what_the_engines_have_and_the_fake_lacks_is_no_refusal_of_theirs() {
    let engine = engine();
    let body = json!({"query": {"match": {"terms_body": "lock"}}}).to_string();
    assert_eq!(ask(&engine.url, "POST", "/brv/_search", Some((JSON, &body))).unwrap().status, 501);
    assert_eq!(ask(&engine.url, "POST", "/brv/_search?scroll=1m", Some((JSON, "{}"))).unwrap().status, 501);
}

#[test]
fn a_foreign_index_is_one_that_another_created() {
    let engine = Engine::start(Family::OpenSearch);
    let mut foreign = settings();
    foreign["mappings"]["_meta"]["brv"]["format"] = 2.into();
    assert_eq!(put(&engine, "/brv", &foreign).status, 200);
    let mapping = ask(&engine.url, "GET", "/brv/_mapping", None).unwrap();
    assert_eq!(mapping.body["brv"]["mappings"]["_meta"]["brv"]["format"], 2);
}

#[test]
fn requests_are_written_down() {
    let engine = engine();
    ask_with(&engine.url, "GET", "/brv/_mapping?pretty=true", None, "authorization: ApiKey k\r\n").unwrap();
    put(&engine, &format!("/brv/_create/mark-{}", id(1)), &mark("tree-0"));
    let calls = engine.calls();
    let first = Call {
        number: 0,
        method: "GET".into(),
        path: "/brv/_mapping".into(),
        query: "pretty=true".into(),
        length: 0,
        authorization: Some("ApiKey k".into()),
    };
    assert_eq!(calls[0], first);
    assert_eq!(
        (calls.len(), calls[1].length, calls[1].is_write()),
        (2, mark("tree-0").to_string().len(), true)
    );
}

#[test]
fn a_connection_ends_before_or_after_the_work_or_within_the_answer() {
    let engine = engine();
    for (fault, after) in [(Fault::CutWithin, 2), (Fault::Silent, 3), (Fault::CutAt(20), 4)] {
        engine.fail(move |call| call.path.ends_with("_bulk").then(|| fault.clone()));
        assert!(send_bulk(&engine, 0..3, after.max(3)).is_err());
        assert_eq!(versions(&engine), [after; 3]);
    }
    engine.fail(|call| call.path.ends_with("_bulk").then_some(Fault::DoneTo(2)));
    assert!(send_bulk(&engine, 0..3, 5).is_err());
    assert_eq!(versions(&engine), [5, 5, 4]);
    engine.heal();
    assert_eq!(statuses(&send_bulk(&engine, 0..3, 5).unwrap()), [200, 200, 200]);
    assert_eq!(engine.calls().len(), 5);
}

#[test]
fn items_are_refused_one_by_one() {
    let engine = engine();
    // only the first request
    engine.fail(|call| (call.number == 0).then_some(Fault::ItemsBusy(2)));
    assert_eq!(statuses(&send_bulk(&engine, 0..3, 3).unwrap()), [429, 429, 200]);
    assert_eq!(statuses(&send_bulk(&engine, 0..3, 3).unwrap()), [200, 200, 200]);
    engine.fail(|call| call.is_write().then_some(Fault::ItemsUnavailable(1)));
    assert_eq!(statuses(&send_bulk(&engine, 0..3, 3).unwrap()), [503, 200, 200]);
}

#[test]
fn an_index_is_closed_to_writers_or_the_disk_is_full() {
    let engine = engine();
    engine.fail(|_| Some(Fault::DiskFull));
    assert_eq!(statuses(&send_bulk(&engine, 0..2, 4).unwrap()), [429, 429]);
    assert_eq!(kind(&put(&engine, "/brv/_doc/x", &json!({}))), (429, "cluster_block_exception"));
    engine.fail(|_| Some(Fault::ReadOnly));
    let answer = send_bulk(&engine, 0..2, 4).unwrap();
    assert_eq!((statuses(&answer), &answer.body["errors"]), (vec![403, 403], &json!(true)));
    assert_eq!(answer.body["items"][0]["index"]["error"]["type"], "cluster_block_exception");
    assert_eq!(kind(&put(&engine, "/brv/_doc/x", &json!({}))), (403, "cluster_block_exception"));
    assert_eq!((search(&engine).status, versions(&engine)), (200, vec![2, 2, 2]));
}

#[test]
fn whole_requests_are_refused() {
    let engine = engine();
    engine.fail(|_| Some(Fault::Busy(429, Some(7))));
    let answer = search(&engine);
    assert_eq!(answer.status, 429);
    assert!(answer.head.contains("\r\nretry-after: 7"), "{}", answer.head);
    engine.fail(|_| Some(Fault::Busy(503, None)));
    assert_eq!(kind(&send_bulk(&engine, 0..1, 9).unwrap()), (503, "rejected_execution_exception"));
    engine.fail(|_| Some(Fault::TooLarge(3000)));
    let (large, small) = (send_bulk(&engine, 0..9, 9).unwrap(), send_bulk(&engine, 0..1, 3).unwrap());
    assert_eq!((large.status, large.body, statuses(&small)), (413, Value::Null, vec![200]));
    engine.fail(|_| Some(Fault::Red));
    let none = (503, "no_shard_available_action_exception");
    assert_eq!((kind(&search(&engine)), kind(&send_bulk(&engine, 0..1, 9).unwrap())), (none, none));
    assert_eq!(ask(&engine.url, "GET", "/", None).unwrap().status, 200);
    assert_eq!(versions(&engine), [3, 2, 2]);
}

#[test]
fn an_answer_is_late() {
    let engine = engine();
    engine.fail(|_| Some(Fault::Late(300)));
    let start = Instant::now();
    assert_eq!(search(&engine).status, 200);
    assert!(start.elapsed() >= Duration::from_millis(300));
}

#[test]
fn a_part_of_the_shards_answers() {
    let engine = engine();
    engine.fail(|_| Some(Fault::Partial));
    let answer = search(&engine);
    assert_eq!((answer.status, &answer.body["_shards"]["failed"]), (200, &json!(1)));
    assert_eq!(answer.body["hits"]["total"]["value"], 2, "ids that end with 0 and 2");
    let target = "/brv/_search?allow_partial_search_results=false";
    let all_or_none = ask(&engine.url, "POST", target, Some((JSON, "{}"))).unwrap();
    assert_eq!(kind(&all_or_none), (503, "search_phase_execution_exception"));
}

#[test]
fn another_origin_is_named() {
    let engine = engine();
    engine.fail(|_| Some(Fault::Redirect("http://127.0.0.1:9".into())));
    let answer = search(&engine);
    assert_eq!(answer.status, 302);
    assert!(answer.head.contains("location: http://127.0.0.1:9/brv/_search"), "{}", answer.head);
}

#[test]
fn keys_are_demanded() {
    let engine = engine();
    engine.demand(&[("ApiKey reader", Right::Read), ("ApiKey writer", Right::Write)]);
    let ask = |key: &str, method: &str, target: &str, body: &str| {
        let line = if key.is_empty() { String::new() } else { format!("authorization: {key}\r\n") };
        ask_with(&engine.url, method, target, Some((JSON, body)), &line).unwrap().status
    };
    let cases =
        [("", 401, 401), ("ApiKey x", 401, 401), ("ApiKey reader", 200, 403), ("ApiKey writer", 200, 201)];
    for (key, read, write) in cases {
        assert_eq!(ask(key, "POST", "/brv/_search", "{}"), read, "{key}");
        assert_eq!(ask(key, "PUT", "/brv/_create/x", "{\"tree\": \"t\"}"), write, "{key}");
    }
    assert_eq!(engine.documents("brv").len(), 4);
}

#[test]
fn over_tls_it_is_the_same() {
    let env = Env::new();
    let Some((engine, certificate)) = Engine::start_tls(&env, Family::OpenSearch) else { return };
    let mut roots = rustls::RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(certificate).unwrap()).unwrap();
    let connect = |roots: rustls::RootCertStore| {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config =
            rustls::ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
        let config = config.unwrap().with_root_certificates(roots).with_no_client_auth();
        let name = ServerName::try_from("127.0.0.1").unwrap();
        let session = rustls::ClientConnection::new(Arc::new(config), name).unwrap();
        let address = engine.url.strip_prefix("https://").unwrap();
        let stream = std::net::TcpStream::connect(address).unwrap();
        exchange(rustls::StreamOwned::new(session, stream), "GET", "/", None, "")
    };
    assert_eq!(connect(roots).unwrap().status, 200);
    assert!(connect(rustls::RootCertStore::empty()).is_err(), "nobody signed it");
}
