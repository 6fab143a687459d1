//! The server over HTTP: who may ask, how much, and the brain as a plain document.

use super::{Loopback, knowing};
use crate::env::Env;
use serde_json::{Value, json};
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// An answer: its status, its head in lower case, its body.
#[derive(Debug)]
struct Answer {
    status: u16,
    head: String,
    body: String,
}

impl Loopback {
    /// Send a request with exactly these headers and a body, on a connection of its own.
    fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        let mut stream = TcpStream::connect(self.address()).unwrap();
        stream.set_read_timeout(Some(super::wire::PATIENCE)).unwrap();
        let mut head =
            format!("{method} {path} HTTP/1.1\r\nConnection: close\r\nContent-Length: {}\r\n", body.len());
        headers.iter().for_each(|(name, value)| head += &format!("{name}: {value}\r\n"));
        stream.write_all(format!("{head}\r\n").as_bytes()).unwrap();
        // a server that refuses may close before it has read everything
        drop(stream.write_all(body.as_bytes()));
        let mut answer = Vec::new();
        drop(stream.read_to_end(&mut answer));
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((answer.as_str(), ""));
        let status = head.split(' ').nth(1).and_then(|word| word.parse().ok()).unwrap_or_default();
        Answer { status, head: head.to_ascii_lowercase(), body: body.to_owned() }
    }

    /// A call of the newer era.
    fn call(&self, name: &str, arguments: Value, changed: &[(&str, &str)]) -> Answer {
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "raw", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let params = json!({"name": name, "arguments": arguments, "_meta": meta});
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).to_string();
        let bearer = format!("Bearer {}", self.bearer);
        let mut headers = vec![
            ("Host", self.address()),
            ("Authorization", &bearer),
            ("Content-Type", "application/json"),
            ("Accept", "application/json, text/event-stream"),
            ("MCP-Protocol-Version", "2026-07-28"),
            ("Mcp-Method", "tools/call"),
            ("Mcp-Name", name),
        ];
        headers.retain(|(name, _)| !changed.iter().any(|(other, _)| other == name));
        headers.extend(changed.iter().filter(|(_, value)| !value.is_empty()));
        self.send("POST", "/mcp", &headers, &body)
    }
}

fn search() -> Value {
    json!({"text": "rotate keys"})
}

#[test]
fn only_those_with_the_bearer_from_this_machine_may_ask() {
    let env = knowing();
    let server = Loopback::start(&env);
    let local = format!("http://{}", server.address());
    let cases: [(&[(&str, &str)], u16); 14] = [
        (&[], 200),
        // through a forwarded port
        (&[("Host", "localhost:9999")], 200),
        (&[("Host", "127.0.0.1")], 200),
        (&[("Host", "[::1]:9999"), ("Origin", "http://localhost:9999")], 200),
        (&[("Host", "localhost.evil.example.com:80")], 403),
        (&[("Host", "")], 403),
        (&[("Origin", &local)], 200),
        (&[("Authorization", "")], 401),
        (&[("Authorization", "Bearer nonsense")], 401),
        (&[("Authorization", "Basic YTpi")], 401),
        (&[("Host", "evil.example.com")], 403),
        (&[("Host", "evil.example.com:80")], 403),
        (&[("Origin", "http://evil.example.com")], 403),
        (&[("Origin", "null")], 403),
    ];
    for (changed, status) in cases {
        let answer = server.call("brv-search", search(), changed);
        assert_eq!(answer.status, status, "{changed:?} {answer:?}");
        assert_eq!(answer.body.contains("token_lifetime.md"), status == 200, "{changed:?} {answer:?}");
    }
    let without = server.call("brv-search", search(), &[("Authorization", "")]);
    assert!(without.head.contains("www-authenticate: bearer"), "{without:?}");
    let bearer = format!("Bearer {}", server.bearer);
    let headers = [("Host", server.address()), ("Authorization", &bearer)];
    assert_eq!(server.send("GET", "/", &headers, "").status, 404);
    assert_eq!(server.send("GET", "/etc/passwd", &headers, "").status, 404);
}

/// curl and most libraries for HTTP say `*/*`.
#[test]
fn who_takes_anything_gets_json() {
    let env = knowing();
    let server = Loopback::start(&env);
    for accept in ["*/*", "", "application/json", "application/json, text/plain, */*"] {
        let answer = server.call("brv-search", search(), &[("Accept", accept)]);
        assert_eq!(answer.status, 200, "{accept} {answer:?}");
        assert!(answer.head.contains("content-type: application/json"), "{accept} {answer:?}");
        let message: Value =
            serde_json::from_str(&answer.body).unwrap_or_else(|_| panic!("{accept} {answer:?}"));
        assert!(message["result"].to_string().contains("token_lifetime.md"), "{accept} {message}");
    }
    let events = server.call("brv-search", search(), &[]);
    assert!(events.head.contains("content-type: text/event-stream"), "{events:?}");
    for accept in ["text/html", "*/*;q=0"] {
        assert_eq!(server.call("brv-search", search(), &[("Accept", accept)]).status, 406, "{accept}");
    }
    // the handshake of the older era, and a tool's progress in it
    let bearer = format!("Bearer {}", server.bearer);
    let mut headers =
        vec![("Host", server.address()), ("Authorization", &*bearer), ("Content-Type", "application/json")];
    let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "curl", "version": "1"}});
    let send = |headers: &[(&str, &str)], method: &str, params: &Value| {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string();
        let answer = server.send("POST", "/mcp", headers, &body);
        let message: Value = serde_json::from_str(&answer.body).unwrap_or_else(|_| panic!("{answer:?}"));
        (answer, message)
    };
    let (answer, message) = send(&headers, "initialize", &hello);
    assert_eq!(message["result"]["serverInfo"]["name"], "brv", "{message}");
    let session =
        answer.head.lines().find_map(|line| line.strip_prefix("mcp-session-id: ")).unwrap().to_owned();
    headers.push(("Mcp-Session-Id", &session));
    server.send("POST", "/mcp", &headers, r#"{"jsonrpc": "2.0", "method": "notifications/initialized"}"#);
    let call = json!({"name": "brv-sync", "arguments": {}, "_meta": {"progressToken": 7}});
    let (_, message) = send(&headers, "tools/call", &call);
    assert!(message["result"]["structuredContent"].is_object(), "{message}");
}

