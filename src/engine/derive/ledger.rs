//! The ledger of derived files, one small file: enough to find stale files and to make the manifest without reading
//! anything else. It may be deleted at any time; then all files are checked again.
//!
//! One line for each folder, then one line for each of its entries, fields separated by tabs (portable paths have
//! none):
//!
//! ```text
//! brv ledger 3.2 <fingerprint> <git tree>[ or more]
//! K <path of a file with a derived name that is not ours>
//! P <path> <earlier children hash> <place of its cached results>
//! A <path of an archived entry> <tokens of its stub, `missing` or `blocked`> <its record>
//! F <path> <children hash> <tokens of its index> [<place of its cached results>]
//! E <name> <id> <tokens> <tokens of its abstract> <worth>
//! S <CRC-32 of all above>
//! ```

use super::records::{self, Archive, Archived, parse_files};
use brv_base::content::ContentId;
use brv_base::fs::{self, Durability, Form};
use brv_base::path::ARCHIVE;
use brv_git::TreeId;
use brv_text::derive::Digest;
use brv_text::doc::ArchiveRecord;
use bstr::ByteSlice as _;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Write as _};
use std::io::Read as _;
use std::path::{Path, PathBuf};

#[derive(Debug, Default, Clone, PartialEq)]
pub(super) struct Ledger {
    /// The fingerprint of the tree that the manifest was made for.
    pub fingerprint: Option<ContentId>,
    /// The git tree that the derived files were made for; `None` if the disk matched no tree.
    pub tree: Option<TreeId>,
    /// Whether the disk matched that tree.
    pub disk: Disk,
    /// The folders, by path.
    pub folders: BTreeMap<String, Folder>,
    /// Files found at the paths of derived files, and left alone.
    pub kept: BTreeSet<String>,
    /// The places of cached results for earlier states of folders, by path and hash.
    pub past: BTreeMap<String, BTreeMap<ContentId, ShardPlace>>,
    /// Archived entries, by the path that each had.
    pub archive: Archive,
}

/// What is known about the disk compared with the tree.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub enum Disk {
    /// The disk matched the tree, with no other curated files.
    Same,
    /// Not checked: there may be edits and new files that nothing was derived from.
    #[default]
    Unknown,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Folder {
    pub hash: ContentId,
    pub index_tokens: u64,
    pub entries: Entries,
    /// The place of the folder's cached results, if any.
    pub place: Option<ShardPlace>,
}

/// The entries of a folder as lines of the ledger: most folders are written back as they were read.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Entries(String);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LedgerEntry {
    pub id: ContentId,
    pub measures: Measures,
}

/// The numbers that decide an entry's place in the manifest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Measures {
    pub tokens: u64,
    pub abstract_tokens: u64,
    /// See [`Digest::worth`].
    pub worth: u32,
}

impl Measures {
    pub fn of(digest: &Digest, abstract_tokens: u64) -> Self {
        Self { tokens: digest.tokens, abstract_tokens, worth: digest.worth() }
    }

    fn parse([tokens, abstract_tokens, worth]: [&str; 3]) -> Option<Self> {
        let (tokens, abstract_tokens) = (tokens.parse().ok()?, abstract_tokens.parse().ok()?);
        Some(Self { tokens, abstract_tokens, worth: worth.parse().ok()? })
    }
}

