//! Questions about the technical trees, in two halves: a constant is chosen on one and judged on the other.

use md5::{Digest as _, Md5};
use serde_json::Value;
use std::collections::BTreeMap;

/// A half of the questions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Half {
    /// Constants may be chosen on it.
    Development,
    /// Figures hold on it.
    HeldOut,
}

/// The questions about a tree that are in a half, one JSON object each. The lines of a kind are taken in pairs, and each
/// half gets one of a pair, which by the digest of the first: a line that is added later moves no other.
pub fn questions(tree: &str, half: Half) -> Vec<Value> {
    let lines = match tree {
        "server" => include_str!("server.jsonl"),
        _ => include_str!("tools.jsonl"),
    };
    let mut left: BTreeMap<String, Half> = BTreeMap::new();
    let mut own = |line: &Value| {
        let kind = line["kind"].as_str().unwrap().to_owned();
        if let Some(half) = left.remove(&kind) {
            return half;
        }
        let digest = Md5::digest(line["question"].as_str().unwrap());
        let (own, other) = match digest.last().unwrap() % 2 {
            0 => (Half::Development, Half::HeldOut),
            _ => (Half::HeldOut, Half::Development),
        };
        left.insert(kind, other);
        own
    };
    let mut questions: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    questions.retain(|line| own(line) == half);
    questions
}
