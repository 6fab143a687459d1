//! Regenerate derived files that are out of date.
//!
//! The curated files on disk are hashed folder by folder into a Merkle tree; folders whose hash differs from the ledger
//! are stale, and only their files are read. A file with a derived name that brv did not write, or that was edited, is
//! never overwritten or removed.

mod archive;
pub mod brain;
mod cache;
mod current;
mod folder;
mod judge;
mod ledger;
mod manifest;
mod outline;
mod own_files;
mod records;
mod sources;
mod unblock_cache;
mod work;

use ledger::Ledger;
use outline::Outline;

pub(super) use archive::stub_of;
pub use cache::shared::forget as forget_shared;
pub use current::{Companion, Current, Origin, companion, companion_of, index as current_index, index_of};
pub use ledger::Disk;
pub(super) use own_files::our_side;
pub use sources::{Curated, absent_paths, blobs, curated_paths, differences, withheld_paths};
pub(super) use work::is_replaceable;

use crate::Stop;
use crate::journal;
use crate::open::context::Opened;
use crate::open::signals;
use crate::open::survey::{self, Class, Survey};
use brv_base::fs::{self, Listing, Unexpected};
use brv_base::path::{ARCHIVE, ArchivePaths, PathKind, TreePath};
use brv_base::progress::Progress;
use brv_git as git;
use brv_git::status::StatusError;
use brv_git::trees::{self, Renames};
use brv_git::{Scope, TreeId};
use bstr::ByteSlice as _;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

/// How much to check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// Folders whose content changed; derived files written earlier are assumed to exist.
    Changed,
    /// Also whether every derived file still exists as it was written.
    Missing,
    /// Regenerate everything.
    All,
}

/// Derived files that were updated.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Refreshed")]
pub struct Outcome {
    /// Files written, because they were missing or out of date.
    pub written: Vec<TreePath>,
    /// Files removed, because their source was deleted.
    pub removed: Vec<TreePath>,
    /// Files left alone.
    pub kept: Vec<ForeignFile>,
    /// Archived entries whose content is not in this clone, such as a shallow one: they have no stub.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<TreePath>,
}

/// A derived file that is out of order.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[schemars(rename = "NotInOrder")]
pub struct ForeignFile {
    /// Its path.
    pub path: TreePath,
    /// `missing`, `outdated`, `orphaned`, `altered` or `foreign`.
    #[schemars(with = "String")]
    pub why: Why,
}

/// Why a derived file is not as it should be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    Missing,
    Outdated,
    Orphaned,
    /// It was edited by hand.
    Altered,
    /// brv did not write it.
    Foreign,
}

impl Why {
    pub const fn word(self) -> &'static str {
        match self {
            Self::Missing => "missing",
            Self::Outdated => "outdated",
            Self::Orphaned => "orphaned",
            Self::Altered => "altered",
            Self::Foreign => "foreign",
        }
    }
}

/// Regenerate the derived files that do not match the curated files on disk.
///
/// # Errors
/// Files written so far stay, and the next refresh continues from there.
pub fn refresh(opened: &Opened, extent: Extent, progress: &dyn Progress) -> Result<Outcome, Stop> {
    match attempt(opened, extent, progress)? {
        Some(outcome) => Ok(outcome),
        // a full refresh needs no cached results
        None => Ok(attempt(opened, Extent::All, progress)?.unwrap_or_default()),
    }
}

