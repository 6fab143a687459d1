//! JSON of `brv vc blame`: lines or statements, and the commits they come from.

use super::log::Commit;
use brv_base::sorting;
use brv_commands::vc::blame::{self, Answer, Claim, Outcome};
use brv_engine::outcome::bytes::Bytes;
use bstr::ByteSlice as _;
use schemars::JsonSchema;
use serde::Serialize;

/// `brv.vc.blame/1`: either `lines` or `fact` is present.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Blame {
    /// The path of the file in the tree.
    pub path: Bytes,
    /// The commit that was read; absent for the file on disk.
    #[serde(skip_serializing_if = "Option::is_none")]
    revision: Option<String>,
    /// The lines, and who wrote them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines: Option<Vec<Line>>,
    /// The statements about a subject, and who made them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fact: Option<Fact>,
    /// All commits that the lines or statements refer to, newest first.
    pub commits: Vec<Origin>,
}

/// A line.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Line {
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
pub struct Fact {
    /// The subject as requested.
    pub subject: String,
    /// Current statements.
    pub current: Vec<Statement>,
    /// Earlier statements, newest first.
    pub earlier: Vec<Statement>,
}

/// A statement.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Statement {
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
    pub source: Option<Source>,
}

/// The commit of the project's repository that was recorded as a source.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Source {
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
pub struct Origin {
    /// The commit.
    #[serde(flatten)]
    pub commit: Commit,
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
    pub source: Option<Source>,
    /// The operation that made it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operation: Option<String>,
}

impl From<&Outcome> for Blame {
    fn from(outcome: &Outcome) -> Self {
        let (lines, fact) = match &outcome.answer {
            Answer::Lines { .. } => (Some(lines(&outcome.answer)), None),
            Answer::Fact { subject, current, earlier } => {
                let current = current.iter().map(statement).collect();
                let earlier = earlier.iter().map(statement).collect();
                (None, Some(Fact { subject: subject.clone(), current, earlier }))
            }
        };
        let mut origins: Vec<_> = outcome.commits.values().collect();
        sorting::sort_by_key(&mut origins, |origin| (-origin.commit.committer.seconds, origin.commit.id));
        let commits = origins.into_iter().map(|origin| Origin {
            commit: Commit::new(&origin.commit, &[]),
            short: origin.short.clone(),
            actor: origin.provenance.actor.clone(),
            session: origin.provenance.session.clone(),
            source_author: origin.provenance.source_author.clone(),
            reason: origin.provenance.reason.clone(),
            source_commit: match &origin.source {
                Some(source) => standing(source),
                None => origin.provenance.source_commit.clone(),
            },
            source: origin.source.as_ref().map(Source::from),
            operation: origin.provenance.operation.clone(),
        });
        Self {
            path: Bytes::from(&outcome.path),
            revision: outcome.revision.map(|id| id.to_string()),
            lines,
            fact,
            commits: commits.collect(),
        }
    }
}

fn lines(answer: &Answer) -> Vec<Line> {
    let Answer::Lines { lines, hunks } = answer else { return Vec::new() };
    let of_hunk = |hunk: &'_ brv_commands::vc::blame::Hunk| {
        hunk.lines
            .clone()
            .map(|line| Line {
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

impl From<&blame::Source> for Source {
    fn from(source: &blame::Source) -> Self {
        Self { recorded: source.recorded.clone(), by: source.standing.by.word() }
    }
}

/// The commit that stands for a source today.
fn standing(source: &blame::Source) -> Option<String> {
    source.standing.commit.map(|commit| commit.to_string())
}

fn statement(Claim { line, stated, source }: &Claim) -> Statement {
    Statement {
        statement: stated.statement.clone(),
        line: *line,
        commit: stated.commit.map(|id| id.to_string()),
        path: Bytes::from(&stated.path),
        replaced: stated.replaced.clone(),
        source_commit: source.as_ref().and_then(standing),
        source: source.as_ref().map(Source::from),
    }
}
