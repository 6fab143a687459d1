//! Open, build and extend the index.
//!
//! A writer makes one new part, then replaces the generation: readers see the old or the new one, and a killed writer
//! leaves nothing but a file that the next one removes. Parts are merged by reading their files again, smaller ones
//! first, so that every file is read a logarithmic number of times.

use std::collections::HashMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::disk::generation::{CURRENT, Generation, PartFile, PartStamp};
use super::disk::part::{self, PartTrust};
use super::disk::segment::Segment;
use super::disk::writing;
use super::item::{self, Searched};
use super::snapshot::Snapshot;
use super::view::{IndexView, SegmentPlace};
use brv_base::content::ContentId;
use brv_base::fs::{self, Busy, Durability, Form, WriteGuard};
use brv_base::parallel;
use brv_base::path::TreePath;
use brv_base::progress::Progress;
use brv_text::words::stems::Stems;

/// The number of parts above which parts are merged.
const MOST_PARTS: usize = 6;

/// A new part takes up parts with at most so many times its items.
const MERGE_RATIO: usize = 2;

/// The share of items that do not count any more, in percent, above which all parts are merged.
const MOST_DEAD: usize = 30;

/// How often a generation is read again because a part of it is gone: a writer was at work.
const ATTEMPTS: usize = 5;

/// The ending of the names of parts.
const PART: &str = ".part";

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    File(#[from] fs::Error),
    #[error("cannot make the search index: {0}")]
    Engine(String),
}

impl From<tantivy::TantivyError> for Error {
    fn from(error: tantivy::TantivyError) -> Self {
        Self::Engine(error.to_string())
    }
}

/// Acquire the lock that a writer of the index in `folder` needs.
pub fn lock(folder: &Path, patience: Duration) -> Result<WriteGuard, Busy> {
    WriteGuard::acquire(&folder.join("lock"), patience)
}

/// Reads a file of the tree by its path; `None` if it is not there.
pub type TreeFileReader<'a> = &'a (dyn Fn(&TreePath) -> Option<Vec<u8>> + Sync);

/// An open index: one generation, which does not change while it is open.
pub struct Index {
    generation: Generation,
    segments: Vec<Arc<Segment>>,
    /// For each run the number of items before it.
    starts: Vec<usize>,
}

impl Default for Index {
    /// An index without items, which is on no disk.
    fn default() -> Self {
        Self { generation: Generation::default(), segments: Vec::new(), starts: Vec::new() }
    }
}

/// What is not in the index, or not as it is now.
#[derive(Debug, Clone, Default)]
pub struct Changes {
    /// Files that are not there any more.
    pub gone: Vec<TreePath>,
    /// Files that are new or changed, with their bytes. Those of kinds that are not searched count for nothing.
    pub now: Vec<(TreePath, Vec<u8>)>,
}

/// Changes, analysed for search from memory.
pub struct Pending {
    /// The paths that changed, in order, with the numbers of their items; none if the file is not there any more.
    changed: Vec<(TreePath, Range<u32>)>,
    segment: Option<Arc<Segment>>,
}

impl Pending {
    /// Analyse changes. If a path occurs more than once, the last bytes count.
    pub fn of(changes: &Changes) -> Self {
        let mut all: Vec<(&TreePath, Option<&[u8]>)> = changes.gone.iter().map(|path| (path, None)).collect();
        all.extend(changes.now.iter().map(|(path, bytes)| (path, Some(&**bytes))));
        all.sort_by_key(|(path, _)| *path);
        all.reverse();
        all.dedup_by_key(|(path, _)| *path);
        all.reverse();
        let analysed = parallel::map(&all, Stems::default, |stems, (path, bytes)| {
            bytes.map(|bytes| item::analyse(path, bytes, stems)).unwrap_or_default()
        });
        let (mut changed, mut items) = (Vec::with_capacity(all.len()), Vec::new());
        for ((path, _), own) in all.into_iter().zip(analysed) {
            let start = items.len() as u32;
            items.extend(own);
            changed.push((path.clone(), start..items.len() as u32));
        }
        let in_folders = items.iter().map(|item| (item, item.path.folder()));
        let segment =
            (!items.is_empty()).then(|| Arc::new(Segment::in_memory(in_folders, &mut Stems::default())));
        Self { changed, segment }
    }
}