impl Entries {
    pub fn of<'a>(entries: impl Iterator<Item = (&'a str, LedgerEntry)>) -> Self {
        let mut lines = String::new();
        for (name, LedgerEntry { id, measures: Measures { tokens, abstract_tokens, worth } }) in entries {
            let _ = writeln!(lines, "E\t{name}\t{id}\t{tokens}\t{abstract_tokens}\t{worth}");
        }
        Self(lines)
    }

    pub fn by_name(&self) -> BTreeMap<&str, LedgerEntry> {
        self.parts()
            .filter_map(|(name, id, measures)| {
                Some((
                    name,
                    LedgerEntry { id: ContentId::from_hex(id)?, measures: Measures::parse(measures)? },
                ))
            })
            .collect()
    }

    /// Each name with its measures for the manifest.
    pub fn measures(&self) -> impl Iterator<Item = (&str, Measures)> {
        self.parts().filter_map(|(name, _, measures)| Some((name, Measures::parse(measures)?)))
    }

    /// Whether an entry with this name exists: a binary search, since the lines are sorted.
    pub fn contains(&self, name: &str) -> bool {
        let mut lines = self.0.as_bytes();
        while !lines.is_empty() {
            let start = lines[..lines.len() / 2].rfind_byte(b'\n').map_or(0, |newline| newline + 1);
            let end = lines[start..].find_byte(b'\n').map_or(lines.len(), |newline| start + newline + 1);
            let here = lines[start..end].split(|byte| *byte == b'\t').nth(1).unwrap_or_default();
            match here.cmp(name.as_bytes()) {
                std::cmp::Ordering::Equal => return true,
                std::cmp::Ordering::Less => lines = &lines[end..],
                std::cmp::Ordering::Greater => lines = &lines[..start],
            }
        }
        false
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.parts().map(|(name, ..)| name)
    }

    /// The name, id and measures of each entry.
    fn parts(&self) -> impl Iterator<Item = (&str, &str, [&str; 3])> {
        self.0.split_terminator('\n').filter_map(|line| {
            let mut parts = line.strip_prefix("E\t")?.split('\t');
            let found = (parts.next()?, parts.next()?, [parts.next()?, parts.next()?, parts.next()?]);
            parts.next().is_none().then_some(found)
        })
    }
}

/// The version of the ledger: the results of version 2 had no records of archived entries.
const VERSION: u32 = 3;

fn header() -> String {
    format!("brv ledger {}", format_number())
}

/// The number that the names of the files have: those of another version of brv are left to it.
pub(super) fn format_number() -> String {
    format!("{VERSION}.{}", brv_text::derive::FORMAT)
}

pub(super) fn file(cache: &Path) -> PathBuf {
    cache.join("derived").join(format!("ledger-{}", format_number()))
}

/// A marker file that exists while files are being written, by any version: until it is removed, no ledger is valid.
fn unfinished(cache: &Path) -> PathBuf {
    cache.join("derived").join("unfinished")
}

/// From here until [`save`], the files on disk do not match the ledger.
pub(super) fn begin(cache: &Path) -> Result<(), fs::Error> {
    fs::replace(&unfinished(cache), b"", Durability::Later)
}

/// Whether a refresh was interrupted: then no file on disk is known to be up to date.
pub(super) fn is_unfinished(cache: &Path) -> bool {
    unfinished(cache).exists()
}

/// Read the ledger; an empty one if it is missing, invalid, or of an unknown version.
pub(super) fn load(cache: &Path) -> Ledger {
    if is_unfinished(cache) {
        return Ledger::default();
    }
    let bytes = fs::read_shipped(&file(cache), Form::Table).ok().flatten().unwrap_or_default();
    let text = std::str::from_utf8(&bytes).ok();
    text.and_then(whole).and_then(parse).unwrap_or_default()
}

/// Whether a ledger exists that [`load`] rejects: then [`head`] is not to be trusted.
pub(super) fn is_damaged(cache: &Path, loaded: &Ledger) -> bool {
    loaded.fingerprint.is_none() && head(cache).is_some()
}

/// The text above the checksum, if the checksum is right.
fn whole(text: &str) -> Option<&str> {
    let end = text.strip_suffix('\n')?.rfind('\n')? + 1;
    let (text, sum) = text.split_at(end);
    (sum == self::sum(text)).then_some(text)
}

fn sum(text: &str) -> String {
    format!("S\t{:08x}\n", crc32fast::hash(text.as_bytes()))
}

pub(super) struct LedgerHead {
    /// See [`Ledger::fingerprint`].
    pub fingerprint: ContentId,
    /// See [`Ledger::tree`].
    pub tree: Option<TreeId>,
    /// See [`Ledger::disk`].
    pub disk: Disk,
    /// Whether [`Ledger::kept`] is not empty.
    pub has_kept: bool,
    /// Whether nothing was derived.
    pub is_empty: bool,
}

