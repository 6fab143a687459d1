//! Current derived files for readers: from the disk if the stamp says that they are up to date, else made in memory.
//! Writes nothing.

use super::cache::shard::Shards;
use super::folder::{Done, FolderJob};
use super::ledger::{self, Entries, Ledger, LedgerEntry, Measures};
use super::outline::{Outline, depth, entries, join, name};
use super::work::Order;
use super::{Curated, Extent, quick_survey, sources};
use crate::Stop;
use crate::open::context::Opened;
use brv_base::fs;
use brv_base::parallel;
use brv_base::path::TreePath;
use brv_text::derive::stamp::Stamp;
use brv_text::derive::{self, Condensate, Digest, Index, Input, Key};
use bstr::ByteSlice as _;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// An up-to-date derived file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Current {
    pub text: String,
    pub origin: Origin,
}

/// The origin of a derived file that is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// It is on disk, and its stamp matches its source.
    Disk,
    /// It was missing, out of date or not brv's, and was made for this reader only.
    Memory,
}

/// The kind of companion of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Companion {
    /// `<name>.abstract.md`
    Abstract,
    /// `<name>.overview.md`
    Overview,
}

/// The companion of the file at `path` with the bytes of `input`.
pub fn companion(root: &Path, input: &Input<'_>, which: Companion) -> Result<Current, fs::Error> {
    let (key, ending) = match which {
        Companion::Abstract => (derive::abstract_key(input.id), ".abstract.md"),
        Companion::Overview => (derive::overview_key(input.id), ".overview.md"),
    };
    let path = input.path.as_str();
    let beside = format!("{}{ending}", path.strip_suffix(".md").unwrap_or(path));
    if let Some(text) = on_disk(root, &beside, key)? {
        return Ok(Current { text, origin: Origin::Disk });
    }
    Ok(companion_of(input, which))
}

/// The companion of a file that need not be on disk.
pub fn companion_of(input: &Input<'_>, which: Companion) -> Current {
    let digest = derive::digest_of(input);
    let made = match which {
        Companion::Abstract => derive::abstract_of(&digest),
        Companion::Overview => derive::overview_of(&digest),
    };
    Current { text: made.text, origin: Origin::Memory }
}

/// The index of a folder whose files need not be on disk; `None` if no file is at or below it.
///
/// # Errors
/// The errors of `read`.
pub fn index_of<E: Send>(
    curated: &[Curated],
    folder: &str,
    read: impl Fn(&TreePath) -> Result<Vec<u8>, E> + Sync,
) -> Result<Option<Current>, E> {
    let below = |file: &&Curated| folder.is_empty() || is_at_or_below(file.path.folder(), folder);
    let files: Vec<&Curated> = curated.iter().filter(below).collect();
    let digests = parallel::try_map(
        &files,
        || (),
        |(), file| {
            let bytes = crate::derive::own_files::our_side(read(&file.path)?);
            let input = Input { path: &file.path, id: file.id, bytes: &bytes };
            Ok((file.path.as_str(), derive::digest_of(&input)))
        },
    )?;
    let digests: BTreeMap<&str, Digest> = digests.into_iter().collect();
    let outline = Outline::of(curated);
    let index = outline.folders.get_key_value(folder).map(|(path, _)| build(&outline, &digests, path));
    Ok(index.map(|index| Current { text: index.file.text, origin: Origin::Memory }))
}