/// `None`: cached results cannot be read.
fn attempt(opened: &Opened, extent: Extent, progress: &dyn Progress) -> Result<Option<Outcome>, Stop> {
    let cache = opened.places.cache();
    let _guard = unblock_cache::lock(&cache, opened.config.lock_timeout.value)?;
    // after an interrupted refresh, the state of the files is unknown
    let extent = if ledger::is_unfinished(&cache) { Extent::All } else { extent };
    let ledger = OnceLock::new();
    let survey = match extent {
        // derived files written earlier are assumed to exist
        Extent::Changed => quick_survey_by(&ledger, opened, index(opened)?)?,
        Extent::Missing | Extent::All => survey::survey(&opened.scope, index(opened)?, Listing::Everything)?,
    };
    let on_disk = sources::derived_names(&survey);
    let tree = recorded_tree(&opened.scope, &survey)?;
    tidy_up(opened, &survey);
    // in a repository that git made and `brv init` never saw, the files made here must not look untracked to git
    git::exclude_derived(&opened.scope)?;
    let ledger = ledger.into_inner().unwrap_or_else(|| ledger::load(&cache));
    if extent == Extent::Changed && ledger::is_damaged(&cache, &ledger) {
        return Ok(None);
    }
    let root = &opened.scope.root();
    let run = |outline: &Outline<'_>, conflicts, ledger| {
        let (cache, on_disk) = (&cache, &on_disk);
        let shared = cache::shared::file(opened.scope.environment(), &opened.config);
        let shared = shared.as_ref();
        let disk = Disk::Same;
        let order = work::Order { root, cache, outline, conflicts, on_disk, extent, tree, disk, shared };
        work::run((&order, &opened.scope), ledger, &|| signals::importance(opened), progress)
    };
    let since = match extent {
        Extent::Changed => changed_since(&opened.scope, &survey.index, ledger.tree)?,
        Extent::Missing | Extent::All => None,
    };
    if let Some(recorded) = since {
        let differing = sources::on_disk(&opened.scope, &survey)?;
        let outline = Outline::around(&recorded, &differing, (&opened.scope, &survey.index), &ledger);
        return run(&outline, BTreeMap::new(), ledger);
    }
    let curated = sources::curated(&opened.scope, &survey)?;
    let conflicts = curated.iter().filter_map(|file| Some((&file.path, file.ours.as_deref()?))).collect();
    run(&Outline::of(&curated), conflicts, ledger)
}

/// The paths that differ between the tree of the derived files and the index. `None` if that needs a full comparison.
fn changed_since(
    scope: &Scope,
    index: &git::Index,
    made_for: Option<TreeId>,
) -> Result<Option<Vec<TreePath>>, StatusError> {
    let recorded = index.cached_root().filter(|_| index.is_all_on_disk());
    let (Some(before), Some(after)) = (made_for, recorded) else { return Ok(None) };
    let changes = trees::diff(scope, before, after, Renames::Ignore)?;
    Ok(Some(changes.iter().filter_map(|change| TreePath::parse(&change.path).ok()).collect()))
}

/// Update the derived files from one tree to the next, after a command brought the index and the disk there. If they
/// were made for the first tree, only changed folders are checked, so the cost depends on the change; otherwise this is
/// a [`refresh`]. Other differences on disk are left to the next refresh; `disk` tells whether there may be any.
pub fn follow(
    opened: &Opened,
    (before, after): (TreeId, TreeId),
    disk: Disk,
    progress: &dyn Progress,
) -> Result<Outcome, Stop> {
    let (scope, cache) = (&opened.scope, opened.places.cache());
    if ledger::head(&cache).is_none_or(|head| head.tree != Some(before)) {
        return refresh(opened, Extent::Changed, progress);
    }
    let guard = unblock_cache::lock(&cache, opened.config.lock_timeout.value)?;
    let (index, ledger) = (index(opened)?, ledger::load(&cache));
    let recorded = match index.cached_root() == Some(after) && ledger.tree == Some(before) {
        true => changed_since(scope, &index, ledger.tree)?,
        false => None,
    };
    let Some(recorded) = recorded else {
        drop(guard);
        return refresh(opened, Extent::Changed, progress);
    };
    let differing = BTreeMap::new();
    let outline = Outline::around(&recorded, &differing, (scope, &index), &ledger);
    let shared = cache::shared::file(scope.environment(), &opened.config);
    let order = work::Order {
        root: &scope.root(),
        cache: &cache,
        outline: &outline,
        conflicts: BTreeMap::new(),
        on_disk: &BTreeSet::new(),
        extent: Extent::Changed,
        tree: Some(after),
        disk,
        shared: shared.as_ref(),
    };
    let outcome = work::run((&order, scope), ledger, &|| signals::importance(opened), progress)?;
    drop(guard);
    outcome.map_or_else(|| refresh(opened, Extent::All, progress), Ok)
}

