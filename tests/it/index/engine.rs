//! A search engine of the test's own: the REST part that OpenSearch 2/3 and Elasticsearch 8/9 share and brv uses, over HTTP or
//! HTTPS on the loopback. It refuses what they refuse, answers 501 to what they can and it cannot, writes down each request,
//! and fails on order.

mod aggregations;
mod bulk;
pub mod faults;
mod mapping;
mod query;
mod refusal;
mod routes;
mod search;
mod store;

use crate::env::Env;
use crate::servers::{Request, Stream, accept, answer, read_body, read_head, tls};
use faults::{Fault, Right, Rules};
use routes::Asked;
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::{BufReader, Read as _, Write as _};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use store::Index;

/// Whose words it speaks, where they differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    OpenSearch,
    Elasticsearch,
}

impl Family {
    /// The type of the error of a document that is not of the mapping.
    fn parse_error(self) -> &'static str {
        if self == Self::OpenSearch { "mapper_parsing_exception" } else { "document_parsing_exception" }
    }

    /// The type of the error of a body that is no JSON.
    fn syntax_error(self) -> &'static str {
        if self == Self::OpenSearch { "json_parse_exception" } else { "x_content_parse_exception" }
    }
}

/// A request as it came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// Counted from zero.
    pub number: usize,
    pub method: String,
    pub path: String,
    /// Without `?`.
    pub query: String,
    /// The length of the body.
    pub length: usize,
    pub authorization: Option<String>,
}

impl Call {
    fn of(request: &Request, number: usize) -> Self {
        let (path, query) = request.target.split_once('?').unwrap_or((&request.target, ""));
        Self {
            number,
            method: request.method.clone(),
            path: path.into(),
            query: query.into(),
            length: request.length,
            authorization: request.authorization.clone(),
        }
    }

    /// Whether the request changes documents or indexes.
    pub fn is_write(&self) -> bool {
        let reads = ["/_search", "/_mget", "/_refresh"];
        !["GET", "HEAD"].contains(&self.method.as_str()) && !reads.iter().any(|end| self.path.ends_with(end))
    }
}

/// The engine. It serves until the process ends.
pub struct Engine {
    /// `http://127.0.0.1:1234`
    pub url: String,
    shared: Arc<Shared>,
}

struct Shared {
    family: Family,
    indexes: Mutex<BTreeMap<String, Index>>,
    calls: Mutex<Vec<Call>>,
    rules: Mutex<Rules>,
}

impl Engine {
    /// An empty one, open to everybody.
    pub fn start(family: Family) -> Self {
        Self::listen(family, None)
    }

    /// The same with TLS and a certificate that nobody signed, which is in the returned file.
    pub fn start_tls(env: &Env, family: Family) -> Option<(Self, PathBuf)> {
        let (config, certificate) = tls(env, None)?;
        Some((Self::listen(family, Some(config)), certificate))
    }

    fn listen(family: Family, config: Option<Arc<rustls::ServerConfig>>) -> Self {
        let scheme = if config.is_some() { "https" } else { "http" };
        let shared = Arc::new(Shared {
            family,
            indexes: Mutex::default(),
            calls: Mutex::default(),
            rules: Mutex::default(),
        });
        let own = Arc::clone(&shared);
        let address = accept(config, move |stream, connection| {
            let _ = own.serve(stream, connection);
        });
        Self { url: format!("{scheme}://{address}"), shared }
    }

    /// Ask `rule` about each request from now on.
    pub fn fail(&self, rule: impl Fn(&Call) -> Option<Fault> + Send + 'static) {
        self.shared.rules.lock().unwrap().fail(rule);
    }

    /// Work again.
    pub fn heal(&self) {
        self.shared.rules.lock().unwrap().fail(|_| None);
    }

    /// Demand one of these values of `Authorization`.
    pub fn demand(&self, keys: &[(&str, Right)]) {
        self.shared.rules.lock().unwrap().demand(keys);
    }

    /// The requests so far.
    pub fn calls(&self) -> Vec<Call> {
        self.shared.calls.lock().unwrap().clone()
    }

    /// Forget the requests so far.
    pub fn forget_calls(&self) {
        self.shared.calls.lock().unwrap().clear();
    }

