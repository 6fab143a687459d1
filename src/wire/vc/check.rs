//! JSON of `brv vc check`: what a change does to the knowledge, and what is wrong with it.

use crate::ops::steps::telling::knowledge::Told;
use crate::wire::finding::Finding;
use crate::wire::knowledge::Entry;
use crate::wire::vc::diff::Endpoint;
use schemars::JsonSchema;
use serde::Serialize;

/// `brv.vc.check/1`; paths are relative to the tree.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Check {
    /// The state before.
    pub before: Endpoint,
    /// The state that is checked.
    pub after: Endpoint,
    /// The change in numbers.
    pub verdict: Verdict,
    /// What is wrong or suspicious, by path and place; without what the baseline has.
    pub findings: Vec<Finding>,
    /// How many findings the baseline has.
    pub baselined: usize,
    /// How many findings are not listed because there are too many; the verdict counts them.
    pub cut: usize,
    /// The changes by meaning, as in `brv vc diff`; secrets are shown as `****`.
    pub entries: Vec<Entry>,
    /// Paths that an operation of the range marked for review.
    pub flagged: Vec<Flagged>,
    /// What the change does to the entries around it.
    pub consequences: Consequences,
    /// Where the change comes from: the commits of the range, newest first.
    pub commits: Vec<Source>,
    /// The exact changes.
    #[serde(skip)]
    pub told: Told,
}

/// The change in numbers.
#[derive(Debug, Clone, Default, JsonSchema, Serialize)]
pub struct Verdict {
    /// Entries, by what happened to them.
    pub entries: EntryCounts,
    /// Facts, by what happened to them.
    pub facts: FactCounts,
    /// Subjects that the change leaves disputed.
    pub disputed: usize,
    /// Secrets in the range, also in files that a later commit corrected.
    pub secrets: usize,
    /// Findings that are errors.
    pub errors: usize,
    /// Findings that are warnings.
    pub warnings: usize,
    /// Estimated tokens of the changed entries.
    pub tokens: Tokens,
}

/// Entries, by what happened to them.
#[derive(Debug, Clone, Copy, Default, JsonSchema, Serialize)]
pub struct EntryCounts {
    /// New entries.
    pub added: usize,
    /// Entries whose content changed.
    pub modified: usize,
    /// Entries with another path.
    pub renamed: usize,
    /// Deleted entries most of whose text another one has now.
    pub merged: usize,
    /// Deleted entries.
    pub deleted: usize,
}

/// Facts, by what happened to them.
#[derive(Debug, Clone, Copy, Default, JsonSchema, Serialize)]
pub struct FactCounts {
    /// New facts.
    pub added: usize,
    /// Facts with another statement.
    pub changed: usize,
    /// Facts that are gone.
    pub removed: usize,
}

/// Estimated tokens of the changed entries.
#[derive(Debug, Clone, Copy, Default, JsonSchema, Serialize)]
pub struct Tokens {
    /// Before the change.
    pub before: u64,
    /// After it.
    pub after: u64,
}

/// A path that an operation marked for review.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
pub struct Flagged {
    /// The name of the operation; empty if its commit does not say it.
    pub operation: String,
    /// The path.
    pub path: String,
    /// Why it needs a review.
    pub why: String,
}

/// What a change does to the entries around it.
#[derive(Debug, Clone, Default, JsonSchema, Serialize)]
pub struct Consequences {
    /// Links that the change breaks.
    pub broken: Vec<BrokenLink>,
    /// Links that were broken and lead to an entry now.
    pub mended: Vec<BrokenLink>,
    /// Changed entries that unchanged entries link to.
    pub cited: Vec<Cited>,
}

/// A link from one entry to another.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
pub struct BrokenLink {
    /// The entry with the link.
    pub path: String,
    /// The target, as a path of the tree.
    pub target: String,
}

/// A changed entry that other entries link to.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
pub struct Cited {
    /// The changed entry.
    pub path: String,
    /// The entries that link to it and did not change.
    pub by: Vec<String>,
}

/// A commit of the range, and who made it how.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
pub struct Source {
    /// The commit's id.
    pub commit: String,
    /// The first line of its message; secrets are shown as `****`.
    pub subject: String,
    /// The author's name.
    pub author: String,
    /// When, as RFC 3339 with the author's offset.
    pub date: String,
    /// The agent that acted, if the commit names one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actor: Option<String>,
    /// The agent's session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// brv's operation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operation: Option<String>,
    /// The commit of the code that the knowledge comes from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_commit: Option<String>,
}
