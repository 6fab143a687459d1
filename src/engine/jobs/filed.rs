//! What a commit was filed as.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What became of the text of a commit.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Filed {
    /// The weight of its best sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weight: Option<i32>,
    /// What stands in the tree for it, or would.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Option<Vec<FiledItem>>")]
    pub items: Vec<FiledItem>,
    /// Titles of what a reverted commit stated and somebody edited since: it has no mark.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Option<Vec<String>>")]
    pub reverts_edited: Vec<String>,
}

/// A fact or an item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FiledItem {
    /// The entry that it is in.
    pub path: String,
    /// Its subject or title; empty for a fact without one.
    pub title: String,
    /// What it says.
    pub text: String,
    /// `decision`, `rule`, `limit`, `warning`, `rejected`, `trap`, `effect` or `note`
    pub kind: String,
    /// The month of an item, as in `2026-07`; `null` for a fact.
    pub date: Option<String>,
}

impl Filed {
    /// As a job keeps it; what cannot be read is nothing.
    pub fn of(kept: Option<&str>) -> Self {
        kept.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
    }

    /// As a job keeps it; `None` if there is nothing to keep.
    pub fn kept(&self) -> Option<String> {
        (*self != Self::default()).then(|| serde_json::to_string(self).ok()).flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_reads_back_and_anything_else_is_nothing() {
        let item = FiledItem {
            path: "code/net.md".into(),
            title: "Retry twice".into(),
            text: "It fails otherwise.".into(),
            kind: "trap".into(),
            date: Some("2026-07".into()),
        };
        let filed = Filed { weight: Some(5), items: vec![item], reverts_edited: Vec::new() };
        assert_eq!(Filed::of(filed.kept().as_deref()), filed);
        assert_eq!(Filed::default().kept(), None);
        for wrong in [None, Some(""), Some("{\"weight\":\"x\"}")] {
            assert_eq!(Filed::of(wrong), Filed::default());
        }
    }
}
