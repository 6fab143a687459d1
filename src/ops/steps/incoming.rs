//! What comes from a remote: refused as a whole, written, or kept in the commit without being written.

use super::twins::{ends, fold};
use crate::git::switch::{Admission, Content};
use crate::git::trees::Change;
use crate::git::{FileMode, Version};
use crate::path::{self, Kind, TreePath, Unportable};
use crate::tree::{self, Unfit};
use bstr::{BStr, BString, ByteSlice};
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// A path for which the whole update is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unsafe {
    /// As the commit has it.
    pub path: BString,
    /// The rule it breaks.
    pub reason: &'static str,
}

/// Paths in `changes` that must never be followed: links, submodules, names that reach outside of the tree or into
/// git's own folder. Nothing of an update that has one is taken.
#[must_use]
pub fn unsafe_paths(changes: &[Change]) -> Vec<Unsafe> {
    let judge = |change: &Change| -> Option<&'static str> {
        let after = change.after?;
        match after.mode {
            FileMode::Symlink => return Some("is a symbolic link"),
            FileMode::Gitlink => return Some("is a submodule"),
            FileMode::Regular | FileMode::Executable => {}
        }
        path::check(&change.path).err().filter(|why| why.is_unsafe()).map(describe)
    };
    changes
        .iter()
        .filter_map(|change| judge(change).map(|reason| Unsafe { path: change.path.clone(), reason }))
        .collect()
}

/// Paths and folders of a whole tree that only differ in case: on macOS and Windows one would overwrite the other. Only
/// groups that an incoming change is part of count. `all` is sorted; a path that stands in it twice counts too.
#[must_use]
pub fn case_twins<'a>(all: impl Iterator<Item = &'a BStr>, changes: &[Change]) -> Vec<Unsafe> {
    let added: Vec<String> = changes
        .iter()
        .filter(|change| change.after.is_some() && change.before.is_none())
        .map(|change| fold(change.path.as_bstr()))
        .collect();
    let added: HashSet<&str> = added.iter().flat_map(|path| ends(path).map(|end| &path[..end])).collect();
    if added.is_empty() {
        return Vec::new();
    }
    let mut groups: BTreeMap<String, BTreeSet<&BStr>> = BTreeMap::new();
    let mut twice = Vec::new();
    let mut last = None;
    let (mut files, mut folders) = (HashSet::new(), HashSet::new());
    for path in all {
        files.insert(path);
        folders.extend(ends(path).map(|end| path[..end].as_bstr()).filter(|folder| *folder != path));
        let folded = fold(path);
        for (end, folded_end) in ends(path).zip(ends(&folded)) {
            if added.contains(&folded[..folded_end]) {
                groups.entry(folded[..folded_end].to_owned()).or_default().insert(path[..end].as_bstr());
            }
        }
        if last.replace(path) == Some(path) {
            twice.push(Unsafe { path: path.to_owned(), reason: "stands twice in one folder" });
        }
    }
    groups.retain(|_, spellings| spellings.len() > 1);
    let both = files.intersection(&folders);
    twice.extend(
        both.map(|path| Unsafe { path: (*path).to_owned(), reason: "is a file and a folder at once" }),
    );
    // what stands in folders that are twins differs in case because of them
    let is_topmost =
        |folded: &str| !ends(folded).any(|end| end < folded.len() && groups.contains_key(&folded[..end]));
    let twins = groups.iter().filter(|(folded, _)| is_topmost(folded)).flat_map(|(_, spellings)| spellings);
    let reason = "differs from another path only in case";
    twice.into_iter().chain(twins.map(|path| Unsafe { path: (*path).to_owned(), reason })).collect()
}

/// Whether a file of a commit is written to disk. The decision of the tree's policy for every file that comes in.
#[must_use]
pub fn admit(path: &BStr, content: Content<'_>) -> Admission {
    let path = match TreePath::parse(path) {
        Ok(path) => path,
        Err(why) => return Admission::Withheld(describe(why)),
    };
    match path.kind() {
        Kind::Foreign => return Admission::Withheld("is not knowledge"),
        Kind::Derived(_) => return Admission::Withheld("has the name of a derived file"),
        Kind::Entry | Kind::NodeOverview | Kind::Support => {}
    }
    match content {
        Content::Unread(FileMode::Symlink | FileMode::Gitlink) => {
            Admission::Withheld("is not a regular file")
        }
        Content::Unread(_) => Admission::Admitted,
        Content::Bytes(bytes) => match tree::check_content(path.kind(), bytes) {
            Ok(()) => Admission::Admitted,
            Err(Unfit::TooLarge) => Admission::Withheld("is larger than 1 MiB"),
            Err(Unfit::Nul) => Admission::Withheld("has a NUL byte"),
            Err(Unfit::NotUtf8) => Admission::Withheld("is not valid UTF-8"),
        },
    }
}

/// The curated paths among versions of a tree, for counting and deriving.
pub fn curated<'a>(
    versions: impl Iterator<Item = (&'a BStr, Version)> + 'a,
) -> impl Iterator<Item = (TreePath, Version)> + 'a {
    versions.filter_map(|(path, version)| {
        let path = TreePath::parse(path).ok()?;
        path.kind().is_curated().then_some((path, version))
    })
}

const fn describe(why: Unportable) -> &'static str {
    match why {
        Unportable::EmptyPart => "has an empty part",
        Unportable::Dots => "has a `.` or `..` part",
        Unportable::GitDirectory => "has a part that git reserves for itself",
        Unportable::DeviceName => "has a part that Windows reserves for a device",
        Unportable::TrailingDotOrSpace => "has a part that ends with a dot or a space",
        Unportable::Character => "has a character that is not portable",
        Unportable::NotUtf8 => "is not valid UTF-8",
        Unportable::NotNormalized => "is not in Unicode normalisation form C",
        Unportable::TooLong => "is longer than 200 bytes",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::ContentId;

    fn twins(all: &[&str], added: &[&str]) -> Vec<String> {
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
        case_twins(all.iter().map(|path| BStr::new(*path)), &changes)
            .into_iter()
            .map(|one| one.path.to_string())
            .collect()
    }

    #[test]
    fn twins_are_files_folders_or_one_of_each_and_the_topmost_is_named() {
        assert_eq!(twins(&["A.md", "a.md", "b.md"], &["a.md"]), ["A.md", "a.md"]);
        assert_eq!(twins(&["Notes/a.md", "notes/a.md"], &["Notes/a.md"]), ["Notes", "notes"]);
        assert_eq!(twins(&["x/A.md", "x/a.md/b.md"], &["x/A.md"]), ["x/A.md", "x/a.md"]);
        assert_eq!(twins(&["É/a.md", "é/b.md"], &["é/b.md"]), ["É", "é"]);
        assert_eq!(twins(&["a.md", "a.md"], &["a.md"]), ["a.md"]);
    }

    #[test]
    fn old_twins_and_paths_that_only_begin_alike_are_left_alone() {
        assert!(twins(&["A.md", "a.md", "b.md"], &["b.md"]).is_empty());
        assert!(twins(&["Notes.md", "notes/a.md", "notesx/b.md"], &["notes/a.md"]).is_empty());
    }
}
