//! What the engine can be ordered to do wrong, and whom it lets in.

use super::refusal::Refusal;
use super::{Call, Family, Request};
use crate::servers::answer;
use std::path::PathBuf;

/// A fault in the answer to one request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// The connection ends after half of the body, of which nothing is done.
    CutWithin,
    /// All is done; the connection ends without an answer.
    Silent,
    /// The connection ends after so many bytes of the answer's body.
    CutAt(usize),
    /// So many items of a `_bulk` are done; the connection ends without an answer.
    DoneTo(usize),
    /// The answer comes after so many milliseconds.
    Late(u64),
    /// Nothing is done before this file is there.
    Awaits(PathBuf),
    /// 429 for the first so many items of a `_bulk`; the others are done.
    ItemsBusy(usize),
    /// 503 for them: their shard is nowhere.
    ItemsUnavailable(usize),
    /// 429 or 503 for the whole, with a number of seconds to wait.
    Busy(u16, Option<u64>),
    /// 413 for a body of more bytes.
    TooLarge(usize),
    /// The same as soon as the head is there; the connection ends with it, as that of a proxy does.
    CutAbove(usize),
    /// No document can be written: 403, for each item of a `_bulk`.
    ReadOnly,
    /// The same with 429, as long as the disk is full.
    DiskFull,
    /// No shard can be asked or written.
    Red,
    /// Every second document is on a shard that does not answer a search.
    Partial,
    /// To the same path of another origin.
    Redirect(String),
}

impl Fault {
    /// An answer instead of that of the engine.
    pub fn answer(&self, family: Family, request: &Request, call: &Call) -> Option<Vec<u8>> {
        let refused = |status: &str, headers: &str, refusal: &Refusal| {
            let headers = format!("Content-Type: application/json\r\n{headers}");
            Some(answer(status, &headers, refusal.body().to_string().as_bytes()))
        };
        match self {
            Self::Redirect(to) => {
                Some(answer("302 Found", &format!("Location: {to}{}\r\n", request.target), b""))
            }
            Self::Busy(status, wait) => {
                let wait = wait.map(|wait| format!("Retry-After: {wait}\r\n")).unwrap_or_default();
                refused(&format!("{status} Busy"), &wait, &rejected(family, *status))
            }
            Self::TooLarge(limit) if request.length > *limit || call.length > *limit => Some(too_large("")),
            Self::Red if call.is_write() || call.path.ends_with("/_search") => {
                let refusal = Refusal::new(503, "no_shard_available_action_exception", "no shard available");
                refused("503 Service Unavailable", "", &refusal)
            }
            Self::ReadOnly | Self::DiskFull if call.is_write() && !call.path.ends_with("/_bulk") => {
                let refusal = self.block();
                refused(&format!("{} Blocked", refusal.status), "", &refusal)
            }
            _ => None,
        }
    }

    /// Why the item `number` of a `_bulk` is not done.
    pub fn of_item(&self, family: Family, number: usize) -> Option<Refusal> {
        match self {
            Self::ItemsBusy(count) if number < *count => Some(rejected(family, 429)),
            Self::ItemsUnavailable(count) if number < *count => {
                let reason = "[brv][0] primary shard is not active Timeout: [1m]";
                Some(Refusal::new(503, "unavailable_shards_exception", reason))
            }
            Self::DoneTo(count) if number >= *count => Some(rejected(family, 503)),
            Self::ReadOnly | Self::DiskFull => Some(self.block()),
            _ => None,
        }
    }

    /// Engines tell a full disk from an index that somebody closed to writers by the status only.
    fn block(&self) -> Refusal {
        let (status, block) = if *self == Self::DiskFull {
            (
                429,
                "TOO_MANY_REQUESTS/12/disk usage exceeded flood-stage watermark, index has read-only-allow-delete block",
            )
        } else {
            (403, "FORBIDDEN/8/index write (api)")
        };
        Refusal::new(status, "cluster_block_exception", format!("index [brv] blocked by: [{block}];"))
    }
}

/// What a proxy says, with more lines of the head.
pub fn too_large(headers: &str) -> Vec<u8> {
    let headers = format!("Content-Type: text/html\r\n{headers}");
    answer("413 Request Entity Too Large", &headers, b"<h1>413</h1>")
}

fn rejected(family: Family, status: u16) -> Refusal {
    let kind = if family == Family::OpenSearch {
        "rejected_execution_exception"
    } else {
        "es_rejected_execution_exception"
    };
    Refusal::new(status, kind, "rejected execution of coordinating operation")
}

/// What a key is good for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Right {
    Read,
    Write,
}

type Rule = Box<dyn Fn(&Call) -> Option<Fault> + Send>;

/// The orders that the engine has.
#[derive(Default)]
pub struct Rules {
    rule: Option<Rule>,
    keys: Vec<(String, Right)>,
}

impl Rules {
    pub fn fail(&mut self, rule: impl Fn(&Call) -> Option<Fault> + Send + 'static) {
        self.rule = Some(Box::new(rule));
    }

    pub fn demand(&mut self, keys: &[(&str, Right)]) {
        self.keys = keys.iter().map(|(key, right)| ((*key).into(), *right)).collect();
    }

    pub fn fault(&self, call: &Call) -> Option<Fault> {
        self.rule.as_ref().and_then(|rule| rule(call))
    }

    /// Whether the caller may do this.
    ///
    /// # Errors
    /// There is no key, or one that is not good for it.
    pub fn right(&self, call: &Call) -> Result<(), Refusal> {
        if self.keys.is_empty() {
            return Ok(());
        }
        let reason =
            format!("missing or invalid authentication credentials for REST request [{}]", call.path);
        let unknown = || Refusal::new(401, "security_exception", reason.clone());
        let given = call.authorization.as_ref().ok_or_else(unknown)?;
        let (_, right) = self.keys.iter().find(|(key, _)| key == given).ok_or_else(unknown)?;
        if *right == Right::Read && call.is_write() {
            let reason = format!("action [{} {}] is unauthorized for this key", call.method, call.path);
            return Err(Refusal::new(403, "security_exception", reason));
        }
        Ok(())
    }
}