/// Save the stats of files that turned out unchanged, and remove temporary files of killed commands: the holder of both
/// locks knows that no process uses them. Both are silently skipped while another process is writing.
fn tidy_up(opened: &Opened, survey: &Survey) {
    let found = &survey.work_tree;
    if !found.is_refreshed() && found.temporary.is_empty() {
        return;
    }
    let Some(guard) = opened.lock_at_once() else { return };
    found.refresh_index(&opened.scope, &guard);
    // what an interrupted command moved aside, the command that finishes it looks at
    if !journal::is_idle(&opened.scope) {
        return;
    }
    for path in &found.temporary {
        // the next refresh finds what cannot be removed now
        let _ = fs::below(&opened.scope.root(), path.as_bstr()).and_then(|file| fs::remove_left_over(&file));
    }
}

/// Whether the derived files were last made for exactly this tree, with nothing else on disk: then a refresh has
/// nothing to do or to check.
pub fn is_made_for(opened: &Opened, tree: TreeId) -> bool {
    let head = ledger::head(&opened.places.cache());
    head.is_some_and(|head| head.tree == Some(tree) && head.disk == Disk::Same)
}

/// The stubs of archived entries that were written.
pub fn stubs(opened: &Opened) -> Vec<TreePath> {
    // most trees have no archive, and the ledger is long
    if !opened.scope.root().join(ARCHIVE).exists() {
        return Vec::new();
    }
    let archive = ledger::load(&opened.places.cache()).archive;
    let written = archive.iter().filter(|(_, known)| matches!(known.files, records::Files::Written(_)));
    written.filter_map(|(path, _)| Some(ArchivePaths::of(path)?.stub)).collect()
}

/// The file that lists the derived files: it is replaced whenever they change.
pub fn ledger_file(cache: &std::path::Path) -> std::path::PathBuf {
    ledger::file(cache)
}

/// List every derived file that is not as it should be. Reads all of them, writes nothing.
pub fn check(opened: &Opened) -> Result<Vec<ForeignFile>, Stop> {
    let survey = survey::survey(&opened.scope, index(opened)?, Listing::Everything)?;
    let (curated, on_disk) = (sources::curated(&opened.scope, &survey)?, sources::derived_names(&survey));
    judge::check(&opened.scope, &opened.places.cache(), &curated, &on_disk)
}

/// Whether brv wrote the file, and nobody edited it since.
pub(super) fn is_ours(bytes: &[u8]) -> bool {
    own_files::not_ours(bytes).is_none()
}

/// Whether brv wrote the file, edited since or not.
pub fn is_stamped(bytes: &[u8]) -> bool {
    own_files::not_ours(bytes) != Some(Why::Foreign)
}

fn index(opened: &Opened) -> Result<git::Index, StatusError> {
    Ok(git::index::read(&opened.scope)?)
}

/// Survey the disk, the index and `HEAD`, but skip derived files that are in the ledger, and do not list folders that
/// did not change since the last survey.
pub fn quick_survey(opened: &Opened, index: git::Index) -> Result<Survey, StatusError> {
    quick_survey_by(&OnceLock::new(), opened, index)
}

/// The same; stores the ledger in `ledger` if it had to be read.
fn quick_survey_by(
    ledger: &OnceLock<Ledger>,
    opened: &Opened,
    index: git::Index,
) -> Result<Survey, StatusError> {
    let cache = opened.places.cache();
    // files that were skipped before are known only as long as there is a ledger
    let known = match ledger::head(&cache) {
        Some(_) => "folders",
        None => "folders-before",
    };
    let known = cache.join("derived").join(format!("{known}-{}", ledger::format_number()));
    let leave_out = |file: &Unexpected| {
        let path = TreePath::parse(&file.path).ok().filter(|path| file.is_regular && is_derived(path));
        path.is_some_and(|path| ledger.get_or_init(|| ledger::load(&cache)).accounts_for(path.as_str()))
    };
    let listing = Listing::Changes { known: &known, leave_out: &leave_out };
    survey::survey(&opened.scope, index, listing)
}