/// Read only the first lines; `None` if [`load`] returns an empty ledger, or one that was never finished.
pub(super) fn head(cache: &Path) -> Option<LedgerHead> {
    if is_unfinished(cache) {
        return None;
    }
    let mut bytes = Vec::new();
    fs::open_regular(&file(cache)).ok()?.0.take(200).read_to_end(&mut bytes).ok()?;
    let (line, rest) = bytes.split_once_str("\n")?;
    let head = parse_head(std::str::from_utf8(line).ok()?)?;
    Some(LedgerHead { has_kept: rest.starts_with(b"K\t"), is_empty: rest.starts_with(b"S\t"), ..head })
}

/// The suffix after the tree if [`Disk::Unknown`] applies.
const OR_MORE: &str = " or more";

fn parse_head(line: &str) -> Option<LedgerHead> {
    let (fingerprint, tree) = line.strip_prefix(&header())?.trim().split_once(' ').unwrap_or_default();
    let (tree, disk) = tree.strip_suffix(OR_MORE).map_or((tree, Disk::Same), |tree| (tree, Disk::Unknown));
    Some(LedgerHead {
        fingerprint: ContentId::from_hex(fingerprint)?,
        tree: TreeId::from_hex(tree),
        disk,
        has_kept: false,
        is_empty: true,
    })
}

fn parse(text: &str) -> Option<Ledger> {
    let first = text.lines().next()?;
    first.strip_prefix(&header())?;
    let head = parse_head(first);
    let mut ledger = Ledger {
        fingerprint: head.as_ref().map(|head| head.fingerprint),
        tree: head.as_ref().and_then(|head| head.tree),
        disk: head.map_or(Disk::Unknown, |head| head.disk),
        ..Ledger::default()
    };
    let mut rest = text.split_once('\n').map_or("", |(_, rest)| rest);
    while let Some((line, below)) = rest.split_once('\n') {
        if let Some(path) = line.strip_prefix("K\t") {
            ledger.kept.insert(path.to_owned());
            rest = below;
            continue;
        }
        if let Some(past) = line.strip_prefix("P\t") {
            let mut parts = past.split('\t');
            let (path, hash) = (parts.next()?, ContentId::from_hex(parts.next()?)?);
            ledger.past.entry(path.to_owned()).or_default().insert(hash, parse_place(parts.next()?)?);
            rest = below;
            continue;
        }
        if let Some(archived) = line.strip_prefix("A\t") {
            let (path, rest_of_line) = archived.split_once('\t')?;
            let (files, record) = rest_of_line.split_once('\t')?;
            let archived = Archived { record: ArchiveRecord::parse(record)?, files: parse_files(files)? };
            ledger.archive.insert(path.to_owned(), archived);
            rest = below;
            continue;
        }
        let mut parts = line.strip_prefix("F\t")?.split('\t');
        let (path, hash, tokens) = (parts.next()?, ContentId::from_hex(parts.next()?)?, parts.next()?);
        let end =
            if below.starts_with('F') { 0 } else { below.find("\nF\t").map_or(below.len(), |end| end + 1) };
        let entries = Entries(below[..end].to_owned());
        let (index_tokens, place) = (tokens.parse().ok()?, parts.next().and_then(parse_place));
        ledger.folders.insert(path.to_owned(), Folder { hash, index_tokens, entries, place });
        rest = &below[end..];
    }
    Some(ledger)
}

/// The place of a folder's cached results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ShardPlace {
    /// The number of the shard file.
    pub generation: u64,
    pub at: u64,
    pub length: u32,
    /// The CRC-32 of these bytes.
    pub sum: u32,
}

impl fmt::Display for ShardPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}:{}", self.generation, self.at, self.length, self.sum)
    }
}

