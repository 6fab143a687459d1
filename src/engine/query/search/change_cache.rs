//! What was last seen of the tree: the files that differ from the search index, and when they were looked for.
//!
//! One small file, which may be lost at any time. Fields are separated by tabs, which portable paths do not have:
//!
//! ```text
//! brv seen 1
//! M <milliseconds since 1970 of the walk> <stats of the marks>
//! T <git tree of everything on disk>
//! G <path that is gone>
//! H <path> <id of its bytes>
//! O <path> <id of our side of a conflict>
//! S <CRC-32 of all above>
//! ```

use super::folder;
use crate::derive;
use crate::open::context::Opened;
use brv_base::clock::Clock;
use brv_base::content::ContentId;
use brv_base::fs::{self, Durability, FileStat, Form};
use brv_base::path::{Derived, PathKind, TreePath};
use brv_git::trees::{self, Renames};
use brv_git::{Scope, TreeId};
use bstr::ByteSlice as _;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

/// Whether an earlier look at the files is good enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScanFreshness {
    /// If it is younger than `search.freshness`.
    Window,
    /// No: look again.
    Look,
}

/// What a file is that differs from the search index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// It is not there any more.
    Gone,
    Here(ContentId),
    /// It is in conflict; our side counts.
    Ours(ContentId),
}

#[derive(Debug, Default)]
pub(super) struct ScanResult {
    /// The files that differ from the search index, by path.
    pub changes: BTreeMap<String, State>,
    /// The git tree of everything on disk, if the disk is as some tree.
    pub tree: Option<TreeId>,
    pub began: Moment,
}

/// A moment, and the stats of files by which it is seen later whether something changed since.
#[derive(Debug, Clone, Default)]
pub(super) struct Moment {
    /// In milliseconds since 1970.
    time: i64,
    generation: String,
    /// The marks of git's index, `HEAD`, the list of derived files, and the search index.
    marks: String,
}

impl Moment {
    pub fn now(opened: &Opened) -> Self {
        let generation = stat_text(&brv_search::generation(&folder(opened)));
        let marks = format!("{} {generation}", marks(opened));
        Self { time: milliseconds(opened), generation, marks }
    }
}

/// The stats of git's index, `HEAD` and the list of derived files: what brv or git changes is seen by them.
pub fn marks(opened: &Opened) -> String {
    let scope = &opened.scope;
    let git = [scope.index_file(), scope.git_dir().join("HEAD"), derive::ledger_file(&opened.places.cache())];
    git.map(|path| stat_text(&path)).join(" ")
}

#[derive(Debug, Default)]
pub(super) struct CachedScan {
    /// As in [`ScanResult`].
    pub changes: BTreeMap<String, State>,
    /// The search index that they are compared with.
    generation: String,
}

const HEADER: &str = "brv seen 1\n";

fn file(opened: &Opened) -> std::path::PathBuf {
    folder(opened).join("seen")
}

/// The present moment in milliseconds since 1970.
pub fn milliseconds(opened: &Opened) -> i64 {
    Clock::from_environment(opened.scope.environment()).now().timestamp_millis()
}

impl CachedScan {
    /// A walk whose result is not kept.
    pub fn unsaved(walked: ScanResult) -> Self {
        Self { changes: walked.changes, generation: String::new() }
    }

    /// What tells whether the tree has changed by content.
    pub fn fingerprint(&self) -> String {
        let mut text = format!("{}\n", self.generation);
        lines(&mut text, &self.changes);
        ContentId::of(text.as_bytes()).to_string()
    }
}

/// What was seen, if it is still good enough at this moment.
pub(super) fn load(opened: &Opened, freshness: ScanFreshness, moment: &Moment) -> Option<CachedScan> {
    if freshness == ScanFreshness::Look {
        return None;
    }
    let found = read(opened)?;
    let age = u64::try_from(moment.time - found.began).ok()?;
    let is_young = u128::from(age) < opened.config.search_freshness.value.as_millis();
    let seen = CachedScan { changes: found.changes, generation: moment.generation.clone() };
    (is_young && found.marks == moment.marks).then_some(seen)
}

/// What was seen last, however long ago; that nothing changed if that is not known.
pub(super) fn guess(opened: &Opened, moment: &Moment) -> CachedScan {
    let generation = moment.generation.clone();
    let found = read(opened).filter(|found| found.is_of(&generation));
    CachedScan { changes: found.map(|found| found.changes).unwrap_or_default(), generation }
}

/// What tells whether the tree has changed by content, if that is known without a walk.
pub fn fingerprint(opened: &Opened, freshness: ScanFreshness) -> Option<String> {
    load(opened, freshness, &Moment::now(opened)).map(|seen| seen.fingerprint())
}

/// Keep what a walk found. That it cannot be written only costs the next search a walk.
pub(super) fn save(opened: &Opened, walked: ScanResult) -> CachedScan {
    write(opened, &walked);
    CachedScan { changes: walked.changes, generation: walked.began.generation }
}

/// Tell what a command wrote, which leads from the tree `before` to `after`, and which of the derived files `made` after it
/// are searched. If it `looked` at all files, at that time, and found the disk to be as the first tree, the next search
/// needs no walk; otherwise the last walk holds for as long as it would have. Does nothing where nothing was searched yet.
pub fn renew(
    opened: &Opened,
    looked: Option<i64>,
    (before, after): (TreeId, TreeId),
    made: &derive::Outcome,
) {
    let now = Moment::now(opened);
    let is_known = |found: &CacheFile| found.tree == Some(before) && found.is_of(&now.generation);
    let Some(found) = read(opened).filter(is_known) else { return };
    let mut changes = found.changes;
    if differing(&opened.scope, before, after, &mut changes).is_none() {
        return;
    }
    add_stubs(opened, made, &mut changes);
    let began = Moment { time: looked.unwrap_or(found.began), ..now };
    write(opened, &ScanResult { changes, tree: Some(after), began });
}

