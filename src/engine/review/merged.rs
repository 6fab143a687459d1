//! Which files belong to one change: of a merge of entries its sources and the links that were turned, of a deletion the
//! overviews that went with it, of a new entry those that were made with it.

use super::flag::{Flag, on_disk};
use crate::Stop;
use brv_base::content::ContentId;
use brv_git as git;
use brv_git::Scope;
use brv_git::trees::{self, Change, Renames};
use brv_text::curate::Why;
use brv_text::doc::Document;
use bstr::{BStr, BString, ByteSlice as _};
use std::collections::BTreeSet;

/// The paths that a rejection of a change takes back: nothing of the `others`, which the same operation marked. A change that
/// stands for all of its operation takes all back.
pub fn paths(scope: &Scope, flag: &Flag, others: &[&Flag]) -> Result<BTreeSet<BString>, Stop> {
    paths_in(scope, flag, others, &|path| on_disk(scope, path))
}

/// The same where the versions of files are not those on disk.
pub fn paths_in(
    scope: &Scope,
    flag: &Flag,
    others: &[&Flag],
    version: &dyn Fn(&BStr) -> Result<Option<ContentId>, Stop>,
) -> Result<BTreeSet<BString>, Stop> {
    if flag.is_foreign {
        return Ok(BTreeSet::from([flag.path.clone()]));
    }
    let changes = trees::diff(scope, flag.sides[0], flag.sides[1], Renames::Ignore)?;
    if flag.says(Why::Again.as_str()) {
        return Ok(changes.into_iter().map(|change| change.path).collect());
    }
    let is_others = |path: &BString| others.iter().any(|other| other.id != flag.id && other.path == *path);
    let mut paths = BTreeSet::from([flag.path.clone()]);
    if is_merge(flag) {
        let sources = sources(scope, flag, &changes)?;
        let mut foreign = Vec::new();
        for other in others.iter().filter(|other| other.id != flag.id && is_merge(other)) {
            foreign.extend(self::sources(scope, other, &changes)?);
        }
        for change in changes.iter().filter(|change| change.before.is_some() && change.after.is_some()) {
            if !is_others(&change.path) && is_turned(scope, flag, change, (&sources, &foreign))? {
                paths.insert(change.path.clone());
            }
        }
        paths.extend(sources.into_iter().filter(|path| !is_others(path)));
    }
    let is_above = |overview: &BString| {
        let folder = folder_of(overview.as_bstr());
        folder.is_some_and(|folder| paths.iter().any(|path| path.starts_with(folder)))
    };
    let gone = changes.iter().filter(|change| change.after.is_none()).map(|change| &change.path);
    let overviews: Vec<BString> = gone.filter(|path| is_above(path) && !is_others(path)).cloned().collect();
    paths.extend(overviews);
    paths.extend(made_with(flag, &changes, version)?);
    Ok(paths)
}

/// The overviews that were made with a new entry and name it, as far as nobody has edited them. The undo keeps those that
/// another entry needs.
fn made_with(
    flag: &Flag,
    changes: &[Change],
    version: &dyn Fn(&BStr) -> Result<Option<ContentId>, Stop>,
) -> Result<Vec<BString>, Stop> {
    let mut made = Vec::new();
    if flag.versions[0].is_some() {
        return Ok(made);
    }
    for change in changes.iter().filter(|change| change.before.is_none()) {
        let path = change.path.as_bstr();
        let is_above = folder_of(path).is_some_and(|folder| flag.path.starts_with(folder));
        if is_above && version(path)? == change.after.map(|after| after.id) {
            made.push(change.path.clone());
        }
    }
    Ok(made)
}

/// The folder that an overview describes, with a slash at its end; `None` if the path is not an overview.
fn folder_of(path: &BStr) -> Option<&[u8]> {
    let folder = path.strip_suffix(b"context.md")?;
    (folder.is_empty() || folder.ends_with(b"/")).then_some(folder)
}

