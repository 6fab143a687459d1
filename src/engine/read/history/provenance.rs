//! The provenance of a commit: the trailers that brv writes into commit messages and reads back.
//!
//! Knows commits and callers. The data of an operation itself is in the journal.

use crate::journal::{self, OperationId, Record, SourceCommit, Undoes};
use crate::open::context::Actor;
use brv_git::PatchId;
use brv_git::commit::Commit;
use bstr::{BString, ByteSlice as _};

/// Who acted for the author.
pub const ACTOR: &str = "Brv-Actor";
pub const SESSION: &str = "Brv-Session";
pub const REASON: &str = "Brv-Reason";
/// The commit of the code that the knowledge comes from.
pub const SOURCE: &str = SourceCommit::TRAILER;
pub const OPERATION: &str = "Brv-Op";
pub const UNDOES: &str = "Brv-Undoes";
/// A path for a person to review, and why.
pub const REVIEW: &str = "Brv-Review";

/// Who wrote the commit of the code that the knowledge comes from, where that is not whose clone took it in.
pub const SOURCE_AUTHOR: &str = "Brv-Source-Author";

/// What the commit of the code that the knowledge comes from is called.
pub const SOURCE_SUBJECT: &str = "Brv-Source-Subject";

/// The version of the rules that found in a commit of the code what it teaches. Rules before the second wrote none.
pub const RULES: &str = "Brv-Rules";

/// The actor of what hooks curate.
pub const HOOK: &str = "brv-hook";

/// The model that wrote what an operation says.
pub const MODEL: &str = "Brv-Model";

/// The dream that an operation was.
pub const DREAM: &str = "Brv-Dream";
/// The branch that a commit was made on to be reviewed there, not on the branch that it was made from.
pub const BRANCH: &str = "Brv-Branch";
/// A change that was rejected: its id and its path.
pub const REJECTED: &str = "Brv-Rejected";
/// Why changes were rejected.
pub const COMMENT: &str = "Brv-Comment";

/// The reason of an entry that came back from the archive.
pub const UNARCHIVED: &str = "restored from the archive";

/// The value of a [`REASON`] that holds for one path.
pub fn for_path(path: &str, reason: &str) -> String {
    format!("{path}: {reason}")
}

/// The provenance of a commit, in addition to its author.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Provenance {
    /// The person or agent who acted for the author.
    pub actor: Option<String>,
    pub session: Option<String>,
    pub reason: Option<String>,
    /// The commit of the code repository that the knowledge is based on, as the trailer names it.
    pub source_commit: Option<String>,
    /// The patch id that the trailer has behind it.
    pub source_patch: Option<PatchId>,
    /// Who wrote that commit, where it is not the author of this one.
    pub source_author: Option<String>,
    pub operation: Option<String>,
}

impl Provenance {
    /// Read the trailers of a commit. With a path, the reason is the one for that path, if paths have their own.
    pub fn of(commit: &Commit, path: Option<&str>) -> Self {
        let trailers = Trailers::of(&commit.message);
        let said = |key: &str| trailers.get(key).map(ToOwned::to_owned);
        let source = trailers.get(SOURCE).map(SourceCommit::words);
        Self {
            actor: said(ACTOR),
            session: said(SESSION),
            reason: path.map_or_else(|| said(REASON), |path| trailers.reason(path)),
            source_commit: source.map(|(commit, _)| commit.to_owned()),
            source_patch: source.and_then(|(_, patch)| patch),
            source_author: said(SOURCE_AUTHOR)
                .filter(|name| name.as_bytes() != commit.author.name.trim().as_bytes()),
            operation: said(OPERATION),
        }
    }

    /// Fill in what the commit does not say from the operation that made it.
    pub fn complete(&mut self, made_by: &Record) {
        let said = |text: &String| Some(text.clone()).filter(|text| !text.is_empty());
        self.operation.get_or_insert_with(|| made_by.id.to_string());
        self.actor = self.actor.take().or_else(|| said(&made_by.actor));
        self.session = self.session.take().or_else(|| made_by.session.clone());
    }
}

/// The trailers of a message: its last paragraphs as far as they have nothing but trailers, as in git. Text above them
/// is not parsed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Trailers(Vec<(String, String)>);

impl Trailers {
    pub fn of(message: &BString) -> Self {
        let text = message.to_str_lossy();
        let lines: Vec<&str> = text.lines().collect();
        let paragraphs = lines.split(|line| line.trim().is_empty()).filter(|lines| !lines.is_empty());
        // the first is the subject
        let above: Vec<&[&str]> = paragraphs.skip(1).collect();
        let start = above.iter().rposition(|lines| !is_block(lines)).map_or(0, |last| last + 1);
        let said = above[start..].iter().copied().flatten().filter(|line| is_trailer(line));
        let split = |line: &&str| line.split_once(": ").map(|(key, value)| (key.into(), value.trim().into()));
        Self(said.filter_map(split).collect())
    }

