//! Which entries a change set archives: they are gone, and the overview of their folder has a record of their content.

use brv_git as git;
use brv_git::trees::Change;
use brv_text::doc::{self, Document};
use bstr::{BStr, BString, ByteSlice as _};
use std::collections::{BTreeMap, HashSet};

/// Reads a file of the state after the change; `None` if it is not there.
pub type Read<'r> = &'r dyn Fn(&BStr) -> Result<Option<Vec<u8>>, git::Error>;

/// The paths of the archived entries among the changes.
pub fn archived(changes: &[Change], read: Read<'_>) -> Result<HashSet<BString>, git::Error> {
    let mut by_folder: BTreeMap<&BStr, Vec<&Change>> = BTreeMap::new();
    for change in changes.iter().filter(|change| change.after.is_none() && change.before.is_some()) {
        by_folder.entry(parts(&change.path).0).or_default().push(change);
    }
    let mut archived = HashSet::new();
    for (folder, gone) in by_folder {
        let overview = if folder.is_empty() { "context.md".into() } else { format!("{folder}/context.md") };
        let bytes = read(overview.as_bytes().as_bstr())?.filter(|bytes| doc::may_archive(bytes));
        let Some(bytes) = bytes else { continue };
        let records = doc::archive_records(&Document::parse(bytes)).records;
        let versions: HashSet<_> = records.iter().map(|one| (one.name.as_bytes(), one.blob)).collect();
        let is_recorded = |change: &&Change| {
            let version = change.before.map(|version| (parts(&change.path).1.as_bytes(), version.id));
            version.is_some_and(|version| versions.contains(&version))
        };
        archived.extend(gone.into_iter().filter(is_recorded).map(|change| change.path.clone()));
    }
    Ok(archived)
}

/// The folder and the name of a path.
fn parts(path: &BString) -> (&BStr, &BStr) {
    let (folder, name) = path.rsplit_once_str("/").unwrap_or((b"", path));
    (folder.as_bstr(), name.as_bstr())
}
