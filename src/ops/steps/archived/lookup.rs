//! Whether one path is archived, without listing everything.

use super::inventory::of_folder;
use super::{Item, State, foreign};
use crate::doc::{self, ArchiveRecords, Document};
use crate::fs;
use crate::git::Scope;
use crate::ops::steps::cause::Cause;
use crate::ops::steps::refresh;
use crate::path::{Kind, TreePath, archived_original};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// The archived entry that is meant by a path: of the entry, with or without `.md`, of its stub, or of its full copy.
/// Looks at the records of the folder, at the disk and at `HEAD`.
///
/// # Errors
/// Files and objects that cannot be read.
pub fn recorded(scope: &Scope, path: &str) -> Result<Option<Item>, Cause> {
    let root = scope.root();
    for path in meant(path) {
        let folder = path.folder();
        let overview =
            if folder.is_empty() { "context.md".to_owned() } else { format!("{folder}/context.md") };
        if let Ok(overview) = TreePath::parse(overview.as_bytes())
            && let Some(bytes) = fs::read_below(&root, &overview.on_disk(&root))?
            && doc::may_archive(&bytes)
        {
            let inventory = of_folder(scope, &root, &overview, bytes, &|_| false)?;
            if let Some(item) = inventory.items.into_iter().find(|item| item.path == path) {
                return Ok(Some(item));
            }
        }
        let found = foreign::one(scope, &root, &path)?;
        if found.stub.is_some() || found.full.is_some() {
            return Ok(Some(foreign::item(scope, path, found)?));
        }
    }
    Ok(None)
}

/// The paths of entries that a typed path may mean.
pub(super) fn meant(path: &str) -> Vec<TreePath> {
    let path = archived_original(path).unwrap_or_else(|| path.to_owned());
    let names = [path.clone(), format!("{path}.md")];
    let parsed = names.iter().filter_map(|path| TreePath::parse(path.as_bytes()).ok());
    parsed.filter(|path| path.kind() == Kind::Entry).collect()
}

/// Answers whether paths are archived in a state of the tree, by the `context.md` files that `read` gives.
pub struct Lookup<'a> {
    read: Box<dyn Fn(&TreePath) -> Result<Option<Vec<u8>>, fs::Error> + Sync + 'a>,
    /// The names that each folder records, as far as they were asked for.
    known: Mutex<HashMap<String, Vec<String>>>,
}

impl<'a> Lookup<'a> {
    /// Answers from these files.
    pub fn new(read: impl Fn(&TreePath) -> Result<Option<Vec<u8>>, fs::Error> + Sync + 'a) -> Self {
        Self { read: Box::new(read), known: Mutex::default() }
    }

    /// The archived entry that a path means, which is known not to be there.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn archived(&self, path: &str) -> Result<Option<TreePath>, fs::Error> {
        for path in meant(path) {
            let is_there = |file: &TreePath| Ok::<_, fs::Error>((self.read)(file)?.is_some());
            let is_recorded = self.names(path.folder())?.iter().any(|name| name == path.file_name());
            if is_recorded {
                return Ok(Some(path));
            }
            if let Some(paths) = crate::path::ArchivePaths::of(path.as_str())
                && (is_there(&paths.stub)? || is_there(&paths.full)?)
            {
                return Ok(Some(path));
            }
        }
        Ok(None)
    }

    fn names(&self, folder: &str) -> Result<Vec<String>, fs::Error> {
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(names) = known().get(folder) {
            return Ok(names.clone());
        }
        let overview =
            if folder.is_empty() { "context.md".to_owned() } else { format!("{folder}/context.md") };
        let bytes = match TreePath::parse(overview.as_bytes()) {
            Ok(overview) => (self.read)(&overview)?,
            Err(_) => None,
        };
        let names: Vec<String> = match bytes.filter(|bytes| doc::may_archive(bytes)) {
            Some(bytes) => {
                let items = Document::parse(refresh::our_side(bytes)).meta().archived;
                ArchiveRecords::of(&items).records.into_iter().map(|record| record.name).collect()
            }
            None => Vec::new(),
        };
        known().insert(folder.to_owned(), names.clone());
        Ok(names)
    }
}

impl Item {
    /// Whether its content can be given back from this clone.
    #[must_use]
    pub const fn is_here(&self) -> bool {
        match self.state {
            State::Here => true,
            State::Missing => false,
            State::Foreign => self.blob.is_some(),
        }
    }
}
