//! Patch ids: a name for what a commit changes, which stays the same after a rebase, a cherry-pick or a squash.
//!
//! The definition is brv's own and differs from that of `git patch-id`. The first ten digits are a hash of the changed
//! paths, so that comparing two trees rules out nearly every other commit before a file is read. The other thirty are a
//! hash of each changed path, of the kind of its change, and of the lines that the file has more or fewer of, without
//! white space. Lines are counted, not aligned: context, line numbers and the order of lines do not matter, and whatever
//! is changed elsewhere in the file meanwhile does not, either. Renames are not detected.
//!
//! If no line is more or fewer, lines were moved or their white space was changed: then the removed and the added lines of a
//! line diff count as they are.
//!
//! Files that are binary, big or not here count by the ids of their blobs, and so do all files of a very big change.

use super::shallow;
use crate::Scope;
use crate::error::{During, Error};
use crate::id::{BlobId, CommitId, PatchId, TreeId, object_id};
use crate::objects::checksum::Checksum;
use crate::objects::commit;
use crate::trees::{self, Change, Renames};
use crate::version::{FileMode, Version};
use bstr::ByteSlice as _;
use gix::diff::blob::{Algorithm, InternedInput, diff_with_slider_heuristics};
use std::collections::BTreeMap;

/// How many hexadecimal digits are the hash of the paths.
const PATHS: usize = 10;

/// A bigger file counts by the id of its blob.
const MOST_BYTES: u64 = 1 << 20;

/// If more files change, all count by the ids of their blobs.
const MOST_FILES: usize = 10_000;

impl PatchId {
    /// The part that only the changed paths decide, as [`paths_between`] returns it.
    pub fn paths(&self) -> String {
        self.prefix(PATHS)
    }
}

/// The patch id of what a commit changes; `None` if that is nothing, or if [`sides`] knows none.
pub fn of_commit(scope: &Scope, commit: CommitId) -> Result<Option<PatchId>, Error> {
    match sides(scope, commit)? {
        Some([before, after]) => between(scope, before, after),
        None => Ok(None),
    }
}

/// The trees before and after a commit: that of its parent, or the empty one, and its own. `None` for a merge, and where
/// a shallow history ends, since the parent is not here.
pub fn sides(scope: &Scope, commit: CommitId) -> Result<Option<[TreeId; 2]>, Error> {
    let read = commit::read(scope, commit)?;
    let before = match read.parents[..] {
        [] => TreeId::empty(),
        [_] if shallow::read(&scope.repo)?.contains(&commit.0) => return Ok(None),
        [parent] => scope.tree_of(parent)?,
        _ => return Ok(None),
    };
    Ok(Some([before, read.tree]))
}

/// The patch id of the changes from one tree to another; `None` if there are none.
pub fn between(scope: &Scope, before: TreeId, after: TreeId) -> Result<Option<PatchId>, Error> {
    let changes = trees::diff(scope, before, after, Renames::Ignore)?;
    if changes.is_empty() {
        return Ok(None);
    }
    let reads = changes.len() <= MOST_FILES;
    let mut hash = Checksum::default();
    for change in &changes {
        hash.update(&head(change));
        let lines = if reads { lines(scope, change)? } else { None };
        hash.update(&lines.unwrap_or_else(|| ids(change)));
    }
    let digits = format!("{}{}", paths(&changes), &hash.finish().to_string()[PATHS..]);
    Ok(Some(PatchId::from_hex(&digits).expect("the digits of two hashes")))
}

/// A hash of the paths that differ between two trees, as [`PatchId::paths`] has it. No file is read.
pub fn paths_between(scope: &Scope, before: TreeId, after: TreeId) -> Result<String, Error> {
    Ok(paths(&trees::diff(scope, before, after, Renames::Ignore)?))
}

fn paths(changes: &[Change]) -> String {
    let mut hash = Checksum::default();
    for change in changes {
        hash.update(&change.path);
        hash.update(&[0]);
    }
    hash.finish().to_hex_with_len(PATHS).to_string()
}