/// Parse a [`ShardPlace`] as displayed.
fn parse_place(text: &str) -> Option<ShardPlace> {
    let mut parts = text.split(':');
    let mut next = || parts.next();
    let (generation, at) = (next()?.parse().ok()?, next()?.parse().ok()?);
    Some(ShardPlace { generation, at, length: next()?.parse().ok()?, sum: next()?.parse().ok()? })
}

/// Replace the ledger on disk.
pub(super) fn save(cache: &Path, ledger: &Ledger) -> Result<(), fs::Error> {
    let fingerprint = ledger.fingerprint.map(|id| id.to_string()).unwrap_or_default();
    let tree = ledger.tree.map_or("-".into(), |tree| tree.to_string());
    let more = if ledger.disk == Disk::Same { "" } else { OR_MORE };
    let mut text = format!("{} {fingerprint} {tree}{more}\n", header());
    for path in &ledger.kept {
        let _ = writeln!(text, "K\t{path}");
    }
    // no P and A lines without folders: `head` knows an empty ledger by the sum on its second line
    let past = ledger.past.iter().filter(|_| !ledger.folders.is_empty());
    for (path, (hash, place)) in past.flat_map(|(path, past)| past.iter().map(move |past| (path, past))) {
        let _ = writeln!(text, "P\t{path}\t{hash}\t{place}");
    }
    for (path, archived) in ledger.archive.iter().filter(|_| !ledger.folders.is_empty()) {
        let _ = writeln!(text, "A\t{path}\t{}\t{}", archived.files, archived.record);
    }
    for (path, folder) in &ledger.folders {
        let _ = write!(text, "F\t{path}\t{}\t{}", folder.hash, folder.index_tokens);
        if let Some(place) = folder.place {
            let _ = write!(text, "\t{place}");
        }
        text.push('\n');
        text.push_str(&folder.entries.0);
    }
    text += &sum(&text);
    fs::replace(&file(cache), text.as_bytes(), Durability::Later)?;
    fs::remove_file(&unfinished(cache)).map(drop)
}

impl Ledger {
    /// Replace the state of a folder; the old one is remembered.
    pub fn replace(&mut self, path: &str, folder: Folder) {
        let (hash, before) = (folder.hash, self.folders.insert(path.to_owned(), folder));
        if let Some(past) = self.past.get_mut(path) {
            past.remove(&hash);
        }
        self.remember(path, before.filter(|before| before.hash != hash));
    }

    /// Remember the old state of a folder that changed or was removed.
    pub fn remember(&mut self, path: &str, before: Option<Folder>) {
        // the old state of an unsettled folder is not known
        let known = before.filter(|before| before.hash != unsettled());
        if let Some((hash, place)) = known.and_then(|before| Some((before.hash, before.place?))) {
            self.past.entry(path.to_owned()).or_default().insert(hash, place);
        }
    }

    /// The place of a folder's cached results from when it had this hash.
    pub fn past(&self, path: &str, hash: Option<ContentId>) -> Option<ShardPlace> {
        self.past.get(path)?.get(&hash?).copied()
    }

    /// Mark the folder and those above it as unknown, to be checked again.
    pub fn unsettle(&mut self, folder: &str) {
        self.tree = None;
        let mut path = Some(folder);
        while let Some(folder) = path {
            if let Some(known) = self.folders.get_mut(folder) {
                known.hash = unsettled();
            }
            path = (!folder.is_empty()).then(|| folder.rsplit_once('/').map_or("", |(above, _)| above));
        }
    }

    /// Whether brv wrote the file at this path, as far as the ledger knows.
    pub fn accounts_for(&self, path: &str) -> bool {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        if self.kept.contains(path) {
            return false;
        }
        if path.starts_with(ARCHIVE) {
            return records::accounts_for(&self.archive, path);
        }
        let Some(known) = self.folders.get(folder) else { return false };
        let stem = name.strip_suffix(".abstract.md").or_else(|| name.strip_suffix(".overview.md"));
        match stem {
            Some(stem) => known.entries.contains(&format!("{stem}.md")),
            None => name == "_index.md" || path == "_manifest.json",
        }
    }
}

