//! Replaces and removes files of the work tree, and holds what stood there until the operation is complete.
//!
//! A program may save a file at any moment. So the old file is moved aside, not overwritten, and looked at afterwards:
//! if it is not the one that the plan was made for, everything is put back as it was. Knows paths, bytes and file
//! times; what the changes mean, and whether the operation is complete, the caller knows.

use crate::Scope;
use crate::error::Error;
use crate::id::BlobId;
use crate::objects::convert::Converter;
use brv_base::content::ContentId;
use brv_base::fs::{self, FileKind, FileStat};
use brv_base::parallel;
use bstr::{BStr, BString};
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// How old the time of a file must be, in seconds, so that a later save cannot have the same one. File systems keep
/// times in steps of up to two seconds.
const SETTLED: i64 = 3;

/// How often two programs may get in between while a file is put back.
const TRIES: u32 = 100;

/// The file that a change is planned for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Seen {
    stat: FileStat,
    id: BlobId,
    /// Whether a save after it was seen shows in its stat.
    is_settled: bool,
}

impl Seen {
    /// A file with this stat and these bytes, seen now.
    pub(super) fn now(stat: FileStat, id: BlobId) -> Self {
        let age = brv_base::clock::Clock::Wall.now().timestamp() - stat.modified.0;
        Self { stat, id, is_settled: age >= SETTLED }
    }
}

/// The files that were replaced, removed and created so far, with what stood there.
pub struct Held {
    root: PathBuf,
    converter: Converter,
    swaps: Mutex<Vec<Swap>>,
}

struct Swap {
    path: BString,
    file: PathBuf,
    /// What stood there; `None` if the file is new.
    out: Option<(PathBuf, Seen)>,
    /// What was put there; `None` if the file was removed.
    placed: Option<PlacedFile>,
}

/// A file that was put in a place.
#[derive(Clone, Copy)]
struct PlacedFile {
    stat: FileStat,
    id: BlobId,
}

/// Why files were not changed.
#[derive(Debug, thiserror::Error)]
pub enum ApplyError {
    /// Other programs have saved these files (relative to the tree) meanwhile.
    #[error("{}", changed(.0))]
    Changed(Vec<BString>),
    #[error(transparent)]
    Git(#[from] Error),
    #[error(transparent)]
    File(#[from] fs::Error),
}

/// The word in the name of a temporary file by which it is found again, given the path (relative to the tree) that it is
/// made for.
pub fn tag(path: &BStr) -> String {
    ContentId::of(path).to_string()[..16].to_owned()
}

/// The message about files that other programs have saved.
pub fn changed(paths: &[BString]) -> String {
    match paths {
        [one] => format!("another program saved `{one}` at the same time"),
        all => format!("another program saved {} of the files at the same time", all.len()),
    }
}

/// Whether both are the same file with the same bytes, whatever its name: a rename changes only the time of its entry.
fn is_same(one: &FileStat, other: &FileStat) -> bool {
    (one.kind, one.device, one.inode, one.size, one.modified)
        == (other.kind, other.device, other.inode, other.size, other.modified)
}

/// Give a file that somebody saved, and whose place is taken, a name beside that place under which `status` shows it.
pub fn keep_beside(aside: &Path, file: &Path) -> Result<(), fs::Error> {
    for number in 1.. {
        let mut name = file.as_os_str().to_owned();
        name.push(if number == 1 { ".saved".into() } else { format!(".saved-{number}") });
        if fs::put_in_place(aside, Path::new(&name))? {
            break;
        }
    }
    Ok(())
}

impl std::fmt::Debug for Held {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Held").field("root", &self.root).finish_non_exhaustive()
    }
}

impl Held {
    pub(super) fn new(root: PathBuf, converter: Converter) -> Self {
        Self { root, converter, swaps: Mutex::default() }
    }

