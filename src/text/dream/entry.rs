//! An entry as the evidence sees it: its runs of words and the subjects of its facts.

use crate::doc::{Document, normal};
use crate::words::{Runs, common, share};
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
        let title = title_of(&path, document);
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

/// Two entries of different domains with at least this share of the runs of the shorter one in common say related things;
/// so do two with facts about so many subjects in common.
const OVERLAP: f64 = 0.1;
const SUBJECTS: usize = 2;
/// An overlap is a share of at least so many runs: one run in common of two is not half.
const FEWEST: usize = 20;

/// Whether two entries say related things: they share words in a row, or subjects of facts.
pub fn are_related(one: &Entry, other: &Entry) -> bool {
    let subjects = one.subjects.iter().filter(|subject| other.subjects.contains(subject)).count();
    let shared = common(one.runs.hashes(), other.runs.hashes(), |_| true);
    let fewest = one.runs.len().min(other.runs.len()).max(FEWEST);
    subjects >= SUBJECTS || share(shared, fewest) >= OVERLAP
}

/// The title of an entry, else the name of its file.
pub fn title_of(path: &TreePath, document: &Document) -> String {
    document.title().unwrap_or_else(|| {
        path.file_name().strip_suffix(".md").unwrap_or(path.file_name()).replace(['_', '-'], " ")
    })
}

/// The first folder of a path; empty in the root.
pub fn domain(path: &TreePath) -> &str {
    path.as_str().split_once('/').map_or("", |(domain, _)| domain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_related_by_a_sentence_or_by_two_subjects() {
        let entry = |path: &str, text: &str| {
            let path = TreePath::parse(path.as_bytes()).unwrap();
            Entry::of(path, ContentId::of(text.as_bytes()), &Document::parse(text))
        };
        let long = "Requests are sent again three times with a growing pause in between, and then given up.";
        let one = entry("a/x.md", &format!("{long} The pause is of the client.\n"));
        assert!(are_related(&one, &entry("b/x.md", &format!("{long} Queues keep them for a day.\n"))));
        assert!(!are_related(
            &one,
            &entry(
                "b/x.md",
                "By hand is how the old ones are sent again, and nobody knows who does it or when."
            )
        ));
        let facts = |last: &str| format!("## Facts\n\n- **ttl**: 1\n- **{last}**: 2\n");
        let one = entry("a/x.md", &facts("key"));
        assert!(are_related(&one, &entry("b/x.md", &facts("Key"))));
        assert!(!are_related(&one, &entry("b/x.md", &facts("lock"))));
    }
}
