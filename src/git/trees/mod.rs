//! Trees: compares two with rename detection, looks up paths, lists files, reads blobs.

pub(crate) mod drafts;
pub(super) mod pairing;
pub(super) mod renames;
mod similarity;

pub use super::objects::folder::{Disguise, list_folder};
pub use renames::UnstoredFiles;
pub use similarity::similarity;

use super::error::{During, Error};
use super::id::{BlobId, TreeId, blob_id, object_id};
use super::index::Index;
pub(super) use super::objects::folder::MOST_FILES;
use super::objects::folder::{Item, items};
use super::version::Version;
use super::{Scope, index};
use brv_base::sorting;
use bstr::{BStr, BString, ByteSlice};

/// A file that differs between two trees. Paths are relative to the scope's tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// Its path (after the change).
    pub path: BString,
    /// Its path before, if it was renamed.
    pub renamed_from: Option<BString>,
    /// `None`: added.
    pub before: Option<Version>,
    /// `None`: deleted.
    pub after: Option<Version>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Renames {
    /// With at least half of the bytes the same, as in `git diff`: by `diff.renames` and `diff.renameLimit`.
    Detect,
    /// As in `git status`: `status.renames` and `status.renameLimit` override those of `diff`.
    DetectForStatus,
    /// Always, whatever the settings.
    Always,
    /// An addition and a deletion stay two changes.
    Ignore,
}

/// A tree entry that git would not have written, and whose path and mode do not show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Disguised {
    pub path: BString,
    pub disguise: Disguise,
}

/// The differences from `before` to `after`, sorted by path. Equal folders are skipped by their ids.
pub fn diff(scope: &Scope, before: TreeId, after: TreeId, renames: Renames) -> Result<Vec<Change>, Error> {
    let (changes, _) = compare(scope, before, after)?;
    renames::detect(scope, changes, renames)
}

/// As [`diff`] without renames, and which of the new or changed entries of `after` are malformed.
pub fn compare(scope: &Scope, before: TreeId, after: TreeId) -> Result<(Vec<Change>, Vec<Disguised>), Error> {
    let (before, after) = (subtree(scope, before)?, subtree(scope, after)?);
    let mut found = Differences::default();
    diff_folder(scope, before.map(|id| id.0), after.map(|id| id.0), &mut BString::default(), &mut found)?;
    found.changes.shrink_to_fit();
    sorting::sort_by(&mut found.changes, |a, b| a.path.cmp(&b.path));
    Ok((found.changes, found.disguised))
}

#[derive(Default)]
struct Differences {
    changes: Vec<Change>,
    disguised: Vec<Disguised>,
}

/// Joins each deletion in `changes` (sorted by path) with the addition that it became, if at least half of the bytes
/// are the same.
pub fn join_renames(scope: &Scope, changes: Vec<Change>, renames: Renames) -> Result<Vec<Change>, Error> {
    renames::detect(scope, changes, renames)
}

/// As [`join_renames`]; additions may be files of the work tree.
pub fn join_renames_on_disk(
    scope: &Scope,
    changes: Vec<Change>,
    renames: Renames,
    on_disk: &UnstoredFiles,
) -> Result<Vec<Change>, Error> {
    renames::detect_on_disk(scope, changes, renames, on_disk)
}

/// The tree at the scope's prefix, `None` if there is none.
fn subtree(scope: &Scope, root: TreeId) -> Result<Option<TreeId>, Error> {
    let mut id = root;
    for part in scope.prefix().split('/').filter(|part| !part.is_empty()) {
        let found = items(scope, Some(id.0))?.into_iter().find(|item| item.is_tree && item.name == part);
        match found {
            Some(item) => id = TreeId(item.id),
            None => return Ok(None),
        }
    }
    Ok(Some(id))
}

