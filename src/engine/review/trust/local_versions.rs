//! Which versions of files were made here, by the logs of `HEAD` and the journal.
//!
//! A commit makes a version if none of its parents has it. What a commit takes over from another one is not made by it:
//! nor is what a pull, an undo or a revert brings back. A commit that repeats another one, by `cherry-pick` or a rebase, makes its
//! versions if its author made it.

use super::sources::{Act, LocalCommit, LocalFileChange};
use super::unreviewed;
use crate::journal::{self, OperationKind};
use crate::open::context::Opened;
use crate::read::history::provenance::Trailers;
use crate::review::trust::cache;
use brv_base::content::ContentId;
use brv_base::fs;
use brv_git as git;
use brv_git::commit::Commit;
use brv_git::reflog::{self, Line, Making};
use brv_git::trees::{self, Change, Renames};
use brv_git::{CommitId, Scope, TreeId, refs};
use bstr::{BStr, ByteSlice as _};
use std::collections::{HashMap, HashSet};

/// The versions that were made here.
#[derive(Debug, Default)]
pub(super) struct LocalVersions {
    sources: Vec<LocalCommit>,
    /// The rows that made each version, as positions of source and row.
    made: HashMap<ContentId, Vec<(usize, usize)>>,
    /// What was there before each version that waits for a person, as its commit says.
    waiting: HashMap<ContentId, Vec<ContentId>>,
    /// The first source that found a version in a parent.
    found: HashMap<ContentId, usize>,
}

impl LocalVersions {
    /// Look at the commits that were not looked at before.
    pub fn read(opened: &Opened) -> Result<Self, git::Error> {
        let mut sources = cache::read(opened).unwrap_or_default();
        let new = looked_at(&opened.scope, &sources)?;
        if !new.is_empty() {
            sources.extend(new);
            cache::write(opened, &sources);
        }
        Ok(Self::of(sources))
    }

    fn of(sources: Vec<LocalCommit>) -> Self {
        let mut all = Self::default();
        for (at, source) in sources.iter().enumerate() {
            for (row_at, row) in source.rows.iter().enumerate() {
                match row.act {
                    Act::Made(blob) => all.made.entry(blob).or_default().push((at, row_at)),
                    Act::Waits(blob) => all.waiting.entry(blob).or_default().extend(&row.before),
                    Act::Taken | Act::Removed => {}
                }
                for blob in &row.before {
                    all.found.entry(*blob).or_insert(at);
                }
            }
        }
        Self { sources, ..all }
    }

    /// Whether a commit that was made here has it, or one of its parents.
    pub fn knows(&self, blob: ContentId) -> bool {
        self.made.contains_key(&blob) || self.waiting.contains_key(&blob) || self.found.contains_key(&blob)
    }

    /// What was there before a version that its commit marked as waiting for a person; `None` of any other.
    pub fn waiting(&self, blob: ContentId) -> Option<&[ContentId]> {
        self.waiting.get(&blob).map(Vec::as_slice)
    }

    /// When a version was made first, as a position; `None` if it was not made here.
    pub fn first(&self, blob: ContentId) -> Option<usize> {
        self.made.get(&blob)?.first().map(|(at, _)| *at)
    }

    /// For each file in which a version was made first: what was there before, at its path and in files that the commit
    /// removed. None: it was not made here. What was there before it was made came from elsewhere; to make it again changes
    /// nothing.
    pub fn before(&self, blob: ContentId) -> Vec<Vec<ContentId>> {
        let (Some(rows), Some(first)) = (self.made.get(&blob), self.first(blob)) else { return Vec::new() };
        if self.found.get(&blob).is_some_and(|found| *found <= first) {
            return Vec::new();
        }
        let before = |(at, row): &(usize, usize)| {
            let all = &self.sources[*at].rows;
            let removed = all.iter().filter(|row| row.act == Act::Removed);
            removed.chain([&all[*row]]).flat_map(|row| row.before.iter().copied()).collect()
        };
        rows.iter().filter(|(at, _)| *at == first).map(before).collect()
    }
}

/// How a commit was made by the logs.
type LoggedCommits = HashMap<CommitId, (Making, Option<CommitId>)>;

