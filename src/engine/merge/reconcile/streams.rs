//! Group three trees into streams: a stream is one file through base, ours and theirs, whatever its name in each.
//!
//! Only a file that differs from the base on some side is a stream. Reads no file.

use super::{Trees, moves};
use brv_git as git;
use brv_git::trees::{self, Change, Renames};
use brv_git::{Scope, Version};
use bstr::BString;
use std::collections::BTreeMap;

/// A file of one tree. The path is full.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TreeFile {
    pub path: BString,
    pub version: Version,
}

/// One file through the three trees, changed on at least one side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FileStream {
    pub base: Option<TreeFile>,
    pub ours: Option<TreeFile>,
    pub theirs: Option<TreeFile>,
}

/// The streams of a merge, ordered by their path in the base, or by the path where they were added.
///
/// # Errors
/// Trees that cannot be read, and files that may have moved.
pub(super) fn of(whole: &Scope, trees: Trees) -> Result<Vec<FileStream>, git::Error> {
    let changes = |side| trees::diff(whole, trees.base, side, Renames::Ignore);
    let (ours, theirs) = (changes(trees.ours)?, changes(trees.theirs)?);
    let (ours, theirs) = (moves::joined(whole, ours.clone(), &theirs)?, moves::joined(whole, theirs, &ours)?);
    Ok(join(ours, theirs))
}

/// Join the changes of both sides that belong to the same file.
fn join(ours: Vec<Change>, theirs: Vec<Change>) -> Vec<FileStream> {
    let mut streams: BTreeMap<(BString, StreamOrigin), FileStream> = BTreeMap::new();
    for change in ours {
        let (key, base, after) = parts(change);
        let theirs = base.clone();
        streams.insert(key, FileStream { base, ours: after, theirs });
    }
    for change in theirs {
        let (key, base, after) = parts(change);
        let ours = base.clone();
        streams.entry(key).and_modify(|stream| stream.theirs.clone_from(&after)).or_insert(FileStream {
            base,
            ours,
            theirs: after,
        });
    }
    streams.into_values().collect()
}

/// Whether the path is that of the base or of an addition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum StreamOrigin {
    Base,
    Added,
}

fn parts(change: Change) -> ((BString, StreamOrigin), Option<TreeFile>, Option<TreeFile>) {
    let after = change.after.map(|version| TreeFile { path: change.path.clone(), version });
    let Some(before) = change.before else { return ((change.path, StreamOrigin::Added), None, after) };
    let path = change.renamed_from.unwrap_or(change.path);
    ((path.clone(), StreamOrigin::Base), Some(TreeFile { path, version: before }), after)
}