fn diff_folder(
    scope: &Scope,
    before: Option<gix::ObjectId>,
    after: Option<gix::ObjectId>,
    path: &mut BString,
    out: &mut Differences,
) -> Result<(), Error> {
    if before == after {
        return Ok(());
    }
    if out.changes.len() > MOST_FILES {
        return Err(Error::new("compare trees", format!("more than {MOST_FILES} files differ")));
    }
    let (before, after) = (items(scope, before)?, items(scope, after)?);
    let (mut before, mut after) = (before.iter().peekable(), after.iter().peekable());
    loop {
        let order = match (before.peek(), after.peek()) {
            (None, None) => return Ok(()),
            (Some(_), None) => std::cmp::Ordering::Less,
            (None, Some(_)) => std::cmp::Ordering::Greater,
            (Some(old), Some(new)) => tree_order(old, new),
        };
        let old = if order.is_le() { before.next() } else { None };
        let new = if order.is_ge() { after.next() } else { None };
        diff_items(scope, old, new, path, out)?;
    }
}

/// git sorts folders as if their names ended with a slash.
fn tree_order(old: &Item, new: &Item) -> std::cmp::Ordering {
    fn key(item: &Item) -> impl Iterator<Item = u8> + '_ {
        item.name.iter().copied().chain(item.is_tree.then_some(b'/'))
    }
    key(old).cmp(key(new))
}

fn diff_items(
    scope: &Scope,
    old: Option<&Item>,
    new: Option<&Item>,
    path: &mut BString,
    out: &mut Differences,
) -> Result<(), Error> {
    let Some(name) = old.or(new).map(|item| &item.name) else { return Ok(()) };
    if let (Some(old), Some(new)) = (old, new)
        && old.id == new.id
        && old.is_tree == new.is_tree
        && old.mode == new.mode
        && old.disguise == new.disguise
    {
        return Ok(());
    }
    let length = path.len();
    if !path.is_empty() {
        path.push(b'/');
    }
    path.extend_from_slice(name);
    if let Some(disguise) = new.and_then(|item| item.disguise) {
        out.disguised.push(Disguised { path: path.clone(), disguise });
    }
    let tree = |item: Option<&Item>| item.filter(|item| item.is_tree).map(|item| item.id);
    let file = |item: Option<&Item>| {
        item.filter(|item| !item.is_tree).map(|item| Version { mode: item.mode, id: blob_id(&item.id) })
    };
    if tree(old).is_some() || tree(new).is_some() {
        diff_folder(scope, tree(old), tree(new), path, out)?;
    }
    let (before, after) = (file(old), file(new));
    if before != after {
        out.changes.push(Change { path: path.clone(), renamed_from: None, before, after });
    }
    path.truncate(length);
    Ok(())
}

/// Every file of a tree with its version, sorted by path.
pub fn list(scope: &Scope, tree: TreeId) -> Result<Vec<(BString, Version)>, Error> {
    let changes = diff(scope, TreeId::empty(), tree, Renames::Ignore)?;
    Ok(changes.into_iter().filter_map(|change| Some((change.path, change.after?))).collect())
}

/// Whether a tree has at least so many files that count. No folder is read once they are found.
pub fn has_at_least(
    scope: &Scope,
    tree: TreeId,
    count: usize,
    counts: &dyn Fn(&BStr) -> bool,
) -> Result<bool, Error> {
    let mut left = count;
    let mut open: Vec<(BString, TreeId)> = Vec::new();
    open.extend(subtree(scope, tree)?.map(|folder| (BString::default(), folder)));
    while let Some((folder, id)) = open.pop().filter(|_| left > 0) {
        for item in items(scope, Some(id.0))? {
            let mut path = folder.clone();
            if !path.is_empty() {
                path.push(b'/');
            }
            path.extend_from_slice(&item.name);
            match item.is_tree {
                true => open.push((path, TreeId(item.id))),
                false => left -= usize::from(left > 0 && counts(path.as_bstr())),
            }
        }
    }
    Ok(left == 0)
}

/// The entry at a path of a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TreeItem {
    File(Version),
    Folder(TreeId),
}

/// The file at a path; `None` if there is none, or a folder.
pub fn file(scope: &Scope, tree: TreeId, path: &BStr) -> Result<Option<Version>, Error> {
    Ok(match find(scope, tree, path)? {
        Some(TreeItem::File(version)) => Some(version),
        _ => None,
    })
}

