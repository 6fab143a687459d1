//! Check what comes from a remote: reject the update, write the file, or keep the file in the commit without writing
//! it.

use super::case_collisions::{ends, fold};
use crate::derive;
use crate::open::tree::{self, Unfit};
use brv_base::escape::escape_line;
use brv_base::path::{self, PathKind, TreePath, Unportable};
use brv_git::FileMode;
use brv_git::switch::{Admission, Content};
use brv_git::trees::{Change, Disguise, Disguised};
use brv_text::derive::stamp::{self, Stamp};
use bstr::{BStr, BString, ByteSlice};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// A path for which the whole update is rejected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unsafe {
    pub path: BString,
    pub reason: &'static str,
}

impl std::fmt::Display for Unsafe {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", escape_line(&self.path), self.reason)
    }
}

/// Paths in `changes` that are never accepted: symlinks, submodules, names that reach outside the tree or into git's
/// own folder. An update with such a path is rejected as a whole.
pub fn unsafe_paths(changes: &[Change]) -> Vec<Unsafe> {
    let judge = |change: &Change| -> Option<&'static str> {
        let after = change.after?;
        match after.mode {
            FileMode::Symlink => return Some("is a symbolic link"),
            FileMode::Gitlink => return Some("is a submodule"),
            FileMode::Regular | FileMode::Executable => {}
        }
        path::check(&change.path).err().filter(|why| why.is_unsafe()).map(Unportable::words)
    };
    changes
        .iter()
        .filter_map(|change| judge(change).map(|reason| Unsafe { path: change.path.clone(), reason }))
        .collect()
}

/// The reasons to reject `disguised` entries.
pub fn unsafe_entries(disguised: Vec<Disguised>) -> impl Iterator<Item = Unsafe> {
    disguised.into_iter().map(|Disguised { path, disguise }| {
        let reason = match disguise {
            Disguise::Slash => "has a slash in the name of one tree entry",
            Disguise::Mode => "has a file mode that git does not write",
        };
        Unsafe { path, reason }
    })
}

/// Paths and folders that differ only in case: on macOS and Windows one would overwrite the other. Only those count
/// that an added path is, or is in. `names_in` lists a folder of the new tree, folders with a trailing slash; it is
/// called only for folders with added files in or below them.
///
/// # Errors
/// The errors of `names_in`.
pub fn case_twins<E>(
    changes: &[Change],
    mut names_in: impl FnMut(&BStr) -> Result<Vec<BString>, E>,
) -> Result<Vec<Unsafe>, E> {
    let added = || changes.iter().filter(|change| change.after.is_some() && change.before.is_none());
    let mut folders = BTreeSet::new();
    for change in added() {
        let mut path = change.path.as_bstr();
        while let Some(slash) = path.rfind_byte(b'/') {
            path = path[..slash].as_bstr();
            // the folders above a known folder are known, too
            if !folders.insert(path) {
                break;
            }
        }
        folders.insert(BStr::new(""));
    }
    let mut twice = Vec::new();
    let mut twins: BTreeMap<String, BTreeSet<BString>> = BTreeMap::new();
    for folder in folders {
        for (path, like) in alike(folder, &names_in(folder)?) {
            match like {
                Like::Twice => twice.push(Unsafe { path, reason: "appears twice in one folder" }),
                Like::FileAndFolder => {
                    twice.push(Unsafe { path, reason: "is a file and a folder at once" });
                }
                Like::Twin(other) => twins.entry(fold(path.as_bstr())).or_default().extend([path, other]),
            }
        }
    }
    if !twins.is_empty() {
        let added: Vec<String> = added().map(|change| fold(change.path.as_bstr())).collect();
        let added: HashSet<&str> = added.iter().flat_map(|path| ends(path).map(|end| &path[..end])).collect();
        twins.retain(|folded, _| added.contains(folded.as_str()));
    }
    let reason = "differs from another path only in case";
    let twins = twins.into_values().flatten();
    Ok(twice.into_iter().chain(twins.map(|path| Unsafe { path, reason })).collect())
}

/// How two names of a folder clash.
enum Like {
    Twice,
    FileAndFolder,
    /// They differ only in case; the other path.
    Twin(BString),
}

