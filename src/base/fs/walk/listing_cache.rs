//! A cache of folder listings from earlier walks, so that an unchanged folder is not listed again.
//!
//! A folder's modification time changes with every name that is added or removed. It is trusted only if the folder was
//! left alone for a while before it was listed: clocks of file systems tick, and changes within one tick do not show.
//! The cache file may be deleted at any time; a damaged one is ignored.

use super::{FolderListing, Folders, Unexpected};
use crate::content::ContentId;
use crate::fs::{Durability, FileStat, Form, read_shipped, replace};
use bstr::{BStr, BString, ByteSlice};
use std::collections::HashMap;
use std::path::Path;
use std::sync::OnceLock;

/// The version that wrote the cache: what a listing leaves out may differ between versions.
const HEADER: &[u8] = concat!("brv folders ", env!("CARGO_PKG_VERSION"), "\n").as_bytes();
/// A folder must have been left alone for more than this many seconds; FAT's times are the coarsest, with two.
const REST_SECONDS: i64 = 2;

pub(super) struct ListingCache<'a> {
    file: &'a Path,
    folders: HashMap<BString, FolderListing>,
    begun: OnceLock<Option<i64>>,
}

impl<'a> ListingCache<'a> {
    /// Load the cache file; empty if it is absent, damaged or from another version.
    pub fn load(file: &'a Path) -> Self {
        let bytes = read_shipped(file, Form::Table).ok().flatten().unwrap_or_default();
        Self { file, folders: parse(&bytes).unwrap_or_default(), begun: OnceLock::new() }
    }

    /// The unexpected files in the folder, if it certainly has not changed.
    pub fn of(&self, folder: &BStr, stat: &FileStat, expected: u64) -> Option<&[Unexpected]> {
        let known = self.folders.get(folder)?;
        let is_same =
            known.modified == stat.modified && known.inode == stat.inode && known.expected == expected;
        is_same.then_some(&known.unexpected)
    }

    /// Call this before the first folder is listed.
    pub fn begin(&self) {
        self.begun.get_or_init(|| now_on(self.file.parent()?));
    }

    /// Whether a listing of a folder with this stat can be trusted later.
    pub fn is_lasting(&self, stat: &FileStat) -> bool {
        let begun = self.begun.get().copied().flatten();
        stat.inode != 0 && begun.is_some_and(|begun| begun - stat.modified.0 > REST_SECONDS)
    }

    /// Save the new listings, and the earlier ones of the other folders. This only saves time, so a failure is ignored.
    pub fn save(mut self, folders: &Folders<'_>, listed: Vec<(usize, Option<FolderListing>)>) {
        if listed.iter().all(|(_, listed)| listed.is_none()) {
            return;
        }
        for (at, listed) in listed {
            let folder = folders.order[at].path;
            match listed {
                Some(listed) => drop(self.folders.insert(folder.to_owned(), listed)),
                None => drop(self.folders.remove(folder)),
            }
        }
        let mut bytes = HEADER.to_vec();
        for folder in &folders.order {
            if let Some(listed) = self.folders.get(folder.path) {
                write(&mut bytes, folder.path, listed);
            }
        }
        bytes.extend_from_slice(ContentId::of(&bytes).as_bytes());
        drop(replace(self.file, &bytes, Durability::Later));
    }
}

/// The current time of the file system's own clock, in seconds.
fn now_on(folder: &Path) -> Option<i64> {
    crate::fs::create_folder(folder).ok()?;
    let file = tempfile::tempfile_in(folder).ok()?;
    Some(super::from_metadata(&file.metadata().ok()?).modified.0)
}

fn write(bytes: &mut Vec<u8>, folder: &BStr, listed: &FolderListing) {
    let name = |bytes: &mut Vec<u8>, name: &[u8]| {
        bytes.extend_from_slice(&u32::try_from(name.len()).unwrap_or(u32::MAX).to_le_bytes());
        bytes.extend_from_slice(name);
    };
    name(bytes, folder);
    bytes.extend_from_slice(&listed.modified.0.to_le_bytes());
    bytes.extend_from_slice(&listed.modified.1.to_le_bytes());
    bytes.extend_from_slice(&listed.inode.to_le_bytes());
    bytes.extend_from_slice(&listed.expected.to_le_bytes());
    bytes.extend_from_slice(&u32::try_from(listed.unexpected.len()).unwrap_or(u32::MAX).to_le_bytes());
    for file in &listed.unexpected {
        bytes.push(u8::from(file.is_regular));
        name(bytes, &file.path);
    }
}

