//! The encoder: what it orders, what it gets, and that a bad one changes nothing.

use super::{Seen, read};
use crate::env::{Env, Ran};
use crate::init::{commit, json, project};
use serde_json::{Value, json};
use std::io::Write as _;
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// How a server of the test's own answers.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Way {
    Well,
    /// Vectors of so many numbers.
    Size(usize),
    /// Only for the first half of the texts.
    Half,
    /// A number that is none.
    Endless,
    Fails,
    /// After so many milliseconds.
    Late(u64),
}

/// An encoder whose vectors are hashes of words.
pub struct Server {
    url: String,
    way: Arc<Mutex<Way>>,
    seen: Arc<Mutex<Vec<Seen>>>,
}

impl Server {
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let (way, seen) = (Arc::new(Mutex::new(Way::Well)), Arc::new(Mutex::new(Vec::new())));
        let (own, journal) = (Arc::clone(&way), Arc::clone(&seen));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let Some(request) = read(&stream) else { continue };
                journal.lock().unwrap().push(request.clone());
                let way = *own.lock().unwrap();
                std::thread::spawn(move || drop(answer(stream, way, &request.body)));
            }
        });
        Self { url, way, seen }
    }

    fn set(&self, way: Way) {
        *self.way.lock().unwrap() = way;
    }

    /// All texts that it got.
    fn texts(&self) -> Vec<String> {
        let seen = self.seen.lock().unwrap();
        let texts = seen.iter().flat_map(|seen| seen.body["input"].as_array().unwrap());
        texts.map(|text| text.as_str().unwrap().to_owned()).collect()
    }

    /// An environment whose encoder this is.
    pub fn with(&self, env: Env) -> Env {
        env.with("BRV_MODEL_EMBED_URL", &self.url).with("BRV_MODEL_EMBED_NAME", "small")
    }
}

fn answer(mut stream: TcpStream, way: Way, body: &Value) -> std::io::Result<()> {
    let texts = body["input"].as_array().unwrap();
    let size = if let Way::Size(size) = way { size } else { 32 };
    let vector = |text: &Value| hashed(text.as_str().unwrap(), size);
    let mut data: Vec<Value> =
        texts.iter().map(vector).map(|vector| json!({ "embedding": vector })).collect();
    let mut head = "200 OK";
    match way {
        Way::Half => data.truncate(texts.len() / 2),
        Way::Fails => head = "500 Internal Server Error",
        Way::Late(ms) => std::thread::sleep(Duration::from_millis(ms)),
        Way::Well | Way::Size(_) | Way::Endless => {}
    }
    let mut body = json!({ "data": data }).to_string();
    if way == Way::Endless {
        body = body.replacen("0.0", "NaN", 1);
    }
    write!(stream, "HTTP/1.1 {head}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}", body.len())
}

/// How often each word stands in a text, by hash. These mean the same: halt, stop.
fn hashed(text: &str, size: usize) -> Vec<f64> {
    let mut vector = vec![0.0; size];
    for word in
        text.to_lowercase().split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty())
    {
        let word = if word == "halt" { "stop" } else { word };
        let hash = word.bytes().fold(7_usize, |hash, byte| hash.wrapping_mul(31).wrapping_add(byte.into()));
        vector[hash % size] += 1.0;
    }
    vector
}

const DAEMON: &str = "---\ntitle: Daemon\n---\n# Daemon\n\nThe daemon is what the daemon manual calls the daemon. It was written for one winter, by two \
    people, in a language that few of them knew before. Its name comes from a story, and many ask what the story says.\n";
const HALT: &str = "---\ntitle: Halt\n---\n# Halt\n\nHow do I halt the daemon? Halt it.\n";
const QUESTION: &str = "How do I stop the daemon?";

fn tree() -> Env {
    let env = project(&[("ops/daemon.md", DAEMON), ("run/halt.md", HALT)]);
    commit(&env, "start");
    env
}

#[track_caller]
fn query(env: &Env, more: &[&str]) -> Value {
    // no test waits for a busy machine
    query_waiting(env, "20", more)
}

#[track_caller]
fn query_waiting(env: &Env, wait: &str, more: &[&str]) -> Value {
    let words = [&["query", QUESTION, "--json", "--explain", "--no-hits"], more].concat();
    json(&env.brv_with(&[("BRV_MODEL_EMBED_WAIT", wait)], &words).stdout)["data"].clone()
}

/// The first entry of a reply.
fn first(data: &Value) -> String {
    let rows = if data["sources"][0].is_null() { &data["nearest"] } else { &data["sources"] };
    rows[0]["path"].as_str().unwrap_or_else(|| panic!("{data}")).to_owned()
}

