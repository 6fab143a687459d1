//! Compare changed files by line: shared by `diff` and `show`.

use crate::outcome::change as outcome;
use crate::outcome::change::FileDifference;
use brv_base::parallel;
use brv_git as git;
use brv_git::trees::{self, Change};
use brv_git::{FileMode, ObjectReader, Scope, Version};
use brv_text::diff::{self, FileDiff, LineCounts, Stat};
use brv_text::lint::secrets;
use bstr::BString;
use serde::{Serialize, Serializer};

/// How much detail to show for each file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// The path and the kind of change.
    Names,
    /// Also the number of lines.
    Counts,
    /// Also the changed lines, with this many unchanged lines around them.
    Lines {
        /// Unchanged lines around a change.
        context: usize,
    },
    Words {
        /// Unchanged lines around a change.
        context: usize,
    },
    /// Entries by meaning; other files by line and word.
    Meaning {
        /// Unchanged lines around a change.
        context: usize,
    },
    /// Entries by meaning, and all files by line and word.
    Everything {
        /// Unchanged lines around a change.
        context: usize,
    },
}

#[derive(Debug, Clone)]
pub struct FileChange {
    /// The path after the change, or before a deletion.
    pub path: BString,
    /// The path before, if it moved.
    pub renamed_from: Option<BString>,
    /// The similarity in percent, if it moved.
    pub similarity: Option<u8>,
    pub before: Option<Version>,
    pub after: Option<Version>,
    /// Lines added and removed; with [`Detail::Counts`] and above, and not for a file in conflict.
    pub stat: Option<Stat>,
    /// The differences; with [`Detail::Lines`] and above, and of a binary file with [`Detail::Counts`].
    pub diff: Option<FileDiff>,
}

impl From<&FileChange> for outcome::PathChange {
    fn from(file: &FileChange) -> Self {
        let FileChange { path, renamed_from, before, after, .. } = file;
        Self::between(path, renamed_from.as_ref(), before.is_some(), after.is_some())
    }
}

impl FileDifference {
    /// `with_lines`: whether it has the changed lines.
    pub fn new(file: &FileChange, with_lines: bool) -> Self {
        let hunks = match &file.diff {
            Some(FileDiff::Text(hunks)) if with_lines => Some(hunks.clone()),
            _ => None,
        };
        Self {
            change: outcome::PathChange::from(file),
            similarity: file.similarity,
            added: file.stat.map(|stat| stat.added),
            removed: file.stat.map(|stat| stat.removed),
            binary: matches!(file.diff, Some(FileDiff::Binary(_))),
            hunks,
        }
    }

    /// As [`FileDifference::new`], for several files.
    pub fn all(files: &[FileChange], with_lines: bool) -> Vec<Self> {
        files.iter().map(|file| Self::new(file, with_lines)).collect()
    }
}

/// Changed files as they are drawn; in JSON one [`FileDifference`] after the other, none of which is kept.
#[derive(Debug, Default)]
pub struct ChangedFiles {
    /// The files, by path.
    pub drawn: Vec<FileChange>,
    /// Whether the JSON has the changed lines.
    pub with_lines: bool,
}

impl Serialize for ChangedFiles {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.drawn.iter().map(|file| FileDifference::new(file, self.with_lines)))
    }
}

/// Reads the new bytes of a file of the work tree; `None` if it has none of its own.
pub type WorkTreeReader<'a> = &'a (dyn Fn(&Change) -> Option<Vec<u8>> + Sync);

/// Where the bytes of both sides come from: from the repository, unless the work tree has newer ones.
#[derive(Clone, Copy, Default)]
pub struct Contents<'a> {
    /// If it returns `None`, the repository is read.
    disk: Option<WorkTreeReader<'a>>,
    /// The same for the bytes before the change.
    before: Option<WorkTreeReader<'a>>,
    /// Whether secrets are replaced.
    are_masked: bool,
}

impl<'a> Contents<'a> {
    /// The new bytes come from the work tree, where `disk` has some.
    pub fn with_disk(disk: WorkTreeReader<'a>) -> Self {
        Self { disk: Some(disk), ..Self::default() }
    }

    /// The bytes before the change come from `before`, where it has some.
    pub const fn with_before(self, before: WorkTreeReader<'a>) -> Self {
        Self { before: Some(before), ..self }
    }

    /// The same with [`MASK`](brv_text::lint::secrets::MASK) in place of each secret.
    pub const fn masked(self) -> Self {
        Self { are_masked: true, ..self }
    }

    /// The bytes before the change; empty if there was no file.
    pub(super) fn before(&self, scope: &Scope, change: &Change) -> Result<Vec<u8>, git::Error> {
        let known = self.before.and_then(|before| before(change));
        Ok(self.shown(known.map_or_else(|| bytes_of(scope, change.before), Ok)?))
    }

    /// The bytes after the change; empty if there is no file.
    pub(super) fn after(&self, scope: &Scope, change: &Change) -> Result<Vec<u8>, git::Error> {
        let on_disk = self.disk.and_then(|disk| disk(change));
        Ok(self.shown(on_disk.map_or_else(|| bytes_of(scope, change.after), Ok)?))
    }

    pub fn both(&self, scope: &Scope, change: &Change) -> Result<(Vec<u8>, Vec<u8>), git::Error> {
        Ok((self.before(scope, change)?, self.after(scope, change)?))
    }

    fn shown(&self, bytes: Vec<u8>) -> Vec<u8> {
        if self.are_masked { secrets::masked_bytes(bytes) } else { bytes }
    }
}

