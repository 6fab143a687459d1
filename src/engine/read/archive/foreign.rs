//! Archives of other tools: pairs of a stub and a full copy below `_archived/`, on disk, in the tree of `HEAD`, or in an
//! earlier commit of the branch.
//!
//! brv neither converts nor removes them.

use super::{ArchivedState, Item};
use crate::Stop;
use crate::derive;
use brv_base::content::ContentId;
use brv_base::fs;
use brv_base::path::{ARCHIVE, ArchivePaths, Derived, PathKind, TreePath, archived_original};
use brv_git as git;
use brv_git::history::{self, Interest, Range};
use brv_git::trees::{self, TreeItem};
use brv_git::{BlobId, CommitId, Scope, TreeId};
use brv_text::derive::tokens_of_file;
use brv_text::doc::Document;
use bstr::BStr;
use chrono::DateTime;
use std::collections::{BTreeMap, HashSet};
use std::ops::ControlFlow;
use std::path::Path;

/// Where the files of an archived entry are.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Stores {
    pub stub: Option<Where>,
    pub full: Option<Where>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Where {
    /// On disk, at this path of the tree.
    Disk(TreePath),
    History(BlobId),
}

impl Stores {
    pub(super) const fn is_on_disk(&self) -> bool {
        matches!(self.stub, Some(Where::Disk(_))) || matches!(self.full, Some(Where::Disk(_)))
    }
}

/// Every archive of another tool, by the path that the entry had.
pub(super) fn all(scope: &Scope, root: &Path) -> Result<BTreeMap<TreePath, Stores>, Stop> {
    let mut found = BTreeMap::new();
    on_disk(root, &mut found)?;
    if let Some(head) = scope.head()?.commit() {
        in_commit(scope, head, &mut HashSet::new(), &mut found)?;
        in_history(scope, head, &mut found)?;
        last_versions(scope, head, &mut found)?;
    }
    Ok(found)
}

fn on_disk(root: &Path, found: &mut BTreeMap<TreePath, Stores>) -> Result<(), Stop> {
    let folder = root.join(ARCHIVE);
    if !folder.is_dir() || folder.is_symlink() {
        return Ok(());
    }
    for file in fs::inside(&folder)?.into_iter().filter(|file| file.is_regular) {
        let path = [ARCHIVE.as_bytes(), b"/", &file.path].concat();
        if let Ok(path) = TreePath::parse(&path) {
            note_on_disk(root, path, found)?;
        }
    }
    Ok(())
}

/// Note a file on disk that is not brv's. Whether a full copy is brv's shows in the stub beside it.
fn note_on_disk(root: &Path, path: TreePath, found: &mut BTreeMap<TreePath, Stores>) -> Result<(), Stop> {
    let stub = match path.kind() {
        PathKind::Derived(Derived::Stub) => path.clone(),
        _ => match archived_original(path.as_str()).and_then(|path| ArchivePaths::of(&path)) {
            Some(paths) => paths.stub,
            None => return Ok(()),
        },
    };
    let bytes = fs::read_below(root, &stub.on_disk(root))?;
    if !bytes.is_some_and(|bytes| derive::is_stamped(&bytes)) {
        note(found, path.clone(), || Where::Disk(path));
    }
    Ok(())
}

fn note(found: &mut BTreeMap<TreePath, Stores>, file: TreePath, place: impl FnOnce() -> Where) {
    let original = archived_original(file.as_str()).and_then(|path| TreePath::parse(path.as_bytes()).ok());
    let Some(original) = original.filter(|path| path.kind() == PathKind::Entry) else { return };
    let stores = found.entry(original).or_default();
    match file.kind() {
        PathKind::Derived(Derived::Stub) => stores.stub = stores.stub.take().or_else(|| Some(place())),
        PathKind::Derived(Derived::FullArchive) => stores.full = stores.full.take().or_else(|| Some(place())),
        _ => {}
    }
}

