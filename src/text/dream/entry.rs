//! An entry as the evidence sees it: its runs of words and the subjects of its facts.

use crate::doc::{Document, normal};
use crate::words::Runs;
use brv_base::content::ContentId;
use brv_base::path::TreePath;

/// What is known of an entry to find those that belong with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Where it is.
    pub path: TreePath,
    /// Its content.
    pub blob: ContentId,
    /// Its title, else the name of its file.
    pub title: String,
    /// The runs of its body.
    pub runs: Runs,
    /// The subjects of its facts, in the form in which they are compared, sorted, each once.
    pub subjects: Vec<String>,
}

impl Entry {
    /// The entry that a document is.
    pub fn of(path: TreePath, blob: ContentId, document: &Document) -> Self {
        let title = document.title().unwrap_or_else(|| {
            path.file_name().strip_suffix(".md").unwrap_or(path.file_name()).replace(['_', '-'], " ")
        });
        let facts = document.facts();
        let mut subjects: Vec<String> =
            facts.iter().filter_map(|fact| fact.subject.as_deref()).map(normal).collect();
        subjects.sort_unstable();
        subjects.dedup();
        Self { runs: Runs::of(document.body()), path, blob, title, subjects }
    }

    /// The first folder of its path; empty for an entry in the root.
    pub fn domain(&self) -> &str {
        domain(&self.path)
    }
}

/// The first folder of a path; empty in the root.
pub(super) fn domain(path: &TreePath) -> &str {
    path.as_str().split_once('/').map_or("", |(domain, _)| domain)
}
