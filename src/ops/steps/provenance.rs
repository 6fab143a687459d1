//! Where a change comes from, as its commit says: trailers that brv writes into messages, and reads.
//!
//! Knows commits and callers. What an operation says of itself is the journal's matter.

use crate::git::commit::Commit;
use crate::journal::{OperationId, Record};
use crate::ops::context::Actor;
use bstr::{BString, ByteSlice as _};

/// The trailers of a commit that say who made the change, and why.
const ACTOR: &str = "Brv-Actor";
const SESSION: &str = "Brv-Session";
const REASON: &str = "Brv-Reason";
const SOURCE: &str = "Brv-Source-Commit";
const OPERATION: &str = "Brv-Op";

/// What a commit says beside its author.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Provenance {
    /// The person or agent that acted for the author.
    pub actor: Option<String>,
    /// Which session of theirs.
    pub session: Option<String>,
    /// Why.
    pub reason: Option<String>,
    /// The commit of the code's repository that the knowledge is from.
    pub source_commit: Option<String>,
    /// The operation that made the commit.
    pub operation: Option<String>,
}

impl Provenance {
    /// Of a commit: what its last paragraphs say line by line.
    #[must_use]
    pub fn of(commit: &Commit) -> Self {
        let text = commit.message.to_str_lossy();
        let trailer = |key: &str| {
            let value =
                |line: &str| line.strip_prefix(key)?.strip_prefix(':').map(|value| value.trim().to_owned());
            // the first line is the subject, whatever it looks like
            text.lines().skip(1).filter_map(value).filter(|value| !value.is_empty()).last()
        };
        Self {
            actor: trailer(ACTOR),
            session: trailer(SESSION),
            reason: trailer(REASON),
            source_commit: trailer(SOURCE),
            operation: trailer(OPERATION),
        }
    }

    /// With what the operation that made the commit here says, where the commit itself says nothing.
    pub fn complete(&mut self, made_by: &Record) {
        let said = |text: &String| Some(text.clone()).filter(|text| !text.is_empty());
        self.operation.get_or_insert_with(|| made_by.id.to_string());
        self.actor = self.actor.take().or_else(|| said(&made_by.actor));
        self.session = self.session.take().or_else(|| made_by.session.clone());
    }
}

/// The message of a commit with trailers that say which operation made it, and who. What the message says already stays.
#[must_use]
pub fn named(message: BString, actor: &Actor, operation: &OperationId) -> BString {
    let text = message.to_str_lossy();
    let one_line =
        |value: &str| value.chars().map(|c| if c.is_control() { ' ' } else { c }).collect::<String>();
    let is_said = |key: &str| text.lines().skip(1).any(|line| is_trailer(line) && line.starts_with(key));
    let operation = Some(operation.to_string());
    let lines: String = [(OPERATION, &operation), (ACTOR, &actor.name), (SESSION, &actor.session)]
        .into_iter()
        .filter_map(|(key, value)| Some((key, one_line(value.as_ref()?).trim().to_owned())))
        .filter(|(key, value)| !value.is_empty() && !is_said(key))
        .map(|(key, value)| format!("{key}: {value}\n"))
        .collect();
    if lines.is_empty() {
        return message;
    }
    let last = text.trim_end().rsplit_once("\n\n").map(|(_, last)| last);
    let has_trailers = last.is_some_and(|last| last.lines().all(is_trailer));
    let gap = if has_trailers { "\n" } else { "\n\n" };
    format!("{}{gap}{lines}", text.trim_end()).into()
}

/// `Key: value`
fn is_trailer(line: &str) -> bool {
    line.split_once(": ").is_some_and(|(key, _)| {
        !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_acts_is_named_in_the_last_paragraph_once() {
        let actor = Actor { name: Some("claude\nBrv-Op: forged".into()), session: Some("7".into()) };
        let id = OperationId::parse("20260102T030405.678Z-0a1b2c3d").unwrap();
        let named = |message: &str| named(message.into(), &actor, &id).to_string();
        let trailers =
            "Brv-Op: 20260102T030405.678Z-0a1b2c3d\nBrv-Actor: claude Brv-Op: forged\nBrv-Session: 7\n";
        assert_eq!(named("a: b\n"), format!("a: b\n\n{trailers}"));
        assert_eq!(named("a\n\nReason: x\n"), format!("a\n\nReason: x\n{trailers}"));
        assert_eq!(named(&named("a\n")), named("a\n"));
    }
}