fn in_commit(
    scope: &Scope,
    commit: CommitId,
    seen: &mut HashSet<TreeId>,
    found: &mut BTreeMap<TreePath, Stores>,
) -> Result<(), git::Error> {
    let tree = trees::find(scope, scope.tree_of(commit)?, BStr::new(ARCHIVE))?;
    let Some(TreeItem::Folder(folder)) = tree else { return Ok(()) };
    if !seen.insert(folder) {
        return Ok(());
    }
    for (path, version) in trees::list_folder(scope, folder)? {
        let path = [ARCHIVE.as_bytes(), b"/", &path].concat();
        if let Some(path) = TreePath::parse(&path).ok().filter(|_| version.mode.is_file()) {
            note(found, path, || Where::History(version.id));
        }
    }
    Ok(())
}

/// The commits that changed the folder, newest first, and their parents: what one of them removed.
fn in_history(
    scope: &Scope,
    head: CommitId,
    found: &mut BTreeMap<TreePath, Stores>,
) -> Result<(), git::Error> {
    let interest = Interest::Paths(vec![ARCHIVE.into()]);
    let range = Range { tips: vec![head], interest, ..Range::default() };
    let mut changed = Vec::new();
    history::walk(scope, &range, |walked| {
        changed.push((walked.commit.id, walked.commit.parents));
        ControlFlow::Continue(())
    })?;
    let mut seen = HashSet::new();
    for (commit, parents) in changed {
        for commit in [commit].into_iter().chain(parents) {
            in_commit(scope, commit, &mut seen, found)?;
        }
    }
    Ok(())
}

/// Where only a stub is left, the last version of the entry that a commit has.
fn last_versions(
    scope: &Scope,
    head: CommitId,
    found: &mut BTreeMap<TreePath, Stores>,
) -> Result<(), git::Error> {
    let mut wanted: BTreeMap<&TreePath, &mut Stores> =
        found.iter_mut().filter(|(_, stores)| stores.full.is_none()).collect();
    if wanted.is_empty() {
        return Ok(());
    }
    let interest = Interest::Paths(wanted.keys().map(|path| path.as_str().into()).collect());
    let range = Range { tips: vec![head], interest, ..Range::default() };
    let mut changed = Vec::new();
    history::walk(scope, &range, |walked| {
        changed.push((walked.commit.id, walked.commit.parents));
        ControlFlow::Continue(())
    })?;
    for (commit, parents) in changed {
        for commit in [commit].into_iter().chain(parents) {
            let tree = scope.tree_of(commit)?;
            for (path, stores) in &mut wanted {
                if let Some(TreeItem::File(version)) = trees::find(scope, tree, BStr::new(path.as_str()))? {
                    stores.full = Some(Where::History(version.id));
                }
            }
            wanted.retain(|_, stores| stores.full.is_none());
        }
    }
    Ok(())
}

/// The bytes of a file of an archive.
pub(super) fn read(scope: &Scope, root: &Path, place: Option<&Where>) -> Result<Option<Vec<u8>>, Stop> {
    Ok(match place {
        Some(Where::Disk(path)) => fs::read_below(root, &path.on_disk(root))?,
        Some(Where::History(blob)) if git::store::holds(scope, *blob) => Some(trees::blob(scope, *blob)?),
        Some(Where::History(_)) | None => None,
    })
}

/// The item of an archive, described by the fields of its stub.
pub(super) fn item(scope: &Scope, path: TreePath, found: Stores) -> Result<Item, Stop> {
    let root = scope.root();
    let full = read(scope, &root, found.full.as_ref())?;
    let stub = read(scope, &root, found.stub.as_ref())?.map(Document::parse);
    let text = |name: &str| {
        let value = stub.as_ref()?.field(name)?;
        value.as_str().map(str::to_owned)
    };
    let number = |name: &str| text(name).and_then(|text| text.trim().parse::<f64>().ok());
    let on_disk = |place: &Option<Where>| match place {
        Some(Where::Disk(path)) => Some(path.clone()),
        _ => None,
    };
    let counted = full.as_deref().map(tokens_of_file);
    Ok(Item {
        blob: full.as_deref().map(ContentId::of),
        importance: number("evicted_importance").filter(|value| value.is_finite()),
        archived_at: text("evicted_at")
            .and_then(|text| DateTime::parse_from_rfc3339(text.trim()).ok())
            .map(|moment| moment.timestamp()),
        stub: on_disk(&found.stub),
        full: on_disk(&found.full),
        tokens: counted.or_else(|| number("original_token_count").map(|tokens| tokens as u64)),
        state: ArchivedState::Foreign,
        taken: false,
        record: None,
        path,
        found,
    })
}
