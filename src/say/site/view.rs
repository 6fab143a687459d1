//! An entry as its page is given it.

use super::form;
use super::links::EntryLinks;
use brv_commands::read::{PieceKind, ReadPiece};
use brv_commands::review::ReviewRow;
use brv_commands::review::comment::Comment;
use brv_commands::vc::blame::Outcome as Blame;

/// An entry, and what is known of it besides.
#[derive(Debug)]
pub struct EntryView<'a> {
    pub piece: &'a ReadPiece,
    /// Who wrote each line, if that is known.
    pub blame: Option<&'a Blame>,
    /// The commit as at which it is shown; `None`: as it is now.
    pub at: Option<&'a str>,
    /// The changes of it that wait for review.
    pub waiting: Vec<&'a ReviewRow>,
    /// What was said about it.
    pub comments: Vec<&'a Comment>,
    /// How many times agents were given it; the second: or more.
    pub given: (usize, bool),
    /// The address by which an editor opens it (`ui.editor`).
    pub editor: Option<String>,
    /// What a page of a written site says besides; `None`: it is served.
    pub written: Option<WrittenView<'a>>,
}

/// What the page of an entry says on a written site.
#[derive(Debug, Clone, Copy)]
pub struct WrittenView<'a> {
    pub links: EntryLinks<'a>,
    /// Whether a change waits for review, and this is the text from before it.
    pub is_earlier: bool,
    /// The day of the last commit that changed it, if that is known.
    pub changed: Option<&'a str>,
}

impl EntryView<'_> {
    /// The version that is shown, as a form says it; `None` where no form may change it.
    pub(super) fn seen(&self) -> Option<String> {
        let source = self.piece.source.as_ref().filter(|source| source.conflict.is_none());
        let source = source.filter(|_| {
            self.at.is_none() && self.written.is_none() && self.piece.subject != PieceKind::Archived
        })?;
        Some(form::seen(Some(&source.id.to_string()), &self.piece.path))
    }
}