/// A client that stops in the middle does not hold a connection for ever.
#[test]
fn half_a_request_ends_after_half_a_minute() {
    let env = knowing();
    let server = Loopback::start(&env);
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\n",
        server.address(),
        server.bearer
    );
    let half_body = format!("{head}Content-Length: 100\r\n\r\n{{\"jsonrpc\"");
    let chunk = format!("{head}Transfer-Encoding: chunked\r\n\r\n5\r\n{{\"js");
    let start = Instant::now();
    let streams: Vec<TcpStream> = ["", "POST /mcp HT", &head, &half_body, &chunk]
        .iter()
        .map(|part| {
            let mut stream = TcpStream::connect(server.address()).unwrap();
            stream.set_read_timeout(Some(super::wire::PATIENCE)).unwrap();
            stream.write_all(part.as_bytes()).unwrap();
            stream
        })
        .collect();
    assert_eq!(server.call("brv-search", search(), &[]).status, 200);
    for (mut stream, which) in streams.into_iter().zip(["nothing", "line", "head", "body", "chunk"]) {
        let mut answer = Vec::new();
        let read = stream.read_to_end(&mut answer);
        let answer = String::from_utf8_lossy(&answer).into_owned();
        assert!(read.is_ok(), "{which}: it stays open");
        assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 408"), "{which}: {answer}");
        assert!(which != "body" || answer.starts_with("HTTP/1.1 408"), "{which}: {answer}");
    }
    assert!(start.elapsed() > Duration::from_secs(25), "a slow client may take its time");
    assert_eq!(server.call("brv-search", search(), &[]).status, 200);
}

#[test]
fn a_body_that_is_too_long_is_413_and_the_server_goes_on() {
    let env = knowing();
    let server = Loopback::start(&env);
    let long = json!({"text": "a".repeat(12 << 20)});
    assert_eq!(server.call("brv-search", long, &[]).status, 413);
    assert_eq!(server.call("brv-search", search(), &[]).status, 200);
}

#[test]
fn only_trees_below_the_start_are_served() {
    let env = knowing();
    let server = Loopback::start(&env);
    let other: Env = knowing();
    let answer = server.call("brv-search", json!({"text": "rotate keys", "root": other.root()}), &[]);
    assert!(answer.body.contains("\"isError\":true") && answer.body.contains("root"), "{answer:?}");
    assert!(!answer.body.contains("token_lifetime.md"), "{answer:?}");
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(other.root(), env.path("link")).unwrap();
        let answer = server.call("brv-search", json!({"text": "rotate keys", "root": env.path("link")}), &[]);
        assert!(answer.body.contains("\"isError\":true"), "{answer:?}");
    }
}

#[test]
fn undo_needs_an_id_where_no_session_is() {
    let env = knowing();
    let server = Loopback::start(&env);
    let answer = server.call("brv-undo", json!({}), &[]);
    assert!(answer.body.contains("\"isError\":true") && answer.body.contains("id"), "{answer:?}");
}

#[test]
fn the_brain_is_a_document_that_is_sent_once() {
    let env = knowing();
    let server = Loopback::start(&env);
    let bearer = format!("Bearer {}", server.bearer);
    let get = |more: &[(&str, &str)]| {
        let headers = [&[("Host", server.address()), ("Authorization", &*bearer)][..], more].concat();
        server.send("GET", "/api/v2/brain", &headers, "")
    };
    let first = get(&[]);
    assert_eq!(first.status, 200, "{first:?}");
    let brain: Value = serde_json::from_str(&first.body).unwrap_or_else(|_| panic!("{first:?}"));
    assert_eq!(brain.as_object().unwrap().len(), 6, "{brain}");
    let tag = first.head.lines().find_map(|line| line.strip_prefix("etag: ")).unwrap().to_owned();
    let again = get(&[("If-None-Match", &tag)]);
    assert_eq!((again.status, again.body.as_str()), (304, ""));
    assert_eq!(get(&[("If-None-Match", "\"other\"")]).status, 200);
    env.commit(&crate::env::tree(&env), &[("new/thing/entry.md", "# Entry\n\nNew.\n")]);
    assert_eq!(get(&[("If-None-Match", &tag)]).status, 200);
    assert_eq!(server.send("GET", "/api/v2/brain", &[("Host", server.address())], "").status, 401);
}
