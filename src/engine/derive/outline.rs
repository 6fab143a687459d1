//! The folders of the tree with the hashes of the curated files at or below them.

use super::ledger::Ledger;
use super::sources::{Curated, Differing};
use brv_base::content::ContentId;
use brv_base::path::{self, PathKind, TreePath};
use brv_base::sorting;
use brv_git::index::Child;
use brv_git::{Index, Scope};
use brv_text::derive::children_hash;
use bstr::{BStr, ByteSlice as _};
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// Folders with curated files at or below them, by path (`""` is the root).
pub(super) struct Outline<'a> {
    pub folders: BTreeMap<&'a str, Folder<'a>>,
    /// The folders that were checked: those missing from `folders` are empty. `None`: all.
    looked_at: Option<BTreeSet<&'a str>>,
}

#[derive(Default)]
pub(super) struct Folder<'a> {
    /// Its own curated files by name.
    pub files: BTreeMap<&'a str, ContentId>,
    pub folders: Vec<&'a str>,
    /// The hash of the files and subfolders.
    pub hash: Option<ContentId>,
}

impl<'a> Outline<'a> {
    pub fn of(curated: &'a [Curated]) -> Self {
        let mut files: Vec<_> =
            curated.iter().map(|file| (file.path.folder(), file.path.file_name(), file.id)).collect();
        files.sort_unstable_by_key(|(folder, name, _)| (*folder, *name));
        let mut folders: BTreeMap<&str, Folder<'_>> = files
            .chunk_by(|(one, ..), (other, ..)| one == other)
            .map(|own| {
                let files = own.iter().map(|(_, name, id)| (*name, *id)).collect();
                (own[0].0, Folder { files, ..Folder::default() })
            })
            .collect();
        let own: Vec<&str> = folders.keys().copied().collect();
        for folder in own {
            let mut child = folder;
            while !child.is_empty() {
                let above = parent(child);
                let parent = folders.entry(above).or_default();
                if parent.folders.contains(&child) {
                    break;
                }
                parent.folders.push(child);
                child = above;
            }
        }
        let mut outline = Self { folders, looked_at: None };
        outline.hash(&Ledger::default());
        outline
    }

    /// An outline of the folders above `recorded` and `differing` paths, from the index and the differences on disk;
    /// the hashes of all other folders are from the ledger.
    pub fn around(
        recorded: &'a [TreePath],
        differing: &'a Differing,
        (scope, index): (&Scope, &'a Index),
        ledger: &Ledger,
    ) -> Self {
        let mut looked_at = BTreeSet::from([""]);
        for path in recorded.iter().chain(differing.keys()) {
            let mut folder = path.folder();
            while looked_at.insert(folder) {
                folder = parent(folder);
            }
        }
        let mut folders: BTreeMap<&str, Folder<'_>> = BTreeMap::new();
        for path in looked_at.iter().copied() {
            let mut folder = Folder::default();
            for child in index.children(scope.full(BStr::new(path)).as_bstr()) {
                let text = |full: &'a BStr| scope.strip(full).and_then(|path| path::check(path).ok());
                match child {
                    Child::File(full, version) => {
                        let curated = text(full).filter(|path| path::kind_of(path).is_curated());
                        folder.files.extend(curated.map(|path| (name(path), version.id)));
                    }
                    Child::Folder(full) => folder.folders.extend(
                        text(full)
                            .filter(|path| !looked_at.contains(path) && ledger.folders.contains_key(*path)),
                    ),
                }
            }
            folders.insert(path, folder);
        }
        for (path, id) in differing {
            let Some(folder) = folders.get_mut(path.folder()) else { continue };
            match id {
                Some(id) => folder.files.insert(path.file_name(), *id),
                None => folder.files.remove(path.file_name()),
            };
        }
        let mut outline = Self { folders, looked_at: Some(looked_at) };
        outline.link();
        outline.hash(ledger);
        outline
    }

    /// Add each folder to its parent; empty folders are removed.
    fn link(&mut self) {
        for path in self.deepest_first() {
            let folder = &self.folders[path];
            if folder.files.is_empty() && folder.folders.is_empty() {
                self.folders.remove(path);
            } else if !path.is_empty() {
                self.folders.entry(parent(path)).or_default().folders.push(path);
            }
        }
    }

    /// Whether the folder has no curated files any more.
    pub fn is_gone(&self, folder: &str) -> bool {
        self.looked_at.as_ref().is_none_or(|folders| folders.contains(folder))
            && !self.folders.contains_key(folder)
    }

    /// Whether there is a folder of that name in other case.
    pub fn has_respelled(&self, folder: &str) -> bool {
        let name = folder.to_lowercase();
        self.folders.keys().any(|other| *other != folder && other.to_lowercase() == name)
    }

    fn hash(&mut self, ledger: &Ledger) {
        for path in self.deepest_first() {
            let folder = &self.folders[path];
            let hash_of = |child: &str| match self.folders.get(child) {
                Some(folder) => folder.hash,
                None => ledger.folders.get(child).map(|known| known.hash),
            };
            let children = folder.folders.iter().filter_map(|child| Some((name(child), hash_of(child)?)));
            let hash = children_hash(folder.files.iter().map(|(name, id)| (*name, *id)), children);
            if let Some(folder) = self.folders.get_mut(path) {
                folder.hash = Some(hash);
            }
        }
    }

    /// All paths, every folder after its subfolders.
    pub fn deepest_first(&self) -> Vec<&'a str> {
        let mut paths: Vec<&str> = self.folders.keys().copied().collect();
        sorting::sort_by_key(&mut paths, |path| std::cmp::Reverse(depth(path)));
        paths
    }

