//! Send documents, in parts that the engine takes, until each of them is accepted or known not to be.

use super::engine::{EngineBody, EngineReply, SearchEngine, error_type, is_cut};
use crate::{FailureKind, Stop};
use brv_base::messages::printable;
use serde_json::Value;
use std::time::Duration;

/// How many bytes a request has at most at first: below the limit that common proxies have if nobody sets another (1 MiB).
const MOST_BYTES: usize = 900 << 10;

/// No proxy finds a smaller request too large: if the connection ends during one, there is another reason. In bytes.
const LEAST_TOO_LARGE: usize = 64 << 10;

/// How often documents that the engine had no room for are sent again.
const ATTEMPTS: u32 = 7;

/// The wait before the first of these; it doubles.
const PAUSE: Duration = Duration::from_millis(250);

/// Documents on their way.
pub struct BulkSender<'a> {
    engine: &'a SearchEngine,
    waiting: Vec<BulkDocument>,
    bytes: usize,
    most: usize,
    parts: usize,
    /// Whether a proxy ended the connection because of a large request.
    is_cut: bool,
    sent: BulkCount,
    /// The paths of entries whose documents are too large for the engine.
    refused: Vec<String>,
}

/// A document on its way.
struct BulkDocument {
    lines: Vec<u8>,
    is_gone: bool,
}

/// What became of documents.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BulkCount {
    /// Entries that were accepted.
    pub sent: usize,
    /// Documents that were marked as gone.
    pub gone: usize,
    /// Neither, because a later push wrote them already.
    pub newer: usize,
    /// The bytes of requests.
    pub bytes: u64,
}

impl<'a> BulkSender<'a> {
    pub fn new(engine: &'a SearchEngine) -> Self {
        Self {
            engine,
            waiting: Vec::new(),
            bytes: 0,
            most: MOST_BYTES,
            parts: 0,
            is_cut: false,
            sent: BulkCount::default(),
            refused: Vec::new(),
        }
    }

    /// Send the lines of a document, sooner or later; `is_gone`: it marks one as gone.
    ///
    /// # Errors
    /// The engine.
    pub fn push(&mut self, lines: Vec<u8>, is_gone: bool) -> Result<(), Stop> {
        if self.bytes + lines.len() > self.most {
            self.flush("")?;
        }
        self.bytes += lines.len();
        self.waiting.push(BulkDocument { lines, is_gone });
        Ok(())
    }

    /// Send what waits, and make all of it visible to searches. Beside the numbers stand the paths of entries whose documents
    /// are too large for the engine.
    ///
    /// # Errors
    /// The engine.
    pub fn finish(mut self) -> Result<(BulkCount, Vec<String>), Stop> {
        // one part alone is made visible with the request that sends it
        let is_one = self.parts == 0;
        self.flush(if is_one { "?refresh=true" } else { "" })?;
        if self.parts > 0 && !(is_one && self.parts == 1) {
            self.engine.ask("POST", "/_refresh", EngineBody::None, &[])?;
        }
        Ok((self.sent, self.refused))
    }

    fn flush(&mut self, query: &str) -> Result<(), Stop> {
        let documents = std::mem::take(&mut self.waiting);
        self.bytes = 0;
        if documents.is_empty() { Ok(()) } else { self.send(documents, query) }
    }

    /// Send documents in one request, or in halves if it is too large for the engine or a proxy before it.
    fn send(&mut self, mut documents: Vec<BulkDocument>, query: &str) -> Result<(), Stop> {
        for attempt in 0..ATTEMPTS {
            let body = documents.iter().map(|one| one.lines.as_slice()).collect::<Vec<_>>().concat();
            let path = format!("/_bulk{query}");
            self.parts += 1;
            self.sent.bytes += body.len() as u64;
            let Some(reply) = self.ask(&path, &body, documents.len())? else {
                if let [document] = &*documents {
                    self.refused.push(path_in(document));
                    return Ok(());
                }
                self.most = (body.len() / 2).min(self.most);
                let rest = documents.split_off(documents.len() / 2);
                self.send(documents, query)?;
                return self.send(rest, query);
            };
            documents = self.rejected(documents, &reply.body)?;
            if documents.is_empty() {
                return Ok(());
            }
            self.engine.wait(PAUSE * 2_u32.pow(attempt))?;
        }
        Err(Stop::new(FailureKind::Remote, format!("`{}` has too much to do (429)", self.engine.host())))
    }

    /// The answer to a request; `None` if it is too large. A proxy that ends the connection instead of saying so is told from an
    /// engine that is gone by a small request.
    fn ask(&mut self, path: &str, body: &[u8], documents: usize) -> Result<Option<EngineReply>, Stop> {
        let lines = EngineBody::Lines(body);
        let may_be_too_large = body.len() > LEAST_TOO_LARGE;
        // of a single document all tries have to fail
        let asked = match self.is_cut && may_be_too_large && documents > 1 {
            true => self.engine.ask_once("POST", path, lines, &[413]),
            false => self.engine.ask("POST", path, lines, &[413]),
        };
        match asked {
            Ok(reply) if reply.status == 413 => Ok(None),
            Ok(reply) => Ok(Some(reply)),
            Err(stop) if is_cut(&stop) && may_be_too_large => {
                self.engine.ask_engine("GET", "/", EngineBody::None, &[]).map_err(|_| stop)?;
                self.is_cut = true;
                Ok(None)
            }
            Err(stop) => Err(stop),
        }
    }

    /// The documents that the engine had no room for.
    fn rejected(&mut self, documents: Vec<BulkDocument>, reply: &Value) -> Result<Vec<BulkDocument>, Stop> {
        let items = reply["items"].as_array().filter(|items| items.len() == documents.len());
        let items = items.ok_or_else(|| self.engine.unusable("an item for each document"))?;
        let mut again = Vec::new();
        for (document, item) in documents.into_iter().zip(items) {
            let item = &item["index"];
            match item["status"].as_u64() {
                Some(200..=299) if document.is_gone => self.sent.gone += 1,
                Some(200..=299) => self.sent.sent += 1,
                Some(409) => self.sent.newer += 1,
                Some(429 | 503) if !is_blocked(item) => again.push(document),
                status => return Err(self.refusal(&document, item, status)),
            }
        }
        Ok(again)
    }

    fn refusal(&self, document: &BulkDocument, item: &Value, status: Option<u64>) -> Stop {
        let reason =
            item["error"]["caused_by"]["reason"].as_str().or_else(|| item["error"]["reason"].as_str());
        let reason = self.engine.shown(reason.unwrap_or("no reason").as_bytes());
        let status = status.unwrap_or_default();
        let (kind, what) = match is_blocked(item) {
            true => (FailureKind::Remote, "has made the index read-only".to_owned()),
            // the documents of other trees may be accepted
            false => (FailureKind::Failed, format!("refuses the document of `{}`", path_in(document))),
        };
        Stop::new(kind, format!("`{}` {what} ({status}): {reason}", self.engine.host()))
    }
}

/// The path of the entry.
fn path_in(document: &BulkDocument) -> String {
    let line = document.lines.split(|byte| *byte == b'\n').nth(1).unwrap_or_default();
    let entry: Value = serde_json::from_slice(line).unwrap_or_default();
    printable(entry["path"].as_str().unwrap_or_default().as_bytes())
}

fn is_blocked(item: &Value) -> bool {
    error_type(item) == "cluster_block_exception"
}
