//! A parallel, ordered walk that compares a list of expected files with the disk.
//!
//! Knows nothing of git: the expected files come in, differences and unexpected files go out. The list is sorted by
//! path bytes, so that one pass groups it by folder; each folder is opened once and its files are looked up relative to
//! it.

mod listing_cache;
#[cfg_attr(not(unix), path = "portable.rs")]
#[cfg_attr(unix, path = "unix.rs")]
mod platform;

use super::Error;
use crate::content::fnv;
use bstr::{BStr, BString, ByteSlice};
use listing_cache::ListingCache;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};

/// File metadata from stat(2). Times are in seconds and nanoseconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileStat {
    pub kind: FileKind,
    pub size: u64,
    pub modified: (i64, u32),
    pub changed: (i64, u32),
    pub device: u64,
    pub inode: u64,
    pub user: u32,
    pub group: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    Regular,
    Folder,
    /// A symbolic link, not followed.
    Symlink,
    /// A device, a socket, a pipe.
    Special,
}

/// A path on disk that was not expected.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Unexpected {
    /// Relative to the root, with `/`.
    pub path: BString,
    /// A regular file; `false` for anything else (including a folder that is a repository of its own).
    pub is_regular: bool,
}

/// The result of a walk, both lists sorted.
#[derive(Debug)]
pub struct WalkResult<T> {
    /// What the visitor returned for expected files, with their positions in the list.
    pub noted: Vec<(usize, T)>,
    /// Files that exist but were not expected.
    pub unexpected: Vec<Unexpected>,
    /// Temporary files, recognised by their prefix.
    pub temporary: Vec<BString>,
}

/// Which folders to list for unexpected files.
#[derive(Clone, Copy)]
pub enum Listing<'a> {
    /// None: only expected files are checked.
    Nothing,
    Everything,
    /// All folders, but left-out files are not reported, and folders that did not change since an earlier walk are not
    /// listed.
    Changes {
        /// The cache file of earlier listings; must always go with the same `leave_out`.
        known: &'a Path,
        /// Whether a file is left out.
        leave_out: &'a (dyn Fn(&Unexpected) -> bool + Sync),
    },
}

/// Check every file of `expected` (sorted, unique, relative to `root`) and find unexpected ones.
///
/// `visit(position, stat)` is called for each expected file, with `None` if it does not exist; what it returns is
/// collected. Folders called `.git` are skipped, and files with the prefix of temporary files are listed separately.
pub fn walk<T: Send>(
    root: &Path,
    expected: &[&BStr],
    listing: Listing<'_>,
    visit: impl Fn(usize, Option<FileStat>) -> Option<T> + Sync,
) -> Result<WalkResult<T>, Error> {
    let job = WalkJob {
        root,
        expected,
        folders: Folders::of(expected),
        listing: match listing {
            Listing::Nothing => ListingMode::Not,
            Listing::Everything => ListingMode::All,
            Listing::Changes { known, leave_out } => {
                ListingMode::Changed(ListingCache::load(known), leave_out)
            }
        },
        next: AtomicUsize::new(0),
        in_lower_case: OnceLock::new(),
        visit,
    };
    let result = Mutex::new(Ok(WalkPart::default()));
    let work = || {
        let mut own = WalkPart::default();
        let outcome = job.take_folders(&mut own);
        merge(&result, own, outcome);
    };
    let threads = if expected.len() < PARALLEL_FROM { 1 } else { threads() };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(work);
        }
        work();
    });
    let mut part = result.into_inner().expect("no worker panics while it holds the lock")?;
    part.noted.sort_unstable_by_key(|(position, _)| *position);
    part.found.unexpected.sort_unstable();
    part.found.temporary.sort_unstable();
    if let ListingMode::Changed(known, _) = job.listing {
        known.save(&job.folders, part.listed);
    }
    Ok(WalkResult { noted: part.noted, unexpected: part.found.unexpected, temporary: part.found.temporary })
}

/// Below this a second thread costs more than it saves.
const PARALLEL_FROM: usize = 600;
/// The number of folders one thread takes at a time.
const CHUNK: usize = 16;

fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, |count| count.get().min(8))
}

struct WalkJob<'a, V> {
    root: &'a Path,
    expected: &'a [&'a BStr],
    folders: Folders<'a>,
    listing: ListingMode<'a>,
    next: AtomicUsize,
    /// What is expected, files and folders, by its path in lower case.
    in_lower_case: OnceLock<HashMap<(Vec<u8>, bool), &'a BStr>>,
    visit: V,
}

