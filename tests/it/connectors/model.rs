//! What Claude Code hands to its model, as a mock of the model's API sees it.
//!
//! The mock is npm's `@copilotkit/aimock`, which `.ci/run --hosts` fetches with the agents. It keeps no requests as large as
//! these, so what goes to it is recorded on the way.

use super::Place;
use super::hosts::host;
use crate::env::{Env, program};
use crate::init::{commit, write};
use serde_json::json;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};

const RETRY: &str = "---\ntitle: Retries\nsummary: how calls are repeated\n---\n\n## Facts\n- **retry limit**: `MOST_TRIES` in `src/retry.rs` is 5 [project]\n";

/// A mock that answers by rules, and what was sent to it.
struct Model {
    mock: Child,
    url: String,
    sent: Arc<Mutex<Vec<u8>>>,
}

impl Model {
    fn start(program: &Path, folder: &Path, rules: &serde_json::Value) -> Self {
        let (file, settings) = (folder.join("rules.json"), folder.join("mock.json"));
        std::fs::write(&file, rules.to_string()).unwrap();
        std::fs::write(&settings, json!({"llm": {"fixtures": file}}).to_string()).unwrap();
        let mut command = Command::new(program);
        command.args(["-p", "0", "-c"]).arg(settings).stdin(Stdio::null()).stdout(Stdio::piped());
        let mut mock = command.spawn().unwrap();
        let lines = BufReader::new(mock.stdout.take().unwrap()).lines();
        let address = lines.map_while(Result::ok).find_map(|line| {
            line.split_once("listening on http://").map(|(_, address)| address.trim().to_owned())
        });
        let (sent, address) = (Arc::default(), address.expect("the mock listens"));
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        std::thread::spawn({
            let sent = Arc::clone(&sent);
            move || listener.incoming().flatten().for_each(|caller| hand_on(caller, &address, &sent))
        });
        Self { mock, url, sent }
    }

    fn sent(&self) -> String {
        String::from_utf8_lossy(&self.sent.lock().unwrap()).into_owned()
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        let _ = self.mock.kill();
        let _ = self.mock.wait();
    }
}

/// Carry one connection to the mock and back, and keep what is sent.
fn hand_on(caller: TcpStream, address: &str, sent: &Arc<Mutex<Vec<u8>>>) {
    let Ok(mock) = TcpStream::connect(address) else { return };
    let pipes =
        [(caller.try_clone(), mock.try_clone(), Some(Arc::clone(sent))), (Ok(mock), Ok(caller), None)];
    for (from, to, kept) in pipes {
        let (mut from, mut to) = (from.unwrap(), to.unwrap());
        std::thread::spawn(move || {
            let mut buffer = vec![0; 1 << 16];
            while let Ok(count @ 1..) = from.read(&mut buffer) {
                if let Some(kept) = &kept {
                    kept.lock().unwrap().extend(&buffer[..count]);
                }
                if to.write_all(&buffer[..count]).is_err() {
                    break;
                }
            }
            let _ = to.shutdown(std::net::Shutdown::Write);
        });
    }
}

/// A project whose code an entry is about, connected with claude.
fn connected() -> Place {
    let place = Place { env: Place::prepared(Env::new()) };
    let env = &place.env;
    env.git(env.root(), &["init", "-q"]);
    place.write("src/retry.rs", "const MOST_TRIES: u32 = 5;\n");
    env.git(env.root(), &["add", "src"]);
    env.git(env.root(), &["commit", "-q", "-m", "start"]);
    assert_eq!(env.brv(&["init", "-q"]).code, 0);
    write(env, &[("net/retries.md", RETRY)]);
    commit(env, "start");
    assert_eq!(place.run(&["install", "claude", "--type", "hook", "--type", "mcp"]).code, 0);
    place
}

