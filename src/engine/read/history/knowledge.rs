//! Compare changed files by meaning; shared by all commands that show changes.
//!
//! Reads both sides on all cores, matches the entries, and leaves the comparison to [`brv_text::diff`]. Lines are compared
//! in [`super::changes`].

use super::archiving;
use super::changes::{self, Contents, Detail, FileChange};
use brv_base::parallel;
use brv_git as git;
use brv_git::trees::Change;
use brv_git::{FileMode, Scope};
use brv_text::diff::knowledge::{
    self, ByLine, Content, Entry, Gone, KinCandidate, Print, Sampling, Version, What, is_document, kinship,
};
use bstr::{BString, ByteSlice as _};
use std::collections::HashSet;

/// Changed files, in the detail that was asked for.
#[derive(Debug, Default)]
pub struct ChangeReport {
    /// The files, by line as far as needed.
    pub files: Vec<FileChange>,
    /// The entries by meaning; empty if only lines were asked for.
    pub entries: Vec<Entry>,
}

/// Compare as far as `detail` needs it.
pub fn tell(
    scope: &Scope,
    changes: &[Change],
    detail: Detail,
    contents: &Contents<'_>,
) -> Result<ChangeReport, git::Error> {
    match detail {
        Detail::Meaning { context } => {
            let entries = compare(scope, changes, contents)?;
            let by_line = by_line(&entries);
            let depth = |change: &Change| {
                if by_line.contains(&change.path) { Detail::Words { context } } else { Detail::Names }
            };
            Ok(ChangeReport { files: changes::compare_each(scope, changes, depth, contents)?, entries })
        }
        Detail::Everything { context } => Ok(ChangeReport {
            files: changes::compare(scope, changes, Detail::Words { context }, contents)?,
            entries: compare(scope, changes, contents)?,
        }),
        _ => Ok(ChangeReport {
            files: changes::compare(scope, changes, detail, contents)?,
            entries: Vec::new(),
        }),
    }
}

/// As [`tell`]; where only lines are compared, the changes become the files.
pub fn tell_all(
    scope: &Scope,
    changes: Vec<Change>,
    detail: Detail,
    contents: &Contents<'_>,
) -> Result<ChangeReport, git::Error> {
    match detail {
        Detail::Meaning { .. } | Detail::Everything { .. } => tell(scope, &changes, detail, contents),
        _ => Ok(ChangeReport {
            files: changes::compare_all(scope, changes, detail, contents)?,
            entries: Vec::new(),
        }),
    }
}

/// The paths of files that are not compared by meaning.
fn by_line(entries: &[Entry]) -> HashSet<BString> {
    let is_by_line = |entry: &&Entry| matches!(entry.content, Content::Lines(_));
    let path = |entry: &Entry| entry.after.as_ref().or(entry.before.as_ref()).map(|place| place.path.clone());
    entries.iter().filter(is_by_line).filter_map(path).collect()
}

/// The entries that differ, by path.
pub fn compare(scope: &Scope, changes: &[Change], contents: &Contents<'_>) -> Result<Vec<Entry>, git::Error> {
    let pairs = join(scope, changes, contents)?;
    let archived = archived(scope, changes, contents)?;
    let before = pairs.iter().filter_map(|pair| pair.before.map(before_path));
    // a link to an archived entry is not broken
    let before = before.filter(|path| !archived.contains(*path));
    let gone = Gone::new(before, pairs.iter().filter_map(|pair| pair.after.map(|change| &change.path)));
    let shared = scope.to_shared();
    let mut entries =
        parallel::try_map(&pairs, || shared.to_local(), |scope, pair| entry(scope, pair, contents, &gone))?;
    for (entry, pair) in entries.iter_mut().zip(&pairs) {
        entry.sources.clone_from(&pair.sources);
        if let Some(target) = &pair.merged_into {
            (entry.what, entry.merged_into) = (What::Merged, Some(target.clone()));
        } else if entry.what == What::Deleted
            && pair.before.is_some_and(|change| archived.contains(&change.path))
        {
            entry.what = What::Archived;
        }
    }
    knowledge::trace(&mut entries);
    for entry in &mut entries {
        let Some(target) = entry.merged_into.clone() else { continue };
        let into = pairs.iter().filter_map(|pair| pair.after).find(|change| change.path == target);
        if let Some(change) = into {
            knowledge::keep_held(entry, &target, &contents.after(scope, change)?);
        }
    }
    let path = |entry: &Entry| entry.after.as_ref().or(entry.before.as_ref()).map(|place| place.path.clone());
    entries.sort_by_cached_key(path);
    Ok(entries)
}

