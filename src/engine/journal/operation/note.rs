//! What an operation says about one path, kept for the commit that a person makes of it later.

use super::discarded::{escaped_path, unescaped};
use crate::journal::one_line;
use bstr::{BString, ByteVec as _};

/// The trailer of a reason, and its field that a person should review the path.
pub(in crate::journal) const TRAILER: &str = "Brv-Note";

/// What an operation says about one path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// The path, relative to the tree.
    pub path: BString,
    pub reason: String,
    /// Why a person should review it, if one should.
    pub review: Option<String>,
}

impl Note {
    /// The path, why to review it (or nothing), and the reason, with colons between them.
    pub(in crate::journal) fn to_line(&self) -> String {
        let review = escaped_path(&self.review.clone().unwrap_or_default().into());
        format!("{}: {review}: {}", escaped_path(&self.path), one_line(&self.reason))
    }

    /// Read the line of a message; `None` for any other line.
    pub(in crate::journal) fn parse(line: &str) -> Option<Self> {
        let (path, rest) = line.strip_prefix(TRAILER)?.strip_prefix(": ")?.split_once(": ")?;
        let (review, reason) = rest.split_once(": ")?;
        let review = Some(review).filter(|review| !review.is_empty());
        let review = match review {
            Some(review) => Some(unescaped(review)?.into_string().ok()?),
            None => None,
        };
        Some(Self { path: unescaped(path)?.into(), reason: reason.to_owned(), review })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_reads_back() {
        for (path, review) in [("a b.md", None), ("a/ü.md", Some("facts: removed".to_owned()))] {
            let note = Note { path: path.into(), reason: "why: so".into(), review };
            assert_eq!(Note::parse(&format!("{TRAILER}: {}", note.to_line())), Some(note));
        }
        assert_eq!(Note::parse("Brv-Reason: a: b: c"), None);
    }
}
