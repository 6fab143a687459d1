//! Statements whose commits were left behind: they are on no branch of the code. For a while they are shown last, with a
//! word about it; then not at all.

use crate::doc::normal;

/// The remark on such a statement.
pub const MARK: &str = "not on this branch";

/// How much its score counts: it comes after all others.
pub(super) const LAST: f64 = 1e-6;

/// A statement whose commit is on no branch of the code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Left {
    /// The title of an item, or the subject of a fact.
    pub title: String,
    /// The branch that the commit was made on, if that is known.
    pub branch: Option<String>,
    /// Whether that has been so for long.
    pub is_hidden: bool,
}

impl Left {
    /// The one with this title, among those of an entry.
    pub fn titled<'l>(all: &'l [Self], title: &str) -> Option<&'l Self> {
        if all.is_empty() {
            return None;
        }
        let title = normal(title);
        all.iter().find(|left| !title.is_empty() && normal(&left.title) == title)
    }
}