/// The path and the kind of a change; the modes count where they are not the same on both sides.
fn head(change: &Change) -> Vec<u8> {
    let mode = |version: Option<Version>| version.map_or("-", |version| version.mode.octal());
    let modes = [mode(change.before), mode(change.after)];
    let kind = if modes[0] == modes[1] { "=".to_owned() } else { modes.join(">") };
    [&change.path[..], &[0], kind.as_bytes(), &[0]].concat()
}

fn ids(change: &Change) -> Vec<u8> {
    let id =
        |version: Option<Version>| version.map_or_else(|| "-".to_owned(), |version| version.id.to_string());
    format!("blobs {} {}\0", id(change.before), id(change.after)).into()
}

/// The changed lines of a file; `None` if it counts by its ids.
fn lines(scope: &Scope, change: &Change) -> Result<Option<Vec<u8>>, Error> {
    let (Some(before), Some(after)) = (text(scope, change.before)?, text(scope, change.after)?) else {
        return Ok(None);
    };
    let mut counted = counted(&before, &after);
    if counted.is_empty() {
        counted = aligned(&before, &after);
    }
    let mut text = b"lines\n".to_vec();
    for (line, count) in counted {
        text.extend_from_slice(format!("{count:+} {} ", line.len()).as_bytes());
        text.extend_from_slice(&line);
        text.push(b'\n');
    }
    text.push(0);
    Ok(Some(text))
}

/// The bytes of a version, none where there is no version; `None` if it counts by its id.
fn text(scope: &Scope, version: Option<Version>) -> Result<Option<Vec<u8>>, Error> {
    let Some(Version { mode, id }) = version else { return Ok(Some(Vec::new())) };
    if mode == FileMode::Gitlink || !is_small(scope, id)? {
        return Ok(None);
    }
    Ok(trees::find_blob(scope, id)?.filter(|bytes| !bytes.contains(&0)))
}

/// Whether the blob is here and not big, by its header.
fn is_small(scope: &Scope, id: BlobId) -> Result<bool, Error> {
    let header = scope.repo.try_find_header(object_id(id)).during(|| format!("read object {id}"))?;
    Ok(header.is_some_and(|header| header.size() <= MOST_BYTES))
}

/// How many more (or fewer) of each line the file has, without white space.
fn counted(before: &[u8], after: &[u8]) -> BTreeMap<Vec<u8>, i64> {
    let bare = |line: &[u8]| line.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
    let mut counts: BTreeMap<Vec<u8>, i64> = BTreeMap::new();
    for (bytes, step) in [(before, -1), (after, 1)] {
        for line in bytes.lines() {
            *counts.entry(bare(line)).or_default() += step;
        }
    }
    counts.retain(|_, count| *count != 0);
    counts
}

