//! One request to an engine, so that what the tests of the engine say does not depend on brv.

use crate::servers::read_chunks;
use serde_json::Value;
use std::io::{BufRead as _, BufReader, Read, Write};
use std::net::TcpStream;

pub const JSON: &str = "application/json";
pub const LINES: &str = "application/x-ndjson";

/// An answer. Its body is null where it is not JSON.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: Value,
}

/// Ask `url`, which is `http://host:port`. No answer, or half of one, is an error.
pub fn ask(url: &str, method: &str, target: &str, body: Option<(&str, &str)>) -> std::io::Result<Answer> {
    ask_with(url, method, target, body, "")
}

/// The same with more header lines.
pub fn ask_with(
    url: &str,
    method: &str,
    target: &str,
    body: Option<(&str, &str)>,
    headers: &str,
) -> std::io::Result<Answer> {
    let address = url.strip_prefix("http://").expect("without TLS");
    exchange(TcpStream::connect(address)?, method, target, body, headers)
}

/// The same over a connection that stands.
pub fn exchange(
    mut stream: impl Read + Write,
    method: &str,
    target: &str,
    body: Option<(&str, &str)>,
    headers: &str,
) -> std::io::Result<Answer> {
    let kind = body.map(|(kind, _)| format!("content-type: {kind}\r\n")).unwrap_or_default();
    let text = body.map_or("", |(_, text)| text);
    let length = text.len();
    write!(
        stream,
        "{method} {target} HTTP/1.1\r\nhost: engine\r\naccept: {JSON}\r\nconnection: close\r\n{kind}{headers}content-length: {length}\r\n\r\n{text}"
    )?;
    read_answer(stream)
}

fn read_answer(stream: impl Read) -> std::io::Result<Answer> {
    let ended = || std::io::Error::from(std::io::ErrorKind::UnexpectedEof);
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head)? == 0 {
            return Err(ended());
        }
    }
    let head = head.to_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length:"));
    let body = match length.map(|length| length.trim().parse()) {
        None => read_chunks(&mut reader)?,
        Some(length) => {
            let mut body = vec![0; length.map_err(|_| ended())?];
            reader.read_exact(&mut body)?;
            body
        }
    };
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).ok_or_else(ended)?;
    Ok(Answer { status, head, body: serde_json::from_slice(&body).unwrap_or_default() })
}
