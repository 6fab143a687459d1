//! Adopt a tree that another tool made, without losing a byte.
//!
//! Other tools leave derived files of their own, some of them tracked by git. brv generates its own under the same
//! names and replaces theirs, but first stores every one of them in an operation. Files below `_archived/` may exist
//! nowhere else: they stay on disk, and those that git tracks stay tracked, so that no teammate loses them by a pull.

use crate::Stop;
use crate::journal::{IndexSides, OperationKind, Staged, Transition};
use crate::open::survey::{self, Class, Survey};
use crate::write::operation::{Purpose, Work, Writing};
use brv_base::content::ContentId;
use brv_base::fs::{self, Listing};
use brv_base::path::{self, Derived, TreePath};
use brv_base::sorting;
use brv_git::trees::Change;
use brv_git::{FileMode, Scope, Version, store, trees};
use brv_text::derive::stamp;
use bstr::ByteSlice;
use schemars::JsonSchema;
use serde::Serialize;

/// Files taken over from another tool.
#[derive(Debug, Clone, Default, JsonSchema, Serialize)]
pub struct Adopted {
    /// The operation that keeps every byte of them.
    pub operation: String,
    /// Derived files replaced by brv's own.
    pub replaced: Vec<TreePath>,
    /// Files no longer tracked; the deletion is staged.
    pub untracked: Vec<TreePath>,
    /// Archived files, left alone on disk and in the index; `brv archive list` shows the entries.
    pub archived: Vec<TreePath>,
}

struct Theirs {
    path: TreePath,
    kind: Derived,
    is_tracked: bool,
    /// Whether the repository has its bytes.
    is_stored: bool,
    bytes: Vec<u8>,
}

impl Theirs {
    /// Whether it is replaced, or has to be stored first: archived files are stored once, so that a second `init` has
    /// nothing to do.
    const fn has_work(&self) -> bool {
        gives_way(self.kind) || !(self.is_tracked || self.is_stored)
    }
}

/// Find derived files of other tools, store them in an operation, and remove them. `None` if there are none.
///
/// # Errors
/// Nothing was removed, or the next command finishes the removal.
pub fn adopt(writing: &mut Writing<'_>, survey: &Survey) -> Result<Option<Adopted>, Stop> {
    let scope = writing.scope();
    if !find(scope, survey)?.iter().any(Theirs::has_work) {
        return Ok(None);
    }
    // a new survey: nothing else is staged from here on
    let survey = writing.survey(|index| survey::survey(scope, index, Listing::Everything))?;
    let theirs = find(scope, &survey)?;
    let transition = transition(scope, &survey, &theirs)?;
    let purpose = Purpose::new(OperationKind::Adopt, "adopt a tree that another tool made");
    let operation = writing.carry_out(Some(survey.index), Work::exact(transition), &purpose)?;
    Ok(operation.map(|id| Adopted { operation: id.to_string(), ..Adopted::of(&theirs) }))
}

impl Adopted {
    fn of(theirs: &[Theirs]) -> Self {
        let paths = |wanted: &dyn Fn(&Theirs) -> bool| -> Vec<TreePath> {
            theirs.iter().filter(|file| wanted(file)).map(|file| file.path.clone()).collect()
        };
        Self {
            operation: String::new(),
            replaced: paths(&|file| gives_way(file.kind)),
            untracked: paths(&|file| file.is_tracked && gives_way(file.kind)),
            archived: paths(&|file| !gives_way(file.kind)),
        }
    }
}

/// The derived and archived files of another tool that [`adopt`] would take over.
pub fn waiting(scope: &Scope, survey: &Survey) -> Result<Adopted, Stop> {
    Ok(Adopted::of(&find(scope, survey)?))
}

/// Replaced files are removed from the disk and the index; the operation holds all of them.
fn transition(scope: &Scope, survey: &Survey, theirs: &[Theirs]) -> Result<Transition, Stop> {
    let theirs: Vec<&Theirs> = theirs.iter().filter(|file| file.has_work()).collect();
    let blobs: Vec<Vec<u8>> = theirs.iter().map(|file| file.bytes.clone()).collect();
    let ids = store::write_blobs(scope, &blobs)?;
    let (mut files, mut entries) = (Vec::new(), Vec::new());
    for (file, id) in theirs.into_iter().zip(ids) {
        let before = Some(Version { mode: FileMode::Regular, id });
        let after = before.filter(|_| !gives_way(file.kind));
        files.push(Change { path: file.path.as_str().into(), renamed_from: None, before, after });
        if file.is_tracked {
            entries.push((scope.full(file.path.as_bytes()), Staged::Nothing));
        }
    }
    sorting::sort_by(&mut files, |one, other| one.path.cmp(&other.path));
    let index = IndexSides::of(scope, &survey.index, entries)?;
    Ok(Transition { files, index, ..Transition::default() })
}

/// Whether brv generates a file of this name and kind itself.
const fn gives_way(kind: Derived) -> bool {
    matches!(kind, Derived::Index | Derived::Manifest | Derived::Abstract | Derived::Overview)
}

/// Whether brv wrote a file: by its stamp, or for a full copy by that of the stub beside it.
fn is_brvs(scope: &Scope, path: &TreePath, bytes: &[u8]) -> Result<bool, fs::Error> {
    let is_stamped = |bytes: &[u8]| stamp::read(bytes) != stamp::Stamp::Foreign;
    if path.kind() != path::PathKind::Derived(Derived::FullArchive) {
        return Ok(is_stamped(bytes));
    }
    let paths = path::archived_original(path.as_str()).and_then(|path| path::ArchivePaths::of(&path));
    let Some(paths) = paths else { return Ok(false) };
    let stub = fs::read_below(&scope.root(), &paths.stub.on_disk(&scope.root()))?;
    Ok(stub.is_some_and(|stub| is_stamped(&stub)))
}

fn find(scope: &Scope, survey: &Survey) -> Result<Vec<Theirs>, Stop> {
    let tracked = survey
        .index
        .versions()
        .filter_map(|(path, version)| Some((scope.strip(path)?.to_owned(), Some(version))));
    let unrecorded = survey.unrecorded(scope)?;
    let new =
        unrecorded.into_iter().filter(|file| file.class == Class::Derived).map(|file| (file.path, None));
    let mut theirs = Vec::new();
    for (path, recorded) in tracked.chain(new) {
        let Ok(path) = TreePath::parse(path.as_bytes()) else { continue };
        let path::PathKind::Derived(kind) = path.kind() else { continue };
        let bytes = match (fs::read_below(&scope.root(), &path.on_disk(&scope.root()))?, recorded) {
            (Some(bytes), _) => bytes,
            // deleted on disk, and still tracked
            (None, Some(version)) if version.mode == FileMode::Regular => trees::blob(scope, version.id)?,
            (None, _) => continue,
        };
        let is_tracked = recorded.is_some();
        if is_tracked || !is_brvs(scope, &path, &bytes)? {
            let is_stored = store::holds(scope, ContentId::of(&bytes));
            theirs.push(Theirs { path, kind, is_tracked, is_stored, bytes });
        }
    }
    Ok(theirs)
}
