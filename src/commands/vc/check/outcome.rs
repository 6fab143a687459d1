//! What `brv vc check` answers: the change in numbers, what is wrong with it, and what it does around it.

use super::{Consequences, Endpoint, Finding, Flagged, RangeCommit};
use brv_engine::outcome::bytes::text;
use brv_engine::read::archive::Malformed;
use brv_engine::read::history::changes::FileChange;
use brv_engine::read::history::knowledge::ChangeReport;
use brv_engine::vc::check::CheckFinding;
use brv_engine::write::written::{Rewritten, WrittenEffects, rewritten};
use brv_text::diff::knowledge::{ByLine, Content, DisputeState, Entry, What};
use brv_text::diff::{FileDiff, Hunk};
use brv_text::lint::{Rule, Severity};
use schemars::JsonSchema;
use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer, Serialize};

/// `brv.vc.check/1`; paths are relative to the tree.
#[derive(Debug, JsonSchema, Serialize, Deserialize)]
#[schemars(rename = "Check")]
pub struct Outcome {
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
    /// The changed lines of the files that are compared only by line.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<ChangedLines>,
    /// Paths that an operation of the range marked for review.
    pub flagged: Vec<Flagged>,
    /// What the change does to the entries around it.
    pub consequences: Consequences,
    /// Where the change comes from: the commits of the range, newest first.
    pub commits: Vec<RangeCommit>,
    /// The tree's folder in its repository, where other programs look for the files: empty, or ends with a slash.
    pub prefix: String,
    /// What was fixed, with `--fix`, or the baseline that was written.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "nothing")]
    pub fixed: Option<Fixed>,
    /// The exact changes.
    #[serde(skip)]
    pub told: ChangeReport,
    /// Whether a finding is at or above the severity that fails the check.
    #[serde(skip)]
    pub fails: bool,
    /// What is wrong with the base's policy and baseline; printed as warnings.
    #[serde(skip)]
    pub warnings: Vec<String>,
    /// Items of the field `archived` that are not records; printed as warnings.
    #[serde(skip)]
    pub malformed: Vec<Malformed>,
    /// Whether it is a plain clone, in which only a check works.
    #[serde(skip)]
    pub is_plain_clone: bool,
}

/// A file that is compared only by line.
#[derive(Debug, JsonSchema, Serialize, Deserialize)]
pub struct ChangedLines {
    /// Its path.
    pub(super) path: String,
    /// Present, and true, if its lines are not shown because it has NUL bytes.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) binary: bool,
    pub(super) hunks: Vec<Hunk>,
}

/// What a check wrote.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Fixed {
    /// The files, by path.
    pub files: Vec<FixedFile>,
    /// The changes of the files by meaning, as in `brv vc diff`.
    pub entries: Vec<Entry>,
    /// The operation and the derived files.
    #[serde(flatten, serialize_with = "rewritten")]
    #[schemars(with = "Rewritten")]
    pub written: WrittenEffects,
    /// The exact changes, without the value of any secret.
    #[serde(skip)]
    pub told: ChangeReport,
}

/// A file that a check wrote.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
pub struct FixedFile {
    /// Its path.
    pub path: String,
    /// The rules that were fixed there; empty for the baseline.
    pub rules: Vec<&'static str>,
}

/// The change in numbers.
#[derive(Debug, Clone, Default, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
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
    pub tokens: TokenChange,
}

/// Entries, by what happened to them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
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
    /// Archived entries.
    pub archived: usize,
}

/// Facts, by what happened to them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
pub struct FactCounts {
    /// New facts.
    pub added: usize,
    /// Facts with another statement.
    pub changed: usize,
    /// Facts that are gone.
    pub removed: usize,
}

/// Estimated tokens of the changed entries.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[schemars(rename = "Tokens")]
pub struct TokenChange {
    /// Before the change.
    pub before: u64,
    /// After it.
    pub after: u64,
}

impl Outcome {
    /// A check of these two states, in which nothing changed.
    pub fn new(before: Endpoint, after: Endpoint) -> Self {
        Self {
            before,
            after,
            verdict: Verdict::default(),
            findings: Vec::new(),
            baselined: 0,
            cut: 0,
            entries: Vec::new(),
            files: Vec::new(),
            flagged: Vec::new(),
            consequences: Consequences::default(),
            commits: Vec::new(),
            prefix: String::new(),
            fixed: None,
            told: ChangeReport::default(),
            fails: false,
            warnings: Vec::new(),
            malformed: Vec::new(),
            is_plain_clone: false,
        }
    }
}

/// What was fixed is not read back: it was done elsewhere.
fn nothing<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Fixed>, D::Error> {
    IgnoredAny::deserialize(deserializer).map(|_| None)
}

impl ChangedLines {
    /// `None` for a file without changed lines.
    pub fn of(file: &FileChange) -> Option<Self> {
        let (binary, hunks) = match file.diff.as_ref().filter(|diff| !diff.is_empty())? {
            FileDiff::Text(hunks) => (false, hunks.clone()),
            FileDiff::Binary(_) => (true, Vec::new()),
        };
        Some(Self { path: text(&file.path), binary, hunks })
    }
}

impl Verdict {
    /// The numbers of a change with these entries, in which this was found.
    pub(super) fn of(entries: &[Entry], found: &[CheckFinding]) -> Self {
        let mut verdict = Self::default();
        entries.iter().for_each(|entry| verdict.add(entry));
        for found in found {
            verdict.secrets += usize::from(found.finding.rule == Rule::Secret);
            match found.severity {
                Severity::Error => verdict.errors += 1,
                Severity::Warning => verdict.warnings += 1,
            }
        }
        verdict
    }

    pub(super) fn add(&mut self, entry: &Entry) {
        if entry.content == Content::Lines(ByLine::NotADocument) {
            return;
        }
        let count = match entry.what {
            What::Added => &mut self.entries.added,
            What::Modified => &mut self.entries.modified,
            What::Renamed => &mut self.entries.renamed,
            What::Merged => &mut self.entries.merged,
            What::Deleted => &mut self.entries.deleted,
            What::Archived => &mut self.entries.archived,
        };
        *count += 1;
        let Content::Knowledge(knowledge) = &entry.content else { return };
        let facts = knowledge.counts().facts;
        self.facts.added += facts.added;
        self.facts.removed += facts.removed;
        self.facts.changed += facts.changed;
        self.tokens.before += knowledge.tokens.before;
        self.tokens.after += knowledge.tokens.after;
        let is_left = |state| !matches!(state, DisputeState::Settled);
        self.disputed += knowledge.disputes.iter().filter(|dispute| is_left(dispute.state)).count();
    }
}