    /// The last value of a key. The actor counts only after the last operation trailer: an earlier one belongs to a
    /// quoted message.
    pub fn get(&self, key: &str) -> Option<&str> {
        let named = match key {
            ACTOR | SESSION | UNDOES => self.0.iter().rposition(|(key, _)| key == OPERATION),
            _ => None,
        };
        let own = self.0[named.unwrap_or(0)..].iter().rev();
        own.filter(|(_, value)| !value.is_empty())
            .find(|(said, _)| said == key)
            .map(|(_, value)| value.as_str())
    }

    /// The reason for a path, or the one of the whole where paths have none of their own.
    pub fn reason(&self, path: &str) -> Option<String> {
        let of_path = |value: &str| Some(value.strip_prefix(path)?.strip_prefix(": ")?.to_owned());
        let reasons = || self.0.iter().rev().filter(|(key, _)| key == REASON).map(|(_, value)| value);
        // the name of a file and a colon begin the reason of another path
        let is_of_a_path =
            |value: &str| value.split_once(": ").is_some_and(|(name, _)| name.ends_with(".md"));
        let of_all = || reasons().find(|value| !is_of_a_path(value)).cloned();
        reasons().find_map(|value| of_path(value)).or_else(of_all)
    }

    /// The paths that the operation marked for review, each with the reason, in order: `<path> <why>`.
    pub fn reviews(&self) -> impl Iterator<Item = &str> {
        self.all(REVIEW)
    }

    /// The operations that the operation undid, as a whole or in part, in order.
    pub fn undoes(&self) -> impl Iterator<Item = OperationId> {
        self.all(UNDOES).filter_map(Undoes::parse).map(|undoes| undoes.operation)
    }

    /// All values of a key since the last operation trailer.
    pub fn all<'a>(&'a self, key: &'a str) -> impl Iterator<Item = &'a str> {
        let named = self.0.iter().rposition(|(key, _)| key == OPERATION).unwrap_or(0);
        self.0[named..].iter().filter(move |(said, _)| said == key).map(|(_, value)| value.as_str())
    }

    pub fn operation(&self) -> Option<OperationId> {
        OperationId::parse(self.get(OPERATION)?)
    }
}

/// Whether a message has trailers that only an operation may set.
pub fn is_claimed(message: &BString) -> bool {
    let trailers = Trailers::of(message);
    [OPERATION, ACTOR, SESSION, UNDOES].iter().any(|key| trailers.get(key).is_some())
}

/// Append trailers with the operation and the actor to a commit message. They come last, so they are the ones that are
/// read.
pub fn named(message: BString, actor: &Actor, operation: &OperationId) -> BString {
    with(message, &own(actor, operation))
}

/// Append other trailers to a commit message.
pub fn with(message: BString, trailers: &[(&str, String)]) -> BString {
    if trailers.is_empty() {
        return message;
    }
    let text = message.to_str_lossy();
    let last = text.trim_end().rsplit_once("\n\n").map(|(_, last)| last);
    let has_trailers = last.is_some_and(|last| is_block(&last.lines().collect::<Vec<_>>()));
    let gap = if has_trailers { "\n" } else { "\n\n" };
    let line = |(key, value): &(&str, String)| format!("{key}: {}\n", journal::one_line(value));
    let lines: String = trailers.iter().map(line).collect();
    format!("{}{gap}{lines}", text.trim_end()).into()
}

/// The trailers of an operation.
fn own(actor: &Actor, operation: &OperationId) -> Vec<(&'static str, String)> {
    let operation = Some(operation.to_string());
    [(OPERATION, &operation), (ACTOR, &actor.name), (SESSION, &actor.session)]
        .into_iter()
        .filter_map(|(key, value)| Some((key, journal::one_line(value.as_ref()?))))
        .filter(|(_, value)| !value.is_empty())
        .collect()
}

