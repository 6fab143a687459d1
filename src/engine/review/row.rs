//! A change that waits for review, as it is listed.

use super::flag::Flag;
use super::merged;
use crate::outcome::json;
use brv_git as git;
use brv_git::trees::{self, Renames};
use brv_git::{CommitId, Scope};
use brv_text::curate::Why;
use brv_text::doc::{Document, Fact, is_same_subject, normal};
use brv_text::dream::{lost_fields, survival};
use brv_text::lint::secrets;
use bstr::ByteSlice as _;
use schemars::JsonSchema;
use serde::Serialize;

/// A change that an operation marked for review.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "ReviewRow")]
pub struct ReviewRow {
    /// Its id, the same on every clone.
    pub id: String,
    /// The path, relative to the tree; of a merge, the entry that took the others over.
    pub path: String,
    /// All of it in one line.
    pub line: String,
    /// `curate`, `dream/consolidate`, `dream/synthesize` or `dream/prune`; `foreign`: no operation marked it, it is withheld
    /// from agents.
    #[serde(rename = "type")]
    pub kind: String,
    /// What was done: `DELETE`, `MERGE`, `UPDATE` …
    pub action: String,
    /// Why a person should look at it: `deleted`, `merged`, `archived`, `body_removed`, `pinned`, `core`, `fact_removed`,
    /// `confidence`, `unsupported`, `changed`, `model`, `again`; of what is withheld `instructions`, `hidden`.
    pub why: Vec<String>,
    /// Facts that nothing holds any more.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub dropped: Vec<String>,
    /// The reason that was given.
    pub reason: String,
    /// Who did it: the author of the commit of the code, where that is somebody else; else the agent, else the author.
    pub actor: String,
    /// The commit; `null` if none was made.
    pub commit: Option<CommitId>,
    /// When.
    #[serde(serialize_with = "json::time")]
    #[schemars(with = "String")]
    pub time: i64,
    /// The operation that marked it, for pages.
    #[serde(skip)]
    pub operation: Option<String>,
}

impl ReviewRow {
    /// Whether it is to be known and never keeps a push back: what earlier rules wrote was filed anew.
    pub fn is_notice(&self) -> bool {
        self.why == [Why::Again.as_str()]
    }
}

/// A marked change as a row.
pub fn row(scope: &Scope, flag: &Flag) -> Result<ReviewRow, git::Error> {
    let masked = |text: &str| secrets::masked(text).into_owned();
    let told = ReviewDescription::of(flag);
    let path = flag.path.to_string();
    Ok(ReviewRow {
        id: flag.id.clone(),
        line: masked(&told.line(&path)),
        path,
        kind: told.kind,
        action: told.action,
        why: flag.why.iter().map(|word| masked(word)).collect(),
        dropped: dropped(scope, flag)?.iter().map(|text| masked(text)).collect(),
        reason: masked(&told.reason),
        actor: masked(&flag.actor),
        commit: flag.commit,
        time: flag.seconds,
        operation: flag.operation.as_ref().map(ToString::to_string),
    })
}

/// What was done, and why.
struct ReviewDescription {
    kind: String,
    action: String,
    reason: String,
}

impl ReviewDescription {
    fn of(flag: &Flag) -> Self {
        if flag.is_foreign {
            let action = if flag.versions[0].is_some() { "UPDATE" } else { "ADD" };
            let found: Vec<&str> = flag.why.iter().map(|word| steering(word)).collect();
            let reason = format!("{} has {}", flag.path, found.join(" and "));
            return Self { kind: "foreign".to_owned(), action: action.to_owned(), reason };
        }
        let reason = flag.reason();
        dream(&reason).unwrap_or_else(|| {
            let verb = flag.said.verb(flag.path.as_bstr()).map(ToOwned::to_owned);
            let of_change = || match flag.versions {
                _ if merged::is_merge(flag) => "MERGE",
                [None, _] => "ADD",
                [_, None] => "DELETE",
                _ => "UPDATE",
            };
            let action = verb.unwrap_or_else(|| of_change().to_owned());
            Self { kind: "curate".to_owned(), action, reason: reason.clone() }
        })
    }