fn unsettled() -> ContentId {
    ContentId::of(b"")
}

#[cfg(test)]
mod tests {
    use super::super::records::Files;
    use super::*;

    #[test]
    fn an_entry_is_found_by_its_name_and_by_no_other() {
        let measures = Measures { tokens: 4, abstract_tokens: 2, worth: 9 };
        let entry = LedgerEntry { id: ContentId::of(b"x"), measures };
        for count in 0..20 {
            let names: Vec<String> = (0..count).map(|number| format!("{:02}.md", number * 2)).collect();
            let entries = Entries::of(names.iter().map(|name| (name.as_str(), entry)));
            assert!(names.iter().all(|name| entries.contains(name)), "{count}");
            for other in ["", ".md", "01.md", "19.md", "2.md", "38.m", "99.md"] {
                assert!(!entries.contains(other), "{count} {other}");
            }
        }
    }

    #[test]
    fn a_ledger_reads_back_and_rubbish_is_empty() {
        let folder = tempfile::tempdir().unwrap();
        let id = ContentId::of(b"x");
        let measures = Measures { tokens: 4, abstract_tokens: 2, worth: 9 };
        let entry = LedgerEntry { id, measures };
        let entries = Entries::of([("観測 a.md", entry)].into_iter());
        let place = ShardPlace { generation: 3, at: u64::MAX, length: 7, sum: u32::MAX };
        let known = Folder { hash: id, index_tokens: 7, entries, place: Some(place) };
        let bare = Folder { entries: Entries::default(), place: None, ..known.clone() };
        assert_eq!(known.entries.by_name(), BTreeMap::from([("観測 a.md", entry)]));
        assert_eq!(known.entries.measures().collect::<Vec<_>>(), [("観測 a.md", measures)]);
        let folders = [("", known.clone()), ("a", bare.clone()), ("a/b", known), ("c", bare)];
        let folders = folders.map(|(path, folder)| (path.to_owned(), folder)).into();
        let kept = BTreeSet::from(["a/_index.md".to_owned()]);
        let past = BTreeMap::from([("a/b".to_owned(), BTreeMap::from([(id, place)]))]);
        let record =
            |name: &str| ArchiveRecord::parse(&format!("{name} {id} 22.5 2026-11-20T12:30:00Z")).unwrap();
        let archived = |(name, files)| (format!("c/{name}"), Archived { record: record(name), files });
        let archive =
            [("an old.md", Files::Written(210)), ("b.md", Files::Missing), ("c.md", Files::Blocked)];
        let archive = archive.map(archived).into();
        let mut ledger =
            Ledger { fingerprint: Some(id), tree: None, disk: Disk::Same, folders, kept, past, archive };
        for (tree, disk) in
            [(None, Disk::Same), (Some(TreeId::empty()), Disk::Same), (Some(TreeId::empty()), Disk::Unknown)]
        {
            (ledger.tree, ledger.disk) = (tree, disk);
            save(folder.path(), &ledger).unwrap();
            assert_eq!(load(folder.path()), ledger);
            let told = head(folder.path()).map(|head| (head.tree, head.disk, head.has_kept));
            assert_eq!(told, Some((tree, disk, true)));
        }
        begin(folder.path()).unwrap();
        assert!(head(folder.path()).is_none() && load(folder.path()) == Ledger::default(), "half done");
        save(folder.path(), &ledger).unwrap();
        assert_eq!(load(folder.path()), ledger);
        let whole = std::fs::read(file(folder.path())).unwrap();
        assert!(!is_damaged(folder.path(), &ledger));
        for at in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[at] ^= 1;
            for damaged in [&damaged, &whole[..at]] {
                fs::replace(&file(folder.path()), damaged, Durability::Later).unwrap();
                let loaded = load(folder.path());
                assert_eq!(loaded, Ledger::default(), "{at}");
                assert_eq!(is_damaged(folder.path(), &loaded), head(folder.path()).is_some());
            }
        }
    }
}
