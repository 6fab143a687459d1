//! Where a change comes from: the commits of its range, and what their operations marked for review.

use brv_engine::read::history::provenance::{Provenance, Trailers};
use brv_git as git;
use brv_git::commit::Commit;
use brv_git::{CommitId, Scope, history};
use brv_text::lint::secrets;
use bstr::ByteSlice as _;

/// So many commits are named, the newest ones.
const NAMED: usize = 1_000;

#[derive(Debug)]
pub struct Source {
    pub commit: CommitId,
    /// The first line of its message, without the value of a secret.
    pub subject: String,
    pub author: String,
    /// When it was written, in seconds since 1970.
    pub seconds: i64,
    pub provenance: Provenance,
}

/// A path that an operation marked for review.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flagged {
    /// The operation, if its commit names one.
    pub operation: Option<String>,
    /// The path, as the trailer says it.
    pub path: String,
    pub why: String,
    /// The reason for the change, if the commit says one.
    pub reason: Option<String>,
}

/// The commits of a range, newest first, and the paths that they mark for review, oldest first.
pub fn of(
    scope: &Scope,
    (tip, known): (CommitId, &[CommitId]),
) -> Result<(Vec<Source>, Vec<Flagged>), git::Error> {
    let (mut sources, mut flagged) = (Vec::new(), Vec::new());
    for id in history::between(scope, &[tip], known)? {
        let commit = history::read(scope, id)?;
        let source = source(&commit);
        flagged.extend(reviews(&commit, source.provenance.operation.as_ref()).into_iter().rev());
        if sources.len() < NAMED {
            sources.push(source);
        }
    }
    flagged.reverse();
    Ok((sources, flagged))
}

fn source(commit: &Commit) -> Source {
    let message = commit.message.to_str_lossy();
    let masked = |text: String| secrets::masked(&text).into_owned();
    let mut provenance = Provenance::of(commit, None);
    let Provenance { actor, session, source_commit, source_author, operation, reason, source_patch: _ } =
        &mut provenance;
    for said in [actor, session, source_commit, source_author, operation, reason] {
        *said = said.take().map(masked);
    }
    Source {
        commit: commit.id,
        subject: masked(message.lines().next().unwrap_or_default().to_owned()),
        author: masked(commit.author.name.to_str_lossy().into_owned()),
        seconds: commit.author.seconds,
        provenance,
    }
}

/// The `Brv-Review: <path> <why>` trailers. A path ends behind its `.md`, since it may have spaces.
fn reviews(commit: &Commit, operation: Option<&String>) -> Vec<Flagged> {
    let trailers = Trailers::of(&commit.message);
    let split = |text: &str| {
        let end =
            text.find(".md ").map(|at| at + ".md".len()).or_else(|| text.find(' ')).unwrap_or(text.len());
        let reason = trailers.reason(&text[..end]);
        Flagged {
            reason: reason.map(|reason| secrets::masked(&reason).into_owned()),
            operation: operation.cloned(),
            path: secrets::masked(&text[..end]).into_owned(),
            why: secrets::masked(text[end..].trim()).into_owned(),
        }
    };
    trailers.reviews().map(split).collect()
}
