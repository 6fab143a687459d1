//! Errors as an engine answers them: a status, and a body that names a type and a reason.

use serde_json::{Value, json};

/// Why a request, or an item of one, is refused.
#[derive(Debug, Clone)]
pub struct Refusal {
    pub status: u16,
    pub kind: String,
    pub reason: String,
    /// What stands beside type and reason.
    more: Vec<(&'static str, Value)>,
    /// The body is a sentence instead of an object.
    is_plain: bool,
}

impl Refusal {
    pub fn new(status: u16, kind: &str, reason: impl Into<String>) -> Self {
        Self { status, kind: kind.into(), reason: reason.into(), more: Vec::new(), is_plain: false }
    }

    /// `illegal_argument_exception`
    pub fn argument(reason: impl Into<String>) -> Self {
        Self::new(400, "illegal_argument_exception", reason)
    }

    /// `parsing_exception`
    pub fn parsing(reason: impl Into<String>) -> Self {
        Self::new(400, "parsing_exception", reason)
    }

    /// `action_request_validation_exception`
    pub fn validation(reason: impl Into<String>) -> Self {
        Self::new(
            400,
            "action_request_validation_exception",
            format!("Validation Failed: 1: {};", reason.into()),
        )
    }

    /// What the layer of HTTP refuses.
    pub fn plain(status: u16, reason: impl Into<String>) -> Self {
        Self { is_plain: true, ..Self::new(status, "", reason) }
    }

    /// What engines can do and this one cannot: brv should not ask for it.
    pub fn beyond(what: &str) -> Self {
        Self::new(501, "not_in_this_fake", format!("the fake engine has no {what}"))
    }

    pub fn no_index(index: &str) -> Self {
        let more = vec![
            ("resource.type", json!("index_or_alias")),
            ("resource.id", json!(index)),
            ("index", json!(index)),
        ];
        Self { more, ..Self::new(404, "index_not_found_exception", format!("no such index [{index}]")) }
    }

    /// The same, said by the shards of a search.
    pub fn of_shards(self, index: &str) -> Self {
        if self.status == 501 {
            return self;
        }
        let shard = json!({"shard": 0, "index": index, "reason": self.error()});
        let more = vec![
            ("phase", json!("query")),
            ("failed_shards", json!([shard])),
            ("root_cause", json!([self.error()])),
        ];
        Self { more, ..Self::new(self.status, "search_phase_execution_exception", "all shards failed") }
    }

    /// The error, as it stands in an item.
    pub fn error(&self) -> Value {
        json!({"type": self.kind, "reason": self.reason})
    }

    /// The body of the answer.
    pub fn body(&self) -> Value {
        if self.is_plain {
            return json!({"error": self.reason, "status": self.status});
        }
        let mut error = self.error();
        error["root_cause"] = json!([self.error()]);
        for (key, value) in &self.more {
            error[*key] = value.clone();
        }
        json!({"error": error, "status": self.status})
    }
}
