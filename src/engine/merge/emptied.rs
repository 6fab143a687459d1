//! Entries that a change empties: more than half of the text is gone, and stands in no other entry that it writes.

use crate::read::history::archiving::Read;
use brv_base::content::fnv;
use brv_base::path::{self, PathKind};
use brv_git as git;
use brv_git::Scope;
use brv_git::trees::{self, Change};
use brv_text::doc::Document;
use bstr::{BStr, BString, ByteSlice as _};
use std::collections::HashSet;

/// An entry with less text, in bytes, is emptied only if nothing is left: half of a line may be a correction.
const LEAST: usize = 100;

/// Whether a path is that of an entry.
pub(super) fn is_entry(path: &BStr) -> bool {
    path::check(path).is_ok_and(|path| path::kind_of(path) == PathKind::Entry)
}

/// Whether a change may empty an entry.
pub(super) fn may_empty(change: &Change) -> bool {
    let is_edited = change.before.zip(change.after).is_some_and(|(before, after)| before.id != after.id);
    is_edited && is_entry(change.path.as_bstr())
}

/// The entries that the changes (without renames) empty, in order. What was moved to another entry is not gone, and what
/// was written anew in about the same length is not less.
pub(super) fn emptied(scope: &Scope, changes: &[Change], read: Read<'_>) -> Result<Vec<BString>, git::Error> {
    let mut written: HashSet<u64> = HashSet::new();
    let mut edited = Vec::new();
    for change in changes.iter().filter(|change| change.after.is_some() && is_entry(change.path.as_bstr())) {
        let after = EntryLineHashes::of(read(change.path.as_bstr())?.unwrap_or_default());
        written.extend(after.lines.iter().map(|(hash, _)| hash));
        if let Some(before) = change.before.filter(|_| may_empty(change)) {
            edited.push((&change.path, before, after.length()));
        }
    }
    let mut emptied = Vec::new();
    for (path, before, after) in edited {
        let before = EntryLineHashes::of(trees::blob(scope, before.id)?);
        let gone = before.lines.iter().filter(|(hash, _)| !written.contains(hash));
        let gone: usize = gone.map(|(_, length)| length).sum();
        let is_most = |part: usize| part * 2 > before.length();
        let is_told = after == 0 || before.length() >= LEAST;
        if is_told && is_most(gone) && !is_most(after) {
            emptied.push(path.clone());
        }
    }
    Ok(emptied)
}

/// The text of an entry: each line of its body but blank ones and headings, as its hash and its length in bytes.
struct EntryLineHashes {
    lines: Vec<(u64, usize)>,
}

impl EntryLineHashes {
    fn of(bytes: Vec<u8>) -> Self {
        let document = Document::parse(bytes);
        let lines = document.body().lines().map(str::trim);
        let says = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
        Self { lines: says.map(|line| (fnv(line.bytes()), line.len())).collect() }
    }

    fn length(&self) -> usize {
        self.lines.iter().map(|(_, length)| length).sum()
    }
}
