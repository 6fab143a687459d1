//! The records of archived entries, for an undo of some paths: an entry that is restored alone takes its record in the
//! overview of its folder with it, and one that is archived again gets its record back. The overview itself need not be
//! among the paths, and keeps whatever else the operation did to it.

use super::Error;
use super::disk::UndoDisk;
use super::layers::Effect;
use brv_base::path::{self, PathKind};
use brv_git::pathspec::{Pathspec, Pathspecs};
use brv_git::trees::{self, Change};
use brv_git::{FileMode, Scope, Version};
use brv_text::doc::{self, ArchiveRecord, Document};
use bstr::{BString, ByteSlice as _};
use std::collections::BTreeMap;

/// What an undo of some paths changes in overviews beside them, by their paths.
pub(super) type Beside = BTreeMap<BString, RecordChanges>;

/// The records that an overview loses and gets.
#[derive(Debug, Default)]
pub(super) struct RecordChanges {
    removed: Vec<ArchiveRecord>,
    added: Vec<ArchiveRecord>,
}

/// The records of the entries at these paths, in overviews that are at none of them. `all` is what the operation changed.
pub(super) fn beside(scope: &Scope, all: &[Change], paths: &[Pathspec]) -> Result<Beside, Error> {
    let mut beside = Beside::new();
    if paths.is_empty() {
        return Ok(beside);
    }
    let specs = Pathspecs::of(paths);
    let is_meant = |change: &Change| specs.matches(change.path.as_bstr());
    let entries: BTreeMap<&BString, &Change> =
        all.iter().filter(|change| is_meant(change)).map(|change| (&change.path, change)).collect();
    let is_overview = |change: &&Change| path::kind_of(&change.path.to_str_lossy()) == PathKind::NodeOverview;
    for overview in all.iter().filter(is_overview).filter(|change| !is_meant(change)) {
        let [before, after] = [read(scope, overview.before)?, read(scope, overview.after)?];
        let folder = &overview.path[..overview.path.rfind_byte(b'/').map_or(0, |slash| slash + 1)];
        let entry =
            |record: &ArchiveRecord| entries.get(&BString::from([folder, record.name.as_bytes()].concat()));
        let went = |record: &&ArchiveRecord| {
            entry(record).is_some_and(|one| one.after.is_none() && is_version(one.before, record))
        };
        let came = |record: &&ArchiveRecord| {
            entry(record).is_some_and(|one| one.before.is_none() && is_version(one.after, record))
        };
        let records = RecordChanges {
            removed: only(&after, &before).filter(went).cloned().collect(),
            added: only(&before, &after).filter(came).cloned().collect(),
        };
        if !records.removed.is_empty() || !records.added.is_empty() {
            beside.insert(overview.path.clone(), records);
        }
    }
    Ok(beside)
}

/// The paths, and those of the overviews beside them.
pub(super) fn with_overviews(paths: &[Pathspec], beside: &Beside) -> Vec<Pathspec> {
    paths.iter().cloned().chain(beside.keys().map(|path| Pathspec::literal(path.as_bstr()))).collect()
}

/// Make the undo change nothing but these records in the overviews beside its paths, which are edited as they are now. One
/// that cannot be edited stays.
pub(super) fn reduce(
    scope: &Scope,
    disk: &mut UndoDisk,
    effect: &mut Effect,
    beside: &Beside,
) -> Result<(), Error> {
    let mut now = BTreeMap::new();
    for change in effect.files.iter_mut() {
        let Some(records) = beside.get(&change.path) else { continue };
        let version = disk.version(change.path.as_bstr())?;
        let bytes = version.map(|version| disk.bytes(version.id)).transpose()?;
        let back = match records.back(bytes) {
            Ok(Some(bytes)) => {
                let mode = version.map_or(FileMode::Regular, |version| version.mode);
                Some(Version { mode, id: disk.add(bytes) })
            }
            Ok(None) => None,
            Err(_) => version,
        };
        now.insert(scope.full(&change.path), version);
        (change.before, change.after) = (back, version);
    }
    if !now.is_empty() {
        effect.left = disk.tree_with(effect.left, now.iter().map(|(path, version)| (path, *version)))?;
    }
    effect.files.retain(|change| change.before != change.after);
    Ok(())
}

impl RecordChanges {
    /// The overview with these records taken back; `None` if nothing is left of it.
    fn back(&self, now: Option<Vec<u8>>) -> Result<Option<Vec<u8>>, doc::edit::Error> {
        let keys: Vec<_> = self.removed.iter().map(|record| (record.name.as_str(), record.blob)).collect();
        let rest = match now {
            Some(now) => doc::remove_archive_records(&now, &keys)?,
            None => None,
        };
        match self.added.is_empty() {
            true => Ok(rest),
            false => doc::add_archive_records(rest.as_deref(), &self.added).map(Some),
        }
    }
}

fn read(scope: &Scope, version: Option<Version>) -> Result<Vec<ArchiveRecord>, Error> {
    let Some(version) = version else { return Ok(Vec::new()) };
    let bytes = trees::blob(scope, version.id)?;
    Ok(if doc::may_archive(&bytes) {
        doc::archive_records(&Document::parse(bytes)).records
    } else {
        Vec::new()
    })
}

/// The records of one list that the other has not.
fn only<'r>(one: &'r [ArchiveRecord], other: &'r [ArchiveRecord]) -> impl Iterator<Item = &'r ArchiveRecord> {
    one.iter().filter(|record| !other.iter().any(|known| known.is_same_as(record)))
}

fn is_version(version: Option<Version>, record: &ArchiveRecord) -> bool {
    version.is_some_and(|version| version.id == record.blob)
}