    /// Write a file, in place of the one seen or as a new one. Returns its stat, or `None` if another program has saved,
    /// created or removed the file since it was seen.
    pub(super) fn write(
        &self,
        (path, file): (&BStr, &Path),
        (id, bytes): (BlobId, &[u8]),
        seen: Option<Seen>,
    ) -> Result<Option<FileStat>, ApplyError> {
        // beside the file: on the same disk, and with the group and the access rules of its folder
        let folder = file.parent().unwrap_or(&self.root);
        let aside = fs::put_aside(folder, &tag(path), bytes, file)?;
        let placed = fs::stat(&aside)?.map(|stat| PlacedFile { stat, id });
        let in_place = match seen {
            Some(_) => fs::exchange(&aside, file).map(|()| true),
            None => fs::put_in_place(&aside, file),
        };
        if !matches!(in_place, Ok(true)) {
            fs::remove_file(&aside)?;
            return match in_place {
                Err(error) if !fs::is_absence(&error.source) => Err(error.into()),
                _ => Ok(None),
            };
        }
        let out = seen.map(|seen| (aside, seen));
        let stat = fs::stat(file)?.filter(|stat| placed.is_some_and(|placed| is_same(stat, &placed.stat)));
        let is_as_seen = self.note(Swap { path: path.to_owned(), file: file.to_owned(), out, placed })?;
        Ok(stat.filter(|_| is_as_seen))
    }

    /// Remove a file. Returns whether it was still the one seen.
    pub(super) fn remove(&self, (path, file): (&BStr, &Path), seen: Seen) -> Result<bool, ApplyError> {
        let Some(aside) = fs::take_aside(&self.root, &tag(path), file)? else { return Ok(true) };
        let out = Some((aside, seen));
        self.note(Swap { path: path.to_owned(), file: file.to_owned(), out, placed: None })
    }

    /// Remember a change. Returns whether what came out is the file that was seen.
    fn note(&self, swap: Swap) -> Result<bool, ApplyError> {
        let is_as_seen = self.is_as_seen(&swap);
        self.swaps.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(swap);
        is_as_seen
    }

    fn is_as_seen(&self, swap: &Swap) -> Result<bool, ApplyError> {
        let Some((aside, seen)) = &swap.out else { return Ok(true) };
        let Some(stat) = fs::stat(aside)? else { return Ok(true) };
        if stat.kind != FileKind::Regular {
            return Ok(false);
        }
        if seen.is_settled && is_same(&stat, &seen.stat) {
            return Ok(true);
        }
        Ok(self.converter.id(swap.path.as_ref(), &fs::read(aside)?)? == seen.id)
    }

    /// The files (relative to the tree) that another program has saved since they were changed, in the old place or in
    /// the new one; sorted.
    pub fn disturbed(&mut self) -> Result<Vec<BString>, ApplyError> {
        let swaps = std::mem::take(self.swaps_mut());
        let is_placed = |here: &FileStat| {
            swaps.iter().filter_map(|swap| swap.placed).any(|placed| is_same(here, &placed.stat))
        };
        let is_disturbed = |swap: &Swap| -> Result<bool, ApplyError> {
            let here = fs::stat(&swap.file)?;
            let is_ours = match (&here, &swap.placed) {
                (Some(here), Some(placed)) => is_same(here, &placed.stat) || self.goes_on(swap, *placed)?,
                // a folder may have come in place of the file, or, where case does not matter, what we put there
                (Some(here), None) => here.kind == FileKind::Folder || is_placed(here),
                (None, None) => true,
                (None, Some(_)) => false,
            };
            Ok(!is_ours || !self.is_as_seen(swap)?)
        };
        let found = parallel::try_map(&swaps, || (), |(), swap| is_disturbed(swap));
        let paths = found.map(|found| {
            let disturbed = swaps.iter().zip(found).filter(|(_, is)| *is);
            let mut paths: Vec<BString> = disturbed.map(|(swap, _)| swap.path.clone()).collect();
            paths.sort();
            paths
        });
        *self.swaps_mut() = swaps;
        paths
    }

    /// Whether a file that was saved since begins with what was put there: then whoever saved it has seen that.
    fn goes_on(&self, swap: &Swap, placed: PlacedFile) -> Result<bool, ApplyError> {
        let Some(bytes) = fs::read_below(&self.root, &swap.file)? else { return Ok(false) };
        let begins = usize::try_from(placed.stat.size).ok().and_then(|size| bytes.get(..size));
        match begins {
            Some(begins) => Ok(self.converter.id(swap.path.as_ref(), begins)? == placed.id),
            None => Ok(false),
        }
    }