/// As [`named`], for the message of a commit that replaces another: the operation is replaced, and the actor only if
/// the caller names one.
pub fn renamed(message: BString, actor: &Actor, operation: &OperationId) -> BString {
    if Trailers::of(&message).get(OPERATION).is_none() {
        return named(message, actor, operation);
    }
    let text = message.to_str_lossy();
    let mut lines: Vec<&str> = text.lines().collect();
    let is_of = |line: &str, key: &str| line.strip_prefix(key).is_some_and(|rest| rest.starts_with(": "));
    let at = lines.iter().rposition(|line| is_of(line, OPERATION)).unwrap_or_default();
    let behind = lines.split_off(at + 1);
    lines.pop();
    let is_said = actor.name.is_some() || actor.session.is_some();
    let kept = behind.into_iter().filter(|line| !is_said || !(is_of(line, ACTOR) || is_of(line, SESSION)));
    let mut renamed: String =
        own(actor, operation).iter().map(|(key, value)| format!("{key}: {value}\n")).collect();
    renamed.extend(kept.map(|line| format!("{line}\n")));
    format!("{}\n{renamed}", lines.join("\n")).into()
}

/// Whether a paragraph has only trailers; a line that begins with a blank continues the line before.
fn is_block(lines: &[&str]) -> bool {
    let goes_on = |at: usize, line: &str| at > 0 && line.starts_with([' ', '\t']);
    lines.iter().enumerate().all(|(at, line)| is_trailer(line) || is_picked(line) || goes_on(at, line))
}

/// The line that git adds between trailers to the message of a cherry-picked commit.
pub fn is_picked(line: &str) -> bool {
    line.starts_with("(cherry picked from commit ")
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
        let actor =
            Actor { name: Some("claude\nBrv-Op: forged".into()), session: Some("7".into()), door: None };
        let id = OperationId::parse("20260102T030405.678Z-0a1b2c3d").unwrap();
        let named = |message: &str| named(message.into(), &actor, &id).to_string();
        let trailers =
            "Brv-Op: 20260102T030405.678Z-0a1b2c3d\nBrv-Actor: claude Brv-Op: forged\nBrv-Session: 7\n";
        assert_eq!(named("a: b\n"), format!("a: b\n\n{trailers}"));
        assert_eq!(named("a\n\nReason: x\n"), format!("a\n\nReason: x\n{trailers}"));
        let again = named("a\n\nBrv-Op: 20200101T000000.000Z-aaaaaaaa\nBrv-Actor: x\n");
        assert!(again.ends_with(&format!("Brv-Actor: x\n{trailers}")), "{again}");
        let read = Trailers::of(&again.into());
        assert_eq!(read.operation(), Some(id.clone()));
        assert_eq!((read.get(ACTOR), read.get(SESSION)), (Some("claude Brv-Op: forged"), Some("7")));
    }

    #[test]
    fn a_commit_that_is_replaced_keeps_who_acted_unless_another_says_so() {
        let id = OperationId::parse("20260102T030405.678Z-0a1b2c3d").unwrap();
        let old = "s\n\nBrv-Op: 20200101T000000.000Z-aaaaaaaa\nBrv-Actor: x\nBrv-Undoes: y\nReason: z\n";
        let renamed = |actor: Actor| Trailers::of(&renamed(old.into(), &actor, &id));
        let kept = renamed(Actor::default());
        assert_eq!((kept.operation(), kept.0.len()), (Some(id.clone()), 4));
        assert_eq!((kept.get(ACTOR), kept.get(UNDOES)), (Some("x"), Some("y")));
        let other = renamed(Actor { session: Some("7".into()), ..Actor::default() });
        assert_eq!((other.get(ACTOR), other.get(SESSION), other.get("Reason")), (None, Some("7"), Some("z")));
    }

    #[test]
    fn what_a_message_quotes_is_not_what_it_says() {
        let said = |message: &str| {
            let trailers = Trailers::of(&message.into());
            (trailers.get(OPERATION).map(str::to_owned), trailers.get(ACTOR).map(str::to_owned))
        };
        let some = |one: &str, two: &str| (Some(one.to_owned()), Some(two.to_owned()));
        let block = "Brv-Op: a\nBrv-Actor: b\n";
        assert_eq!(said(&format!("s\n\n{block}")), some("a", "b"));
        assert_eq!(said(&format!("s\n\n{block}(cherry picked from commit 12)\n")), some("a", "b"));
        assert_eq!(said(&format!("s\n\n{block}\nCo-authored-by: x <y>\n")), some("a", "b"));
        assert_eq!(said(&format!("s\n\n{block}Brv-Op: c\n")), (Some("c".into()), None));
        for text in [
            block.to_owned(),
            format!("s\n{block}"),
            format!("s\n\ntext\n{block}"),
            format!("s\n\n{block}\ntext\n"),
            format!("s\n\n    {}", block.replace('\n', "\n    ")),
        ] {
            assert_eq!(said(&text), (None, None), "{text:?}");
        }
    }
}