fn embed(env: &Env, more: &[&str]) -> Ran {
    env.brv(&[&["derive", "--embed", "--json"], more].concat())
}

fn vectors(env: &Env) -> Option<Vec<u8>> {
    std::fs::read(env.path(".brv/cache/vectors")).ok()
}

#[test]
fn the_meaning_orders_what_the_words_find_and_nothing_does_without_an_encoder() {
    let (env, server) = (tree(), Server::start());
    let plain = query(&env, &[]);
    assert_eq!((first(&plain).as_str(), plain["explain"].get("encoder")), ("ops/daemon.md", None), "{plain}");
    assert_eq!(vectors(&env), None);

    let env = server.with(env);
    // the earlier answer is that of no encoder
    let found = query(&env, &[]);
    assert_eq!(found["explain"]["encoder"], json!({"name": "small", "ordered": true}), "{found}");
    assert_eq!(first(&found), "run/halt.md");
    let texts = server.texts();
    assert!(texts.contains(&QUESTION.to_owned()) && texts.iter().any(|text| text.starts_with("run: Halt\n")));
    // the vectors are kept, and the answer is
    assert_eq!(query(&env, &[])["by"], "cache");
    query(&env, &["--no-cache"]);
    let again = server.texts();
    assert_eq!(again[texts.len()..], [QUESTION.to_owned()]);
    assert!(
        env.brv_with(&[("BRV_MODEL_EMBED_WAIT", "20")], &["query", QUESTION, "--explain"])
            .stdout
            .contains("ordered with small\n")
    );
}

#[test]
fn a_bad_encoder_leaves_the_order_and_no_vector() {
    let (env, server) = (tree(), Server::start());
    let plain = query(&env, &["--no-cache"]);
    let env = server.with(env);
    for (way, why) in [
        (Way::Half, "0 vectors for 1 texts"),
        (Way::Endless, "the answer is not JSON"),
        (Way::Fails, "(500)"),
        (Way::Size(9_000), "a vector has 9000 numbers"),
        (Way::Late(3_000), "no answer within 0.3 s (`model.embed_wait`)"),
    ] {
        server.set(way);
        let wait = if way == Way::Late(3_000) { "0.3" } else { "20" };
        let found = query_waiting(&env, wait, &[]);
        assert_eq!(
            (&found["sources"], &found["passages"]),
            (&plain["sources"], &plain["passages"]),
            "{way:?}"
        );
        let encoder = &found["explain"]["encoder"];
        assert_eq!(encoder["ordered"], false, "{way:?} {encoder}");
        assert!(encoder["reason"].as_str().unwrap().contains(why), "{way:?} {encoder}");
        // a better answer may come next time
        assert_ne!(query_waiting(&env, wait, &[])["by"], "cache", "{way:?}");
        let ran = env.brv_with(&[("BRV_MODEL_TIMEOUT", "1")], &["derive", "--embed", "--json"]);
        assert!([1, 9].contains(&ran.code), "{way:?} {ran:?}");
        assert_eq!(json(&ran.stdout)["ok"], false);
        assert_eq!(vectors(&env), None, "{way:?}");
    }
}

#[test]
fn vectors_of_another_size_are_never_mixed() {
    let (env, server) = (tree(), Server::start());
    let plain = query(&env, &["--no-cache"]);
    let env = server.with(env);
    assert_eq!(embed(&env, &[]).code, 0);
    let kept = vectors(&env).unwrap();
    server.set(Way::Size(16));
    let found = query(&env, &["--no-cache"]);
    assert_eq!(found["sources"], plain["sources"]);
    let reason = found["explain"]["encoder"]["reason"].as_str().unwrap();
    assert!(reason.starts_with("its vectors have 16 numbers, those before 32"), "{reason}");
    crate::init::write(&env, &[("ops/new.md", "---\ntitle: New\n---\nA word about something new.\n")]);
    let ran = embed(&env, &[]);
    assert!(ran.code == 1 && ran.stdout.contains("16 numbers, those before 32"), "{ran:?}");
    assert_eq!(vectors(&env).unwrap(), kept);
    assert_eq!(json(&embed(&env, &["--all"]).stdout)["data"]["dimension"], 16);
    assert_eq!(first(&query(&env, &["--no-cache"])), "run/halt.md");
}

