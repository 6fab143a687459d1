//! List everything that is archived.

use super::foreign::{self, Stores};
use super::{ArchivedState, Item};
use crate::Stop;
use crate::derive;
use crate::open::context::Opened;
use brv_base::content::ContentId;
use brv_base::fs;
use brv_base::parallel;
use brv_base::path::{ArchivePaths, PathKind, TreePath};
use brv_base::sorting;
use brv_git as git;
use brv_git::{Converter, Scope, store, trees};
use brv_text::derive::tokens_of_file;
use brv_text::doc::{self, ArchiveRecord, ArchiveRecords, Document};
use bstr::ByteSlice as _;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeSet, HashSet};
use std::path::Path;

/// `brv.archive.list/1`; paths are relative to the tree.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[schemars(rename = "ArchiveList")]
pub struct Inventory {
    /// The archived entries, by path; of several versions of one path the one archived last comes first.
    #[serde(rename = "archived")]
    pub items: Vec<Item>,
    /// Items of the field `archived` that brv cannot read: kept, and of no effect.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub malformed: Vec<Malformed>,
}

/// An item of the field `archived` that brv cannot read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "MalformedItem")]
pub struct Malformed {
    /// The `context.md` that has it.
    pub path: TreePath,
    /// The item as written.
    pub item: String,
}

/// Everything that is archived in the tree on disk. Reads the `context.md` files, and, for the archives of another
/// tool, the history of `_archived/`.
pub fn inventory(opened: &Opened) -> Result<Inventory, Stop> {
    let scope = &opened.scope;
    let survey = derive::quick_survey(opened, git::index::read(scope)?)?;
    let curated = derive::curated_paths(scope, &survey)?;
    let entries: HashSet<&str> = curated.iter().map(TreePath::as_str).collect();
    let root = scope.root();
    let mut inventory = own(scope, &root, &curated, &entries)?;
    let recorded: BTreeSet<String> = inventory.items.iter().map(|item| item.path.to_string()).collect();
    for (path, found) in foreign::all(scope, &root)? {
        let taken = entries.contains(path.as_str());
        // what that tool restored is there, and its archive may be so only in the history
        if recorded.contains(path.as_str()) || taken && !found.is_on_disk() {
            continue;
        }
        let item = Item { taken, ..foreign::item(scope, path, found)? };
        if !taken || item.is_of_another_entry(scope, &root)? {
            inventory.items.push(item);
        }
    }
    sorting::sort_by(&mut inventory.items, |one, other| one.path.cmp(&other.path));
    Ok(inventory)
}

fn own(scope: &Scope, root: &Path, curated: &[TreePath], entries: &HashSet<&str>) -> Result<Inventory, Stop> {
    let overviews: Vec<&TreePath> =
        curated.iter().filter(|path| path.kind() == PathKind::NodeOverview).collect();
    let shared = scope.to_shared();
    let found = parallel::try_map(
        &overviews,
        || shared.to_local(),
        |scope, path| {
            let bytes = fs::read_below(root, &path.on_disk(root))?.filter(|bytes| doc::may_archive(bytes));
            let Some(bytes) = bytes else { return Ok(Inventory::default()) };
            of_folder(scope, root, path, bytes, &|path| entries.contains(path))
        },
    )?;
    let mut all = Inventory::default();
    for one in found {
        all.items.extend(one.items);
        all.malformed.extend(one.malformed);
    }
    Ok(all)
}

/// What the `context.md` of a folder records; `is_there` tells whether an entry is at a path. A record of the entry that is
/// there is void: an edit won over the archive, or the entry was restored.
pub(super) fn of_folder(
    scope: &Scope,
    root: &Path,
    path: &TreePath,
    bytes: Vec<u8>,
    is_there: &dyn Fn(&str) -> bool,
) -> Result<Inventory, Stop> {
    let read = ArchiveRecords::of(&Document::parse(derive::our_side(bytes)).meta().archived);
    let mut inventory = Inventory { items: Vec::new(), malformed: unread(path, read.malformed) };
    let mut latest: Option<String> = None;
    for record in read.records {
        let Some(entry) = entry_of(path, &record) else {
            inventory.malformed.push(Malformed { path: path.clone(), item: record.to_string() });
            continue;
        };
        let taken = is_there(entry.as_str());
        let is_latest = latest.as_ref() != Some(&record.name);
        let name = record.name.clone();
        let item = Item { taken, ..item(scope, root, entry, record, is_latest)? };
        if !taken || item.is_of_another_entry(scope, root)? {
            latest = Some(name);
            inventory.items.push(item);
        }
    }
    Ok(inventory)
}

fn unread(path: &TreePath, items: Vec<String>) -> Vec<Malformed> {
    items.into_iter().map(|item| Malformed { path: path.clone(), item }).collect()
}

/// The items of the `context.md` of a folder that are not records.
pub fn malformed_in(path: &TreePath, bytes: Vec<u8>) -> Vec<Malformed> {
    if !doc::may_archive(&bytes) {
        return Vec::new();
    }
    let read = ArchiveRecords::of(&Document::parse(derive::our_side(bytes)).meta().archived);
    let others = read.records.iter().filter(|record| entry_of(path, record).is_none());
    unread(path, others.map(ToString::to_string).chain(read.malformed).collect())
}