/// The names in a folder that clash with an earlier one, as paths.
fn alike(folder: &BStr, names: &[BString]) -> Vec<(BString, Like)> {
    let path = |name: &BStr| -> BString {
        let slash: &[u8] = if folder.is_empty() { b"" } else { b"/" };
        [folder.as_bytes(), slash, name.as_bytes()].concat().into()
    };
    let mut first: HashMap<Cow<'_, str>, &BString> = HashMap::with_capacity(names.len());
    let mut found = Vec::new();
    for name in names {
        let bare = name.strip_suffix(b"/").unwrap_or(name).as_bstr();
        let is_folded = bare.iter().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase());
        let folded = if is_folded { bare.to_str_lossy() } else { Cow::Owned(fold(bare)) };
        if let Some(other) = first.insert(folded, name) {
            let other_bare = other.strip_suffix(b"/").unwrap_or(other).as_bstr();
            let like = match (bare == other_bare, name == other) {
                (_, true) => Like::Twice,
                (true, false) => Like::FileAndFolder,
                (false, false) => Like::Twin(path(other_bare)),
            };
            found.push((path(bare), like));
        }
    }
    found
}

/// Whether a file of a commit is written to disk: the tree's policy for every incoming file. brv's own files at its
/// path are removed, since they can be regenerated.
pub fn admit(path: &BStr, content: Content<'_>) -> Admission {
    if let Content::InTheWay(bytes) = content {
        let is_derived = TreePath::parse(path).is_ok_and(|path| derive::is_replaceable(&path));
        return match stamp::read(bytes) {
            Stamp::Ours { .. } if is_derived => Admission::Withheld("can be regenerated"),
            _ => Admission::Admitted,
        };
    }
    let kind = match named(path) {
        Ok(kind) => kind,
        Err(reason) => return Admission::Withheld(reason),
    };
    match content {
        Content::Unread(version) if !version.mode.is_file() => Admission::Withheld("is not a regular file"),
        Content::Unread(_) | Content::InTheWay(_) => Admission::Admitted,
        Content::Bytes(bytes) => match tree::check_content(kind, bytes) {
            Ok(()) => Admission::Admitted,
            Err(Unfit::TooLarge) => Admission::Withheld("is larger than 1 MiB"),
            Err(Unfit::Nul) => Admission::Withheld("has a NUL byte"),
            Err(Unfit::NotUtf8) => Admission::Withheld("is not valid UTF-8"),
        },
    }
}

/// As [`admit`], for a regular file, by its path alone.
pub fn admit_name(path: &BStr) -> Admission {
    named(path).map_or_else(Admission::Withheld, |_| Admission::Admitted)
}

fn named(path: &BStr) -> Result<PathKind, &'static str> {
    match TreePath::parse(path).map_err(Unportable::words)?.kind() {
        PathKind::Foreign => Err("is not managed by brv"),
        PathKind::Derived(_) => Err("has the name of a derived file"),
        kind @ (PathKind::Entry | PathKind::NodeOverview | PathKind::Support) => Ok(kind),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use brv_base::content::ContentId;
    use brv_git::Version;

    fn colliding(all: &[&str], added: &[&str]) -> Vec<String> {
        let version = Version { mode: FileMode::Regular, id: ContentId::of(b"") };
        let changes: Vec<Change> = added
            .iter()
            .map(|path| Change {
                path: (*path).into(),
                renamed_from: None,
                before: None,
                after: Some(version),
            })
            .collect();
        let names_in = |folder: &BStr| -> Result<Vec<BString>, std::convert::Infallible> {
            let below = all.iter().filter_map(|path| match folder.is_empty() {
                true => Some(*path),
                false => path.strip_prefix(folder.to_str().unwrap())?.strip_prefix('/'),
            });
            let mut names: Vec<BString> =
                below.map(|rest| rest.split_inclusive('/').next().unwrap().into()).collect();
            // a folder is in the tree once, a file as often as it is named
            names.dedup_by(|a, b| a == b && a.ends_with(b"/"));
            Ok(names)
        };
        case_twins(&changes, names_in).unwrap().into_iter().map(|one| one.path.to_string()).collect()
    }

    #[test]
    fn twins_are_files_folders_or_one_of_each_and_the_topmost_is_named() {
        assert_eq!(colliding(&["A.md", "a.md", "b.md"], &["a.md"]), ["A.md", "a.md"]);
        assert_eq!(colliding(&["Notes/a.md", "notes/a.md"], &["Notes/a.md"]), ["Notes", "notes"]);
        assert_eq!(colliding(&["x/A.md", "x/a.md/b.md"], &["x/A.md"]), ["x/A.md", "x/a.md"]);
        assert_eq!(colliding(&["É/a.md", "é/b.md"], &["é/b.md"]), ["É", "é"]);
        assert_eq!(colliding(&["a.md", "a.md"], &["a.md"]), ["a.md"]);
    }

    #[test]
    fn old_twins_and_paths_that_only_begin_alike_are_left_alone() {
        assert!(colliding(&["A.md", "a.md", "b.md"], &["b.md"]).is_empty());
        assert!(colliding(&["Notes.md", "notes/a.md", "notesx/b.md"], &["notes/a.md"]).is_empty());
    }
}
