//! The notes of a commit: the items of its trailers, and one of its prose.

use super::message::Message;
use super::{CommitNote, Reason, declined, patterns};
use crate::doc::item::{Prefix, stated};
use crate::judge::{self, LONGEST_SENTENCE, NoteKind, Noted, Sentence};

impl CommitNote {
    /// The note of a trailer that says this.
    pub fn of(prefix: Option<Prefix>, text: String) -> Self {
        let Noted { weight, lead, lead_weight, kind } = judge::note(&text);
        let kind = prefix.map_or(kind, NoteKind::of_prefix);
        Self { prefix, weight, lead: lead.to_owned(), lead_weight, kind, text, is_prose: false }
    }
}

/// The note of the prose of messages.
///
/// # Errors
/// Why there is none.
pub(super) fn of_prose(messages: &[Message]) -> Result<CommitNote, Reason> {
    let mut sentences: Vec<Sentence<'_>> = Vec::new();
    let mut writer = None;
    let mut paragraph = 0;
    for message in messages {
        if let Some(name) = declined::writer(message) {
            writer = writer.or(Some(name));
            continue;
        }
        for unit in &message.units {
            paragraph += 1;
            let all = judge::sentences(&unit.text).into_iter().filter(|text| is_told(text));
            sentences.extend(all.map(|text| Sentence::new(text, paragraph, unit.is_breaking)));
        }
    }
    let best = sentences.iter().map(|sentence| sentence.weight).max();
    let silent = writer.map_or(Reason::NoText, Reason::Generated);
    let best = best.ok_or(silent)?;
    let written = judge::write(&sentences).filter(|written| !written.text.is_empty());
    let text = written.ok_or(Reason::NoReason { best })?.text;
    // a sentence that begins as a prefix does is read as one
    let stated = stated(&text);
    Ok(CommitNote { is_prose: true, ..CommitNote::of(stated.prefix, stated.text.to_owned()) })
}

fn is_told(sentence: &str) -> bool {
    sentence.chars().count() <= LONGEST_SENTENCE && !patterns::REFERENCE.is_match(sentence)
}