/// Run claude on a prompt, to its end.
fn ask(claude: &Path, place: &Place, model: &Model, (tools, prompt): (&[&str], &str)) {
    let mut command = Command::new(claude);
    place.env.prepare(&mut command);
    let folders = [Path::new(env!("CARGO_BIN_EXE_brv")), &program("node").expect("claude needs node")];
    let folders = folders.map(|program| program.parent().unwrap().to_path_buf());
    let path = std::env::join_paths(folders.into_iter().chain(["/usr/bin", "/bin"].map(PathBuf::from)));
    command
        .env("PATH", path.unwrap())
        .env("ANTHROPIC_BASE_URL", &model.url)
        .env("ANTHROPIC_API_KEY", "sk-ant-mock")
        .env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")
        .args(tools)
        .args(["-p", prompt])
        .stdin(Stdio::null());
    let output = command.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), "the end");
}

/// The texts between fences in what was sent, as JSON has them.
fn fenced(sent: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (at, _) in sent.match_indices("<brv-data ") {
        let rest = &sent[at..];
        let end = format!("</{}", &rest[1..rest.find('>').unwrap() + 1]);
        found.push(rest[..rest.find(&end).expect("the fence is closed")].to_owned());
    }
    found
}

#[test]
fn the_fenced_text_of_hooks_and_tools_reaches_the_model_with_path_and_origin() {
    let (Some(claude), Some(mock)) = (host("claude"), host("aimock")) else { return };
    let place = connected();
    let call =
        |name: &str, arguments: serde_json::Value| json!({"name": name, "arguments": arguments.to_string()});
    let calls = [
        call("Read", json!({"file_path": place.path("src/retry.rs")})),
        call("mcp__brv__brv-query", json!({"question": "what is the retry limit?"})),
    ];
    let rules = json!({"fixtures": [
        {"match": {"userMessage": "look at the retries", "hasToolResult": false}, "response": {"toolCalls": calls}},
        {"match": {"hasToolResult": true}, "response": {"content": "the end"}},
    ]});
    let model = Model::start(&mock, place.env.root(), &rules);
    let tools =
        ["--tools", "Read", "--mcp-config", ".mcp.json", "--allowedTools", "Read,mcp__brv__brv-query"];
    ask(&claude, &place, &model, (&tools, "look at the retries"));
    let sent = model.sent();
    let texts = fenced(&sent);
    let head = place.env.git(&place.path(".brv/context-tree"), &["rev-parse", "--short=7", "HEAD"]);
    for (whose, mark) in [
        ("the hook at the start", "# Project brain"),
        ("the hook before a file is read", "# Known about `src/retry.rs`"),
        ("the tool", "MOST_TRIES"),
    ] {
        let text = texts.iter().find(|text| text.contains(mark));
        let text = text.unwrap_or_else(|| panic!("nothing of {whose}: {texts:#?}"));
        assert!(text.contains("net/retries.md"), "{whose}: {text}");
        assert!(text.contains(head.trim()) && text.contains("Ada"), "{whose}: {text}");
    }
    let tool = texts.iter().any(|text| text.contains("MOST_TRIES") && !text.contains("# Known about"));
    assert!(tool, "the tool's own text: {texts:#?}");
}

#[test]
fn the_offer_after_a_commit_reaches_the_model_with_the_result_of_the_shell() {
    let (Some(claude), Some(mock)) = (host("claude"), host("aimock")) else { return };
    let place = connected();
    assert_eq!(place.env.brv(&["hooks", "install"]).code, 0);
    let line = "echo 1 > src/pool.rs; echo 2 > src/retry.rs; git add src && git commit -q -m 'net: retry twice'; \
                while brv jobs list --json | grep -q '\"state\":\"[qr]'; do sleep 0.1; done";
    let bash = json!({"command": line, "description": "commit"}).to_string();
    let rules = json!({"fixtures": [
        {
            "match": {"userMessage": "commit the change", "hasToolResult": false},
            "response": {"toolCalls": [{"name": "Bash", "arguments": bash}]},
        },
        {"match": {"hasToolResult": true}, "response": {"content": "the end"}},
    ]});
    let model = Model::start(&mock, place.env.root(), &rules);
    ask(&claude, &place, &model, (&["--tools", "Bash", "--allowedTools", "Bash"], "commit the change"));
    let id = place.env.git(place.env.root(), &["rev-parse", "--short=7", "HEAD"]);
    let offer = format!("source_commit {}. Else go on.", id.trim());
    assert!(model.sent().contains(&offer), "{}", model.sent());
}
