//! `brv ui`: who is let in, what each page says, and what a browser makes of it.

mod browser;
mod door;
mod pages;

use crate::env::Env;
use serde_json::Value;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// A project with these entries.
fn project(entries: &[(&str, &str)]) -> Env {
    let env = crate::init::project(&[]);
    for (path, text) in entries {
        let file = env.path(".brv/context-tree").join(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }
    let ran = env.brv(&["vc", "add", "."]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let ran = env.brv(&["vc", "commit", "-q", "-m", "start"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    env
}

/// A server of pages.
struct Site {
    child: Child,
    /// What it said of itself.
    data: Value,
}

impl Drop for Site {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// An answer: its status, its head in lower case, its body.
#[derive(Debug)]
struct Answer {
    status: u16,
    head: String,
    body: String,
}

impl Answer {
    /// The value of a header.
    fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.find(|(known, _)| *known == name).map(|(_, value)| value)
    }
}

impl Site {
    /// Serve the tree of `env`.
    fn start(env: &Env, arguments: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_brv"));
        env.prepare(&mut command);
        command.args(["ui", "--no-open", "--json"]).args(arguments);
        let mut child =
            command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let envelope: Value = serde_json::from_str(&line).unwrap();
        crate::described::check(&envelope, &["ui"]);
        Self { child, data: envelope["data"].clone() }
    }

    fn address(&self) -> String {
        format!("127.0.0.1:{}", self.data["port"])
    }

    /// Send a request with exactly these headers and a body, on a connection of its own.
    fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
        let mut stream = TcpStream::connect(self.address()).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let mut head =
            format!("{method} {path} HTTP/1.1\r\nConnection: close\r\nContent-Length: {}\r\n", body.len());
        headers.iter().for_each(|(name, value)| head += &format!("{name}: {value}\r\n"));
        stream.write_all(format!("{head}\r\n").as_bytes()).unwrap();
        // a server that refuses may close before it has read everything
        drop(stream.write_all(body));
        let mut answer = Vec::new();
        drop(stream.read_to_end(&mut answer));
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((answer.as_str(), ""));
        let status = head.split(' ').nth(1).and_then(|word| word.parse().ok()).unwrap_or_default();
        Answer { status, head: head.to_ascii_lowercase(), body: body.to_owned() }
    }

    /// Sign in without a script: the base of all addresses, and the cookie.
    fn sign_in(&self) -> Visitor<'_> {
        let address = self.data["without_script"].as_str().unwrap();
        let path = address.split_once(&self.address()).unwrap().1;
        let answer = self.send("GET", path, &[("Host", &self.address())], b"");
        assert_eq!(answer.status, 303, "{answer:?}");
        let location = answer.header("location").unwrap();
        let base = location.split('/').nth(1).unwrap().to_owned();
        let cookie = answer.header("set-cookie").unwrap().split(';').next().unwrap().to_owned();
        Visitor { site: self, base, cookie }
    }
}

/// Who is signed in.
struct Visitor<'s> {
    site: &'s Site,
    base: String,
    cookie: String,
}

impl Visitor<'_> {
    fn get(&self, path: &str) -> Answer {
        let headers = [("Host", &*self.site.address()), ("Cookie", &self.cookie)];
        self.site.send("GET", &format!("/{}{path}", self.base), &headers, b"")
    }

    /// The page at a path, which is there.
    #[track_caller]
    fn page(&self, path: &str) -> String {
        let answer = self.get(path);
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
        answer.body
    }
}