impl Index {
    /// Open the index in `folder`; `None` if there is none, or it is damaged or of another version: then build it.
    pub fn open(folder: &Path) -> Option<Self> {
        let mut last = None;
        for _ in 0..ATTEMPTS {
            let bytes = fs::read_shipped(&folder.join(CURRENT), Form::Table).ok()??;
            if last.as_ref() == Some(&bytes) {
                break;
            }
            if let Some(index) = Self::of(folder, Generation::read(&bytes)?) {
                return Some(index);
            }
            last = Some(bytes);
        }
        None
    }

    fn of(folder: &Path, generation: Generation) -> Option<Self> {
        let mut segments = Vec::with_capacity(generation.parts.len());
        for part in &generation.parts {
            let is_as_written = PartStamp::of(&folder.join(&part.name)) == Some(part.stamp);
            let trust = if is_as_written { PartTrust::Untouched } else { PartTrust::Unknown };
            segments.push(Arc::new(part::open(folder, &part.name, trust)?));
        }
        let fits = |segment: &Segment, end: u32| end as usize <= segment.table.len();
        let mut starts = Vec::with_capacity(generation.runs.len());
        let mut count = 0;
        for run in &generation.runs {
            let end = run.start.checked_add(run.count)?;
            segments.get(run.part as usize).filter(|segment| fits(segment, end))?;
            starts.push(count);
            count += run.count as usize;
        }
        Some(Self { generation, segments, starts })
    }

    /// Build the index of the files at `paths` anew. Kinds that are not searched, and files that are not there, are left
    /// out.
    ///
    /// # Errors
    /// [`Error`]; the old index is then as it was.
    pub fn build(
        folder: &Path,
        paths: &[TreePath],
        read: TreeFileReader<'_>,
        progress: &dyn Progress,
        _lock: &WriteGuard,
    ) -> Result<Self, Error> {
        let mut paths: Vec<&TreePath> = paths.iter().filter(|path| Searched::of(path).is_some()).collect();
        paths.sort_unstable();
        paths.dedup();
        publish(folder, Vec::new(), &paths, read, progress)
    }

    /// Bring changes into the index. It must be the one that [`Index::open`] finds while the lock is held.
    ///
    /// # Errors
    /// [`Error`]; the old index is then as it was.
    pub fn fold(
        &self,
        folder: &Path,
        changes: &Changes,
        read: TreeFileReader<'_>,
        progress: &dyn Progress,
        _lock: &WriteGuard,
    ) -> Result<Self, Error> {
        let now: HashMap<&TreePath, &[u8]> =
            changes.now.iter().map(|(path, bytes)| (path, &**bytes)).collect();
        let mut paths: Vec<TreePath> =
            now.keys().filter(|path| Searched::of(path).is_some()).map(|path| (*path).clone()).collect();
        let mut changed: Vec<&TreePath> = changes.gone.iter().chain(now.keys().copied()).collect();
        changed.sort_unstable();
        changed.dedup();
        let mut living = vec![Vec::new(); self.segments.len()];
        for place in self.places(changed.into_iter().map(|path| (path, 0..0))) {
            living[place.segment as usize].push(place.item);
        }
        let merged = merged(&self.segments, &living, paths.len());
        let mut kept = Vec::new();
        for (number, items) in living.into_iter().enumerate() {
            let table = &self.segments[number].table;
            if merged[number] {
                let parsed = items
                    .iter()
                    .filter_map(|&item| TreePath::parse(table.path(item as usize).as_bytes()).ok());
                paths.extend(parsed);
            } else {
                let paths = items.iter().map(|&item| table.path(item as usize)).collect();
                kept.push(KeptPart { part: self.generation.parts[number].clone(), items, paths });
            }
        }
        paths.sort_unstable();
        paths.dedup();
        let paths: Vec<&TreePath> = paths.iter().collect();
        let read = |path: &TreePath| now.get(path).map(|bytes| bytes.to_vec()).or_else(|| read(path));
        publish(folder, kept, &paths, &read, progress)
    }