enum ListingMode<'a> {
    Not,
    All,
    Changed(ListingCache<'a>, &'a (dyn Fn(&Unexpected) -> bool + Sync)),
}

struct WalkPart<T> {
    noted: Vec<(usize, T)>,
    found: WalkFindings,
    /// By the number of the folder; `None` if its earlier listing no longer holds.
    listed: Vec<(usize, Option<FolderListing>)>,
}

impl<T> Default for WalkPart<T> {
    fn default() -> Self {
        Self { noted: Vec::new(), found: WalkFindings::default(), listed: Vec::new() }
    }
}

/// The unexpected files in folders.
#[derive(Default)]
struct WalkFindings {
    unexpected: Vec<Unexpected>,
    temporary: Vec<BString>,
    /// Whether they contain folders without expected files: changes there do not show in the times above.
    is_deep: bool,
}

/// The content of a folder; paths are names in it.
struct FolderListing {
    modified: (i64, u32),
    inode: u64,
    expected: u64,
    unexpected: Vec<Unexpected>,
}

fn merge<T>(all: &Mutex<Result<WalkPart<T>, Error>>, own: WalkPart<T>, outcome: Result<(), Error>) {
    let mut all = all.lock().expect("no worker panics while it holds the lock");
    match (&mut *all, outcome) {
        (Ok(part), Ok(())) => {
            part.noted.extend(own.noted);
            part.found.unexpected.extend(own.found.unexpected);
            part.found.temporary.extend(own.found.temporary);
            part.listed.extend(own.listed);
        }
        (all @ Ok(_), Err(error)) => *all = Err(error),
        (Err(_), _) => {}
    }
}

struct Folders<'a> {
    order: Vec<ExpectedFolder<'a>>,
    known: HashMap<&'a BStr, usize>,
}

struct ExpectedFolder<'a> {
    path: &'a BStr,
    /// The positions of the files directly in it.
    files: Vec<usize>,
    /// A hash of the names of its files and folders, regardless of order.
    expected: u64,
    above: Option<usize>,
    /// Whether it is a real folder reached through real folders only, once that has been checked.
    is_reached: OnceLock<bool>,
}

impl<'a> Folders<'a> {
    fn of(expected: &[&'a BStr]) -> Self {
        let mut folders = Self { order: Vec::new(), known: HashMap::new() };
        folders.slot(BStr::new(b""));
        let mut last = (BStr::new(b""), 0);
        for (position, path) in expected.iter().enumerate() {
            let folder = parent(path);
            if folder != last.0 {
                last = (folder, folders.slot(folder));
            }
            let slot = &mut folders.order[last.1];
            slot.files.push(position);
            slot.expected = slot.expected.wrapping_add(fnv(name(path).bytes()));
        }
        folders
    }

    /// The number of a folder; its parents get numbers, too.
    fn slot(&mut self, folder: &'a BStr) -> usize {
        if let Some(slot) = self.known.get(folder) {
            return *slot;
        }
        let above = (!folder.is_empty()).then(|| self.slot(parent(folder)));
        if let Some(above) = above {
            let expected = &mut self.order[above].expected;
            *expected = expected.wrapping_add(fnv(name(folder).bytes().chain(*b"/")));
        }
        let is_reached = OnceLock::new();
        self.order.push(ExpectedFolder { path: folder, files: Vec::new(), expected: 0, above, is_reached });
        self.known.insert(folder, self.order.len() - 1);
        self.order.len() - 1
    }
}

fn name(path: &BStr) -> &BStr {
    path.rfind_byte(b'/').map_or(path, |at| path[at + 1..].as_bstr())
}

fn parent(path: &BStr) -> &BStr {
    path.rfind_byte(b'/').map_or(BStr::new(b""), |at| path[..at].as_bstr())
}

impl<V> WalkJob<'_, V> {
    fn take_folders<T>(&self, own: &mut WalkPart<T>) -> Result<(), Error>
    where
        V: Fn(usize, Option<FileStat>) -> Option<T>,
    {
        let opener = platform::WalkRoot::open(self.root)?;
        loop {
            let start = self.next.fetch_add(CHUNK, Ordering::Relaxed);
            let end = (start + CHUNK).min(self.folders.order.len());
            if start >= end {
                return Ok(());
            }
            for number in start..end {
                let folder = &self.folders.order[number];
                let open = self.open(&opener, number)?;
                for position in &folder.files {
                    let stat = open.as_ref().and_then(|open| open.stat(name(self.expected[*position])));
                    own.noted.extend((self.visit)(*position, stat).map(|note| (*position, note)));
                }
                if let Some(open) = open {
                    self.find_unexpected(&opener, &open, number, own)?;
                }
            }
        }
    }

