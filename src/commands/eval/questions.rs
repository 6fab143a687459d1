//! The questions of a file: a JSON object on each line.

use brv_engine::Stop;
use brv_engine::query::search;
use bstr::ByteSlice as _;
use serde::Deserialize;

pub const MAX_INPUT_BYTES: usize = 10 << 20;

/// Whether the tree answers a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum QuestionKind {
    Covered,
    /// About the tree's subject, but not answered in it.
    Near,
    /// About another subject.
    Far,
    /// Not answered; whether it is near or far is not said.
    Uncovered,
}

#[derive(Debug, PartialEq)]
pub(super) struct EvalQuestion {
    pub text: String,
    pub kind: QuestionKind,
    /// The paths of the entries that answer it, with their endings.
    pub expected: Vec<String>,
    /// The words that a direct answer has.
    pub phrase: Option<String>,
}

/// A line; what else it has is left to others.
#[derive(Debug, Deserialize)]
struct QuestionLine {
    question: String,
    expected: Vec<String>,
    kind: Option<String>,
    phrase: Option<String>,
}

/// Read the questions.
pub(super) fn read(bytes: &[u8]) -> Result<Vec<EvalQuestion>, Stop> {
    if bytes.len() > MAX_INPUT_BYTES {
        return Err(Stop::usage(format!("more than {} MB of questions", MAX_INPUT_BYTES >> 20)));
    }
    let mut questions = Vec::new();
    for (at, line) in bytes.lines().enumerate() {
        if line.trim_ascii().is_empty() {
            continue;
        }
        let invalid = |reason| Stop::usage(format!("line {} is not a question: {reason}", at + 1));
        questions.push(question(line).map_err(invalid)?);
    }
    if questions.is_empty() { Err(Stop::usage("there are no questions")) } else { Ok(questions) }
}

/// The question of a line, or why it has none.
fn question(line: &[u8]) -> Result<EvalQuestion, String> {
    let line: QuestionLine = serde_json::from_slice(line).map_err(|error| error.to_string())?;
    search::checked(&line.question).map_err(|stop| stop.message)?;
    let kind = match (line.kind.as_deref(), line.expected.is_empty()) {
        (None | Some("covered"), false) => QuestionKind::Covered,
        (None, true) => QuestionKind::Uncovered,
        (Some("near"), true) => QuestionKind::Near,
        (Some("far"), true) => QuestionKind::Far,
        (Some("covered"), true) => return Err("it is `covered`, and no entry is expected".into()),
        (Some(kind @ ("near" | "far")), false) => {
            return Err(format!("it is `{kind}`, so that no entry can be expected"));
        }
        (Some(kind), _) => return Err(format!("its kind is `{kind}`, not `covered`, `near` or `far`")),
    };
    if line.phrase.as_ref().is_some_and(|phrase| phrase.trim().is_empty()) {
        return Err("its phrase is empty".into());
    }
    let expected = line.expected.iter().map(|path| file_of(path)).collect();
    Ok(EvalQuestion { text: line.question, kind, expected, phrase: line.phrase })
}

/// An expected path, with or without its ending.
fn file_of(path: &str) -> String {
    let path = path.trim_start_matches('/');
    if path.ends_with(".md") { path.to_owned() } else { format!("{path}.md") }
}