    pub fn len(&self) -> usize {
        self.generation.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The path and the content id of each file, in the order of paths (by bytes).
    pub fn files(&self) -> impl Iterator<Item = (&str, ContentId)> {
        let table = |place: &SegmentPlace| &self.segments[place.segment as usize].table;
        let files = self.all().filter(move |place| table(place).role(place.item as usize).is_file());
        files.map(move |place| {
            let table = table(&place);
            (table.path(place.item as usize), table.id(place.item as usize))
        })
    }

    /// The id of the bytes that are indexed for `path`; `None` if it is not indexed.
    pub fn id_of(&self, path: &TreePath) -> Option<ContentId> {
        let place = self.place(self.find(path.as_str()).ok()?.start);
        Some(self.segments[place.segment as usize].table.id(place.item as usize))
    }

    /// What a search sees: the index with these changes.
    pub fn snapshot(&self, pending: &Pending) -> Snapshot {
        let mut segments = self.segments.clone();
        segments.extend(pending.segment.clone());
        let places = self.places(pending.changed.iter().map(|(path, items)| (path, items.clone())));
        Snapshot::new(IndexView::new(segments, places, None))
    }

    fn all(&self) -> impl Iterator<Item = SegmentPlace> {
        self.generation.runs.iter().flat_map(|run| {
            (run.start..run.start + run.count).map(|item| SegmentPlace { segment: run.part, item })
        })
    }

    fn place(&self, number: usize) -> SegmentPlace {
        let at = self.starts.partition_point(|&start| start <= number) - 1;
        let run = self.generation.runs[at];
        SegmentPlace { segment: run.part, item: run.start + (number - self.starts[at]) as u32 }
    }

    /// The numbers of the items of the file at `path`, or where they would be.
    fn find(&self, path: &str) -> Result<Range<usize>, usize> {
        let at = |number: usize| {
            let place = self.place(number);
            self.segments[place.segment as usize].table.path(place.item as usize)
        };
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = usize::midpoint(low, high);
            if at(middle) < path { low = middle + 1 } else { high = middle }
        }
        let end = (low..self.len()).find(|number| at(*number) != path).unwrap_or(self.len());
        if end > low { Ok(low..end) } else { Err(low) }
    }

    /// The items that count after changes, which are in order: a path and its items in the segment after the last.
    fn places<'p>(&self, changes: impl Iterator<Item = (&'p TreePath, Range<u32>)>) -> Vec<SegmentPlace> {
        let segment = self.segments.len() as u32;
        let mut all = self.all();
        let mut places = Vec::with_capacity(self.len());
        let mut taken = 0;
        for (path, items) in changes {
            let old = self.find(path.as_str()).unwrap_or_else(|at| at..at);
            places.extend(all.by_ref().take(old.start - taken));
            all.by_ref().take(old.len()).for_each(drop);
            taken = old.end;
            places.extend(items.map(|item| SegmentPlace { segment, item }));
        }
        places.extend(all);
        places
    }
}

