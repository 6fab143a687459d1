//! Where a change comes from: the commits of its range, and what their operations marked for review.

use brv_base::clock::format_utc;
use brv_engine::read::history::provenance::{Provenance, Trailers};
use brv_git as git;
use brv_git::commit::Commit;
use brv_git::{CommitId, Scope, history};
use brv_text::lint::secrets;
use bstr::ByteSlice as _;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// So many commits are named, the newest ones.
const NAMED: usize = 1_000;

/// A commit of the range, and who made it how.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[schemars(rename = "Source")]
pub struct RangeCommit {
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

/// The commits of a range, newest first, and the paths that they mark for review, oldest first.
pub fn of(
    scope: &Scope,
    (tip, known): (CommitId, &[CommitId]),
) -> Result<(Vec<RangeCommit>, Vec<Flagged>), git::Error> {
    let (mut sources, mut flagged) = (Vec::new(), Vec::new());
    for id in history::between(scope, &[tip], known)? {
        let commit = history::read(scope, id)?;
        let source = source(&commit);
        flagged.extend(reviews(&commit, source.operation.as_deref()).into_iter().rev());
        if sources.len() < NAMED {
            sources.push(source);
        }
    }
    flagged.reverse();
    Ok((sources, flagged))
}

fn source(commit: &Commit) -> RangeCommit {
    let message = commit.message.to_str_lossy();
    let masked = |text: String| secrets::masked(&text).into_owned();
    let provenance = Provenance::of(commit, None);
    RangeCommit {
        commit: commit.id.to_string(),
        subject: masked(message.lines().next().unwrap_or_default().to_owned()),
        author: masked(commit.author.name.to_str_lossy().into_owned()),
        date: format_utc(commit.author.seconds),
        actor: provenance.actor.map(masked),
        session: provenance.session.map(masked),
        operation: provenance.operation.map(masked),
        source_commit: provenance.source_commit.map(masked),
        source_author: provenance.source_author.map(masked),
    }
}

/// The `Brv-Review: <path> <why>` trailers. A path ends behind its `.md`, since it may have spaces.
fn reviews(commit: &Commit, operation: Option<&str>) -> Vec<Flagged> {
    let trailers = Trailers::of(&commit.message);
    let split = |text: &str| {
        let end =
            text.find(".md ").map(|at| at + ".md".len()).or_else(|| text.find(' ')).unwrap_or(text.len());
        let reason = trailers.reason(&text[..end]);
        Flagged {
            reason: reason.map(|reason| secrets::masked(&reason).into_owned()),
            operation: operation.unwrap_or_default().to_owned(),
            path: secrets::masked(&text[..end]).into_owned(),
            why: secrets::masked(text[end..].trim()).into_owned(),
        }
    };
    trailers.reviews().map(split).collect()
}
