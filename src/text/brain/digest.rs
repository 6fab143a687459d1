//! What is kept of a curated file to place it: everything that depends on its path and its bytes alone, so that it can
//! be kept by both.

use super::for_files::cited;
use super::kind::EntryKind;
use super::rows::Rows;
use super::statement::statements_of;
use crate::doc::{Document, Status, archive_records, disputes, may_archive, may_dispute};
use crate::lint::Steering;
use crate::words::Runs;
use brv_base::content::ContentId;
use brv_base::path;

/// How many hashes of three-word runs tell whether two entries may be nearly equal.
pub const SKETCH: usize = 16;

/// A curated file.
#[derive(Debug, Clone, PartialEq)]
pub struct Digest {
    /// Relative to the tree.
    pub path: String,
    /// Its bytes, as git knows them.
    pub blob: ContentId,
    /// Whether it is in conflict, and this is our side.
    pub is_ours: bool,
    /// What in it may steer an agent.
    pub steering: Steering,
    pub content: DigestContent,
}

#[derive(Debug, Clone, PartialEq)]
pub enum DigestContent {
    /// The overview of a folder, with so many records of archived entries.
    Overview {
        archived: u32,
    },
    Entry(BrainEntry),
}

/// What places an entry.
#[derive(Debug, Clone, PartialEq)]
pub struct BrainEntry {
    pub kind: EntryKind,
    pub status: Option<Status>,
    /// When it says that it changed, in seconds since 1970.
    pub changed: Option<i64>,
    /// From 0 to 1, if it says so itself.
    pub confidence: Option<f64>,
    pub is_disputed: bool,
    /// How many three-word runs it has.
    pub runs: u32,
    /// The least hashes of these, sorted; fewer if it has fewer runs.
    pub sketch: Vec<u32>,
    /// The paths of the code that it may cite, files and folders, one on each line.
    pub cites: String,
    /// What it states.
    pub stated: Rows,
}

impl Digest {
    /// The digest of a file with these bytes.
    pub fn of(path: &str, blob: ContentId, is_ours: bool, bytes: &[u8]) -> Self {
        Self { is_ours, ..Self::of_document(path, blob, &Document::parse(bytes)) }
    }

    /// The digest of a file that is not in conflict and was parsed already.
    pub fn of_document(path: &str, blob: ContentId, document: &Document) -> Self {
        let content = match path::kind_of(path) {
            path::PathKind::NodeOverview => DigestContent::Overview { archived: archived(document) },
            _ => DigestContent::Entry(BrainEntry::of(path, document)),
        };
        Self { path: path.to_owned(), blob, is_ours: false, steering: Steering::of(document), content }
    }

    pub const fn entry(&self) -> Option<&BrainEntry> {
        match &self.content {
            DigestContent::Entry(entry) => Some(entry),
            DigestContent::Overview { .. } => None,
        }
    }
}

fn archived(document: &Document) -> u32 {
    if !may_archive(document.as_bytes()) {
        return 0;
    }
    u32::try_from(archive_records(document).records.len()).unwrap_or(u32::MAX)
}

impl BrainEntry {
    fn of(path: &str, document: &Document) -> Self {
        let (meta, facts) = (document.meta(), document.facts());
        let runs = Runs::of(document.body());
        let (kind, named) = EntryKind::both(path, document, &meta.tags, &facts);
        Self {
            kind,
            status: meta.status,
            changed: meta.changed(),
            confidence: meta.confidence.filter(|it| it.is_finite()).map(|it| it.clamp(0.0, 1.0)),
            is_disputed: may_dispute(document.as_bytes()) && !disputes(document).is_empty(),
            runs: u32::try_from(runs.len()).unwrap_or(u32::MAX),
            sketch: runs.hashes().iter().copied().take(SKETCH).collect(),
            cites: cited(document).join("\n"),
            stated: Rows::of(&statements_of((path, named), document, &facts)),
        }
    }

    /// Whether nobody has to do anything about it any more.
    pub fn is_done(&self) -> bool {
        self.status == Some(Status::Done)
    }

    pub fn is_retired(&self) -> bool {
        matches!(self.status, Some(Status::Superseded | Status::Deprecated))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digest(path: &str, text: &str) -> Digest {
        Digest::of(path, ContentId::of(text.as_bytes()), false, text.as_bytes())
    }

    #[test]
    fn an_overview_counts_its_archive_records_and_is_no_entry() {
        let record = format!("one.md {} 12 2026-01-02T00:00:00Z", "1".repeat(40));
        let found = digest("a/context.md", &format!("---\narchived:\n  - {record}\n---\n# A\n"));
        assert_eq!(found.content, DigestContent::Overview { archived: 1 });
        assert_eq!(digest("a/context.md", "# A\n").content, DigestContent::Overview { archived: 0 });
    }

    #[test]
    fn what_places_an_entry_is_read_from_its_fields() {
        let text = "---\nstatus: done\nconfidence: 7\nupdatedAt: 2026-01-02T00:00:00Z\n---\n# A\n\none two three four\n";
        let found = digest("bugs/a.md", text);
        let entry = found.entry().unwrap();
        assert!(entry.is_done() && !entry.is_retired() && !entry.is_disputed);
        assert_eq!((entry.kind, entry.confidence, entry.sketch.len()), (EntryKind::Bug, Some(1.0), 2));
        assert_eq!(entry.changed, Some(1_767_312_000));
        assert_eq!(digest("a.md", "---\nconfidence: .nan\n---\n").entry().unwrap().confidence, None);
    }
}