#[test]
fn each_passage_is_embedded_once_and_a_key_goes_to_no_other_host() {
    let server = Server::start();
    let env = server.with(tree()).with("K", "sk-planted-0123456789abcdef").with("BRV_MODEL_KEY_ENV", "K");
    let data = json(&embed(&env, &[]).stdout)["data"].clone();
    let expected = |embedded| json!({"name": "small", "dimension": 32, "entries": 2, "withheld": 0, "passages": 2, "embedded": embedded, "bytes": data["bytes"]});
    assert_eq!(data, expected(2));
    assert_eq!(data["bytes"], vectors(&env).unwrap().len());
    assert_eq!(json(&embed(&env, &[]).stdout)["data"], expected(0));
    assert_eq!(server.texts().len(), 2);
    let sent = |server: &Server| {
        server.seen.lock().unwrap().iter().all(|seen| seen.head.contains("authorization: Bearer sk-planted"))
    };
    assert!(sent(&server));

    let elsewhere = env.with("BRV_MODEL_URL", "https://models.example.com/v1");
    assert_eq!(embed(&elsewhere, &["--all"]).code, 0);
    let seen = server.seen.lock().unwrap();
    assert!(!seen.last().unwrap().head.contains("authorization"), "{}", seen.last().unwrap().head);
    let shown = json(&elsewhere.brv(&["model", "show", "--json"]).stdout)["data"]["encoder"].clone();
    assert_eq!(
        shown,
        json!({"url": server.url, "name": "small", "key": "none", "key_set": null, "wait": 0.2})
    );
}

#[test]
fn neither_secrets_nor_what_waits_for_review_are_sent() {
    let server = Server::start();
    let env = server.with(project(&[("ops/daemon.md", DAEMON)]));
    commit(&env, "start");
    let token = ["ghp_", "0123456789abcdefghij0123456789abcdef"].concat();
    let secret = format!("---\ntitle: Token\n---\nThe daemon token is {token}, and stops it.\n");
    crate::init::write(
        &env,
        &[("run/halt.md", &HALT.replace("Halt it.", "Planted words.")), ("run/token.md", &secret)],
    );
    env.git(&crate::env::tree(&env), &["add", "."]);
    let message = "more\n\nBrv-Review: run/halt.md confidence";
    env.git(&crate::env::tree(&env), &["commit", "-q", "-m", message]);
    let waits = crate::review::waits(&env);
    assert!(waits.iter().any(|(path, _)| path == "run/halt.md"), "{waits:?}");
    query(&env, &["--no-cache"]);
    let data = json(&embed(&env, &[]).stdout)["data"].clone();
    assert_eq!((&data["entries"], &data["withheld"]), (&json!(2), &json!(1)), "{data}");
    let texts = server.texts().concat();
    assert!(texts.contains("The daemon token is") && !texts.contains(&token), "{texts}");
    assert!(!texts.contains("Planted words"), "{texts}");
}

#[test]
fn without_an_encoder_nothing_is_embedded_and_no_project_names_one() {
    let env = tree();
    let ran = embed(&env, &[]);
    assert!(ran.code == 2 && ran.stdout.contains("no encoder is set"), "{ran:?}");
    std::fs::write(env.path(".brv/config.yaml"), "model:\n  embed_url: https://models.example.com\n")
        .unwrap();
    assert!(embed(&env, &[]).stdout.contains("no encoder is set"));
    let plain = env.with("BRV_MODEL_EMBED_URL", "http://models.example.com/v1");
    let ran = embed(&plain, &[]);
    assert!(ran.code != 0 && ran.stdout.contains("a plain http one of this machine"), "{ran:?}");
}

#[test]
fn a_task_gets_what_is_near_in_meaning_and_a_brief_asks_no_encoder() {
    let (env, server) = (tree(), Server::start());
    let first = |env: &Env| {
        let words = ["brain", "--task", QUESTION, "--json"];
        let data = json(&env.brv_with(&[("BRV_MODEL_EMBED_WAIT", "20")], &words).stdout)["data"].clone();
        data["passages"][0]["path"].as_str().unwrap().to_owned()
    };
    assert_eq!(first(&env), "ops/daemon.md");
    let brief = env.brv(&["brain"]).stdout;
    let env = server.with(env);
    assert_eq!(env.brv(&["brain"]).stdout, brief);
    assert_eq!(server.texts(), Vec::<String>::new());
    server.set(Way::Fails);
    assert_eq!(first(&env), "ops/daemon.md");
    server.set(Way::Well);
    assert_eq!(first(&env), "run/halt.md");
}

#[test]
fn the_worker_embeds_only_if_the_background_may_ask() {
    let server = Server::start();
    let env = server.with(tree());
    let work =
        |allowed: &str| env.brv_with(&[("BRV_MODEL_BACKGROUND", allowed)], &["hooks", "run", "worker"]);
    assert_eq!((work("false").code, vectors(&env)), (0, None));
    assert_eq!((work("true").code, server.texts().len()), (0, 2));
    assert!(vectors(&env).is_some());
    assert_eq!(json(&embed(&env, &[]).stdout)["data"]["embedded"], 0);
}
