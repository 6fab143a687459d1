//! Check whether derived files are up to date. Writes nothing.

use super::archive;
use super::current;
use super::ledger::{self, Ledger};
use super::manifest::manifest;
use super::outline::{Outline, entries, join};
use super::sources::Curated;
use super::work::is_replaceable;
use super::{ForeignFile, Why};
use crate::Stop;
use crate::derive::own_files::not_ours;
use brv_base::fs;
use brv_base::parallel;
use brv_base::path::TreePath;
use brv_git::{Scope, store};
use brv_text::derive::stamp::Stamp;
use brv_text::derive::{self, Importance, Key};
use bstr::ByteSlice as _;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Files with a derived name that are neither in the ledger nor brv's.
pub(super) fn foreign(
    root: &Path,
    cache: &Path,
    mut on_disk: BTreeSet<TreePath>,
) -> Result<Vec<ForeignFile>, fs::Error> {
    let ledger = ledger::load(cache);
    on_disk.extend(ledger.kept.iter().filter_map(|path| TreePath::parse(path.as_bytes()).ok()));
    let mut found = Vec::new();
    for path in on_disk.into_iter().filter(|path| !ledger.accounts_for(path.as_str())) {
        // files of other tools below `_archived/` are archives, not foreign files
        if archive::is_below(&path) && !ledger.kept.contains(path.as_str()) {
            continue;
        }
        let Some(bytes) = fs::read_below(root, &path.on_disk(root))? else { continue };
        if archive::is_below(&path) {
            let is_altered = archive::is_altered(root, &ledger.archive, &path, &bytes)?;
            found.extend(is_altered.then_some(ForeignFile { path, why: Why::Altered }));
            continue;
        }
        found.extend(not_ours(&bytes).map(|why| ForeignFile { path, why }));
    }
    Ok(found)
}

/// List every derived file that is not as it should be. If the ledger does not know the manifest's content, it is
/// computed from the curated files.
pub(super) fn check(
    scope: &Scope,
    cache: &Path,
    curated: &[Curated],
    on_disk: &BTreeSet<TreePath>,
) -> Result<Vec<ForeignFile>, Stop> {
    let (root, outline) = (&scope.root(), Outline::of(curated));
    let fingerprint = outline.fingerprint();
    let records = archive::records(root, curated)?;
    let made_of = |ledger: &Ledger| manifest(fingerprint, ledger, &Importance::default());
    let known = ledger::load(cache);
    let made = match known.fingerprint == Some(fingerprint) {
        true => made_of(&known),
        false => {
            let archive = archive::measure(root, scope, records.clone())?;
            made_of(&Ledger { archive, ..current::ledger(root, curated, &outline)? })
        }
    };
    let is_manifest = |bytes: &[u8], has| has == made.key || derive::is_made_for(bytes, &made);
    let mut found = judge(root, &outline, on_disk, &is_manifest)?;
    found.extend(archive::judge(root, &records, on_disk, &|id| store::holds(scope, id))?);
    found.sort();
    Ok(found)
}

/// How many derived files are missing, out of date or orphaned, by their stamps alone: their sources are not read.
/// Files that were edited or are another tool's do not count.
pub(super) fn count(
    scope: &Scope,
    curated: &[Curated],
    on_disk: &BTreeSet<TreePath>,
) -> Result<usize, fs::Error> {
    let (root, outline) = (&scope.root(), Outline::of(curated));
    let fingerprint = outline.fingerprint().to_string();
    // the rows of the manifest are determined by the sources in its key
    let mut found = judge(root, &outline, on_disk, &|manifest, _| manifest.contains_str(&fingerprint))?;
    let records = archive::records(root, curated)?;
    found.extend(archive::judge(root, &records, on_disk, &|id| store::holds(scope, id))?);
    Ok(found.iter().filter(|file| !matches!(file.why, Why::Altered | Why::Foreign)).count())
}

/// `is_manifest` checks whether the bytes of an intact manifest with this key are right.
fn judge(
    root: &Path,
    outline: &Outline<'_>,
    on_disk: &BTreeSet<TreePath>,
    is_manifest: &(dyn Fn(&[u8], Key) -> bool + Sync),
) -> Result<Vec<ForeignFile>, fs::Error> {
    let wanted = wanted(outline);
    let each: Vec<_> = wanted.iter().collect();
    let judged = parallel::try_map(
        &each,
        || (),
        |(), (path, key)| {
            let Some(bytes) = fs::read_below(root, &path.on_disk(root))? else {
                return Ok(Some(Why::Missing));
            };
            let is_right = match derive::stamp::read(&bytes) {
                Stamp::Ours { key: has } => key.map_or_else(|| is_manifest(&bytes, has), |key| key == has),
                Stamp::Altered | Stamp::Foreign => false,
            };
            Ok::<_, fs::Error>((!is_right).then(|| not_ours(&bytes).unwrap_or(Why::Outdated)))
        },
    )?;
    let found = wanted.keys().zip(judged);
    let mut found: Vec<ForeignFile> =
        found.filter_map(|(path, why)| Some(ForeignFile { path: path.clone(), why: why? })).collect();
    for path in on_disk.iter().filter(|path| is_replaceable(path) && !wanted.contains_key(*path)) {
        let bytes = fs::read_if_there(&path.on_disk(root))?.unwrap_or_default();
        let why = not_ours(&bytes).unwrap_or(Why::Orphaned);
        found.push(ForeignFile { path: path.clone(), why });
    }
    found.sort();
    Ok(found)
}

/// The derived files that should exist, each with its key; `None`: the key of the manifest.
fn wanted(outline: &Outline<'_>) -> BTreeMap<TreePath, Option<Key>> {
    let mut wanted = BTreeMap::new();
    let mut want = |folder: &str, name: &str, key: Option<Key>| {
        if let Ok(path) = TreePath::parse(join(folder, name).as_bytes()) {
            wanted.insert(path, key);
        }
    };
    for (path, folder) in &outline.folders {
        want(path, "_index.md", folder.hash.map(|hash| derive::index_key(path, hash)));
        for (name, id) in entries(folder) {
            let stem = name.strip_suffix(".md").unwrap_or(name);
            want(path, &format!("{stem}.abstract.md"), Some(derive::abstract_key(id)));
            want(path, &format!("{stem}.overview.md"), Some(derive::overview_key(id)));
        }
    }
    if !outline.folders.is_empty() {
        want("", "_manifest.json", None);
    }
    wanted
}