fn parse(bytes: &[u8]) -> Option<HashMap<BString, FolderListing>> {
    let (bytes, sum) = bytes.split_last_chunk::<20>()?;
    let mut rest = Rest(bytes.strip_prefix(HEADER)?);
    if ContentId::of(bytes).as_bytes() != sum {
        return None;
    }
    let mut folders = HashMap::new();
    while !rest.0.is_empty() {
        let folder = rest.name()?.to_owned();
        let modified = (i64::from_le_bytes(rest.take()?), u32::from_le_bytes(rest.take()?));
        let (inode, expected) = (u64::from_le_bytes(rest.take()?), u64::from_le_bytes(rest.take()?));
        let unexpected = (0..u32::from_le_bytes(rest.take()?))
            .map(|_| {
                let [is_regular] = rest.take()?;
                Some(Unexpected { is_regular: is_regular == 1, path: rest.name()?.to_owned() })
            })
            .collect::<Option<_>>()?;
        folders.insert(folder, FolderListing { modified, inode, expected, unexpected });
    }
    Some(folders)
}

struct Rest<'a>(&'a [u8]);

impl<'a> Rest<'a> {
    fn take<const COUNT: usize>(&mut self) -> Option<[u8; COUNT]> {
        let (taken, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*taken)
    }

    fn name(&mut self) -> Option<&'a BStr> {
        let length = u32::from_le_bytes(self.take()?) as usize;
        let (name, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(name.as_bstr())
    }
}

#[cfg(all(test, unix))]
#[allow(clippy::unwrap_used, reason = "tests may panic, their helpers too")]
mod tests {
    use super::super::{Listing, walk};
    use super::*;
    use std::time::{Duration, SystemTime};

    struct Tree {
        folder: tempfile::TempDir,
    }

    impl Tree {
        fn new() -> Self {
            let tree = Self { folder: tempfile::tempdir().expect("a folder for the test") };
            tree.add("a/one.md");
            tree.add("a/two.md");
            tree
        }

        fn add(&self, path: &str) {
            replace(&self.folder.path().join("tree").join(path), b"x", Durability::Later).unwrap();
        }

        /// Pretend that the folder `a` last changed this many seconds earlier.
        fn rest(&self, seconds: u64) {
            let folder = std::fs::File::open(self.folder.path().join("tree/a")).unwrap();
            folder
                .set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000 - seconds))
                .unwrap();
        }

        fn known(&self) -> std::path::PathBuf {
            self.folder.path().join("known")
        }

        fn unexpected(&self, expected: &[&str]) -> Vec<String> {
            let expected: Vec<&BStr> = expected.iter().map(BStr::new).collect();
            let known = self.known();
            let listing = Listing::Changes { known: &known, leave_out: &|file| file.path.ends_with(b".out") };
            let root = self.folder.path().join("tree");
            let found = walk(&root, &expected, listing, |_, _| None::<()>).unwrap().unexpected;
            found.into_iter().map(|file| file.path.to_string()).collect()
        }
    }

    #[test]
    fn a_folder_that_rested_is_listed_again_only_when_its_time_changed() {
        let tree = Tree::new();
        tree.add("a/left.out");
        tree.rest(10);
        assert_eq!(tree.unexpected(&["a/one.md"]), ["a/two.md"]);
        tree.add("a/three.md");
        tree.rest(10);
        assert_eq!(tree.unexpected(&["a/one.md"]), ["a/two.md"], "it was trusted");
        tree.rest(9);
        assert_eq!(tree.unexpected(&["a/one.md"]), ["a/three.md", "a/two.md"]);
    }

    #[test]
    fn a_folder_is_listed_again_when_other_files_are_expected_in_it() {
        let tree = Tree::new();
        tree.rest(10);
        assert_eq!(tree.unexpected(&["a/one.md"]), ["a/two.md"]);
        assert_eq!(tree.unexpected(&["a/one.md", "a/two.md"]), [""; 0]);
        assert_eq!(tree.unexpected(&["a/two.md"]), ["a/one.md"]);
    }

    #[test]
    fn a_folder_that_changed_just_now_is_not_believed() {
        let tree = Tree::new();
        assert_eq!(tree.unexpected(&["a/one.md"]), ["a/two.md"]);
        let stored = std::fs::read(tree.known()).ok().and_then(|bytes| parse(&bytes)).unwrap_or_default();
        assert!(!stored.contains_key(BStr::new("a")));
    }

    #[test]
    fn what_is_below_an_unknown_folder_is_always_looked_for() {
        let tree = Tree::new();
        tree.add("a/new/deep.md");
        tree.rest(10);
        assert_eq!(tree.unexpected(&["a/one.md", "a/two.md"]), ["a/new/deep.md"]);
        tree.add("a/new/deeper.md");
        tree.rest(10);
        assert_eq!(tree.unexpected(&["a/one.md", "a/two.md"]), ["a/new/deep.md", "a/new/deeper.md"]);
    }

    #[test]
    fn a_damaged_file_is_no_file() {
        let tree = Tree::new();
        tree.rest(10);
        tree.unexpected(&["a/one.md"]);
        let mut bytes = std::fs::read(tree.known()).unwrap();
        assert!(parse(&bytes).is_some());
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        assert!(parse(&bytes).is_none());
        assert!(parse(&bytes[..middle]).is_none());
        assert!(parse(b"").is_none());
    }
}
