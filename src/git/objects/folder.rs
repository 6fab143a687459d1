//! Read the entries of one folder, or of all folders below it, from the tree objects.

use crate::Scope;
use crate::error::{During, Error};
use crate::id::{TreeId, blob_id};
use crate::version::{FileMode, Version};
use bstr::{BStr, BString, ByteSlice};
use gix::objs::FindExt as _;
use gix::objs::tree::EntryKind;

/// A malformed tree entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Disguise {
    /// A slash in its name: it reads as a file in a folder.
    Slash,
    /// A mode such as 100666, which reads as another one.
    Mode,
}

pub(crate) struct Item {
    pub name: BString,
    pub is_tree: bool,
    pub mode: FileMode,
    pub id: gix::ObjectId,
    pub disguise: Option<Disguise>,
}

/// The most files that are listed or compared: ten times the biggest tree that brv is made for. A few trees that contain each
/// other many times stand for billions.
pub(crate) const MOST_FILES: usize = 1_000_000;

/// The entries of one folder, in the order of the tree.
pub(crate) fn items(scope: &Scope, id: Option<gix::ObjectId>) -> Result<Vec<Item>, Error> {
    let Some(id) = id.filter(|id| !id.is_empty_tree()) else { return Ok(Vec::new()) };
    let mut buffer = Vec::new();
    let tree = scope.repo.objects.find_tree_iter(&id, &mut buffer).during(|| format!("read tree {id}"))?;
    tree.map(|entry| {
        let entry = entry.during(|| format!("read tree {id}"))?;
        let mode = match entry.mode.kind() {
            EntryKind::Tree | EntryKind::Blob => FileMode::Regular,
            EntryKind::BlobExecutable => FileMode::Executable,
            EntryKind::Link => FileMode::Symlink,
            EntryKind::Commit => FileMode::Gitlink,
        };
        let (name, is_tree) = (entry.filename.to_owned(), entry.mode.is_tree());
        let disguise = disguise(name.as_bstr(), entry.mode.value());
        Ok(Item { name, is_tree, mode, id: entry.oid.to_owned(), disguise })
    })
    .collect()
}

fn disguise(name: &BStr, mode: u16) -> Option<Disguise> {
    // git once wrote 100664, and still accepts it
    const MODES: [u16; 6] = [0o040_000, 0o100_644, 0o100_664, 0o100_755, 0o120_000, 0o160_000];
    if name.contains(&b'/') {
        return Some(Disguise::Slash);
    }
    (!MODES.contains(&mode)).then_some(Disguise::Mode)
}

/// Every file below one folder, with its path relative to the folder.
pub fn list_folder(scope: &Scope, folder: TreeId) -> Result<Vec<(BString, Version)>, Error> {
    let mut found = Vec::new();
    list_below(scope, folder.0, &mut BString::default(), &mut found)?;
    Ok(found)
}

fn list_below(
    scope: &Scope,
    folder: gix::ObjectId,
    path: &mut BString,
    found: &mut Vec<(BString, Version)>,
) -> Result<(), Error> {
    if found.len() > MOST_FILES {
        return Err(Error::new("compare trees", format!("more than {MOST_FILES} files differ")));
    }
    for item in items(scope, Some(folder))? {
        let length = path.len();
        if !path.is_empty() {
            path.push(b'/');
        }
        path.extend_from_slice(&item.name);
        if item.is_tree {
            list_below(scope, item.id, path, found)?;
        } else {
            found.push((path.clone(), Version { mode: item.mode, id: blob_id(&item.id) }));
        }
        path.truncate(length);
    }
    Ok(())
}