    fn swaps_mut(&mut self) -> &mut Vec<Swap> {
        self.swaps.get_mut().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// The operation is complete: what stood there before goes. If a program that had it open has written to it until
    /// now, it stays beside the new file; returns these files (relative to the tree). What cannot be removed is a
    /// temporary file, which a later command removes.
    pub fn release(mut self) -> Vec<BString> {
        let swaps = std::mem::take(self.swaps_mut());
        let release = |(): &mut (), swap: &Swap| {
            let (aside, _) = swap.out.as_ref()?;
            if matches!(self.is_as_seen(swap), Ok(false)) {
                keep_beside(aside, &swap.file).ok()?;
                return Some(swap.path.clone());
            }
            let _ = fs::remove_file(aside);
            None
        };
        parallel::map(&swaps, || (), release).into_iter().flatten().collect()
    }

    /// Put everything back as it was, the last change first. A file that another program has saved meanwhile stays as
    /// it was saved.
    ///
    /// # Errors
    /// The first file that could not be put back, after trying all.
    pub fn put_back(mut self) -> Result<(), ApplyError> {
        let mut swaps = std::mem::take(self.swaps_mut());
        let mut result = Ok(());
        while let Some(swap) = swaps.pop() {
            result = result.and(self.put_one_back(&swap));
        }
        result
    }

    fn put_one_back(&self, swap: &Swap) -> Result<(), ApplyError> {
        let file = swap.file.as_path();
        let left = match (&swap.out, swap.placed) {
            (Some((aside, _)), Some(placed)) => {
                change_back(aside, file, placed.stat)?;
                Some(aside.clone())
            }
            (Some((aside, _)), None) => (!fs::put_in_place(aside, file)?).then(|| aside.clone()),
            (None, Some(placed)) => match fs::take_aside(&self.root, &tag(swap.path.as_ref()), file)? {
                Some(aside) if !fs::stat(&aside)?.is_some_and(|here| is_same(&here, &placed.stat)) => {
                    (!fs::put_in_place(&aside, file)?).then_some(aside)
                }
                aside => {
                    fs::prune_empty_folders(file.parent().unwrap_or(&self.root), &self.root);
                    aside
                }
            },
            (None, None) => None,
        };
        match left {
            Some(left) => self.drop_known(swap, &left),
            None => Ok(()),
        }
    }

    /// Remove what is left aside, unless nobody has its bytes: then another program saved it.
    fn drop_known(&self, swap: &Swap, left: &Path) -> Result<(), ApplyError> {
        let Some(stat) = fs::stat(left)? else { return Ok(()) };
        let is_ours = swap.placed.is_some_and(|placed| is_same(&stat, &placed.stat));
        let is_known = is_ours
            || match &swap.out {
                Some((_, seen)) if stat.kind == FileKind::Regular => {
                    self.converter.id(swap.path.as_ref(), &fs::read(left)?)? == seen.id
                }
                _ => false,
            };
        if is_known {
            fs::remove_file(left)?;
        } else {
            keep_beside(left, &swap.file)?;
        }
        Ok(())
    }
}

/// Replace or remove a single file that has the bytes of `id` (`None`: there is no file), unless another program has saved
/// it since. Returns whether it is done; if not, the file is as that program saved it.
pub fn change_one(
    scope: &Scope,
    (path, file): (&BStr, &Path),
    id: Option<BlobId>,
    new: Option<(BlobId, &[u8])>,
) -> Result<bool, ApplyError> {
    let held = Held::new(scope.root(), Converter::of(scope));
    let seen = match id {
        Some(id) => fs::stat(file)?.map(|stat| Seen { stat, id, is_settled: false }),
        None => None,
    };
    let is_done = match (new, seen) {
        (Some(new), seen) => held.write((path, file), new, seen)?.is_some(),
        (None, Some(seen)) => held.remove((path, file), seen)?,
        (None, None) => true,
    };
    if is_done {
        held.release();
    } else {
        held.put_back()?
    }
    Ok(is_done)
}

/// What killed commands left aside of these files (relative to the tree).
pub fn left_aside<'p>(
    root: &Path,
    paths: impl IntoIterator<Item = &'p BStr>,
) -> Result<Vec<(&'p BStr, PathBuf)>, fs::Error> {
    let by_tag: HashMap<String, &BStr> = paths.into_iter().map(|path| (tag(path), path)).collect();
    let mut folders = BTreeSet::from([root.to_path_buf()]);
    for path in by_tag.values() {
        let file = fs::below(root, path)?;
        let folder = file.parent().filter(|folder| folder.is_dir());
        if fs::is_reached_by_folders(root, &file)? {
            folders.extend(folder.map(Path::to_path_buf));
        }
    }
    let mut found = Vec::new();
    for folder in folders {
        let asides = fs::asides(&folder)?.into_iter();
        found.extend(asides.filter_map(|(tag, file)| Some((*by_tag.get(&tag)?, file))));
    }
    Ok(found)
}

/// Exchange both until what comes out is what was put there last: another program may save the file in between, and
/// then its file must be there in the end.
fn change_back(aside: &Path, file: &Path, placed: FileStat) -> Result<(), ApplyError> {
    let mut there = placed;
    for _ in 0..TRIES {
        let Some(next) = fs::stat(aside)? else { return Ok(()) };
        match fs::exchange(aside, file) {
            Ok(()) => {}
            // it was removed since
            Err(error) if fs::is_absence(&error.source) => {
                fs::put_in_place(aside, file)?;
                return Ok(());
            }
            Err(error) => return Err(error.into()),
        }
        if fs::stat(aside)?.is_some_and(|came| is_same(&came, &there)) {
            return Ok(());
        }
        there = next;
    }
    Ok(())
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "another program writes in place")]
mod tests {
    use super::*;
    use std::fs::{read_to_string, rename, write};

