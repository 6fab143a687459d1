//! JSON of `brv vc check`: what a change does to the knowledge, and what is wrong with it.

mod read;

use crate::wire::finding::Finding;
use brv_base::clock::format_utc;
use brv_base::sorting;
use brv_commands::vc::check;
use brv_commands::vc::diff::FileChange;
use brv_engine::outcome::bytes::text;
use brv_engine::read::archive::Malformed;
use brv_engine::read::history::knowledge::Told;
use brv_engine::read::history::states::Endpoint;
use brv_engine::vc::check::Found;
use brv_engine::vc::check::links::Consequences as Links;
use brv_engine::write::written::{Rewritten, Written, rewritten};
use brv_text::diff::knowledge::{ByLine, Content, DisputeState, Entry, What};
use brv_text::diff::{FileDiff, Hunk};
use brv_text::lint::{Rule, secrets};
use bstr::BString;
use schemars::JsonSchema;
use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::BTreeSet;

pub use read::MAX_BYTES;

/// `brv.vc.check/1`; paths are relative to the tree.
#[derive(Debug, JsonSchema, Serialize, Deserialize)]
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
    /// The changed lines of the files that are compared only by line.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<ChangedLines>,
    /// Paths that an operation of the range marked for review.
    pub flagged: Vec<Flagged>,
    /// What the change does to the entries around it.
    pub consequences: Consequences,
    /// Where the change comes from: the commits of the range, newest first.
    pub commits: Vec<Source>,
    /// The tree's folder in its repository, where other programs look for the files: empty, or ends with a slash.
    pub prefix: String,
    /// What was fixed, with `--fix`, or the baseline that was written.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "nothing")]
    pub fixed: Option<Fixed>,
    /// The exact changes.
    #[serde(skip)]
    pub told: Told,
    /// Whether a finding is at or above the severity that fails the check.
    #[serde(skip)]
    pub fails: bool,
    /// What is wrong with the base's policy and baseline; printed as warnings.
    #[serde(skip)]
    pub warnings: Vec<String>,
    /// Items of the field `archived` that are no records; printed as warnings.
    #[serde(skip)]
    pub malformed: Vec<Malformed>,
}