fn is_derived(path: &TreePath) -> bool {
    matches!(path.kind(), PathKind::Derived(_))
}

/// Files with the name of a derived file that brv did not write, or that were edited. Reads only files that are not in
/// the ledger.
pub fn foreign(opened: &Opened, survey: &Survey) -> Result<Vec<ForeignFile>, fs::Error> {
    let (cache, names) = (opened.places.cache(), sources::derived_names(survey));
    if names.is_empty() && ledger::head(&cache).is_none_or(|head| !head.has_kept) {
        return Ok(Vec::new());
    }
    judge::foreign(&opened.scope.root(), &cache, names)
}

/// How many derived files do not match the curated files: by the ledger, or if there is no valid one, by the stamps in
/// the files.
pub fn stale_count(opened: &Opened, survey: &Survey) -> Result<usize, StatusError> {
    let (scope, cache) = (&opened.scope, opened.places.cache());
    let head = ledger::head(&cache);
    if let Some(tree) = recorded_tree(scope, survey)?
        && head.as_ref().is_some_and(|head| head.tree == Some(tree))
    {
        return Ok(0);
    }
    let ledger = if head.is_some() { ledger::load(&cache) } else { Ledger::default() };
    if ledger.fingerprint.is_none() && head.is_some() {
        // the list of known folders leaves out files that were in a valid ledger
        let everything = survey::survey(scope, index(opened)?, Listing::Everything)?;
        return count_by_stamps(scope, &everything);
    }
    if head.is_none_or(|head| head.is_empty) {
        return match sources::derived_names(survey).is_empty() && survey.index.unmerged().is_empty() {
            true => count_all(scope, survey),
            false => count_by_stamps(scope, survey),
        };
    }
    if let Some(recorded) = changed_since(scope, &survey.index, ledger.tree)? {
        let differing = sources::on_disk(scope, survey)?;
        return Ok(
            Outline::around(&recorded, &differing, (scope, &survey.index), &ledger).stale_count(&ledger)
        );
    }
    Ok(Outline::of(&sources::curated(scope, survey)?).stale_count(&ledger))
}

fn count_by_stamps(scope: &Scope, survey: &Survey) -> Result<usize, StatusError> {
    let curated = sources::curated(scope, survey)?;
    Ok(judge::count(scope, &curated, &sources::derived_names(survey))?)
}

/// Nothing is derived yet: every derived file is missing. They are counted, not hashed.
fn count_all(scope: &Scope, survey: &Survey) -> Result<usize, StatusError> {
    let differing = sources::on_disk(scope, survey)?;
    let is_same = |path: &&str| !differing.contains_key(*path);
    let mut paths: Vec<_> = sources::recorded(scope, &survey.index).filter(is_same).collect();
    paths.extend(differing.iter().filter_map(|(path, id)| id.map(|_| path.as_str())));
    paths.sort_unstable();
    Ok(if paths.is_empty() { 0 } else { outline::count(paths.into_iter()) })
}

/// The git tree of everything on disk, if it is known without reading files: equal trees have equal derived files.
pub fn recorded_tree(scope: &Scope, survey: &Survey) -> Result<Option<TreeId>, StatusError> {
    let is_as_recorded = survey.work_tree.changed.is_empty() && survey.index.is_all_on_disk();
    let Some(tree) = survey.index.cached_root().filter(|_| is_as_recorded) else { return Ok(None) };
    let unrecorded = survey.unrecorded(scope)?;
    Ok(unrecorded.iter().all(|file| file.class != Class::Untracked).then_some(tree))
}