/// The marked path, and of a merge its sources.
pub fn of_merge(scope: &Scope, flag: &Flag) -> Result<Vec<BString>, git::Error> {
    let mut paths = vec![flag.path.clone()];
    if is_merge(flag) {
        let changes = trees::diff(scope, flag.sides[0], flag.sides[1], Renames::Ignore)?;
        paths.extend(sources(scope, flag, &changes)?);
    }
    Ok(paths)
}

pub fn is_merge(flag: &Flag) -> bool {
    flag.says("merged")
}

/// The entries that went into the merged one: those that it names, else those that went for the same reason. A name that
/// it had before, of an entry that was there again since, counts where the reason is the same.
pub fn sources(scope: &Scope, flag: &Flag, changes: &[Change]) -> Result<Vec<BString>, git::Error> {
    let named = |side: usize| -> Result<Vec<String>, git::Error> {
        Ok(bytes(scope, flag, side)?
            .map_or_else(Vec::new, |bytes| Document::parse(bytes).meta().consolidated_from))
    };
    let (before, after) = (named(0)?, named(1)?);
    let gone: Vec<&BString> =
        changes.iter().filter(|change| change.after.is_none()).map(|change| &change.path).collect();
    let reason = flag.reason();
    let is_alike = |path: &&&BString| {
        folder_of(path.as_bstr()).is_none() && share_a_reason(&flag.said.reason(path.as_bstr()), &reason)
    };
    let is_named = |path: &&&BString| {
        let text = path.to_str_lossy();
        let is = |name: &String| *name == text || text.strip_suffix(".md") == Some(name);
        after.iter().any(is) && (!before.iter().any(is) || is_alike(path))
    };
    let found: Vec<BString> = gone.iter().filter(is_named).map(|path| (**path).clone()).collect();
    if !found.is_empty() {
        return Ok(found);
    }
    Ok(gone.iter().filter(is_alike).map(|path| (**path).clone()).collect())
}

/// Whether two paths changed for one reason: `a; b` are two, of a path that two acts changed.
fn share_a_reason(one: &str, other: &str) -> bool {
    one.split("; ").any(|part| other.split("; ").any(|other| part == other))
}

/// Whether a file only had its links turned by this merge, and by no other one.
fn is_turned(
    scope: &Scope,
    flag: &Flag,
    change: &Change,
    (sources, foreign): (&[BString], &[BString]),
) -> Result<bool, git::Error> {
    let path = change.path.as_bstr();
    if change.path == flag.path || flag.said.is_about(path) || flag.said.reason(path) != flag.reason() {
        return Ok(false);
    }
    let Some(before) = trees::file(scope, flag.sides[0], path)? else { return Ok(false) };
    let before = trees::blob(scope, before.id)?;
    let names = |source: &BString| {
        let stem = source.strip_suffix(b".md").unwrap_or(source);
        // a link beside the source names the file alone
        let name = stem.rfind_byte(b'/').map_or(stem, |at| &stem[at + 1..]);
        before.contains_str(stem) || before.contains_str(name)
    };
    Ok(sources.iter().any(names) && !foreign.iter().any(names))
}

/// The bytes of the marked path before (0) or after (1) the operation.
pub fn bytes(scope: &Scope, flag: &Flag, side: usize) -> Result<Option<Vec<u8>>, git::Error> {
    flag.versions[side].map(|version| trees::blob(scope, version.id)).transpose()
}

/// The bytes of another path before the operation.
pub fn bytes_before(scope: &Scope, flag: &Flag, path: &BStr) -> Result<Option<Vec<u8>>, git::Error> {
    trees::file(scope, flag.sides[0], path)?.map(|version| trees::blob(scope, version.id)).transpose()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_overview_describes_the_folder_that_it_is_in() {
        let folder = |path: &str| folder_of(path.into()).map(|folder| folder.to_str_lossy().into_owned());
        assert_eq!(folder("a/b/context.md").as_deref(), Some("a/b/"));
        assert_eq!(folder("context.md").as_deref(), Some(""));
        assert_eq!(folder("a/mycontext.md"), None);
    }
}