/// The entries that the changes archive. An overview that did not change has no new record.
fn archived(
    scope: &Scope,
    changes: &[Change],
    contents: &Contents<'_>,
) -> Result<HashSet<BString>, git::Error> {
    archiving::archived(changes, &|overview| {
        let change = changes.iter().find(|change| change.after.is_some() && change.path == *overview);
        change.map(|change| contents.after(scope, change)).transpose()
    })
}

/// One entry on both sides, which may be two changes for git.
#[derive(Default)]
struct EntryPair<'c> {
    before: Option<&'c Change>,
    after: Option<&'c Change>,
    sources: Vec<knowledge::MoveSource>,
    merged_into: Option<BString>,
}

fn before_path(change: &Change) -> &BString {
    change.renamed_from.as_ref().unwrap_or(&change.path)
}

/// Join a deletion and an addition of git into one entry, and detect content that moved from one entry to another.
fn join<'c>(
    scope: &Scope,
    changes: &'c [Change],
    contents: &Contents<'_>,
) -> Result<Vec<EntryPair<'c>>, git::Error> {
    let own = |change: &'c Change| EntryPair {
        before: change.before.map(|_| change),
        after: change.after.map(|_| change),
        ..EntryPair::default()
    };
    let mut pairs: Vec<EntryPair<'c>> = changes.iter().map(own).collect();
    let documents: Vec<usize> =
        (0..changes.len()).filter(|place| is_document(changes[*place].path.as_bstr())).collect();
    let is_one_sided = |place: &usize| changes[*place].before.is_none() || changes[*place].after.is_none();
    if documents.len() < 2 || !documents.iter().any(is_one_sided) {
        return Ok(pairs);
    }
    let sampling = Sampling::for_many(documents.len());
    let shared = scope.to_shared();
    let candidates = parallel::try_map(
        &documents,
        || shared.to_local(),
        |scope, place| candidate(scope, &changes[*place], contents, sampling),
    )?;
    let found = kinship(&candidates);
    let target = |place: usize| Some(changes[documents[place]].path.clone());
    for (from, to) in &found.merged {
        pairs[documents[*from]].merged_into = target(*to);
    }
    for (place, sources) in found.sources.into_iter().enumerate() {
        pairs[documents[place]].sources = sources;
    }
    for (from, to) in &found.renamed {
        pairs[documents[*to]].before = pairs[documents[*from]].before.take();
    }
    pairs.retain(|pair| pair.before.is_some() || pair.after.is_some());
    Ok(pairs)
}

fn candidate(
    scope: &Scope,
    change: &Change,
    contents: &Contents<'_>,
    sampling: Sampling,
) -> Result<KinCandidate, git::Error> {
    let (old, new) = contents.both(scope, change)?;
    Ok(KinCandidate {
        before: change.before.map(|_| before_path(change).clone()),
        after: change.after.map(|_| change.path.clone()),
        was: Print::of(&old, sampling),
        is: Print::of(&new, sampling),
        named: knowledge::named(&old, &new),
    })
}

fn entry(
    scope: &Scope,
    pair: &EntryPair<'_>,
    contents: &Contents<'_>,
    gone: &Gone,
) -> Result<Entry, git::Error> {
    let old = match pair.before {
        Some(change) => contents.before(scope, change)?,
        None => Vec::new(),
    };
    let new = match pair.after {
        Some(change) => contents.after(scope, change)?,
        None => Vec::new(),
    };
    let before = pair.before.map(|change| Version { path: before_path(change).as_bstr(), bytes: &old });
    let after = pair.after.map(|change| Version { path: change.path.as_bstr(), bytes: &new });
    let mut entry = knowledge::entry(before, after, gone);
    let modes = [pair.before.and_then(|change| change.before), pair.after.and_then(|change| change.after)];
    if modes.iter().flatten().any(|version| matches!(version.mode, FileMode::Symlink | FileMode::Gitlink)) {
        entry.content = Content::Lines(ByLine::NotADocument);
    }
    Ok(entry)
}
