//! What is known of archived entries: their records, and what became of their files.

use brv_base::path::{PathKind, TreePath, archived_original};
use brv_text::doc::{ArchiveRecord, ArchiveRecords};
use std::collections::BTreeMap;
use std::fmt;

/// An archived entry, as the ledger knows it.
#[derive(Debug, Clone, PartialEq)]
pub struct Archived {
    pub record: ArchiveRecord,
    pub files: Files,
}

/// What became of the files of an archived entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Files {
    /// They are written; the tokens of the stub.
    Written(u64),
    /// The content is not in this clone.
    Missing,
    /// They have no place: their paths are too long, or a file of another tool is there.
    Blocked,
}

/// Archived entries by the path that each had.
pub type Archive = BTreeMap<String, Archived>;

/// Records by the path that each entry had: of several versions of one path the one archived last.
pub type Records = BTreeMap<String, ArchiveRecord>;

/// The records of a folder that count: an entry that is there voids the records of its name.
pub fn live(folder: &str, items: &[String], is_there: impl Fn(&str) -> bool) -> Vec<(String, ArchiveRecord)> {
    let mut live: Vec<(String, ArchiveRecord)> = Vec::new();
    for record in ArchiveRecords::of(items).records {
        let path = match folder {
            "" => record.name.clone(),
            folder => format!("{folder}/{}", record.name),
        };
        let is_entry = TreePath::parse(path.as_bytes()).is_ok_and(|path| path.kind() == PathKind::Entry);
        let is_latest = live.last().is_none_or(|(known, _)| *known != path);
        if is_entry && is_latest && !is_there(&record.name) {
            live.push((path, record));
        }
    }
    live
}

/// Whether a derived file below `_archived/` is one that the ledger knows.
pub(super) fn accounts_for(archive: &Archive, path: &str) -> bool {
    let known = archived_original(path).and_then(|original| archive.get(&original));
    known.is_some_and(|known| matches!(known.files, Files::Written(_)))
}

impl fmt::Display for Files {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Written(tokens) => write!(f, "{tokens}"),
            Self::Missing => f.write_str("missing"),
            Self::Blocked => f.write_str("blocked"),
        }
    }
}

/// Parse [`Files`] as displayed.
pub(super) fn parse_files(text: &str) -> Option<Files> {
    match text {
        "missing" => Some(Files::Missing),
        "blocked" => Some(Files::Blocked),
        tokens => tokens.parse().ok().map(Files::Written),
    }
}