/// The bytes of the file at a path.
pub fn file_bytes(scope: &Scope, tree: TreeId, path: &BStr) -> Result<Option<Vec<u8>>, Error> {
    file(scope, tree, path)?.map(|version| blob(scope, version.id)).transpose()
}

/// Looks up one path (relative to the scope's tree; empty for the tree itself).
pub fn find(scope: &Scope, tree: TreeId, path: &BStr) -> Result<Option<TreeItem>, Error> {
    let Some(mut folder) = subtree(scope, tree)? else { return Ok(None) };
    let mut parts = path.split_str("/").filter(|part| !part.is_empty()).peekable();
    while let Some(part) = parts.next() {
        let Some(item) = items(scope, Some(folder.0))?.into_iter().find(|item| item.name == part) else {
            return Ok(None);
        };
        match (item.is_tree, parts.peek()) {
            (true, _) => folder = TreeId(item.id),
            (false, None) => {
                return Ok(Some(TreeItem::File(Version { mode: item.mode, id: blob_id(&item.id) })));
            }
            (false, Some(_)) => return Ok(None),
        }
    }
    Ok(Some(TreeItem::Folder(folder)))
}

/// The names in one folder, with a slash after folders.
pub fn names(scope: &Scope, folder: TreeId) -> Result<Vec<BString>, Error> {
    Ok(items(scope, Some(folder.0))?
        .into_iter()
        .map(|mut item| {
            if item.is_tree {
                item.name.push(b'/');
            }
            item.name
        })
        .collect())
}

/// The bytes of a blob.
///
/// # Errors
/// An object that is missing or no blob.
pub fn blob(scope: &Scope, id: BlobId) -> Result<Vec<u8>, Error> {
    let mut object = scope.repo.find_blob(object_id(id)).during(|| format!("read blob {id}"))?;
    Ok(object.take_data())
}

/// The length of a blob in bytes, without reading it.
///
/// # Errors
/// As [`blob`].
pub fn blob_size(scope: &Scope, id: BlobId) -> Result<u64, Error> {
    Ok(scope.repo.find_header(object_id(id)).during(|| format!("read blob {id}"))?.size())
}

/// As [`blob`]; `None` if there is no such object, or it is not a blob.
pub fn find_blob(scope: &Scope, id: BlobId) -> Result<Option<Vec<u8>>, Error> {
    let object = scope.repo.try_find_object(object_id(id)).during(|| format!("read object {id}"))?;
    Ok(object.filter(|object| object.kind == gix::object::Kind::Blob).map(|object| object.detach().data))
}

/// The staged changes: the tree of `HEAD` compared with the index. Skips the walk when the cache-tree shows that they
/// are equal.
pub fn diff_index(
    scope: &Scope,
    head: TreeId,
    index: &Index,
    renames: Renames,
) -> Result<Vec<Change>, Error> {
    if index.cached_root() == Some(head) {
        return Ok(Vec::new());
    }
    let mut recorded =
        index.versions().filter_map(|(path, version)| Some((scope.strip(path)?, version))).peekable();
    let before = list(scope, head)?;
    let mut before = before.iter().peekable();
    let mut changes = Vec::new();
    loop {
        let order = match (before.peek(), recorded.peek()) {
            (None, None) => break,
            (Some(_), None) => std::cmp::Ordering::Less,
            (None, Some(_)) => std::cmp::Ordering::Greater,
            (Some((old, _)), Some((new, _))) => old.as_bstr().cmp(new),
        };
        let old = if order.is_le() { before.next() } else { None };
        let new = if order.is_ge() { recorded.next() } else { None };
        let path = old.map(|(path, _)| path.as_bstr()).or(new.map(|(path, _)| path));
        let (before, after) = (old.map(|(_, version)| *version), new.map(|(_, version)| version));
        if let Some(path) = path.filter(|path| before != after && !is_unmerged(scope, index, path)) {
            changes.push(Change { path: path.to_owned(), renamed_from: None, before, after });
        }
    }
    renames::detect(scope, changes, renames)
}

fn is_unmerged(scope: &Scope, index: &index::Index, path: &BStr) -> bool {
    let full = scope.full(path);
    index.version(full.as_bstr()).is_none() && index.contains(full.as_bstr())
}