/// The commits of the logs of `HEAD` that are not among the known ones, in order.
fn looked_at(scope: &Scope, known: &[LocalCommit]) -> Result<Vec<LocalCommit>, git::Error> {
    let mut logged = LoggedCommits::new();
    let mut seen: HashSet<CommitId> = known.iter().map(|source| source.commit).collect();
    let mut open: Vec<(i64, CommitId)> = Vec::new();
    for log in reflog::of_heads(scope).map_err(|error| git::Error::new("find the logs of HEAD", error))? {
        let text =
            fs::read_if_there(&log.file).map_err(|error| git::Error::new("read the log of HEAD", error))?;
        let mut time = i64::MIN;
        for line in text.unwrap_or_default().lines().filter_map(Line::parse) {
            // a clock that was set back does not change the order of a log
            time = time.max(line.seconds);
            if let Some(making) = line.making() {
                logged.entry(line.new).or_insert((making, line.old));
            }
            if !seen.contains(&line.new) {
                open.push((time, line.new));
            }
        }
    }
    open.sort_by_key(|(time, _)| *time);
    let mut sources = Vec::new();
    for (_, commit) in open {
        if seen.insert(commit) {
            look_at(scope, commit, &logged, &mut seen, &mut sources)?;
        }
    }
    Ok(sources)
}

fn look_at(
    scope: &Scope,
    id: CommitId,
    logged: &LoggedCommits,
    seen: &mut HashSet<CommitId>,
    sources: &mut Vec<LocalCommit>,
) -> Result<(), git::Error> {
    // git may have removed what only a log still names
    let Ok(commit) = git::commit::read(scope, id) else { return Ok(()) };
    for other in commit.parents.iter().skip(1) {
        // made without `HEAD` on it, as by a dream on a branch
        if let Ok(merged) = git::commit::read(scope, *other)
            && !logged.contains_key(other)
            && !seen.contains(other)
            && is_of_journal(scope, &merged)?
        {
            seen.insert(*other);
            sources.push(LocalCommit { commit: *other, rows: rows(scope, &merged, None)? });
        }
    }
    let rows = match logged.get(&id) {
        Some((Making::Repeated, _)) if !is_by_author(&commit) => Vec::new(),
        Some((Making::Written, old)) => rows(scope, &commit, *old)?,
        Some(_) => rows(scope, &commit, None)?,
        None if is_of_journal(scope, &commit)? => rows(scope, &commit, None)?,
        None => Vec::new(),
    };
    sources.push(LocalCommit { commit: id, rows });
    Ok(())
}

fn is_by_author(commit: &Commit) -> bool {
    let Commit { author, committer, .. } = commit;
    (&author.name, &author.email) == (&committer.name, &committer.email)
}

/// Whether an operation of this clone made the commit, and not only brought it or brought something back.
fn is_of_journal(scope: &Scope, commit: &Commit) -> Result<bool, git::Error> {
    if !commit.message.contains_str("Brv-Op: ") {
        return Ok(false);
    }
    let Some(operation) = Trailers::of(&commit.message).operation() else { return Ok(false) };
    let Some(logged) = refs::commit(scope, operation.reference().as_str().into())? else { return Ok(false) };
    let Ok(record) = journal::read(scope, logged) else { return Ok(false) };
    let moved = record.moves.iter().any(|one| one.new_commit() == Some(commit.id));
    Ok(!brings_back(record.kind) && moved)
}

/// Whether the files that an operation wrote are versions that were written before.
const fn brings_back(kind: OperationKind) -> bool {
    match kind {
        OperationKind::Undo
        | OperationKind::Reject
        | OperationKind::Revert
        | OperationKind::Restore
        | OperationKind::Unarchive
        | OperationKind::Switch
        | OperationKind::Reset => true,
        OperationKind::Adopt
        | OperationKind::Commit
        | OperationKind::Pull
        | OperationKind::Clone
        | OperationKind::Merge
        | OperationKind::AbortMerge
        | OperationKind::Resolve
        | OperationKind::Repair
        | OperationKind::Check
        | OperationKind::Branch
        | OperationKind::Move
        | OperationKind::Remove
        | OperationKind::Sync
        | OperationKind::Add
        | OperationKind::Push
        | OperationKind::Remote
        | OperationKind::Tag
        | OperationKind::Curate
        | OperationKind::Archive
        | OperationKind::Dream
        | OperationKind::Confirm => false,
    }
}

