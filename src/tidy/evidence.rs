//! Find the entries that may belong together.

use super::Entry;
use crate::content::ContentId;
use crate::path::TreePath;
use std::collections::BTreeSet;

/// A merge that an earlier dream suggested.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hint {
    /// The entry that would be merged.
    pub source: TreePath,
    /// The entry that would take it over.
    pub target: TreePath,
    /// Why.
    pub reason: String,
}

/// What [`clusters`] looks at.
pub struct Look<'a> {
    /// All live entries.
    pub entries: &'a [Entry],
    /// The changed ones, the newest change first.
    pub changed: &'a [TreePath],
    /// Suggestions of earlier dreams.
    pub hints: &'a [Hint],
    /// Whether exactly these contents, in any order, were skipped before.
    pub skipped: &'a dyn Fn(&[ContentId]) -> bool,
    /// The neighbours of an entry in the search index, with their relevance: asked for planned files only.
    pub relevant: &'a mut dyn FnMut(&Entry) -> Vec<(TreePath, f64)>,
    /// The most groups.
    pub most: usize,
    /// The most files of a group.
    pub files: usize,
}

/// The groups, and the changed files that were looked at.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Found {
    /// In order of their first files.
    pub clusters: Vec<Group>,
    /// Changed files that are in a group, or belong with nothing.
    pub shown: BTreeSet<TreePath>,
}

/// Entries of one domain that may belong together.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    /// Their domain.
    pub domain: String,
    /// The changed file first, then the others by strength of the evidence.
    pub files: Vec<TreePath>,
    /// The greatest overlap of the first file with another.
    pub overlap: f64,
    /// Subjects that the first file shares with any of the others.
    pub shared_subjects: Vec<String>,
    /// The greatest relevance.
    pub relevance: f64,
    /// The reason of a suggestion.
    pub hint: Option<String>,
}

/// The entries that may belong together.
pub fn clusters(look: Look<'_>) -> Found {
    let _ = look;
    Found::default()
}