    fn line(&self, path: &str) -> String {
        match self.kind.as_str() {
            "curate" => format!("[curate] {} {path}: {}", self.action, self.reason),
            kind => format!("[{kind}] {}", self.reason),
        }
    }
}

/// What may steer an agent, in words.
pub fn steering(why: &str) -> &str {
    match why {
        "instructions" => "text that reads like instructions to an agent",
        "hidden" => "hidden characters",
        other => other,
    }
}

/// `[dream/<phase>] <ACTION> <words>`, as a dream gives its reasons.
fn dream(reason: &str) -> Option<ReviewDescription> {
    let (kind, rest) = reason.strip_prefix('[')?.split_once("] ")?;
    let phase = kind.strip_prefix("dream/")?;
    if !["consolidate", "synthesize", "prune"].contains(&phase) {
        return None;
    }
    let (action, words) = rest.split_once(' ').unwrap_or((rest, ""));
    let is_action = action.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_');
    let (action, words) = if is_action { (action, words) } else { ("", rest) };
    Some(ReviewDescription { kind: kind.to_owned(), action: action.to_owned(), reason: words.to_owned() })
}

/// The facts of the entry, and of those that went into it, that it no longer holds. Of an archived entry all are kept; those
/// of an entry that is filed again stand elsewhere.
fn dropped(scope: &Scope, flag: &Flag) -> Result<Vec<String>, git::Error> {
    if flag.says("archived") || flag.says(Why::Again.as_str()) {
        return Ok(Vec::new());
    }
    let mut before: Vec<Vec<u8>> = merged::bytes(scope, flag, 0)?.into_iter().collect();
    if merged::is_merge(flag) {
        let changes = trees::diff(scope, flag.sides[0], flag.sides[1], Renames::Ignore)?;
        for source in merged::sources(scope, flag, &changes)? {
            before.extend(merged::bytes_before(scope, flag, source.as_bstr())?);
        }
    }
    let after = merged::bytes(scope, flag, 1)?.map(Document::parse);
    if let Some(after) = after.as_ref().filter(|_| merged::is_merge(flag) || dream(&flag.reason()).is_some())
    {
        let before: Vec<Document> = before.into_iter().map(Document::parse).collect();
        let before: Vec<&Document> = before.iter().collect();
        let lost = lost_fields(before.get(1..).unwrap_or_default(), after);
        return Ok([survival(&before, after).dropped, lost].concat());
    }
    let after = after.map(|after| after.facts()).unwrap_or_default();
    let was = before.into_iter().flat_map(|bytes| Document::parse(bytes).facts());
    let mut dropped = Vec::new();
    for fact in was.filter(|fact| !after.iter().any(|one| holds(one, fact))) {
        let text = match &fact.subject {
            Some(subject) => format!("{subject}: {}", fact.statement),
            None => fact.statement.clone(),
        };
        if !dropped.contains(&text) {
            dropped.push(text);
        }
    }
    Ok(dropped)
}

/// Whether a fact says the same as another one, or another thing about its subject.
fn holds(one: &Fact, fact: &Fact) -> bool {
    match (&fact.subject, &one.subject) {
        (Some(subject), Some(other)) => is_same_subject(subject, other),
        _ => normal(&fact.statement) == normal(&one.statement),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dream_says_its_phase_and_its_action() {
        let read = |reason: &str| {
            dream(reason).map(|told| (told.kind.clone(), told.action.clone(), told.line("a.md")))
        };
        let told = read("[dream/consolidate] MERGE Merged a.md and b.md: same");
        let line = "[dream/consolidate] Merged a.md and b.md: same".to_owned();
        assert_eq!(told, Some(("dream/consolidate".into(), "MERGE".into(), line)));
        assert_eq!(read("[dream/prune] ARCHIVE old").unwrap().1, "ARCHIVE");
        for other in ["a reason", "[dream/other] MERGE x", "[dream] MERGE x", "dream/prune MERGE"] {
            assert_eq!(read(other), None, "{other}");
        }
    }
}
