//! An engine that fails, refuses, or is none.

use super::*;
use crate::index::engine::Family;
use crate::index::engine::faults::Fault;
use crate::servers::{accept, answer, read_head};
use std::io::{BufReader, Write as _};

/// Three trees, of which the second is pushed while the fault lasts.
fn teams(env: &Env) -> [Team; 2] {
    [Team::new(env, "first", "observatory"), Team::new(env, "second", "dream")]
}

fn urls(teams: &[Team]) -> Vec<&str> {
    teams.iter().flat_map(|team| ["--remote", team.url()]).collect()
}

fn states(told: &Value) -> Vec<&str> {
    told["data"]["trees"].as_array().unwrap().iter().map(|tree| tree["state"].as_str().unwrap()).collect()
}

/// Push while a fault lasts: the trees fail, with data and a message; then again without it, after which all is there.
#[track_caller]
fn fails_then_heals(rule: impl Fn(&Call) -> Option<Fault> + Send + 'static, says: &str) {
    let (env, engine) = (Env::in_memory(), Engine::start(Family::OpenSearch));
    let teams = teams(&env);
    engine.fail(rule);
    let told = ended(&run(&env, &engine, &urls(&teams)), 1);
    assert_eq!(states(&told), ["failed", "failed"], "{told}");
    let message = told["data"]["trees"][0]["message"].as_str().unwrap();
    assert!(message.contains(says), "{message}");
    assert!(told["data"]["trees"][1]["message"].as_str().unwrap().starts_with("not tried: "), "{told}");
    assert_eq!((&told["error"]["code"], &told["data"]["summary"]["failed"]), (&json!("failed"), &json!(2)));
    engine.heal();
    let told = ended(&run(&env, &engine, &urls(&teams)), 0);
    assert_eq!(states(&told), ["done", "done"]);
    assert!(living(&engine) == fresh(&[&teams[0], &teams[1]]));
}

#[test]
fn an_engine_that_is_gone_in_the_midst_fails_the_trees_and_the_same_push_mends_them() {
    // once it has half of the documents it answers nothing any more
    fails_then_heals(|call| (call.number >= 5).then_some(Fault::DoneTo(9)), "127.0.0.1");
}

#[test]
fn a_read_only_index_and_a_full_disk_are_said() {
    fails_then_heals(
        |call| call.is_write().then_some(Fault::ReadOnly).filter(|_| call.path != "/brv"),
        "read-only",
    );
    fails_then_heals(|call| call.path.ends_with("/_bulk").then_some(Fault::DiskFull), "disk usage");
}

#[test]
fn a_red_cluster_is_waited_for_and_then_said() {
    fails_then_heals(|call| (call.path != "/brv").then_some(Fault::Red), "no shard available");
}

#[test]
fn documents_that_the_engine_had_no_room_for_are_sent_again() {
    let (env, engine) = (Env::in_memory(), Engine::start(Family::Elasticsearch));
    let teams = teams(&env);
    // the first three times some are refused, and the whole request once
    let bulk = std::sync::atomic::AtomicUsize::new(0);
    engine.fail(move |call| {
        let is_bulk = call.path.ends_with("/_bulk");
        match bulk.fetch_add(usize::from(is_bulk), std::sync::atomic::Ordering::Relaxed) {
            0 if is_bulk => Some(Fault::ItemsBusy(40)),
            1 if is_bulk => Some(Fault::ItemsUnavailable(5)),
            2 if is_bulk => Some(Fault::Busy(429, Some(1))),
            3 if is_bulk => Some(Fault::ItemsBusy(1)),
            _ => None,
        }
    });
    let told = ended(&run(&env, &engine, &urls(&teams)), 0);
    let all = fresh(&[&teams[0], &teams[1]]);
    assert_eq!(told["data"]["summary"]["sent"], all.len(), "each is counted once");
    assert!(living(&engine) == all);
    let lengths: Vec<usize> =
        engine.calls().iter().filter(|call| bulks(&[(*call).clone()]) == 1).map(|call| call.length).collect();
    assert!(
        lengths[0] > lengths[1] && lengths[1] > 5 * lengths[2],
        "only those that were refused: {lengths:?}"
    );
}

#[test]
fn an_engine_that_is_busy_for_good_is_said() {
    fails_then_heals(
        |call| call.path.ends_with("/_bulk").then_some(Fault::Busy(429, Some(0))),
        "too much to do (429)",
    );
}

