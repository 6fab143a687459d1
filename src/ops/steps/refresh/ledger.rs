//! What was derived last time, in one small file: enough to see what is stale, and to make the manifest, without
//! reading anything else. It may be deleted at any time; then everything is looked at again.
//!
//! One line a folder, then one line for each of its entries, parts separated by tabs (portable paths have none):
//!
//! ```text
//! brv ledger 1 <fingerprint> <git tree>
//! K <path of a file with a derived name that is not ours>
//! F <path> <children hash> <tokens of its index>
//! E <name> <id> <tokens> <tokens of its abstract>
//! ```

use crate::content::ContentId;
use crate::fs::{self, Durability};
use crate::git::TreeId;
use bstr::ByteSlice as _;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// The whole ledger.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Ledger {
    /// Of the tree that the manifest was made for.
    pub fingerprint: Option<ContentId>,
    /// The git tree that equalled the disk then; `None` when none did.
    pub tree: Option<TreeId>,
    /// By path.
    pub folders: BTreeMap<String, Folder>,
    /// Files that stood where ours should, and were left alone.
    pub kept: BTreeSet<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Folder {
    pub hash: ContentId,
    pub index_tokens: u64,
    /// By name.
    pub entries: BTreeMap<String, Entry>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Entry {
    pub id: ContentId,
    pub tokens: u64,
    pub abstract_tokens: u64,
}

fn header() -> String {
    format!("brv ledger {}", crate::derive::FORMAT)
}

fn file(cache: &Path) -> PathBuf {
    cache.join("derived").join("ledger")
}

/// The ledger; an empty one where there is none, or one that this version does not understand.
pub(super) fn load(cache: &Path) -> Ledger {
    let bytes = fs::read_if_there(&file(cache)).ok().flatten().unwrap_or_default();
    std::str::from_utf8(&bytes).ok().and_then(parse).unwrap_or_default()
}

/// What the beginning tells.
pub(super) struct Head {
    /// See [`Ledger::fingerprint`].
    pub fingerprint: ContentId,
    /// See [`Ledger::tree`].
    pub tree: Option<TreeId>,
    /// Whether [`Ledger::kept`] has something.
    pub has_kept: bool,
    /// Whether nothing was derived.
    pub is_empty: bool,
}

/// The beginning alone; `None` where [`load`] gives an empty ledger, or one that was never finished.
pub(super) fn head(cache: &Path) -> Option<Head> {
    let mut bytes = Vec::new();
    std::fs::File::open(file(cache)).ok()?.take(200).read_to_end(&mut bytes).ok()?;
    let (line, rest) = bytes.split_once_str("\n")?;
    let head = parse_head(std::str::from_utf8(line).ok()?)?;
    Some(Head { has_kept: rest.starts_with(b"K\t"), is_empty: rest.is_empty(), ..head })
}

fn parse_head(line: &str) -> Option<Head> {
    let (fingerprint, tree) = line.strip_prefix(&header())?.trim().split_once(' ').unwrap_or_default();
    Some(Head {
        fingerprint: ContentId::from_hex(fingerprint)?,
        tree: TreeId::from_hex(tree),
        has_kept: false,
        is_empty: true,
    })
}

fn parse(text: &str) -> Option<Ledger> {
    let mut lines = text.lines();
    let first = lines.next()?;
    first.strip_prefix(&header())?;
    let head = parse_head(first);
    let mut ledger = Ledger {
        fingerprint: head.as_ref().map(|head| head.fingerprint),
        tree: head.and_then(|head| head.tree),
        ..Ledger::default()
    };
    let mut current: Option<(String, Folder)> = None;
    for line in lines {
        if let Some(path) = line.strip_prefix("K\t") {
            ledger.kept.insert(path.to_owned());
            continue;
        }
        let mut parts = line.split('\t');
        match (parts.next()?, parts.next()?, parts.next()?, parts.next()?) {
            ("F", path, hash, tokens) => {
                ledger.folders.extend(current.take());
                let hash = ContentId::from_hex(hash)?;
                current = Some((
                    path.to_owned(),
                    Folder { hash, index_tokens: tokens.parse().ok()?, entries: BTreeMap::new() },
                ));
            }
            ("E", name, id, tokens) => {
                let entry = Entry {
                    id: ContentId::from_hex(id)?,
                    tokens: tokens.parse().ok()?,
                    abstract_tokens: parts.next()?.parse().ok()?,
                };
                current.as_mut()?.1.entries.insert(name.to_owned(), entry);
            }
            _ => return None,
        }
    }
    ledger.folders.extend(current);
    Some(ledger)
}

/// Replace the ledger.
pub(super) fn save(cache: &Path, ledger: &Ledger) -> Result<(), fs::Error> {
    let fingerprint = ledger.fingerprint.map(|id| id.to_string()).unwrap_or_default();
    let tree = ledger.tree.map_or("-".into(), |tree| tree.to_string());
    let mut text = format!("{} {fingerprint} {tree}\n", header());
    for path in &ledger.kept {
        let _ = writeln!(text, "K\t{path}");
    }
    for (path, folder) in &ledger.folders {
        let _ = writeln!(text, "F\t{path}\t{}\t{}", folder.hash, folder.index_tokens);
        for (name, entry) in &folder.entries {
            let _ = writeln!(text, "E\t{name}\t{}\t{}\t{}", entry.id, entry.tokens, entry.abstract_tokens);
        }
    }
    fs::replace(&file(cache), text.as_bytes(), Durability::Later)
}

impl Ledger {
    /// Have the folder and those above it looked at again.
    pub fn unsettle(&mut self, folder: &str) {
        self.tree = None;
        let mut path = Some(folder);
        while let Some(folder) = path {
            if let Some(known) = self.folders.get_mut(folder) {
                known.hash = ContentId::of(b"");
            }
            path = (!folder.is_empty()).then(|| folder.rsplit_once('/').map_or("", |(above, _)| above));
        }
    }

    /// Whether the file at this path was written by us, as far as is remembered.
    pub fn accounts_for(&self, path: &str) -> bool {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        if self.kept.contains(path) {
            return false;
        }
        let Some(known) = self.folders.get(folder) else { return false };
        let stem = name.strip_suffix(".abstract.md").or_else(|| name.strip_suffix(".overview.md"));
        match stem {
            Some(stem) => known.entries.contains_key(&format!("{stem}.md")),
            None => name == "_index.md" || path == "_manifest.json",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ledger_reads_back_and_rubbish_is_empty() {
        let folder = tempfile::tempdir().unwrap();
        let id = ContentId::of(b"x");
        let entry = Entry { id, tokens: 4, abstract_tokens: 2 };
        let known =
            Folder {
                hash: id, index_tokens: 7, entries: BTreeMap::from([("観測 a.md".to_owned(), entry)])
            };
        let folders = BTreeMap::from([(String::new(), known.clone()), ("a/b".to_owned(), known)]);
        let kept = BTreeSet::from(["a/_index.md".to_owned()]);
        let mut ledger = Ledger { fingerprint: Some(id), tree: None, folders, kept };
        for tree in [None, Some(TreeId::empty())] {
            ledger.tree = tree;
            save(folder.path(), &ledger).unwrap();
            assert_eq!(load(folder.path()), ledger);
            assert_eq!(head(folder.path()).map(|head| (head.tree, head.has_kept)), Some((tree, true)));
        }
        fs::replace(&file(folder.path()), b"brv ledger 1 \nX", Durability::Later).unwrap();
        assert_eq!(load(folder.path()), Ledger::default());
    }
}