fn is_at_or_below(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The index of a folder, with the indices of its subfolders.
fn build(outline: &Outline<'_>, digests: &BTreeMap<&str, Digest>, path: &str) -> Index {
    let Some(own) = outline.folders.get(path) else {
        return derive::index_of(&derive::Folder { path, files: Vec::new(), folders: Vec::new() });
    };
    let below: Vec<(&str, Condensate)> =
        own.folders.iter().map(|child| (name(child), build(outline, digests, child).condensate)).collect();
    let files = own.files.keys().filter_map(|file| Some((*file, digests.get(join(path, file).as_str())?)));
    let folders = below.iter().map(|(name, condensate)| (*name, condensate)).collect();
    derive::index_of(&derive::Folder { path, files: files.collect(), folders })
}

/// The ledger that a full refresh would write, without cache places: computed from the files on disk alone. Files whose
/// bytes have changed meanwhile are left out.
pub(super) fn ledger(root: &Path, curated: &[Curated], outline: &Outline<'_>) -> Result<Ledger, fs::Error> {
    let each: Vec<&Curated> = curated.iter().collect();
    let digests = parallel::try_map(
        &each,
        || (),
        |(), file| {
            let bytes = match &file.ours {
                Some(ours) => Some(ours.clone()),
                None => fs::read_below(root, &file.path.on_disk(root))?,
            };
            let Some(bytes) = bytes.and_then(|bytes| super::work::with_id(bytes, file.id)) else {
                return Ok(None);
            };
            let bytes = crate::derive::own_files::our_side(bytes);
            let digest = derive::digest_of(&Input { path: &file.path, id: file.id, bytes: &bytes });
            Ok::<_, fs::Error>(Some((file.path.as_str(), digest)))
        },
    )?;
    let digests: BTreeMap<&str, Digest> = digests.into_iter().flatten().collect();
    let (mut ledger, mut made) = (Ledger::default(), BTreeMap::<&str, Condensate>::new());
    for path in outline.deepest_first() {
        let folder = &outline.folders[path];
        let digest = |file: &str| digests.get(join(path, file).as_str());
        let files = folder.files.keys().filter_map(|file| Some((*file, digest(file)?))).collect();
        let folders = folder.folders.iter().filter_map(|child| Some((name(child), made.get(child)?)));
        let index = derive::index_of(&derive::Folder { path, files, folders: folders.collect() });
        let entries = Entries::of(entries(folder).filter_map(|(file, id)| {
            let digest = digest(file)?;
            let abstract_tokens = derive::abstract_of(digest).tokens;
            Some((file, LedgerEntry { id, measures: Measures::of(digest, abstract_tokens) }))
        }));
        let (hash, index_tokens) = (index.condensate.children_hash, index.condensate.index_tokens);
        let known = ledger::Folder { hash, index_tokens, entries, place: None };
        ledger.folders.insert(path.to_owned(), known);
        made.insert(path, index.condensate);
    }
    Ok(ledger)
}

/// The index of a folder; `None` if no curated file is at or below it.
pub fn index(opened: &Opened, folder: &str) -> Result<Option<Current>, Stop> {
    let (scope, cache) = (&opened.scope, opened.places.cache());
    let survey = quick_survey(opened, super::index(opened)?)?;
    let curated = sources::curated(scope, &survey)?;
    let outline = Outline::of(&curated);
    let Some(hash) = outline.folders.get(folder).and_then(|found| found.hash) else { return Ok(None) };
    let root = scope.root();
    if let Some(text) = on_disk(&root, &join(folder, "_index.md"), derive::index_key(folder, hash))? {
        return Ok(Some(Current { text, origin: Origin::Disk }));
    }
    let on_disk = BTreeSet::new();
    let conflicts = curated.iter().filter_map(|file| Some((&file.path, file.ours.as_deref()?))).collect();
    let order = Order {
        root: &root,
        cache: &cache,
        outline: &outline,
        extent: Extent::Changed,
        on_disk: &on_disk,
        conflicts,
        tree: None,
        disk: ledger::Disk::Unknown,
        shared: None,
    };
    let made = make(&order, &ledger::load(&cache), folder)?;
    Ok(made.map(|index| Current { text: index.file.text, origin: Origin::Memory }))
}

fn on_disk(root: &Path, path: &str, key: Key) -> Result<Option<String>, fs::Error> {
    let Ok(path) = TreePath::parse(path.as_bytes()) else { return Ok(None) };
    let bytes = fs::read_below(root, &path.on_disk(root))?.unwrap_or_default();
    let fits = derive::stamp::read(&bytes) == Stamp::Ours { key };
    Ok(String::from_utf8(bytes).ok().filter(|_| fits))
}

/// The index of `folder`, from the cached results of its subfolders, and from files where these are out of date.
fn make(order: &Order<'_>, ledger: &Ledger, folder: &str) -> Result<Option<Index>, Stop> {
    let shards = Shards::of(order.cache, ledger);
    let (mut known, mut stale) = (BTreeMap::new(), Vec::new());
    gather(order, (ledger, &shards), folder, &mut known, &mut stale);
    let deepest = stale.iter().map(|path| depth(path)).max().unwrap_or(0);
    let mut last = None;
    for level in (0..=deepest).rev() {
        let jobs: Vec<&str> = stale.iter().copied().filter(|path| depth(path) == level).collect();
        let made = parallel::try_map(&jobs, || (), |(), path| one(order, (ledger, &shards), &known, path))?;
        for (path, index) in jobs.into_iter().zip(made) {
            let Some(index) = index else { continue };
            known.insert(path, index.condensate.clone());
            last = Some(index).filter(|_| path == folder).or(last);
        }
    }
    Ok(last)
}

/// The folders at and below `path` that must be computed (always `path` itself), and the known results of the others.
fn gather<'a>(
    order: &Order<'a>,
    kept: (&Ledger, &Shards),
    path: &'a str,
    known: &mut BTreeMap<&'a str, Condensate>,
    stale: &mut Vec<&'a str>,
) {
    let Some(folder) = order.outline.folders.get(path) else { return };
    stale.push(path);
    for child in &folder.folders {
        match fitting(order, kept, child) {
            Some(condensate) => {
                known.insert(child, condensate);
            }
            None => gather(order, kept, child, known, stale),
        }
    }
}

/// The cached result of a folder, if it is still valid.
fn fitting(order: &Order<'_>, (ledger, shards): (&Ledger, &Shards), path: &str) -> Option<Condensate> {
    let hash = order.outline.folders.get(path)?.hash?;
    let known = ledger.folders.get(path).filter(|known| known.hash == hash)?;
    shards.load(known)?.condensate().filter(|condensate| condensate.children_hash == hash)
}

fn one(
    order: &Order<'_>,
    (ledger, shards): (&Ledger, &Shards),
    known: &BTreeMap<&str, Condensate>,
    path: &str,
) -> Result<Option<Index>, Stop> {
    let Some((path, folder)) = order.outline.folders.get_key_value(path) else { return Ok(None) };
    let old = ledger.folders.get(*path).and_then(|known| shards.load(known)).unwrap_or_default();
    let mut done = Done::default();
    let place = fs::below(order.root, path.as_bytes().as_bstr())?.join("_index.md");
    if fs::is_reached_by_folders(order.root, &place)? {
        order.digests(&FolderJob { path, folder }, (old.digests(), &BTreeMap::new()), &mut done)?;
    }
    let files = done.shard.digests.iter().map(|(name, digest)| (name.as_str(), digest)).collect();
    let folders = folder.folders.iter().filter_map(|child| Some((name(child), known.get(child)?))).collect();
    Ok(Some(derive::index_of(&derive::Folder { path, files, folders })))
}
