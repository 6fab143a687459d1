//! What `brv vc blame` answers: lines or statements, and the commits they come from.

use super::{BlameAnswer, BlameOrigin, BlamedClaim, StatementSource};
use brv_base::sorting;
use brv_engine::outcome::bytes::Bytes;
use brv_engine::read::history::decorations::ShownCommit;
use brv_git::CommitId;
use brv_git::blame::Hunk;
use bstr::{BString, ByteSlice as _};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::HashMap;

/// `brv.vc.blame/1`: either `lines` or `fact` is present.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "Blame")]
pub struct Outcome {
    /// The path of the file in the tree.
    pub path: Bytes,
    /// The commit that was read; absent for the file on disk.
    #[serde(skip_serializing_if = "Option::is_none")]
    revision: Option<CommitId>,
    /// The lines, and who wrote them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines: Option<Vec<BlamedLine>>,
    /// The statements about a subject, and who made them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fact: Option<BlamedFact>,
    /// All commits that the lines or statements refer to, newest first.
    pub commits: Vec<BlamedCommit>,
    /// The time, in seconds since 1970: that of what is not committed yet.
    #[serde(skip)]
    pub now: i64,
}

/// A line.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "Line")]
pub struct BlamedLine {
    /// Its number, from 1.
    pub line: usize,
    /// Its text, without the line feed.
    pub text: Bytes,
    /// The commit that wrote it; absent if it is not committed yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// The path of the file in that commit.
    pub path: Bytes,
    /// Its line number in that commit.
    source_line: usize,
    /// Whether the history ends at that commit.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub boundary: bool,
}

/// The statements about a subject.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "Fact")]
pub struct BlamedFact {
    /// The subject as requested.
    pub subject: String,
    /// Current statements.
    pub current: Vec<BlamedStatement>,
    /// Earlier statements, newest first.
    pub earlier: Vec<BlamedStatement>,
}

/// A statement.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "Statement")]
pub struct BlamedStatement {
    /// Its text.
    pub statement: String,
    /// Its first line; only for current statements.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// The commit that stated it; absent if it is not committed yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// The path of the entry in that commit.
    pub path: Bytes,
    /// The statements that it replaced.
    replaced: Vec<String>,
    /// The commit of the project's repository that stands today for the one that it was learned from; null if that is
    /// unknown, or if none was recorded.
    pub source_commit: Option<String>,
    /// The commit that was recorded; absent if none was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<BlamedSource>,
}

/// The commit of the project's repository that was recorded as a source.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "Source")]
pub struct BlamedSource {
    /// The commit as it was recorded.
    pub recorded: String,
    /// How the commit that stands for it today was found: same (it is the recorded one), map (git said what it was
    /// rewritten into, here or in another clone), patch (the only one that changes the same), squash (the only one that
    /// changes what its branch changed), subject (the only one that is called the same and touches a file that the entry
    /// is about), unknown.
    pub by: &'static str,
}

/// A commit, and where its change comes from.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "Origin")]
pub struct BlamedCommit {
    /// The commit.
    #[serde(flatten)]
    pub commit: ShownCommit,
    /// Its short id.
    #[serde(skip)]
    pub short: String,
    /// The person or agent that acted for the author.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actor: Option<String>,
    /// The session of the actor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Who wrote the commit of the project's repository; absent if it is the author of this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_author: Option<String>,
    /// Why it was made; absent if the subject says it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The commit of the project's repository that stands today for the one that its trailer names; absent if that is
    /// unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_commit: Option<String>,
    /// The commit that its trailer names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<BlamedSource>,
    /// The operation that made it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operation: Option<String>,
}

impl Outcome {
    pub(super) fn new(
        path: &BString,
        revision: Option<CommitId>,
        answer: BlameAnswer,
        origins: HashMap<CommitId, BlameOrigin>,
        now: i64,
    ) -> Self {
        let (lines, fact) = match answer {
            BlameAnswer::Lines { lines, hunks } => (Some(blamed(&lines, &hunks)), None),
            BlameAnswer::Fact { subject, current, earlier } => {
                let [current, earlier] =
                    [current, earlier].map(|claims| claims.into_iter().map(BlamedStatement::from).collect());
                (None, Some(BlamedFact { subject, current, earlier }))
            }
        };
        let mut origins: Vec<BlameOrigin> = origins.into_values().collect();
        sorting::sort_by_key(&mut origins, |origin| (-origin.commit.committer.seconds, origin.commit.id));
        let commits = origins.into_iter().map(BlamedCommit::from).collect();
        Self { path: Bytes::from(path), revision, lines, fact, commits, now }
    }
}

impl From<BlameOrigin> for BlamedCommit {
    fn from(BlameOrigin { commit, short, provenance, source }: BlameOrigin) -> Self {
        Self {
            commit: ShownCommit::new(&commit, Vec::new()),
            short,
            actor: provenance.actor,
            session: provenance.session,
            source_author: provenance.source_author,
            reason: provenance.reason,
            source_commit: match &source {
                Some(source) => standing(source),
                None => provenance.source_commit,
            },
            source: source.map(BlamedSource::from),
            operation: provenance.operation,
        }
    }
}

fn blamed(lines: &[BString], hunks: &[Hunk]) -> Vec<BlamedLine> {
    let of_hunk = |hunk: &Hunk| {
        hunk.lines
            .clone()
            .map(|line| BlamedLine {
                line: line + 1,
                text: lines[line].trim_end_with(|sign| sign == '\n').as_bstr().into(),
                commit: hunk.commit.map(|id| id.to_string()),
                path: Bytes::from(&hunk.path),
                source_line: hunk.source_start + line - hunk.lines.start + 1,
                boundary: hunk.is_boundary,
            })
            .collect::<Vec<_>>()
    };
    hunks.iter().flat_map(of_hunk).collect()
}

impl From<StatementSource> for BlamedSource {
    fn from(source: StatementSource) -> Self {
        Self { recorded: source.recorded, by: source.standing.by.word() }
    }
}

/// The commit that stands for a source today.
fn standing(source: &StatementSource) -> Option<String> {
    source.standing.commit.map(|commit| commit.to_string())
}

impl From<BlamedClaim> for BlamedStatement {
    fn from(BlamedClaim { line, stated, source }: BlamedClaim) -> Self {
        Self {
            line,
            commit: stated.commit.map(|id| id.to_string()),
            path: Bytes::from(&stated.path),
            statement: stated.statement,
            replaced: stated.replaced,
            source_commit: source.as_ref().and_then(standing),
            source: source.map(BlamedSource::from),
        }
    }
}
