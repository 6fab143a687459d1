//! The model and the encoder that brv may ask: servers that misbehave on order, keys, the budget of the day, a program as the model, a
//! mock of both interfaces, and a small real model.

mod budget;
pub mod encoder;
mod faults;
mod keys;
mod mock;
mod programs;
mod settings;
mod small;

use crate::env::{Env, Ran};
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// A server of the test's own, which plays its replies one after the other, and the last one for ever.
pub struct Scripted {
    pub url: String,
    seen: Arc<Mutex<Vec<Seen>>>,
}

/// A request.
#[derive(Debug, Clone)]
pub struct Seen {
    pub at: Instant,
    pub head: String,
    pub body: Value,
}

#[derive(Debug, Clone)]
pub enum Reply {
    /// Status line and headers, and a body.
    Says(&'static str, String),
    /// The connection ends before an answer.
    Cut,
    /// The connection ends within the answer.
    CutWithin,
    /// An answer of so many MB.
    Long(usize),
    /// A byte every tenth of a second.
    Drip,
    /// No HTTP.
    Noise,
}

impl Scripted {
    pub fn start(replies: &[Reply]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let (seen, replies) = (Arc::new(Mutex::new(Vec::new())), replies.to_vec());
        let journal = Arc::clone(&seen);
        std::thread::spawn(move || {
            for (number, stream) in listener.incoming().flatten().enumerate() {
                let reply = replies[number.min(replies.len() - 1)].clone();
                let Some(request) = read(&stream) else { continue };
                journal.lock().unwrap().push(request);
                std::thread::spawn(move || drop(answer(stream, &reply)));
            }
        });
        Self { url, seen }
    }

    pub fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }

    /// An environment whose model this is.
    pub fn env(&self) -> Env {
        Env::new().with("BRV_MODEL_URL", &self.url).with("BRV_MODEL_NAME", "small")
    }
}

fn read(stream: &TcpStream) -> Option<Seen> {
    let mut reader = BufReader::new(stream);
    let (mut head, mut length) = (String::new(), 0);
    while !head.ends_with("\r\n\r\n") {
        let from = head.len();
        if reader.read_line(&mut head).ok()? == 0 {
            return None;
        }
        if let Some(value) = head[from..].strip_prefix("content-length: ") {
            length = value.trim().parse().ok()?;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(Seen { at: Instant::now(), head, body: serde_json::from_slice(&body).ok()? })
}

fn answer(mut stream: TcpStream, reply: &Reply) -> std::io::Result<()> {
    let promise = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 52428800\r\n\r\n";
    match reply {
        Reply::Says(head, body) => {
            write!(
                stream,
                "HTTP/1.1 {head}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
                body.len()
            )
        }
        Reply::Cut => Ok(()),
        Reply::CutWithin => write!(stream, "{promise}{{\"choices\": ["),
        Reply::Long(megabytes) => {
            write!(stream, "{promise}")?;
            (0..*megabytes).try_for_each(|_| stream.write_all(&[b' '; 1 << 20]))
        }
        Reply::Drip => {
            write!(stream, "{promise}")?;
            loop {
                stream.write_all(b" ")?;
                std::thread::sleep(Duration::from_millis(100));
            }
        }
        Reply::Noise => stream.write_all(b"220 mail.example.com ESMTP\r\n"),
    }
}

/// An answer of chat completions.
pub fn chat(text: &str) -> Reply {
    let choice = json!({"message": {"role": "assistant", "content": text}, "finish_reason": "stop"});
    let usage = json!({"prompt_tokens": 100, "completion_tokens": 20});
    Reply::Says("200 OK", json!({"choices": [choice], "usage": usage}).to_string())
}

/// What `brv model test` understands.
pub fn ready() -> Reply {
    chat("{\"ok\": true}")
}

pub fn refusal(status: &'static str, message: &str) -> Reply {
    Reply::Says(status, json!({"error": {"message": message}}).to_string())
}

/// `brv model test --json`: its data, and how it ended.
pub fn test(env: &Env) -> (Value, Value, Ran) {
    let ran = env.brv(&["model", "test", "--json"]);
    let envelope: Value = serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{ran:?}"));
    (envelope["data"].clone(), envelope["error"].clone(), ran)
}

/// The counts of the only day.
pub fn usage(env: &Env) -> Value {
    let ran = env.brv(&["model", "usage", "--json"]);
    let envelope: Value = serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{ran:?}"));
    envelope["data"]["days"][0].clone()
}