/// Which parts go into a new part of `new` items. `living` has the items of each that count.
fn merged(segments: &[Arc<Segment>], living: &[Vec<u32>], new: usize) -> Vec<bool> {
    let all: usize = segments.iter().map(|segment| segment.table.len()).sum();
    let alive: usize = living.iter().map(Vec::len).sum();
    if (all - alive) * 100 > all * MOST_DEAD {
        return vec![true; segments.len()];
    }
    let mut merged: Vec<bool> = living.iter().map(Vec::is_empty).collect();
    let mut by_size: Vec<usize> = (0..segments.len()).filter(|&part| !merged[part]).collect();
    by_size.sort_by_key(|&part| living[part].len());
    let (mut size, mut parts) = (new, by_size.len() + 1);
    for part in by_size {
        if living[part].len() <= size * MERGE_RATIO || parts > MOST_PARTS {
            merged[part] = true;
            size += living[part].len();
            parts -= 1;
        }
    }
    merged
}

/// A part that stays, with its items that count and their paths.
struct KeptPart<'a> {
    part: PartFile,
    items: Vec<u32>,
    paths: Vec<&'a str>,
}

/// Write a part of the files at `paths`, which are in order, and the generation of it and the kept ones.
fn publish(
    folder: &Path,
    kept: Vec<KeptPart<'_>>,
    paths: &[&TreePath],
    read: TreeFileReader<'_>,
    progress: &dyn Progress,
) -> Result<Index, Error> {
    let mut generation = Generation::default();
    let mut order: Vec<(&str, u32, u32)> = Vec::new();
    for part in &kept {
        let number = generation.parts.len() as u32;
        order.extend(part.paths.iter().zip(&part.items).map(|(path, item)| (*path, number, *item)));
        generation.parts.push(part.part.clone());
    }
    let number = generation.parts.len() as u32;
    let mut opened = None;
    if !paths.is_empty() {
        let written = writing::write(paths, read, progress)?;
        if written.items > 0 {
            let name = format!("{}{PART}", ContentId::of(&written.bytes).short());
            let file = folder.join(&name);
            // on disk before the generation names it: later it is trusted as long as its size and times are the same
            fs::replace(&file, &written.bytes, Durability::Now)?;
            drop(written);
            let damaged = || Error::Engine("the new part cannot be read".to_owned());
            let stamp = PartStamp::of(&file).ok_or_else(damaged)?;
            opened = Some(part::open(folder, &name, PartTrust::Untouched).ok_or_else(damaged)?);
            generation.parts.push(PartFile { name, stamp });
        }
    }
    if let Some(segment) = &opened {
        order.extend((0..segment.table.len()).map(|item| (segment.table.path(item), number, item as u32)));
    }
    // runs of sorted lists, which this sort merges; it leaves the items of one file in their order
    order.sort_by_key(|(path, ..)| *path);
    for (_, part, item) in order {
        generation.push(part, item);
    }
    fs::create_folder(folder)?;
    fs::replace(&folder.join(CURRENT), &generation.write(), Durability::Later)?;
    sweep(folder, &generation);
    let damaged = || Error::Engine("the new index cannot be read".to_owned());
    Index::of(folder, generation).ok_or_else(damaged)
}

/// Remove the parts that are in no use, and left-overs. What cannot be removed (Windows: while it is open) is found again
/// next time.
fn sweep(folder: &Path, generation: &Generation) {
    for name in fs::names(folder).unwrap_or_default() {
        if name.ends_with(PART) && !generation.parts.iter().any(|part| part.name == name) {
            let _ = fs::remove_file(&folder.join(name));
        }
    }
    fs::remove_left_overs_in(folder);
}

/// The file that is replaced with each generation of the index in `folder`.
pub fn generation(folder: &Path) -> PathBuf {
    folder.join(CURRENT)
}

/// Forget the index in `folder`, because it is damaged. What is open stays readable.
pub fn discard(folder: &Path) {
    // one that cannot be removed is found to be damaged again
    let _ = fs::remove_file(&folder.join(CURRENT));
}

/// The folder of the index in a cache. Its name has the number of the format: that of another version of brv is left to it.
pub fn folder(cache: &Path) -> PathBuf {
    cache.join("search-1")
}
