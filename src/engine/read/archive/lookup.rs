//! Whether one path is archived, without listing everything.

use super::inventory::of_folder;
use super::{ArchivedState, Item, foreign, overview_of};
use crate::Stop;
use crate::derive;
use crate::read::archive::typed_name::{TypedName, meant};
use crate::read::history::source::Reading;
use brv_base::path::{ArchivePaths, TreePath};
use brv_git::Scope;
use brv_text::doc::{self, ArchiveRecords, Document};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// The archived entry that is meant, in the tree that is read: by the record of its folder, or by the files of another
/// tool, on disk, in `HEAD`, or in an earlier commit.
pub fn found(scope: &Scope, reading: &Reading, sought: &TypedName) -> Result<Option<Item>, Stop> {
    for path in sought.paths() {
        if let Some(item) = recorded(scope, reading, path)? {
            return Ok(Some(item));
        }
    }
    if reading.commit().is_some() || sought.paths().is_empty() {
        return Ok(None);
    }
    let mut foreign = foreign::all(scope, reading.root())?;
    for path in sought.paths() {
        if let Some(found) = foreign.remove(path) {
            return Ok(Some(foreign::item(scope, path.clone(), found)?));
        }
    }
    Ok(None)
}

fn recorded(scope: &Scope, reading: &Reading, path: &TreePath) -> Result<Option<Item>, Stop> {
    let overview = overview_of(path);
    let bytes = reading.read(&overview)?.filter(|bytes| doc::may_archive(bytes));
    let Some(bytes) = bytes else { return Ok(None) };
    let inventory = of_folder(scope, reading.root(), &overview, bytes, &|_| false)?;
    Ok(inventory.items.into_iter().find(|item| item.path == *path))
}

/// Reads a file of a state of the tree; `None` if it is not there, or cannot be read.
type StateFileReader<'a> = Box<dyn Fn(&TreePath) -> Option<Vec<u8>> + Sync + 'a>;

/// Answers whether paths that lead to no entry are archived in a state of the tree. Reads the `context.md` of each
/// folder once.
pub struct Lookup<'a> {
    read: StateFileReader<'a>,
    /// The names that each folder records, as far as they were asked for.
    known: Mutex<HashMap<String, Vec<String>>>,
}

impl<'a> Lookup<'a> {
    /// Answers from these files.
    pub fn new(read: impl Fn(&TreePath) -> Option<Vec<u8>> + Sync + 'a) -> Self {
        Self { read: Box::new(read), known: Mutex::default() }
    }

    /// Answers from the tree that is read.
    pub fn of(reading: &'a Reading) -> Self {
        Self::new(|path| reading.read(path).ok().flatten())
    }

    /// The archived entry that a path means, which is known not to be there.
    pub fn archived(&self, path: &str) -> Option<TreePath> {
        meant(path).into_iter().find(|path| self.has_record(path) || self.is_foreign(path))
    }

    /// Whether another tool archived it: brv's own files may be left from a record that is gone.
    fn is_foreign(&self, path: &TreePath) -> bool {
        let Some(paths) = ArchivePaths::of(path.as_str()) else { return false };
        match (self.read)(&paths.stub) {
            Some(stub) => !derive::is_stamped(&stub),
            None => (self.read)(&paths.full).is_some(),
        }
    }

    fn has_record(&self, path: &TreePath) -> bool {
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let is_named = |names: &Vec<String>| names.iter().any(|name| name == path.file_name());
        if let Some(names) = known().get(path.folder()) {
            return is_named(names);
        }
        let bytes = (self.read)(&overview_of(path)).filter(|bytes| doc::may_archive(bytes));
        let items = bytes.map(|bytes| Document::parse(derive::our_side(bytes)).meta().archived);
        let records = ArchiveRecords::of(&items.unwrap_or_default()).records;
        let names: Vec<String> = records.into_iter().map(|record| record.name).collect();
        let is_named = is_named(&names);
        known().insert(path.folder().to_owned(), names);
        is_named
    }
}

impl Item {
    /// Whether its content can be given back from this clone.
    pub const fn is_here(&self) -> bool {
        match self.state {
            ArchivedState::Here => true,
            ArchivedState::Missing => false,
            ArchivedState::Foreign => self.blob.is_some(),
        }
    }
}
