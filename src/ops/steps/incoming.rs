//! What comes from a remote: refused as a whole, written, or kept in the commit without being written.

use crate::git::switch::{Admission, Content};
use crate::git::trees::Change;
use crate::git::{FileMode, Version};
use crate::path::{self, Kind, TreePath, Unportable};
use crate::tree::{self, Unfit};
use bstr::{BStr, BString, ByteSlice};
use std::collections::{BTreeMap, HashMap};

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

/// Paths of a whole tree that only differ in case: on macOS and Windows one would overwrite the other. Only groups
/// that an incoming change is part of count.
#[must_use]
pub fn case_twins<'a>(all: impl Iterator<Item = &'a BStr>, changes: &[Change]) -> Vec<Unsafe> {
    let added: HashMap<String, ()> = changes
        .iter()
        .filter(|change| change.after.is_some() && change.before.is_none())
        .map(|change| (fold(change.path.as_bstr()), ()))
        .collect();
    if added.is_empty() {
        return Vec::new();
    }
    let mut groups: BTreeMap<String, Vec<&BStr>> = BTreeMap::new();
    for path in all {
        let folded = fold(path);
        if added.contains_key(&folded) {
            groups.entry(folded).or_default().push(path);
        }
    }
    let twins = groups.into_values().filter(|group| group.len() > 1).flatten();
    twins
        .map(|path| Unsafe { path: path.to_owned(), reason: "differs from another path only in case" })
        .collect()
}

fn fold(path: &BStr) -> String {
    path.to_str_lossy().to_lowercase()
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