    /// The hash of the whole tree.
    pub fn fingerprint(&self) -> ContentId {
        self.folders.get("").and_then(|root| root.hash).unwrap_or_else(|| children_hash([], []))
    }

    pub fn stale_count(&self, ledger: &Ledger) -> usize {
        let is_stale = |path: &str, folder: &Folder<'_>| {
            ledger.folders.get(path).is_none_or(|known| Some(known.hash) != folder.hash)
        };
        let mut count = usize::from(ledger.fingerprint != Some(self.fingerprint()));
        for (path, folder) in &self.folders {
            if !is_stale(path, folder) {
                continue;
            }
            count += 1;
            let known = ledger.folders.get(*path).map(|known| known.entries.by_name()).unwrap_or_default();
            let differs = |name: &&str, id: &ContentId| known.get(*name).is_none_or(|entry| entry.id != *id);
            count += 2 * entries(folder).filter(|(name, id)| differs(name, id)).count();
        }
        for (path, known) in &ledger.folders {
            let folder = self.folders.get(path.as_str());
            if folder.is_none() && !self.is_gone(path) {
                continue;
            }
            count += usize::from(folder.is_none());
            let is_gone = |name: &&str| folder.is_none_or(|folder| !folder.files.contains_key(name));
            count += 2 * known.entries.names().filter(is_gone).count();
        }
        count
    }
}

/// How many derived files belong to the curated files at these paths (sorted): the result of [`Outline::stale_count`]
/// if nothing is derived yet.
pub(super) fn count<'a>(paths: impl Iterator<Item = &'a str>) -> usize {
    let (mut count, mut folders, mut last) = (1, HashSet::new(), None);
    for path in paths {
        let (mut folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        count += if has_companions(name) { 2 } else { 0 };
        if last.replace(folder) != Some(folder) {
            while folders.insert(folder) && !folder.is_empty() {
                folder = parent(folder);
            }
        }
    }
    count + folders.len()
}

fn has_companions(name: &str) -> bool {
    brv_base::path::kind_of(name) == PathKind::Entry || name == "README.md"
}

/// The files of a folder that have companions: entries, not node overviews.
pub(super) fn entries<'a>(folder: &'a Folder<'a>) -> impl Iterator<Item = (&'a str, ContentId)> + 'a {
    folder.files.iter().filter(|(name, _)| has_companions(name)).map(|(name, id)| (*name, *id))
}

pub(super) fn depth(path: &str) -> usize {
    if path.is_empty() { 0 } else { path.matches('/').count() + 1 }
}

pub(super) fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(parent, _)| parent)
}

/// The path of a file in a folder.
pub(super) fn join(folder: &str, name: &str) -> String {
    let mut path = String::with_capacity(folder.len() + 1 + name.len());
    path.push_str(folder);
    if !folder.is_empty() {
        path.push('/');
    }
    path.push_str(name);
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_nothing_was_derived_counting_is_enough() {
        for paths in
            [&[][..], &["a.md"], &["README.md", "a/b/c/x.md", "a/b/y.md", "a/context.md", "z/context.md"]]
        {
            let file = |path: &&str| Curated {
                path: TreePath::parse(path.as_bytes()).unwrap(),
                id: ContentId::of(b""),
                ours: None,
            };
            let curated: Vec<Curated> = paths.iter().map(file).collect();
            let count = count(paths.iter().copied());
            assert_eq!(count, Outline::of(&curated).stale_count(&Ledger::default()), "{paths:?}");
        }
    }
}