#[test]
fn what_a_proxy_takes_is_found_out_by_halves() {
    let (env, engine) = (Env::in_memory(), Engine::start(Family::OpenSearch));
    let team = Team::new(&env, "team", "brv");
    copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/trees/dream"), &team.work.join("dream"));
    team.commit(&env, &[]);
    let all = fresh(&[&team]);
    // what is before the engine refuses before it has read all, or after
    for fault in [Fault::CutAbove(200_000), Fault::TooLarge(200_000)] {
        engine.fail(move |_| Some(fault.clone()));
        let told = pushed(&env, &engine, &team, &["--full"]);
        assert_eq!((counts(&told).0 as usize, living(&engine) == all), (all.len(), true));
    }
    // one document alone is too large: the entry is named, and the rest arrives
    let large = Team::empty(&env, "large");
    large.commit(
        &env,
        &[("a.md", &entry("A", "one")), ("large.md", &entry("Large", &"many words ".repeat(30_000)))],
    );
    let told = ended(&run(&env, &engine, &["--remote", large.url(), "--remote", team.url(), "--full"]), 0);
    assert_eq!(states(&told), ["done", "done"], "{told}");
    let kept_back = json!([{"path": "large.md", "why": "the engine takes no document of this size"}]);
    assert_eq!(told["data"]["trees"][0]["withheld"], kept_back);
    // what the index had of it goes
    engine.heal();
    ended(&run(&env, &engine, &["--remote", large.url(), "--full"]), 0);
    assert!(living(&engine) == fresh(&[&team, &large]));
    large.commit(&env, &[("large.md", &entry("Large", &"more words ".repeat(30_000)))]);
    engine.fail(|_| Some(Fault::TooLarge(200_000)));
    let told = ended(&run(&env, &engine, &["--remote", large.url()]), 0);
    let tree = &told["data"]["trees"][0];
    assert_eq!((&tree["sent"], &tree["gone"]), (&json!(0), &json!(1)), "{told}");
    engine.heal();
    ended(&run(&env, &engine, &["--remote", large.url(), "--full"]), 0);
    assert!(living(&engine) == fresh(&[&team, &large]));
}

#[test]
fn a_proxy_that_ends_the_connection_at_a_large_request_keeps_back_one_entry() {
    let (env, engine) = (Env::in_memory(), Engine::start(Family::OpenSearch));
    let (large, team) = (Team::empty(&env, "large"), Team::new(&env, "team", "dream"));
    let text = entry("Large", &"many words ".repeat(30_000));
    large.commit(&env, &[("a.md", &entry("A", "one")), ("large.md", &text)]);
    engine.fail(|call| (call.length > 200_000).then_some(Fault::CutWithin));
    let told = ended(&run(&env, &engine, &["--remote", large.url(), "--remote", team.url()]), 0);
    assert_eq!(states(&told), ["done", "done"], "{told}");
    assert_eq!(told["data"]["trees"][0]["withheld"][0]["path"], "large.md", "{told}");
    assert_eq!(told["data"]["trees"][0]["sent"], 1);
    engine.heal();
    ended(&run(&env, &engine, &["--remote", large.url(), "--full"]), 0);
    assert!(living(&engine) == fresh(&[&team, &large]));
}

#[test]
fn an_index_that_is_not_ours_is_not_touched() {
    let env = Env::in_memory();
    let [team, other] = teams(&env);
    let format = |format: u64| json!({"mappings": {"_meta": {"brv": {"format": format}}}});
    let foreign = json!({"mappings": {"properties": {"name": {"type": "keyword"}}}});
    // what an engine makes of documents that are written where no index is
    let made_of_documents = json!({"mappings": {"properties": {"terms_body": {"type": "keyword"}}}});
    for (definition, says) in [
        (foreign, "is not one of brv's"),
        (made_of_documents, "after the index was removed"),
        (format(2), "newer brv"),
        (format(0), "another version"),
        (json!({}), "not one of"),
    ] {
        let engine = Engine::start(Family::OpenSearch);
        let made = client::ask(&engine.url, "PUT", "/brv", Some((JSON, &definition.to_string()))).unwrap();
        assert_eq!(made.status, 200);
        engine.forget_calls();
        for more in [&[][..], &["--full"], &["--dry-run"]] {
            let told = ended(&run(&env, &engine, &[&["--remote", team.url()], more].concat()), 6);
            let words = ["message", "hint"].map(|part| told["error"][part].as_str().unwrap_or_default());
            assert!(words.concat().contains(says), "{told}");
        }
        assert_eq!((writes(&engine), engine.documents("brv")), (vec![], vec![]));
        // another name is free
        ended(&run(&env, &engine, &["--remote", team.url(), "--index", "brv-team"]), 0);
        assert_eq!((engine.documents("brv").len(), engine.documents("brv-team").is_empty()), (0, false));
    }
    // ours by its mark, with other fields: each tree fails, and nothing is said to be done
    let engine = Engine::start(Family::Elasticsearch);
    let mut definition = format(1);
    definition["mappings"]["dynamic"] = json!("strict");
    definition["mappings"]["properties"] = json!({"kind": {"type": "keyword"}});
    client::ask(&engine.url, "PUT", "/brv", Some((JSON, &definition.to_string()))).unwrap();
    let told = ended(&run(&env, &engine, &["--remote", team.url(), "--remote", other.url()]), 1);
    assert_eq!(states(&told), ["failed", "failed"]);
    assert!(told["data"]["trees"][0]["message"].as_str().unwrap().contains("set to strict"), "{told}");
    assert!(engine.documents("brv").is_empty());
}