/// A file that is compared only by line.
#[derive(Debug, JsonSchema, Serialize, Deserialize)]
pub struct ChangedLines {
    /// Its path.
    path: String,
    /// Present, and true, if its lines are not shown because it has NUL bytes.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    binary: bool,
    hunks: Vec<Hunk>,
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
    pub written: Written,
    /// The exact changes.
    #[serde(skip)]
    pub told: Told,
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
    pub tokens: Tokens,
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
pub struct Tokens {
    /// Before the change.
    pub before: u64,
    /// After it.
    pub after: u64,
}

/// A path that an operation marked for review.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
pub struct Flagged {
    /// The name of the operation; empty if its commit does not say it.
    pub operation: String,
    /// The path.
    pub path: String,
    /// Why it needs a review.
    pub why: String,
    /// The reason for the change, if its commit says one.
    pub reason: Option<String>,
}

/// What a change does to the entries around it.
#[derive(Debug, Clone, Default, JsonSchema, Serialize, Deserialize)]
pub struct Consequences {
    /// Links that the change breaks.
    pub broken: Vec<BrokenLink>,
    /// Links that were broken and lead to an entry now.
    pub mended: Vec<BrokenLink>,
    /// Changed entries that unchanged entries link to.
    pub cited: Vec<Cited>,
}

/// A link from one entry to another.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
pub struct BrokenLink {
    /// The entry with the link.
    pub path: String,
    /// The target, as a path of the tree.
    pub target: String,
}

/// A changed entry that other entries link to.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
pub struct Cited {
    /// The changed entry.
    pub path: String,
    /// The entries that link to it and did not change.
    pub by: Vec<String>,
}

/// A commit of the range, and who made it how.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
pub struct Source {
    /// The commit's id.
    pub commit: String,
    /// The first line of its message; secrets are shown as `****`.
    pub subject: String,
    /// The author's name.
    pub author: String,
    /// When, in UTC (RFC 3339).
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
    /// Who wrote that commit; absent if it is the author of this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_author: Option<String>,
}

/// So many findings are listed, the worst ones.
const LISTED: usize = 10_000;

impl Check {
    /// The data; `fixed`: what was written.
    pub fn new(outcome: check::Outcome, fixed: Option<check::Fixed>) -> Self {
        let (verdict, fails) = (Verdict::of(&outcome), outcome.fails());
        let mut warnings = outcome.warnings;
        if outcome.unmerged > 0 {
            let files = if outcome.unmerged == 1 { "file is" } else { "files are" };
            warnings.push(format!("a merge is in progress: {} {files} in conflict", outcome.unmerged));
        }
        let findings: Vec<Finding> = worst(&outcome.findings).into_iter().map(Finding::from).collect();
        Self {
            before: Endpoint::new(outcome.before, outcome.names.before),
            after: Endpoint::new(outcome.after, outcome.names.after),
            verdict,
            cut: outcome.findings.len() - findings.len(),
            findings,
            baselined: outcome.left.len(),
            entries: outcome.told.entries.clone(),
            files: outcome.told.files.iter().filter_map(ChangedLines::of).collect(),
            flagged: outcome.flagged.into_iter().map(Flagged::from).collect(),
            consequences: Consequences::from(outcome.consequences),
            commits: outcome.sources.into_iter().map(Source::from).collect(),
            fixed: fixed.map(Fixed::from),
            told: outcome.told,
            fails,
            warnings,
            malformed: outcome.malformed.clone(),
            prefix: outcome.prefix,
        }
    }
}

/// The findings to list, in their order: all, or secrets first, then other errors.
fn worst(findings: &[Found]) -> Vec<&Found> {
    let mut order: Vec<usize> = (0..findings.len()).collect();
    let weight = |at: &usize| (findings[*at].finding.rule == Rule::Secret, findings[*at].severity);
    sorting::sort_by_key(&mut order, |at| std::cmp::Reverse(weight(at)));
    order.truncate(LISTED);
    order.sort_unstable();
    order.into_iter().map(|at| &findings[at]).collect()
}

/// What was fixed is not read back: it was done elsewhere.
fn nothing<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Fixed>, D::Error> {
    IgnoredAny::deserialize(deserializer).map(|_| None)
}

impl ChangedLines {
    fn of(file: &FileChange) -> Option<Self> {
        let (binary, hunks) = match file.diff.as_ref().filter(|diff| !diff.is_empty())? {
            FileDiff::Text(hunks) => (false, hunks.clone()),
            FileDiff::Binary(_) => (true, Vec::new()),
        };
        Some(Self { path: text(&file.path), binary, hunks })
    }
}

impl Verdict {
    fn of(outcome: &check::Outcome) -> Self {
        let mut verdict = Self::default();
        outcome.told.entries.iter().for_each(|entry| verdict.add(entry));
        for found in &outcome.findings {
            verdict.secrets += usize::from(found.finding.rule == Rule::Secret);
            match found.severity {
                brv_text::lint::Severity::Error => verdict.errors += 1,
                brv_text::lint::Severity::Warning => verdict.warnings += 1,
            }
        }
        verdict
    }

    fn add(&mut self, entry: &Entry) {
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

impl From<check::Flagged> for Flagged {
    fn from(flagged: check::Flagged) -> Self {
        let check::Flagged { operation, path, why, reason } = flagged;
        Self { operation: operation.unwrap_or_default(), path, why, reason }
    }
}

impl From<Links> for Consequences {
    fn from(links: Links) -> Self {
        let shown = |path: String| secrets::masked(&path).into_owned();
        let link = |(path, target)| BrokenLink { path: shown(path), target: shown(target) };
        Self {
            broken: links.broken.into_iter().map(link).collect(),
            mended: links.mended.into_iter().map(link).collect(),
            cited: links
                .cited
                .into_iter()
                .map(|(path, by)| Cited { path: shown(path), by: by.into_iter().map(shown).collect() })
                .collect(),
        }
    }
}

impl From<check::Source> for Source {
    fn from(source: check::Source) -> Self {
        let provenance = source.provenance;
        Self {
            commit: source.commit.to_string(),
            subject: source.subject,
            author: source.author,
            date: format_utc(source.seconds),
            actor: provenance.actor,
            session: provenance.session,
            operation: provenance.operation,
            source_commit: provenance.source_commit,
            source_author: provenance.source_author,
        }
    }
}

impl From<check::Fixed> for Fixed {
    fn from(fixed: check::Fixed) -> Self {
        let file = |(path, rules): (BString, BTreeSet<Rule>)| FixedFile {
            path: text(&path),
            rules: rules.into_iter().map(Rule::id).collect(),
        };
        Self {
            entries: fixed.told.entries.clone(),
            files: fixed.files.into_iter().map(file).collect(),
            written: Written::from(&fixed.written),
            told: fixed.told,
        }
    }
}
