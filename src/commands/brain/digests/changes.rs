//! What changed between two versions of the files. One small file, which may be lost at any time: then an earlier answer
//! is not known any more.

use super::{Version, folder, hex};
use brv_base::content::ContentId;
use brv_base::fs::{self, Durability, Form};
use brv_engine::open::context::Opened;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// How many changes are kept.
const MOST: usize = 5_000;

const FORMAT: u32 = 1;

/// A change of an entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DigestChange {
    generation: u64,
    path: String,
    before: Option<String>,
    after: Option<String>,
}

impl DigestChange {
    pub(super) fn new(path: String, before: Option<ContentId>, after: Option<ContentId>) -> Self {
        Self { generation: 0, path, before: hex(before), after: hex(after) }
    }
}

/// The changes of an epoch, oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EpochChanges {
    format: u32,
    epoch: i64,
    /// Changes up to this generation are not kept any more.
    floor: u64,
    rows: Vec<DigestChange>,
}

fn file(opened: &Opened) -> PathBuf {
    folder(opened).join("changes.json")
}

impl EpochChanges {
    /// The changes of the epoch of this version.
    pub fn read(opened: &Opened, version: Version) -> Self {
        let bytes = fs::read_shipped(&file(opened), Form::Json).ok().flatten().unwrap_or_default();
        let found = serde_json::from_slice::<Self>(&bytes).ok();
        let is_right = |found: &Self| found.format == FORMAT && found.epoch == version.epoch;
        // what was before is not known
        let empty =
            Self { format: FORMAT, epoch: version.epoch, floor: version.generation, rows: Vec::new() };
        found.filter(is_right).unwrap_or(empty)
    }

    /// Add what leads to a version; whether it could be written.
    pub(super) fn add(mut self, opened: &Opened, version: Version, changed: Vec<DigestChange>) -> bool {
        let generation = version.generation;
        self.rows.extend(changed.into_iter().map(|row| DigestChange { generation, ..row }));
        let over = self.rows.len().saturating_sub(MOST);
        if let Some(last) = self.rows.drain(..over).next_back() {
            self.floor = last.generation;
        }
        let bytes = serde_json::to_vec(&self).unwrap_or_default();
        fs::replace(&file(opened), &bytes, Durability::Later).is_ok()
    }

    /// The paths that were added, changed and removed since a version; `None` if that is not known any more.
    pub fn since(&self, version: Version) -> Option<[Vec<String>; 3]> {
        if version.epoch != self.epoch || version.generation < self.floor {
            return None;
        }
        let mut ends: BTreeMap<&str, (&Option<String>, &Option<String>)> = BTreeMap::new();
        for row in self.rows.iter().filter(|row| row.generation > version.generation) {
            ends.entry(&row.path).or_insert((&row.before, &row.after)).1 = &row.after;
        }
        let mut lists: [Vec<String>; 3] = Default::default();
        for (path, (before, after)) in ends {
            let list = match (before, after) {
                (None, Some(_)) => 0,
                (Some(_), None) => 2,
                (before, after) if before != after => 1,
                _ => continue,
            };
            lists[list].push(path.to_owned());
        }
        Some(lists)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(generation: u64, path: &str, before: Option<&str>, after: Option<&str>) -> DigestChange {
        DigestChange {
            generation,
            path: path.into(),
            before: before.map(Into::into),
            after: after.map(Into::into),
        }
    }

    #[test]
    fn changes_of_one_path_are_one_change_from_its_first_state_to_its_last() {
        let rows = vec![
            row(2, "a.md", None, Some("1")),
            row(3, "a.md", Some("1"), Some("2")),
            row(3, "b.md", Some("1"), Some("2")),
            row(4, "b.md", Some("2"), Some("1")),
            row(4, "c.md", Some("1"), None),
        ];
        let changes = EpochChanges { format: FORMAT, epoch: 7, floor: 1, rows };
        let since = |generation| changes.since(Version { epoch: 7, generation });
        let lists = |all: [&[&str]; 3]| {
            Some(all.map(|paths| paths.iter().map(|path| (*path).to_owned()).collect::<Vec<_>>()))
        };
        assert_eq!(since(1), lists([&["a.md"], &[], &["c.md"]]));
        assert_eq!(since(2), lists([&[], &["a.md"], &["c.md"]]));
        assert_eq!(since(3), lists([&[], &["b.md"], &["c.md"]]));
        assert_eq!(since(4), lists([&[], &[], &[]]));
        assert_eq!(since(0), None, "older than what is kept");
        assert_eq!(changes.since(Version { epoch: 8, generation: 4 }), None, "of digests that were lost");
    }
}