/// Read both sides of every change and compare them by line as far as `detail` needs it, on all cores.
pub fn compare(
    scope: &Scope,
    changes: &[Change],
    detail: Detail,
    contents: &Contents<'_>,
) -> Result<Vec<FileChange>, git::Error> {
    compare_each(scope, changes, |_| detail, contents)
}

/// As [`compare`]; the changes become the files, so that a long list is not held twice.
pub(super) fn compare_all(
    scope: &Scope,
    mut changes: Vec<Change>,
    detail: Detail,
    contents: &Contents<'_>,
) -> Result<Vec<FileChange>, git::Error> {
    let mut found = compare_sides(scope, &changes, |_| detail, contents)?;
    let mut files = Vec::with_capacity(changes.len());
    // from the end: what both lists do not need any more is given back
    while let (Some(change), Some(found)) = (changes.pop(), found.pop()) {
        files.push(FileChange::new(change, found));
        if files.len().is_multiple_of(GIVEN_BACK) {
            changes.shrink_to_fit();
        }
    }
    files.reverse();
    Ok(files)
}

/// After so many changes of a list their memory is given back.
const GIVEN_BACK: usize = 1 << 13;

/// As [`compare`], with a detail for each change.
pub(super) fn compare_each(
    scope: &Scope,
    changes: &[Change],
    detail: impl Fn(&Change) -> Detail + Sync,
    contents: &Contents<'_>,
) -> Result<Vec<FileChange>, git::Error> {
    let found = compare_sides(scope, changes, detail, contents)?;
    Ok(changes.iter().cloned().zip(found).map(|(change, found)| FileChange::new(change, found)).collect())
}

/// How the sides of a change differ, as far as it was asked for.
#[derive(Default)]
struct SideDifference {
    similarity: Option<u8>,
    stat: Option<Stat>,
    diff: Option<FileDiff>,
}

impl FileChange {
    fn new(change: Change, found: SideDifference) -> Self {
        let Change { path, renamed_from, before, after } = change;
        let SideDifference { similarity, stat, diff } = found;
        Self { path, renamed_from, similarity, before, after, stat, diff }
    }
}

fn compare_sides(
    scope: &Scope,
    changes: &[Change],
    detail: impl Fn(&Change) -> Detail + Sync,
    contents: &Contents<'_>,
) -> Result<Vec<SideDifference>, git::Error> {
    let shared = scope.to_shared();
    parallel::try_map(
        changes,
        || shared.to_reader(),
        |reader, change| compare_one(reader, change, detail(change), contents),
    )
}

fn compare_one(
    reader: &mut ObjectReader,
    change: &Change,
    detail: Detail,
    contents: &Contents<'_>,
) -> Result<SideDifference, git::Error> {
    let found = SideDifference { similarity: similarity(reader, change, contents)?, ..Default::default() };
    let context = match detail {
        Detail::Names => return Ok(found),
        Detail::Counts => {
            let (before, after) = contents.both(reader, change)?;
            reader.has_read(before.len() + after.len())?;
            let (stat, diff) = match diff::count(&before, &after) {
                LineCounts::Lines(stat) => (stat, None),
                LineCounts::Binary(equality) => (Stat::default(), Some(FileDiff::Binary(equality))),
            };
            return Ok(SideDifference { stat: Some(stat), diff, ..found });
        }
        Detail::Lines { context }
        | Detail::Words { context }
        | Detail::Meaning { context }
        | Detail::Everything { context } => context,
    };
    let (before, after) = contents.both(reader, change)?;
    reader.has_read(before.len() + after.len())?;
    let mut differences = diff::compare(&before, &after, context);
    let stat = Some(diff::stat(&differences));
    if !matches!(detail, Detail::Lines { .. })
        && let FileDiff::Text(hunks) = &mut differences
    {
        diff::mark(hunks);
    }
    Ok(SideDifference { stat, diff: Some(differences), ..found })
}

fn similarity(scope: &Scope, change: &Change, contents: &Contents<'_>) -> Result<Option<u8>, git::Error> {
    let ids = [change.before, change.after].map(|version| version.map(|version| version.id));
    Ok(match change.renamed_from {
        None => None,
        Some(_) if ids[0] == ids[1] => Some(100),
        Some(_) => {
            let (before, after) = contents.both(scope, change)?;
            Some(git::similarity(&before, &after))
        }
    })
}

/// A submodule has no bytes here: name its commit, in git's words.
fn bytes_of(scope: &Scope, version: Option<Version>) -> Result<Vec<u8>, git::Error> {
    match version {
        None => Ok(Vec::new()),
        Some(version) if version.mode == FileMode::Gitlink => {
            Ok(format!("Subproject commit {}\n", version.id).into_bytes())
        }
        Some(version) => trees::blob(scope, version.id),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use brv_base::content::ContentId;

    #[test]
    fn changed_files_are_written_as_the_list_of_their_differences() {
        let version = Some(Version { mode: FileMode::Regular, id: ContentId::of(b"") });
        let file = |path: &str, before: &[u8], after: &[u8]| {
            let found = diff::compare(before, after, 0);
            FileChange {
                path: path.into(),
                renamed_from: None,
                similarity: None,
                before: version,
                after: version,
                stat: Some(diff::stat(&found)),
                diff: Some(found),
            }
        };
        for with_lines in [false, true] {
            let drawn = vec![file("a.md", b"a\n", b"b\n"), file("b.bin", b"\0", b"\0\0")];
            let expected = serde_json::to_value(FileDifference::all(&drawn, with_lines)).unwrap();
            assert_eq!(expected[0].get("hunks").is_some(), with_lines);
            let told = serde_json::to_value(ChangedFiles { drawn, with_lines }).unwrap();
            assert_eq!(told, expected);
        }
        assert_eq!(serde_json::to_string(&ChangedFiles::default()).unwrap(), "[]");
    }
}