/// Add the files that differ between two trees.
fn differing(
    scope: &Scope,
    before: TreeId,
    after: TreeId,
    changes: &mut BTreeMap<String, State>,
) -> Option<()> {
    for change in trees::diff(scope, before, after, Renames::Ignore).ok()? {
        let Ok(path) = TreePath::parse(&change.path) else { continue };
        if !path.kind().is_curated() {
            continue;
        }
        let there = trees::file(scope, after, path.as_bytes().as_bstr()).ok()?;
        let state = there.map_or(State::Gone, |version| State::Here(version.id));
        changes.insert(path.to_string(), state);
    }
    Some(())
}

/// Add the stubs of archived entries that were written or removed.
fn add_stubs(opened: &Opened, made: &derive::Outcome, changes: &mut BTreeMap<String, State>) {
    let root = opened.scope.root();
    for path in made.written.iter().chain(&made.removed) {
        if path.kind() == PathKind::Derived(Derived::Stub) {
            let bytes = fs::read_below(&root, &path.on_disk(&root)).ok().flatten();
            let state = bytes.map_or(State::Gone, |bytes| State::Here(ContentId::of(&bytes)));
            changes.insert(path.to_string(), state);
        }
    }
}

fn write(opened: &Opened, walked: &ScanResult) {
    let mut text = format!("{HEADER}M\t{}\t{}\n", walked.began.time, walked.began.marks);
    if let Some(tree) = walked.tree {
        let _ = writeln!(text, "T\t{tree}");
    }
    lines(&mut text, &walked.changes);
    let sum = crc32fast::hash(text.as_bytes());
    let _ = writeln!(text, "S\t{sum:08x}");
    let _ = fs::replace(&file(opened), text.as_bytes(), Durability::Later);
}

fn lines(text: &mut String, changes: &BTreeMap<String, State>) {
    for (path, state) in changes {
        let _ = match state {
            State::Gone => writeln!(text, "G\t{path}"),
            State::Here(id) => writeln!(text, "H\t{path}\t{id}"),
            State::Ours(id) => writeln!(text, "O\t{path}\t{id}"),
        };
    }
}

struct CacheFile {
    began: i64,
    marks: String,
    tree: Option<TreeId>,
    changes: BTreeMap<String, State>,
}

impl CacheFile {
    /// Whether it tells changes of this search index.
    fn is_of(&self, generation: &str) -> bool {
        self.marks.rsplit(' ').next() == Some(generation)
    }
}

fn read(opened: &Opened) -> Option<CacheFile> {
    let bytes = fs::read_shipped(&file(opened), Form::Table).ok()??;
    parse(std::str::from_utf8(&bytes).ok()?)
}

fn parse(text: &str) -> Option<CacheFile> {
    let end = text.strip_suffix('\n')?.rfind('\n')? + 1;
    let (text, sum) = text.split_at(end);
    let sum = u32::from_str_radix(sum.strip_prefix("S\t")?.trim_end(), 16).ok()?;
    let mut lines = text.strip_prefix(HEADER).filter(|_| sum == crc32fast::hash(text.as_bytes()))?.lines();
    let (began, marks) = lines.next()?.strip_prefix("M\t")?.split_once('\t')?;
    let mut kept =
        CacheFile { began: began.parse().ok()?, marks: marks.into(), tree: None, changes: BTreeMap::new() };
    for line in lines {
        let mut parts = line.split('\t');
        let (path, state) = match (parts.next()?, parts.next()?, parts.next()) {
            ("T", tree, None) => {
                kept.tree = Some(TreeId::from_hex(tree)?);
                continue;
            }
            ("G", path, None) => (path, State::Gone),
            ("H", path, Some(id)) => (path, State::Here(ContentId::from_hex(id)?)),
            ("O", path, Some(id)) => (path, State::Ours(ContentId::from_hex(id)?)),
            _ => return None,
        };
        kept.changes.insert(path.to_owned(), state);
    }
    Some(kept)
}

fn stat_text(path: &Path) -> String {
    match fs::stat(path) {
        Ok(Some(FileStat { size, modified, inode, .. })) => {
            format!("{size}:{}.{}:{inode}", modified.0, modified.1)
        }
        _ => "-".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_and_a_damaged_file_is_not() {
        let id = ContentId::of(b"x");
        let changes: BTreeMap<String, State> = [
            ("a/b.md".to_owned(), State::Gone),
            ("a/c.md".to_owned(), State::Here(id)),
            ("d.md".to_owned(), State::Ours(id)),
        ]
        .into();
        let mut text = format!("{HEADER}M\t12\t1:2.3:4 - - -\nT\t{}\n", TreeId::empty());
        lines(&mut text, &changes);
        let sum = crc32fast::hash(text.as_bytes());
        text.push_str(&format!("S\t{sum:08x}\n"));
        let read = parse(&text).unwrap();
        assert_eq!(
            (read.began, read.marks.as_str(), read.tree),
            (12, "1:2.3:4 - - -", Some(TreeId::empty()))
        );
        assert_eq!(read.changes, changes);
        assert!(parse(&text.replace("c.md", "e.md")).is_none());
        assert!(parse(&text[..text.len() - 1]).is_none());
        assert!(parse("").is_none());
    }
}