/// The versions that the `context.md` of a folder records, with their entries, in order.
pub fn recorded_in(path: &TreePath, bytes: Vec<u8>) -> Vec<(TreePath, ContentId)> {
    if path.kind() != PathKind::NodeOverview || !doc::may_archive(&bytes) {
        return Vec::new();
    }
    let read = doc::archive_records(&Document::parse(derive::our_side(bytes)));
    read.records.iter().filter_map(|record| Some((entry_of(path, record)?, record.blob))).collect()
}

/// The entry of a record in the `context.md` of a folder; `None` if its name is not that of an entry.
fn entry_of(overview: &TreePath, record: &ArchiveRecord) -> Option<TreePath> {
    let original = match overview.folder() {
        "" => record.name.clone(),
        folder => format!("{folder}/{}", record.name),
    };
    TreePath::parse(original.as_bytes()).ok().filter(|path| path.kind() == PathKind::Entry)
}

/// The items of all `context.md` files on disk that are not records.
pub fn malformed(opened: &Opened) -> Result<Vec<Malformed>, Stop> {
    let (scope, root) = (&opened.scope, opened.scope.root());
    let survey = derive::quick_survey(opened, git::index::read(scope)?)?;
    let mut overviews = derive::curated_paths(scope, &survey)?;
    overviews.retain(|path| path.kind() == PathKind::NodeOverview);
    let found = parallel::try_map(
        &overviews,
        || (),
        |(), path| {
            let bytes = fs::read_below(&root, &path.on_disk(&root))?;
            Ok::<_, Stop>(bytes.map(|bytes| malformed_in(path, bytes)).unwrap_or_default())
        },
    )?;
    Ok(found.into_iter().flatten().collect())
}

/// The item of a record; only the latest version of a path has files.
fn item(
    scope: &Scope,
    root: &Path,
    path: TreePath,
    record: ArchiveRecord,
    is_latest: bool,
) -> Result<Item, Stop> {
    let paths = ArchivePaths::of(path.as_str()).filter(|_| is_latest);
    let full = paths.as_ref().map(|paths| paths.full.clone());
    let copy = match &full {
        Some(full) => fs::read_below(root, &full.on_disk(root))?,
        None => None,
    };
    let copy = copy.filter(|bytes| ContentId::of(bytes) == record.blob);
    let stub = match paths.map(|paths| paths.stub) {
        Some(stub) => {
            let bytes = fs::read_below(root, &stub.on_disk(root))?;
            bytes.filter(|bytes| derive::is_ours(bytes)).map(|_| stub)
        }
        None => None,
    };
    let content = match &copy {
        Some(bytes) => Some(bytes.clone()),
        None if store::holds(scope, record.blob) => Some(trees::blob(scope, record.blob)?),
        None => None,
    };
    Ok(Item {
        blob: Some(record.blob),
        importance: Some(record.importance),
        archived_at: Some(record.at),
        stub,
        full: full.filter(|_| copy.is_some()),
        tokens: content.as_deref().map(tokens_of_file),
        state: if content.is_some() { ArchivedState::Here } else { ArchivedState::Missing },
        taken: false,
        record: Some(record),
        found: Stores::default(),
        path,
    })
}

impl Item {
    /// Whether the entry at its path is not the archived one, edited or not: it was created later or at another time, or,
    /// if neither says when, has another title.
    fn is_of_another_entry(&self, scope: &Scope, root: &Path) -> Result<bool, Stop> {
        let Some(there) = fs::read_below(root, &self.path.on_disk(root))? else { return Ok(true) };
        let there = Converter::of(scope).to_git(self.path.as_bytes().as_bstr(), there.into())?.into_owned();
        if self.blob == Some(ContentId::of(&there)) {
            return Ok(false);
        }
        let there = Document::parse(derive::our_side(there));
        let since = there.meta().created_at.as_deref().and_then(doc::instant);
        if since.zip(self.archived_at).is_some_and(|((since, _), archived)| since >= archived) {
            return Ok(true);
        }
        let Some(archived) = self.content(scope)?.map(Document::parse) else { return Ok(true) };
        let made = |document: &Document| document.meta().created_at;
        Ok(match (made(&there), made(&archived)) {
            (None, None) => there.title() != archived.title(),
            (there, archived) => there != archived,
        })
    }

    /// The archived bytes; `None` if they are not in this clone.
    pub fn content(&self, scope: &Scope) -> Result<Option<Vec<u8>>, Stop> {
        let root = scope.root();
        if self.state == ArchivedState::Foreign {
            return foreign::read(scope, &root, self.found.full.as_ref());
        }
        let Some(blob) = self.blob else { return Ok(None) };
        if store::holds(scope, blob) {
            return Ok(Some(trees::blob(scope, blob)?));
        }
        let Some(full) = &self.full else { return Ok(None) };
        let copy = fs::read_below(&root, &full.on_disk(&root))?;
        Ok(copy.filter(|bytes| ContentId::of(bytes) == blob))
    }

    /// The text of its stub; `None` if there is none and none can be made.
    pub fn stub_text(&self, scope: &Scope) -> Result<Option<Vec<u8>>, Stop> {
        if self.state == ArchivedState::Foreign {
            return foreign::read(scope, &scope.root(), self.found.stub.as_ref());
        }
        let Some((record, content)) = self.record.as_ref().zip(self.content(scope)?) else { return Ok(None) };
        let Some(paths) = ArchivePaths::of(self.path.as_str()) else { return Ok(None) };
        Ok(Some(derive::stub_of(self.path.as_str(), &paths.full, record, &content).text.into_bytes()))
    }
}
