//! `brv archive restore`: restore archived entries, byte for byte, and remove their records.

use super::{LIST, MALFORMED, NOT_HERE, words};
use brv_base::content::ContentId;
use brv_base::fs;
use brv_base::path::TreePath;
use brv_engine::journal::{OperationKind, Staged};
use brv_engine::open::context::Context;
use brv_engine::read::archive::{self, ArchivedState, Inventory, Item, TypedName};
use brv_engine::read::history::provenance::UNARCHIVED;
use brv_engine::write::landing::{self, Draft, Item as Together, Note, Saved};
use brv_engine::write::operation::files_only::Rewrite;
use brv_engine::{FailureKind, Stop};
use brv_git::{Converter, Index, Scope, trees};
use brv_text::doc;
use bstr::{BStr, ByteSlice as _};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// `brv.archive.restore/1`; paths are relative to the tree.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ArchiveRestore")]
pub struct Outcome {
    /// The restored entries.
    pub restored: Vec<TreePath>,
    /// What could not be restored: not archived, or not in this clone.
    pub missing: Vec<String>,
    /// What was written.
    #[serde(flatten)]
    pub saved: Saved,
}

/// Why an entry could not be restored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RestoreObstacle {
    /// Nothing of this name is archived.
    NotArchived,
    /// Its record cannot be read.
    Malformed,
    /// Its content is not in this clone.
    Elsewhere,
    /// The other tool left only a stub.
    OnlyAStub,
    /// Another program wrote at its place, or in its folder's `context.md`, again and again.
    Changed,
}

impl RestoreObstacle {
    pub const fn words(self) -> &'static str {
        match self {
            Self::NotArchived => "not archived",
            Self::Malformed => "its record cannot be read",
            Self::Elsewhere => "its content is not in this clone",
            Self::OnlyAStub => "the other tool left only a stub",
            Self::Changed => "another program changed its place or the context.md of its folder",
        }
    }

    pub const fn hint(self) -> Option<&'static str> {
        match self {
            Self::NotArchived => Some(LIST),
            Self::Malformed => Some(MALFORMED),
            Self::Elsewhere => Some(NOT_HERE),
            Self::OnlyAStub | Self::Changed => None,
        }
    }
}

/// Paths of the tree, or names as typed, that could not be restored, each with the reason.
pub type Unrestored = Vec<(String, RestoreObstacle)>;

/// Restore archived entries by their names as typed. The second part says why entries could not be restored.
///
/// # Errors
/// Something stands where an entry was; the disk or git. Then nothing was written.
pub fn run(cx: &Context<'_>, names: &[String]) -> Result<(Outcome, Unrestored), Stop> {
    let opened = cx.open()?;
    let (saved, (mut restored, mut missing)) = landing::settled(cx.parts(&opened), || {
        let mut missing = Vec::new();
        let inventory = archive::inventory(&opened)?;
        let sought: Vec<(&String, TypedName)> =
            names.iter().map(|name| (name, TypedName::of(&opened.scope, &cx.cwd, name))).collect();
        let found = find(&opened.scope, &inventory, &sought, &mut missing)?;
        let index = brv_git::index::read(&opened.scope)?;
        let item = item(&opened.scope, &index, &found)?;
        let restored: Vec<TreePath> = found.keys().cloned().collect();
        let note =
            |path: &TreePath| Note { path: path.as_str().into(), reason: UNARCHIVED.into(), review: None };
        let words = |paths: &BTreeSet<&BStr>| {
            let (what, lines) = words(restored.iter().map(|path| (path, String::new())), paths);
            (format!("restore {what} from the archive"), lines)
        };
        let draft = Draft { notes: restored.iter().map(note).collect(), ..Draft::new(vec![item], &words) };
        let saved = landing::save(cx.parts(&opened), OperationKind::Unarchive, &draft)?;
        Ok((saved, (restored, missing)))
    })?;
    if !saved.differed.is_empty() {
        missing.extend(restored.drain(..).map(|path| (path.to_string(), RestoreObstacle::Changed)));
    }
    let names = missing.iter().map(|(name, _)| name.clone()).collect();
    Ok((Outcome { restored, missing: names, saved }, missing))
}