/// The lines that a line diff removes and adds, as they are: each with a sign in front, and how often.
fn aligned(before: &[u8], after: &[u8]) -> BTreeMap<Vec<u8>, i64> {
    let input = InternedInput::new(before, after);
    let mut counts: BTreeMap<Vec<u8>, i64> = BTreeMap::new();
    for hunk in diff_with_slider_heuristics(Algorithm::Myers, &input).hunks() {
        let sides = [(b"-", &input.before, hunk.before), (b"+", &input.after, hunk.after)];
        for (sign, tokens, range) in sides {
            for token in &tokens[range.start as usize..range.end as usize] {
                *counts.entry([&sign[..], input.interner[*token]].concat()).or_default() += 1;
            }
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{store, tree_of};

    struct PatchIdStore {
        _folder: tempfile::TempDir,
        scope: Scope,
    }

    impl PatchIdStore {
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            let scope = crate::init(folder.path(), "main", &brv_base::environment::Environment::default());
            Self { scope: scope.unwrap(), _folder: folder }
        }

        fn tree(&self, files: &[(&str, &[u8])]) -> TreeId {
            let blobs: Vec<Vec<u8>> = files.iter().map(|(_, bytes)| bytes.to_vec()).collect();
            store::write_blobs(&self.scope, &blobs).unwrap();
            self.tree_without_blobs(files)
        }

        fn tree_without_blobs(&self, files: &[(&str, &[u8])]) -> TreeId {
            let version = |bytes: &[u8]| Version { mode: FileMode::Regular, id: BlobId::of(bytes) };
            let files = files.iter().map(|(path, bytes)| ((*path).into(), version(bytes)));
            tree_of(&self.scope, files.collect()).unwrap()
        }

        /// The patch id of a change of one file.
        fn id(&self, before: &[u8], after: &[u8]) -> String {
            let [before, after] = [before, after].map(|bytes| self.tree(&[("a", bytes)]));
            between(&self.scope, before, after).unwrap().unwrap().to_string()
        }
    }

    #[test]
    fn a_change_keeps_its_id_on_other_context() {
        let store = PatchIdStore::new();
        let first = store.id(b"a\nb\nc\nd\n", b"a\nb\nnew\nd\n");
        assert_eq!(
            first,
            store.id(b"x\na\nB\n\n\nc\nd\ny\n", b"x\na\nB\n\n\nnew\nd\ny\n"),
            "other neighbours"
        );
        assert_eq!(first, store.id(b"d\nc\n", b"d\n  new\n"), "other places, other white space");
        for after in [b"a\nb\nc\nnew\nd\n".as_slice(), b"a\nb\nnew\n", b"a\nb\nnew\nnew\nd\n"] {
            assert_ne!(first, store.id(b"a\nb\nc\nd\n", after), "another change");
        }
        assert_ne!(store.id(b"a\n", b"b\n"), store.id(b"b\n", b"a\n"), "the way back");
    }

    #[test]
    fn lines_that_only_move_or_are_indented_are_a_change_of_their_own() {
        let store = PatchIdStore::new();
        let ids = [
            store.id(b"a\nb\nc\nd\ne\n", b"b\nc\nd\ne\na\n"),
            store.id(b"a\nb\nc\nd\ne\n", b"e\na\nb\nc\nd\n"),
            store.id(b"a\nb\n", b"a\n\tb\n"),
            store.id(b"a\nb\n", b"\ta\nb\n"),
            store.id(b"a\nb", b"a\nb\n"),
            store.id(b"a\nb\n", b"a\r\nb\r\n"),
        ];
        for (at, id) in ids.iter().enumerate() {
            assert!(!ids[..at].contains(id), "{at}");
        }
        assert_eq!(ids[3], store.id(b"a\nx\n", b"\ta\nx\n"));
    }

    #[test]
    fn the_path_and_the_kind_of_a_change_count() {
        let store = PatchIdStore::new();
        let scope = &store.scope;
        let (none, one) = (TreeId::empty(), store.tree(&[("a", b"x\n")]));
        let other = store.tree(&[("b", b"x\n")]);
        let id = |before, after| between(scope, before, after).unwrap().unwrap();
        let ids = [id(none, one), id(one, none), id(none, other), id(one, other)];
        for (at, id) in ids.iter().enumerate() {
            assert!(!ids[..at].contains(id), "{at}");
        }
        assert_ne!(id(none, one), id(store.tree(&[("a", b"")]), one), "added, or filled");
        assert_eq!(between(scope, one, one).unwrap(), None);
        assert_eq!(ids[0].paths(), ids[1].paths());
        assert_ne!(ids[0].paths(), ids[2].paths());
    }

    #[test]
    fn files_that_are_no_text_or_big_or_not_here_count_by_their_ids() {
        let store = PatchIdStore::new();
        let big = [b"a\n".repeat(600_000), b"b\n".to_vec()].concat();
        assert_ne!(store.id(b"\0a\n", b"\0a\nb\n"), store.id(b"\0c\n", b"\0c\nb\n"));
        assert_ne!(store.id(&big, b"b\n"), store.id(&[b"c\n", &big[..]].concat(), b"c\nb\n"));
        assert_eq!(store.id(b"\0a\n", b"\0a\nb\n"), store.id(b"\0a\n", b"\0a\nb\n"));
        let [before, after] =
            [b"here\n".as_slice(), b"nowhere\n"].map(|bytes| store.tree_without_blobs(&[("a", bytes)]));
        let id = between(&store.scope, before, after).unwrap().unwrap();
        assert_eq!(paths_between(&store.scope, before, after).unwrap(), id.paths());
    }
}
