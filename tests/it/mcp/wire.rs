//! A connection to `brv mcp` over standard streams without any SDK: lines go in, lines come out.

use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// How long any answer may take on a busy machine.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// Which of its two eras the protocol is spoken in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Era {
    /// A handshake comes first.
    Initialize,
    /// Each request says what its client is.
    Stateless,
}

/// A server and what it said.
pub struct Wire {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<Value>,
    era: Era,
    asked: u64,
}

impl Drop for Wire {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

impl Wire {
    /// Start the server that `command` is, and shake hands where the era has that.
    pub fn start(command: Command, era: Era) -> Self {
        let mut wire = Self::silent(command, era);
        if era == Era::Initialize {
            wire.initialize();
        }
        wire
    }

    /// Start the server and send nothing.
    pub fn silent(mut command: Command, era: Era) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let (said, lines) = channel();
        std::thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                let line = serde_json::from_str(&line).unwrap_or_else(|_| panic!("not JSON: {line}"));
                if said.send(line).is_err() {
                    return;
                }
            }
        });
        Self { input: child.stdin.take(), child, lines, era, asked: 0 }
    }

    /// The handshake of the older era; returns the server's description of itself.
    pub fn initialize(&mut self) -> Value {
        let client = json!({"name": "wire", "version": "1"});
        let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client});
        let answer = self.request("initialize", params);
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string());
        answer["result"].clone()
    }

    /// The process of the server.
    pub fn process(&self) -> u32 {
        self.child.id()
    }

    /// Send a line. A server that is gone hears nothing.
    pub fn send(&mut self, line: &str) {
        let input = self.input.as_mut().expect("the input is open");
        drop(
            input
                .write_all(line.as_bytes())
                .and_then(|()| input.write_all(b"\n"))
                .and_then(|()| input.flush()),
        );
    }

    /// The next line that the server says in this time.
    pub fn next_within(&self, time: Duration) -> Option<Value> {
        self.lines.recv_timeout(time).ok()
    }

    /// The next answer, past all notices.
    pub fn answer(&self) -> Value {
        loop {
            let line = self.next_within(PATIENCE).expect("the server answers");
            if line.get("method").is_none() {
                return line;
            }
        }
    }

    /// Send a request; returns its id.
    pub fn ask(&mut self, method: &str, mut params: Value) -> u64 {
        self.asked += 1;
        if self.era == Era::Stateless {
            params["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("2026-07-28");
            params["_meta"]["io.modelcontextprotocol/clientInfo"] = json!({"name": "wire", "version": "1"});
            params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = json!({});
        }
        let request = json!({"jsonrpc": "2.0", "id": self.asked, "method": method, "params": params});
        self.send(&request.to_string());
        self.asked
    }

    /// Send a request; returns its answer.
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.ask(method, params);
        let answer = self.answer();
        assert_eq!(answer["id"], id, "{answer}");
        answer
    }

    /// Call a tool; returns the result.
    pub fn tool(&mut self, name: &str, arguments: &Value) -> Value {
        let answer = self.request("tools/call", json!({"name": name, "arguments": arguments}));
        assert!(answer.get("error").is_none(), "{name} {arguments}: {answer}");
        answer["result"].clone()
    }

    /// Call a tool that has to succeed; returns its text.
    pub fn text(&mut self, name: &str, arguments: &Value) -> String {
        let result = self.tool(name, arguments);
        assert_ne!(result["isError"], true, "{name} {arguments}: {result}");
        text(&result)
    }

    /// Call a tool that has to fail; returns its text.
    pub fn refused(&mut self, name: &str, arguments: &Value) -> String {
        let result = self.tool(name, arguments);
        assert_eq!(result["isError"], true, "{name} {arguments}: {result}");
        text(&result)
    }

    /// Close standard input.
    pub fn hang_up(&mut self) {
        self.input = None;
    }

    /// How long the server takes until it ends by itself.
    pub fn gone_after(&mut self) -> Duration {
        let start = Instant::now();
        while self.child.try_wait().unwrap().is_none() {
            assert!(start.elapsed() < PATIENCE, "the server stays");
            std::thread::sleep(Duration::from_millis(5));
        }
        start.elapsed()
    }
}

/// The text of a result.
pub fn text(result: &Value) -> String {
    let blocks = result["content"].as_array().unwrap_or_else(|| panic!("no content: {result}"));
    let texts: Vec<&str> =
        blocks.iter().map(|block| block["text"].as_str().expect("a block of text")).collect();
    texts.join("\n")
}