#[test]
fn one_document_that_is_refused_fails_its_tree_alone() {
    let (env, engine) = (Env::in_memory(), Engine::start(Family::Elasticsearch));
    let [team, other] = teams(&env);
    push(&env, &engine, &team);
    // an index whose field somebody made narrower
    let (_, mapping) = ("", client::ask(&engine.url, "GET", "/brv/_mapping", None).unwrap().body);
    let mut mapping = mapping["brv"]["mappings"].clone();
    mapping["properties"].as_object_mut().unwrap().remove("rest").unwrap();
    let definition = json!({"mappings": mapping}).to_string();
    client::ask(&engine.url, "PUT", "/narrow", Some((JSON, &definition))).unwrap();
    let long = Team::empty(&env, "long");
    long.commit(&env, &[("long.md", &entry("Long", &"many words ".repeat(3_000)))]);
    let arguments = ["--index", "narrow", "--remote", long.url(), "--remote", other.url()];
    let told = ended(&run(&env, &engine, &arguments), 1);
    assert_eq!(states(&told), ["failed", "done"], "{told}");
    let message = told["data"]["trees"][0]["message"].as_str().unwrap();
    assert!(message.contains("`long.md`") && message.contains("[rest]"), "{message}");
}

#[test]
fn an_address_without_a_search_engine_is_said_and_nothing_is_sent_to_it() {
    let env = Env::in_memory();
    let team = Team::new(&env, "team", "dream");
    let rows: [(&str, &str, &str); 4] = [
        ("501 Not Implemented", "<h1>no</h1>", "failed (501)"),
        ("404 Not Found", "<h1>no</h1>", "refuses the request (404)"),
        ("200 OK", "<h1>Welcome</h1>", "is it a search engine?"),
        ("200 OK", "{\"version\": 3}", "is it a search engine?"),
    ];
    for (status, body, says) in rows {
        let seen = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
        let noted = std::sync::Arc::clone(&seen);
        let address = accept(None, move |stream, connection| {
            let mut reader = BufReader::new(stream);
            while let Ok(Some(request)) = read_head(&mut reader, connection) {
                noted.lock().unwrap().push(format!("{} {}", request.method, request.target));
                let _ = reader.get_mut().write_all(&answer(status, "", body.as_bytes()));
            }
        });
        let url = format!("http://{address}");
        let told = ended(&env.brv(&["index", "push", "--json", "--engine", &url, "--remote", team.url()]), 9);
        assert!(told["error"]["message"].as_str().unwrap().contains(says), "{told}");
        assert_eq!(*seen.lock().unwrap(), ["GET /"]);
    }
    // nobody listens there
    let told = ended(
        &env.brv(&["index", "push", "--json", "--engine", "http://127.0.0.1:9", "--remote", team.url()]),
        9,
    );
    assert!(told["error"]["message"].as_str().unwrap().contains("127.0.0.1:9"), "{told}");
    assert_eq!(mirrors(&env), [] as [PathBuf; 0]);
}

#[test]
fn an_answer_that_breaks_off_is_asked_for_again() {
    let (env, engine) = (Env::in_memory(), Engine::start(Family::Elasticsearch));
    let teams = teams(&env);
    // every request once: done without an answer, or with half of one
    let known = std::sync::Mutex::new(std::collections::BTreeSet::new());
    engine.fail(move |call| {
        let is_new = known.lock().unwrap().insert((call.method.clone(), call.path.clone()));
        let fault = if call.number % 2 == 0 { Fault::Silent } else { Fault::CutAt(20) };
        is_new.then_some(fault)
    });
    let told = ended(&run(&env, &engine, &urls(&teams)), 0);
    assert_eq!(states(&told), ["done", "done"]);
    assert!(living(&engine) == fresh(&[&teams[0], &teams[1]]));
}