/// The archived entries that are meant, with their bytes; the others are added to `missing`.
fn find<'i>(
    scope: &Scope,
    inventory: &'i Inventory,
    sought: &[(&String, TypedName)],
    missing: &mut Unrestored,
) -> Result<BTreeMap<TreePath, (&'i Item, Vec<u8>)>, Stop> {
    let (mut found, mut taken) = (BTreeMap::new(), Vec::new());
    for (name, sought) in sought {
        let Some(item) = inventory.find(sought) else {
            if inventory.is_malformed(sought) {
                missing.push(((*name).clone(), RestoreObstacle::Malformed));
            } else if sought.is_there(scope)? {
                taken.push((*name).clone());
            } else {
                missing.push(((*name).clone(), RestoreObstacle::NotArchived));
            }
            continue;
        };
        if is_taken(scope, &item.path)? {
            taken.push(item.path.to_string());
            continue;
        }
        match item.content(scope)? {
            Some(bytes) => {
                found.insert(item.path.clone(), (item, bytes));
            }
            None => {
                let only_a_stub = item.state == ArchivedState::Foreign && item.found.full.is_none();
                let why = if only_a_stub { RestoreObstacle::OnlyAStub } else { RestoreObstacle::Elsewhere };
                missing.push((item.path.to_string(), why));
            }
        }
    }
    if taken.is_empty() {
        return Ok(found);
    }
    let message = format!("`{}` is taken: a file or folder is there", taken.join("`, `"));
    Err(Stop::new(FailureKind::Refused, message).hint("move it away first; nothing was restored"))
}

/// Whether something is at the path, or in place of a folder above it.
fn is_taken(scope: &Scope, path: &TreePath) -> Result<bool, Stop> {
    let root = scope.root();
    let file = path.on_disk(&root);
    Ok(fs::stat(&file)?.is_some() || !fs::is_reached_by_folders(&root, &file)?)
}

/// Whether the commit or the index still has a file at the path: it was removed and that is not committed, so the
/// entry will not be either.
fn is_known(scope: &Scope, index: &Index, path: &TreePath) -> Result<bool, Stop> {
    let name = path.as_bytes().as_bstr();
    let committed = match scope.head()?.commit() {
        Some(head) => trees::find(scope, scope.tree_of(head)?, name)?.is_some(),
        None => false,
    };
    Ok(committed || Staged::of(index, scope.full(name).as_bstr()) != Staged::Nothing)
}

/// Restore the entries, and remove their records. A record is removed in the commit that restores its entry, or it
/// stays: another clone would have neither.
fn item(
    scope: &Scope,
    index: &Index,
    found: &BTreeMap<TreePath, (&Item, Vec<u8>)>,
) -> Result<Together, Stop> {
    let (root, converter) = (scope.root(), Converter::of(scope));
    let (mut files, mut relies) = (Vec::new(), Vec::new());
    let mut records: BTreeMap<TreePath, Vec<(&str, ContentId)>> = BTreeMap::new();
    for (path, (item, bytes)) in found {
        files.push(Rewrite::new(path, None, Some(bytes.clone())));
        if let Some(record) = &item.record
            && !is_known(scope, index, path)?
        {
            let of_folder = records.entry(archive::overview_of(path)).or_default();
            of_folder.push((record.name.as_str(), record.blob));
            relies.push(path.as_str().into());
        }
    }
    for (overview, keys) in records {
        let Some(bytes) = fs::read_below(&root, &overview.on_disk(&root))? else { continue };
        let before = converter.to_git(overview.as_bytes().as_bstr(), bytes.into())?.into_owned();
        // an entry that is there voids its record, so a record that cannot be removed does no harm
        if let Ok(after) = doc::remove_archive_records(&before, &keys) {
            files.push(Rewrite::new(&overview, Some(before), after));
        }
    }
    Ok(Together { files, relies })
}
