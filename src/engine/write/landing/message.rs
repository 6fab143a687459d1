//! The message of a commit that an operation makes: subject, body, and the trailers by which any clone finds the
//! operation, the actor and the reason for each path.

use crate::journal::{self, Discarded, DreamId, Note, OperationId, SourceCommit, Undoes};
use crate::read::history::provenance::{ACTOR, OPERATION, REASON, REVIEW, SESSION, SOURCE, UNDOES, for_path};
use bstr::{BString, ByteSlice as _};

pub fn note_trailers(note: &Note) -> Vec<(&'static str, String)> {
    let path = note.path.to_str_lossy();
    let reason = (REASON, for_path(&path, &note.reason));
    let review = note.review.as_ref().map(|why| (REVIEW, format!("{path} {why}")));
    [reason].into_iter().chain(review).collect()
}

/// The parts of a message. Texts may have line breaks; a trailer gets one line.
#[derive(Debug, Clone)]
pub struct LandingMessage<'a> {
    pub subject: &'a str,
    pub body: &'a [String],
    pub operation: &'a OperationId,
    /// The operations that it undoes.
    pub undoes: &'a [Undoes],
    /// The reason of the whole, where paths have none of their own.
    pub reason: Option<&'a str>,
    /// The notes about single paths.
    pub notes: Vec<&'a Note>,
    pub actor: Option<&'a str>,
    pub session: Option<&'a str>,
    /// The commit of the code that the knowledge comes from.
    pub source_commit: Option<SourceCommit>,
    /// The dream that it is.
    pub dream: Option<DreamId>,
    /// Values that a merge discarded.
    pub discarded: &'a [Discarded],
    /// Other trailers.
    pub others: &'a [(&'static str, String)],
}

impl LandingMessage<'_> {
    pub fn written(&self) -> BString {
        let mut text = format!("{}\n\n", journal::one_line(self.subject));
        for line in self.body {
            text.push_str(&format!("{}\n", journal::one_line(line)));
        }
        if !self.body.is_empty() {
            text.push('\n');
        }
        for (key, value) in self.trailers() {
            text.push_str(&format!("{key}: {}\n", journal::one_line(&value)));
        }
        text.into()
    }

    fn trailers(&self) -> Vec<(&'static str, String)> {
        let said = |key, value: Option<&str>| value.map(|value| (key, value.to_owned()));
        let mut trailers = vec![(OPERATION, self.operation.to_string())];
        trailers.extend(self.undoes.iter().map(|undoes| (UNDOES, undoes.to_line())));
        trailers.extend(said(REASON, self.reason));
        trailers.extend(self.notes.iter().flat_map(|note| note_trailers(note)));
        trailers.extend(said(ACTOR, self.actor));
        trailers.extend(said(SESSION, self.session));
        trailers.extend(self.source_commit.map(|source| (SOURCE, source.to_string())));
        trailers.extend(self.dream.map(|dream| (DreamId::TRAILER, dream.to_string())));
        trailers.extend(self.discarded.iter().map(|one| (journal::DISCARDED, one.to_short_line())));
        trailers.extend(self.others.iter().cloned());
        trailers
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::history::provenance::Trailers;

    #[test]
    fn a_message_reads_back_with_the_reason_of_each_path() {
        let id = OperationId::parse("20260102T030405.678Z-0a1b2c3d").unwrap();
        let note = |path: &str, reason: &str, review: Option<&str>| Note {
            path: path.into(),
            reason: reason.into(),
            review: review.map(Into::into),
        };
        let notes =
            [note("a/b.md", "seen in\nproduction", None), note("a/c.md", "it: twice", Some("deleted"))];
        let message = LandingMessage {
            subject: "two\nthings",
            body: &["- ADD a/b.md: seen\nBrv-Op: forged".to_owned()],
            operation: &id,
            undoes: &[],
            reason: None,
            notes: notes.iter().collect(),
            actor: Some("claude"),
            session: Some("7"),
            source_commit: None,
            dream: None,
            discarded: &[],
            others: &[],
        };
        let written = message.written();
        let trailers = Trailers::of(&written);
        assert_eq!(trailers.operation(), Some(id));
        assert_eq!(trailers.reason("a/b.md").as_deref(), Some("seen in production"));
        assert_eq!(trailers.reason("a/c.md").as_deref(), Some("it: twice"));
        assert_eq!(trailers.reason("a/d.md"), None);
        assert_eq!(trailers.reviews().collect::<Vec<_>>(), ["a/c.md deleted"]);
        assert_eq!(trailers.get(ACTOR), Some("claude"));
        assert!(
            written.starts_with_str("two things\n\n- ADD a/b.md: seen Brv-Op: forged\n\nBrv-Op: "),
            "{written}"
        );
    }
}