    /// A tree with `a.md`, whose bytes are `old`.
    fn tree() -> (tempfile::TempDir, Held) {
        let folder = tempfile::tempdir().unwrap();
        let scope =
            crate::init(folder.path(), "main", &brv_base::environment::Environment::default()).unwrap();
        write(folder.path().join("a.md"), "old").unwrap();
        let held = Held::new(folder.path().to_path_buf(), Converter::of(&scope));
        (folder, held)
    }

    fn seen(file: &Path) -> Seen {
        Seen::now(fs::stat(file).unwrap().unwrap(), ContentId::of(&std::fs::read(file).unwrap()))
    }

    fn put(held: &Held, file: &Path, text: &str, seen: Option<Seen>) -> Option<FileStat> {
        let path = file.strip_prefix(&held.root).unwrap().to_str().unwrap();
        held.write((path.into(), file), (ContentId::of(text.as_bytes()), text.as_bytes()), seen).unwrap()
    }

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::names(folder).unwrap();
        names.retain(|name| name != ".git");
        names.sort();
        names
    }

    #[test]
    fn what_nobody_touched_is_written_and_comes_back() {
        let (folder, held) = tree();
        let (a, b) = (folder.path().join("a.md"), folder.path().join("d/b.md"));
        assert!(put(&held, &a, "new", Some(seen(&a))).is_some());
        assert!(put(&held, &b, "b", None).is_some());
        assert_eq!(
            (read_to_string(&a).unwrap().as_str(), read_to_string(&b).unwrap().as_str()),
            ("new", "b")
        );
        held.put_back().unwrap();
        assert_eq!(read_to_string(&a).unwrap(), "old");
        assert_eq!(names(folder.path()), ["a.md"]);

        let (folder, mut held) = tree();
        let a = folder.path().join("a.md");
        assert!(held.remove(("a.md".into(), &a), seen(&a)).unwrap());
        assert!(held.disturbed().unwrap().is_empty());
        held.release();
        assert!(names(folder.path()).is_empty());
    }

    #[test]
    fn a_save_in_the_old_place_is_noticed_whenever_it_comes_and_comes_back() {
        for when in ["before", "after"] {
            let (folder, mut held) = tree();
            let a = folder.path().join("a.md");
            let known = seen(&a);
            let open = std::fs::OpenOptions::new().append(true).open(&a).unwrap();
            let save = || std::io::Write::write_all(&mut &open, b" and more").unwrap();
            if when == "before" {
                save();
            }
            let written = put(&held, &a, "new", Some(known));
            assert_eq!(written.is_none(), when == "before");
            if when == "after" {
                assert!(held.disturbed().unwrap().is_empty());
                save();
            }
            assert_eq!(held.disturbed().unwrap(), ["a.md"]);
            held.put_back().unwrap();
            assert_eq!(read_to_string(&a).unwrap(), "old and more");
            assert_eq!(names(folder.path()), ["a.md"]);
        }
    }

    #[test]
    fn a_save_that_comes_last_of_all_is_kept_beside() {
        let (folder, held) = tree();
        let a = folder.path().join("a.md");
        let mut open = std::fs::OpenOptions::new().append(true).open(&a).unwrap();
        put(&held, &a, "new", Some(seen(&a))).unwrap();
        std::io::Write::write_all(&mut open, b" and more").unwrap();
        assert_eq!(held.release(), ["a.md"]);
        assert_eq!(read_to_string(&a).unwrap(), "new");
        assert_eq!(read_to_string(folder.path().join("a.md.saved")).unwrap(), "old and more");
    }

    #[test]
    fn a_save_in_the_new_place_is_noticed_and_stays() {
        let (folder, mut held) = tree();
        let a = folder.path().join("a.md");
        put(&held, &a, "new", Some(seen(&a))).unwrap();
        write(folder.path().join("x"), "theirs").unwrap();
        rename(folder.path().join("x"), &a).unwrap();
        assert_eq!(held.disturbed().unwrap(), ["a.md"]);
        held.put_back().unwrap();
        assert_eq!(read_to_string(&a).unwrap(), "theirs");
        assert_eq!(names(folder.path()), ["a.md"]);
    }

    #[test]
    fn a_save_that_goes_on_from_the_new_bytes_does_not_disturb() {
        let (folder, mut held) = tree();
        let a = folder.path().join("a.md");
        put(&held, &a, "new", Some(seen(&a))).unwrap();
        std::io::Write::write_all(&mut std::fs::File::options().append(true).open(&a).unwrap(), b" and more")
            .unwrap();
        assert!(held.disturbed().unwrap().is_empty());
        write(&a, "ne").unwrap();
        assert_eq!(held.disturbed().unwrap(), ["a.md"]);
    }

    #[test]
    fn two_saves_by_two_programs_both_stay() {
        let (folder, held) = tree();
        let a = folder.path().join("a.md");
        let known = seen(&a);
        write(&a, "one").unwrap();
        assert!(put(&held, &a, "new", Some(known)).is_none());
        write(folder.path().join("x"), "two").unwrap();
        rename(folder.path().join("x"), &a).unwrap();
        held.put_back().unwrap();
        assert_eq!(read_to_string(&a).unwrap(), "two");
        assert_eq!(read_to_string(folder.path().join("a.md.saved")).unwrap(), "one");
    }

    #[test]
    fn a_file_that_is_made_where_one_was_removed_stays_beside_the_save_that_was_removed() {
        let (folder, mut held) = tree();
        let a = folder.path().join("a.md");
        let known = seen(&a);
        write(&a, "saved").unwrap();
        assert!(!held.remove(("a.md".into(), &a), known).unwrap());
        write(&a, "made").unwrap();
        assert_eq!(held.disturbed().unwrap(), ["a.md"]);
        held.put_back().unwrap();
        assert_eq!(read_to_string(&a).unwrap(), "made");
        assert_eq!(read_to_string(folder.path().join("a.md.saved")).unwrap(), "saved");
    }

    #[test]
    fn a_new_name_that_differs_in_case_only_is_not_taken_for_a_save() {
        let (folder, mut held) = tree();
        let [old, new] = ["a.md", "A.md"].map(|name| folder.path().join(name));
        assert!(held.remove(("a.md".into(), &old), seen(&old)).unwrap());
        assert!(put(&held, &new, "old", None).is_some());
        if !old.exists() {
            // a second name stands in for a disk that finds the file under both
            std::fs::hard_link(&new, &old).unwrap();
        }
        assert!(held.disturbed().unwrap().is_empty());
        std::fs::remove_file(&old).unwrap();
        write(&old, "theirs").unwrap();
        assert!(held.disturbed().unwrap().contains(&"a.md".into()));
    }

    #[test]
    fn a_new_file_gives_way_to_one_that_came_first() {
        let (folder, held) = tree();
        let b = folder.path().join("b.md");
        write(&b, "theirs").unwrap();
        assert!(put(&held, &b, "ours", None).is_none());
        held.put_back().unwrap();
        assert_eq!(read_to_string(&b).unwrap(), "theirs");
        assert_eq!(names(folder.path()), ["a.md", "b.md"]);
    }
}
