//! The data of `brv vc blame`: lines or statements, and the commits that they are from.

use super::log::Commit;
use crate::ops::vc::blame::{Answer, Outcome, Stated};
use crate::wire::bytes::Bytes;
use bstr::ByteSlice as _;
use schemars::JsonSchema;
use serde::Serialize;

/// `brv.vc.blame/1`: `lines` or `fact` is there.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Blame {
    /// Where the file is in the tree.
    pub path: Bytes,
    /// The commit that was looked at; absent: the file on disk.
    #[serde(skip_serializing_if = "Option::is_none")]
    revision: Option<String>,
    /// Who wrote each line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines: Option<Vec<Line>>,
    /// Who stated what is said about a subject.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fact: Option<Fact>,
    /// Every commit that is named, newest first.
    pub commits: Vec<Origin>,
}

/// A line.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Line {
    /// Its number, counted from 1.
    pub line: usize,
    /// Without its line feed.
    pub text: Bytes,
    /// Who wrote it; absent: it is not committed yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// What the file was called there.
    pub path: Bytes,
    /// The number it had there.
    source_line: usize,
    /// Whether the history ends there.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub boundary: bool,
}

/// What is stated about a subject.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Fact {
    /// As it was asked for.
    pub subject: String,
    /// What is stated now.
    pub current: Vec<Statement>,
    /// What was stated before, newest first.
    pub earlier: Vec<Statement>,
}

/// Something that is or was stated.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Statement {
    /// What is stated.
    pub statement: String,
    /// The line it begins on; only of what is stated now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// Who stated it; absent: it is not committed yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// What the entry was called there.
    pub path: Bytes,
    /// The statements that it took the place of.
    replaced: Vec<String>,
}

/// A commit, and what it says about where it comes from.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Origin {
    /// What it says.
    #[serde(flatten)]
    pub commit: Commit,
    /// A short form of its id.
    #[serde(skip)]
    pub short: String,
    /// The person or agent that acted for the author.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actor: Option<String>,
    /// Which session of theirs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Why; the subject says it where this is absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The commit of the code's repository that the knowledge is from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_commit: Option<String>,
    /// The operation that made it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operation: Option<String>,
}

impl From<&Outcome> for Blame {
    fn from(outcome: &Outcome) -> Self {
        let (lines, fact) = match &outcome.answer {
            Answer::Lines { .. } => (Some(lines(&outcome.answer)), None),
            Answer::Fact { subject, current, earlier } => {
                let current = current.iter().map(|(line, stated)| statement(stated, Some(*line))).collect();
                let earlier = earlier.iter().map(|stated| statement(stated, None)).collect();
                (None, Some(Fact { subject: subject.clone(), current, earlier }))
            }
        };
        let mut origins: Vec<_> = outcome.commits.values().collect();
        origins.sort_by_key(|origin| (-origin.commit.committer.seconds, origin.commit.id));
        let commits = origins.into_iter().map(|origin| Origin {
            commit: Commit::new(&origin.commit, &[]),
            short: origin.short.clone(),
            actor: origin.provenance.actor.clone(),
            session: origin.provenance.session.clone(),
            reason: origin.provenance.reason.clone(),
            source_commit: origin.provenance.source_commit.clone(),
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
    let of_hunk = |hunk: &'_ crate::ops::vc::blame::Hunk| {
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

fn statement(stated: &Stated, line: Option<usize>) -> Statement {
    Statement {
        statement: stated.statement.clone(),
        line,
        commit: stated.commit.map(|id| id.to_string()),
        path: Bytes::from(&stated.path),
        replaced: stated.replaced.clone(),
    }
}