    /// `None` if there is no such folder. A path through a symlinked parent counts as absent, as in git: the operating
    /// system would only report a symlink for the last part of the path.
    fn open<'r>(
        &'r self,
        root: &'r platform::WalkRoot,
        number: usize,
    ) -> Result<Option<platform::WalkFolder<'r>>, Error> {
        let folder = &self.folders.order[number];
        let is_apart = match folder.above {
            Some(above) => !self.is_reached(root, above)?,
            None => false,
        };
        let open = if is_apart { None } else { root.folder(folder.path)? };
        folder.is_reached.get_or_init(|| open.is_some());
        Ok(open)
    }

    /// Folders come after their parents, so the parent has mostly been checked already.
    fn is_reached(&self, root: &platform::WalkRoot, number: usize) -> Result<bool, Error> {
        match self.folders.order[number].is_reached.get() {
            Some(is_reached) => Ok(*is_reached),
            None => Ok(self.open(root, number)?.is_some()),
        }
    }

    fn find_unexpected<T>(
        &self,
        root: &platform::WalkRoot,
        open: &platform::WalkFolder<'_>,
        number: usize,
        own: &mut WalkPart<T>,
    ) -> Result<(), Error> {
        let folder = &self.folders.order[number];
        let (known, leave_out) = match &self.listing {
            ListingMode::Not => return Ok(()),
            ListingMode::All => return self.list(root, open, folder.path, &mut own.found),
            ListingMode::Changed(known, leave_out) => (known, leave_out),
        };
        // take the stat first: a later change of the folder must show as a change
        let stat = open.own_stat();
        if let Some(stat) = stat
            && let Some(files) = known.of(folder.path, &stat, folder.expected)
        {
            let path = |name: &BString| below(folder.path, name.as_bstr());
            own.found
                .unexpected
                .extend(files.iter().map(|file| Unexpected { path: path(&file.path), ..*file }));
            return Ok(());
        }
        known.begin();
        let mut found = WalkFindings::default();
        self.list(root, open, folder.path, &mut found)?;
        found.unexpected.retain(|file| !leave_out(file));
        let is_lasting =
            |stat: &FileStat| !found.is_deep && found.temporary.is_empty() && known.is_lasting(stat);
        let listed = stat.filter(is_lasting).map(|stat| FolderListing {
            modified: stat.modified,
            inode: stat.inode,
            expected: folder.expected,
            unexpected: found
                .unexpected
                .iter()
                .map(|file| Unexpected { path: name(file.path.as_bstr()).to_owned(), ..*file })
                .collect(),
        });
        own.listed.push((number, listed));
        own.found.unexpected.extend(found.unexpected);
        own.found.temporary.extend(found.temporary);
        Ok(())
    }

    /// Everything unexpected in a folder, including its subfolders without expected files.
    fn list(
        &self,
        root: &platform::WalkRoot,
        open: &platform::WalkFolder<'_>,
        folder: &BStr,
        out: &mut WalkFindings,
    ) -> Result<(), Error> {
        let mut unknown_folders = Vec::new();
        let mut path = below(folder, BStr::new(b""));
        let base = path.len();
        open.each(|name, kind| {
            if name == ".git" {
                return;
            }
            path.truncate(base);
            path.extend_from_slice(name);
            if name.starts_with(super::TEMPORARY_PREFIX.as_bytes()) {
                out.temporary.push(path.clone());
                return;
            }
            let is_folder = kind == FileKind::Folder;
            if self.is_expected(path.as_bstr(), is_folder) {
                return;
            }
            if is_folder {
                unknown_folders.push(path.clone());
            } else {
                out.unexpected.push(Unexpected { path: path.clone(), is_regular: kind == FileKind::Regular });
            }
        })?;
        out.is_deep |= !unknown_folders.is_empty();
        for path in unknown_folders {
            let Some(open) = root.folder(path.as_bstr())? else { continue };
            if open.stat(BStr::new(b".git")).is_some() {
                out.unexpected.push(Unexpected { path, is_regular: false });
            } else {
                self.list(root, &open, path.as_bstr(), out)?;
            }
        }
        Ok(())
    }

    fn is_expected(&self, path: &BStr, is_folder: bool) -> bool {
        let is_exact = match is_folder {
            true => self.folders.known.contains_key(path),
            false => self.expected.binary_search(&path).is_ok(),
        };
        is_exact || (super::IGNORES_CASE && self.is_expected_in_other_case(path, is_folder))
    }

    /// Whether what is listed at `path` is what was expected under a name in other case, as git takes it, too.
    fn is_expected_in_other_case(&self, path: &BStr, is_folder: bool) -> bool {
        let names = self.in_lower_case.get_or_init(|| {
            let folders = self.folders.known.keys().map(|folder| (*folder, true));
            let files = self.expected.iter().map(|file| (*file, false));
            folders.chain(files).map(|(path, kind)| ((path.to_lowercase(), kind), path)).collect()
        });
        let found = names.get(&(path.to_lowercase(), is_folder));
        found.is_some_and(|expected| {
            let place = self.root.join(expected.to_str_lossy().as_ref());
            !super::is_named_so(&place) && place.symlink_metadata().is_ok()
        })
    }
}