    /// The documents of an index by id: version, and source as it was sent. Empty if there is no such index.
    pub fn documents(&self, index: &str) -> Vec<(String, u64, Value)> {
        let indexes = self.shared.indexes.lock().unwrap();
        let documents = indexes.get(index).into_iter().flat_map(Index::live);
        documents.map(|document| (document.id.clone(), document.version, document.sent.clone())).collect()
    }
}

impl Shared {
    fn serve(&self, stream: Box<dyn Stream>, connection: usize) -> std::io::Result<()> {
        let mut reader = BufReader::new(stream);
        while let Some(mut request) = read_head(&mut reader, connection)? {
            let mut call = Call::of(&request, self.calls.lock().unwrap().len());
            let fault = self.rules.lock().unwrap().fault(&call);
            if fault == Some(Fault::CutWithin) {
                self.calls.lock().unwrap().push(call);
                let mut half = vec![0; request.length / 2];
                return reader.read_exact(&mut half);
            }
            if matches!(fault, Some(Fault::CutAbove(limit)) if request.length > limit) {
                self.calls.lock().unwrap().push(call);
                reader.get_mut().write_all(&faults::too_large("Connection: close\r\n"))?;
                reader.get_mut().flush()?;
                // what is on its way is read and thrown away, as long as it comes
                return std::io::copy(&mut reader, &mut std::io::sink()).map(drop);
            }
            let body = read_body(&mut reader, &mut request)?;
            call.length = body.len();
            self.calls.lock().unwrap().push(call.clone());
            if let Some(Fault::Late(milliseconds)) = fault {
                std::thread::sleep(Duration::from_millis(milliseconds));
            }
            if let Some(Fault::Awaits(file)) = &fault {
                while !file.exists() {
                    std::thread::sleep(Duration::from_millis(2));
                }
            }
            let answer = self.answer(&request, &call, &body, fault.as_ref());
            let length = match fault {
                Some(Fault::Silent | Fault::DoneTo(_)) => 0,
                // counted from the end of the head
                Some(Fault::CutAt(bytes)) => answer.len().min(head_length(&answer) + bytes),
                _ => answer.len(),
            };
            reader.get_mut().write_all(&answer[..length])?;
            reader.get_mut().flush()?;
            if length < answer.len() {
                return Ok(());
            }
        }
        Ok(())
    }

    fn answer(&self, request: &Request, call: &Call, body: &[u8], fault: Option<&Fault>) -> Vec<u8> {
        if let Some(whole) = fault.and_then(|fault| fault.answer(self.family, request, call)) {
            return whole;
        }
        let right = self.rules.lock().unwrap().right(call);
        let asked = Asked { family: self.family, request, call, body, fault };
        let outcome = right.and_then(|()| asked.perform(&mut self.indexes.lock().unwrap()));
        let (status, body) = match outcome {
            Ok((status, body)) => (status, body),
            Err(refusal) => (refusal.status, refusal.body()),
        };
        let status = format!("{status} {}", phrase(status));
        if self.family == Family::OpenSearch {
            return answer(&status, "Content-Type: application/json\r\n", body.to_string().as_bytes());
        }
        let headers = "Content-Type: application/json\r\nX-Elastic-Product: Elasticsearch\r\n";
        chunked(&status, headers, body.to_string().as_bytes())
    }
}

/// An answer in parts, as Elasticsearch sends long ones since 8.6.
fn chunked(status: &str, headers: &str, body: &[u8]) -> Vec<u8> {
    let mut answer = format!("HTTP/1.1 {status}\r\n{headers}Transfer-Encoding: chunked\r\n\r\n").into_bytes();
    for chunk in body.chunks(1000) {
        answer.extend_from_slice(format!("{:x}\r\n", chunk.len()).as_bytes());
        answer.extend_from_slice(chunk);
        answer.extend_from_slice(b"\r\n");
    }
    answer.extend_from_slice(b"0\r\n\r\n");
    answer
}

fn head_length(answer: &[u8]) -> usize {
    answer.windows(4).position(|four| four == b"\r\n\r\n").map_or(answer.len(), |at| at + 4)
}

fn phrase(status: u16) -> &'static str {
    match status {
        200 => "OK",
        201 => "Created",
        404 => "Not Found",
        409 => "Conflict",
        429 => "Too Many Requests",
        _ => "Refused",
    }
}
