//! Whether derived files are as they should be. Writes nothing.

use super::ledger;
use super::outline::{Curated, Outline, entries, join};
use super::work::{is_replaceable, manifest, not_ours};
use super::{Error, Kept, Why};
use crate::derive::{self, Key, stamp::Stamp};
use crate::fs;
use crate::path::TreePath;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Files with a derived name that the ledger does not account for and that are not ours.
pub(super) fn foreign(
    root: &Path,
    cache: &Path,
    mut on_disk: BTreeSet<TreePath>,
) -> Result<Vec<Kept>, fs::Error> {
    let ledger = ledger::load(cache);
    on_disk.extend(ledger.kept.iter().filter_map(|path| TreePath::parse(path.as_bytes()).ok()));
    let mut found = Vec::new();
    for path in on_disk.into_iter().filter(|path| !ledger.accounts_for(path.as_str())) {
        let Some(bytes) = fs::read_below(root, &path.on_disk(root))? else { continue };
        found.extend(not_ours(&bytes).map(|why| Kept { path, why }));
    }
    Ok(found)
}

pub(super) fn check(
    root: &Path,
    cache: &Path,
    curated: &[Curated],
    on_disk: &BTreeSet<TreePath>,
) -> Result<Vec<Kept>, Error> {
    let outline = Outline::of(curated);
    let mut wanted: BTreeMap<TreePath, Option<Key>> = BTreeMap::new();
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
    let ledger = ledger::load(cache);
    if !outline.folders.is_empty() {
        let is_current = ledger.fingerprint == Some(outline.fingerprint());
        want("", "_manifest.json", is_current.then(|| manifest(outline.fingerprint(), &ledger).key));
    }
    let mut found = Vec::new();
    for (path, key) in &wanted {
        let why = match fs::read_below(root, &path.on_disk(root))? {
            None => Some(Why::Missing),
            Some(bytes) => match derive::stamp::read(&bytes) {
                Stamp::Ours { key: has } if Some(has) == *key => None,
                _ => Some(not_ours(&bytes).unwrap_or(Why::Outdated)),
            },
        };
        found.extend(why.map(|why| Kept { path: path.clone(), why }));
    }
    for path in on_disk.iter().filter(|path| is_replaceable(path) && !wanted.contains_key(*path)) {
        let bytes = fs::read_if_there(&path.on_disk(root))?.unwrap_or_default();
        let why = not_ours(&bytes).unwrap_or(Why::Orphaned);
        found.push(Kept { path: path.clone(), why });
    }
    found.sort();
    Ok(found)
}