/// What a commit did to files. `old` is the commit that it replaced, or was made on.
fn rows(scope: &Scope, commit: &Commit, old: Option<CommitId>) -> Result<Vec<LocalFileChange>, git::Error> {
    let mut before = Vec::new();
    for parent in &commit.parents {
        before.push(scope.tree_of(*parent)?);
    }
    let replaced = old.filter(|old| !commit.parents.contains(old));
    before.extend(replaced.and_then(|old| scope.tree_of(old).ok()));
    let first = before.first().copied().unwrap_or_else(TreeId::empty);
    let marks = Trailers::of(&commit.message);
    let mut rows = Vec::new();
    for change in trees::diff(scope, first, commit.tree, Renames::Ignore)? {
        let row = row(scope, &change, before.get(1..).unwrap_or_default())?;
        rows.push(match row.act {
            Act::Made(blob) if waits(&marks, change.path.as_bstr()) => {
                LocalFileChange { act: Act::Waits(blob), ..row }
            }
            _ => row,
        });
    }
    Ok(rows)
}

/// Whether a commit says that what it made of a path waits since it instructs.
fn waits(marks: &Trailers, path: &BStr) -> bool {
    let path = path.to_str_lossy();
    let why = |mark: &str| mark.strip_prefix(&*path)?.strip_prefix(' ').map(str::to_owned);
    marks.reviews().filter_map(why).any(|why| why.split(", ").any(|word| word == unreviewed::WHY))
}

fn row(scope: &Scope, change: &Change, others: &[TreeId]) -> Result<LocalFileChange, git::Error> {
    let mut before: Vec<ContentId> = change.before.map(|version| version.id).into_iter().collect();
    for tree in others {
        before.extend(trees::file(scope, *tree, change.path.as_bstr())?.map(|version| version.id));
    }
    let act = match change.after.map(|version| version.id) {
        None => Act::Removed,
        Some(after) if before.contains(&after) => Act::Taken,
        Some(after) => Act::Made(after),
    };
    Ok(LocalFileChange { act, before })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(text: &str) -> ContentId {
        ContentId::of(text.as_bytes())
    }

    fn source(rows: &[(Act, &[&str])]) -> LocalCommit {
        let row = |(act, before): &(Act, &[&str])| LocalFileChange {
            act: *act,
            before: before.iter().map(|one| id(one)).collect(),
        };
        let commit = CommitId::from_hex(&"1".repeat(40)).unwrap();
        LocalCommit { commit, rows: rows.iter().map(row).collect() }
    }

    #[test]
    fn a_version_that_was_there_before_it_was_made_came_from_elsewhere() {
        let made = |sources: Vec<LocalCommit>, blob: &str| LocalVersions::of(sources).before(id(blob));
        let new = |blob| Act::Made(id(blob));
        assert_eq!(made(vec![source(&[(new("x"), &["a"])])], "x"), [[id("a")]]);
        assert_eq!(made(vec![source(&[(new("x"), &[])])], "y"), Vec::<Vec<ContentId>>::new());
        // moved by us, and brought back by us
        let moved = vec![source(&[(Act::Removed, &["x"]), (new("x"), &[])])];
        assert!(made(moved, "x").is_empty());
        let back = vec![source(&[(Act::Removed, &["x"])]), source(&[(new("x"), &[])])];
        assert!(made(back, "x").is_empty());
        // made by us, edited, and brought back
        let own =
            vec![source(&[(new("x"), &[])]), source(&[(new("y"), &["x"])]), source(&[(new("x"), &["y"])])];
        assert_eq!(made(own, "x"), [Vec::<ContentId>::new()]);
    }

    #[test]
    fn text_may_come_from_a_file_that_the_commit_removed() {
        let made = LocalVersions::of(vec![source(&[(Act::Removed, &["x"]), (Act::Made(id("y")), &["a"])])]);
        assert_eq!(made.before(id("y")), [[id("x"), id("a")]]);
        assert!(made.knows(id("x")) && made.knows(id("y")) && !made.knows(id("z")));
    }
}