fn below(folder: &BStr, name: &BStr) -> BString {
    let mut path = BString::from(folder.to_vec());
    if !path.is_empty() {
        path.push(b'/');
    }
    path.extend_from_slice(name);
    path
}

/// The stat of one path, without following a symlink; `None` if nothing exists there.
///
/// # Errors
/// Any error except absence.
pub fn stat(path: &Path) -> Result<Option<FileStat>, Error> {
    match path.symlink_metadata() {
        Ok(metadata) => Ok(Some(from_metadata(&metadata))),
        Err(error) if super::is_absence(&error) => Ok(None),
        Err(error) => Err(Error::during("read", path)(error)),
    }
}

/// As [`stat`], for an open file.
#[cfg(unix)]
pub(in crate::fs) fn stat_of(file: &std::fs::File) -> std::io::Result<FileStat> {
    Ok(from_metadata(&file.metadata()?))
}

fn from_metadata(metadata: &std::fs::Metadata) -> FileStat {
    let file_type = metadata.file_type();
    let kind = if file_type.is_file() {
        FileKind::Regular
    } else if file_type.is_dir() {
        FileKind::Folder
    } else if file_type.is_symlink() {
        FileKind::Symlink
    } else {
        FileKind::Special
    };
    platform::details(metadata, kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_and_what_is_new_is_found_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        for file in
            ["a/one.md", "a/new.md", "z.md", "new/deep/x.md", ".git/config", "a/.brv-tmp-1", "sub/.git/HEAD"]
        {
            super::super::replace(&root.join(file), b"x", super::super::Durability::Later).unwrap();
        }
        let expected: Vec<&BStr> = ["a/gone.md", "a/one.md", "z.md"].iter().map(BStr::new).collect();
        let walk =
            walk(root, &expected, Listing::Everything, |_, stat| Some(stat.map(|stat| stat.size))).unwrap();
        assert_eq!(walk.noted, [(0, None), (1, Some(1)), (2, Some(1))]);
        let names: Vec<_> =
            walk.unexpected.iter().map(|file| (file.path.to_string(), file.is_regular)).collect();
        assert_eq!(
            names,
            [("a/new.md".to_owned(), true), ("new/deep/x.md".to_owned(), true), ("sub".to_owned(), false)]
        );
    }

    #[cfg(unix)]
    #[test]
    fn a_link_to_a_folder_is_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        for file in ["real/a.md", "real/deep/er/a.md", "sub/a.md"] {
            super::super::replace(&folder.path().join(file), b"x", super::super::Durability::Later).unwrap();
        }
        std::os::unix::fs::symlink("real", folder.path().join("link")).unwrap();
        std::os::unix::fs::symlink("../real", folder.path().join("sub/link")).unwrap();
        let expected = [
            "link/a.md",
            "link/deep/er/a.md",
            "real/a.md",
            "real/deep/er/a.md",
            "sub/link/a.md",
            "sub/link/deep/er/a.md",
        ];
        let expected = expected.map(BStr::new);
        let walk =
            walk(folder.path(), &expected, Listing::Everything, |_, stat| Some(stat.is_some())).unwrap();
        assert_eq!(walk.noted, [(0, false), (1, false), (2, true), (3, true), (4, false), (5, false)]);
        let found: Vec<_> =
            walk.unexpected.iter().map(|file| (file.path.to_string(), file.is_regular)).collect();
        let link = |path: &str| (path.to_owned(), false);
        assert_eq!(found, [link("link"), ("sub/a.md".to_owned(), true), link("sub/link")]);
    }
}
