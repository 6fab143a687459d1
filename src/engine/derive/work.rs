//! Carry out a refresh: read changed files, make the derived files, write those that differ.

use super::archive;
use super::cache::shard::{self, Past, Shard, ShardAppender, Shards, StoredShard};
use super::cache::shared::{self, SharedFolder, SharedFolders};
use super::folder::{Done, FolderCache, FolderJob, FolderResult, RefreshStop};
use super::ledger::{self, Disk, Ledger, LedgerEntry};
use super::outline::{Folder, Outline, depth, entries, join, name};
use super::{Extent, ForeignFile, Outcome};
use crate::derive::brain;
use crate::derive::own_files::{not_ours, our_side};
use crate::derive::unblock_cache;
use crate::open::records::RecordFile;
use crate::{FailureKind, Stop};
use brv_base::content::ContentId;
use brv_base::fs::{self, Durability, NewFiles};
use brv_base::parallel;
use brv_base::path::{PathKind, TreePath, is_archive_file};
use brv_base::progress::{Progress, Stage};
use brv_git as git;
use brv_git::{Scope, TreeId};
use brv_text::brain::Digest as BrainDigest;
use brv_text::derive::stamp::Stamp;
use brv_text::derive::{self, Digest, Importance, Input, Key};
use brv_text::doc::Document;
use brv_text::lint::secrets;
use bstr::ByteSlice as _;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

pub(super) struct Order<'a> {
    pub root: &'a Path,
    /// Where the ledger and the shards are.
    pub cache: &'a Path,
    /// The curated files on disk, as far as they may have changed.
    pub outline: &'a Outline<'a>,
    /// Our side of files in conflict.
    pub conflicts: BTreeMap<&'a TreePath, &'a [u8]>,
    pub on_disk: &'a BTreeSet<TreePath>,
    /// How much to check.
    pub extent: Extent,
    /// The git tree that the files are made for, if there is one.
    pub tree: Option<TreeId>,
    /// Whether the disk is known to match that tree.
    pub disk: Disk,
    /// The results of folders in the user's cache, if there is one.
    pub shared: Option<&'a RecordFile>,
}

/// Whether an earlier refresh wrote a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EarlierWrite {
    Before,
    Never,
}

/// As many bytes of a file are written at once or not at all: a page of the smallest size.
const WRITTEN_AT_ONCE: usize = 4096;

/// Reads the importance of entries, which only the manifest needs.
pub(super) type ReadImportance<'a> = dyn Fn() -> Importance + 'a;

/// Update all derived files. `None`: the cached results of an unchanged folder cannot be read, so the next refresh
/// regenerates everything.
pub(super) fn run(
    (order, scope): (&Order<'_>, &Scope),
    ledger: Ledger,
    importance: &ReadImportance<'_>,
    progress: &dyn Progress,
) -> Result<Option<Outcome>, Stop> {
    match bring_all_up((order, scope), ledger, importance, progress) {
        Ok(outcome) => Ok(Some(outcome)),
        Err(RefreshStop::NotKept) => Ok(None),
        Err(RefreshStop::Failed(error)) => Err(error),
    }
}

fn bring_all_up(
    (order, scope): (&Order<'_>, &Scope),
    mut ledger: Ledger,
    importance: &ReadImportance<'_>,
    progress: &dyn Progress,
) -> Result<Outcome, RefreshStop> {
    let Order { cache, outline, extent, tree, .. } = *order;
    let mut outcome = Outcome::default();
    let stale = order.stale(&ledger);
    let before = (std::mem::replace(&mut ledger.tree, tree), std::mem::replace(&mut ledger.disk, order.disk));
    let is_current = stale.is_empty() && ledger.fingerprint == Some(outline.fingerprint());
    if is_current && extent == Extent::Changed && !archive::has_come(&ledger, scope) {
        if tree.is_some() && (tree, order.disk) != before {
            unblock_cache::with(cache, || ledger::save(cache, &ledger))?;
        }
        return Ok(outcome);
    }
    unblock_cache::with(cache, || ledger::begin(cache))?;
    let shards = Shards::of(cache, &ledger);
    let added = Mutex::new(unblock_cache::with(cache, || ShardAppender::to(cache, &ledger))?);
    let total: u64 = stale.iter().map(|job| job.folder.files.len() as u64).sum();
    let done = AtomicU64::new(0);
    let (mut unsettled, mut condensates) = (Vec::new(), HashMap::new());
    let (mut archived, mut ahead) = (archive::FolderRecords::default(), Vec::new());
    let interrupt = git::heard_interrupt();
    let shared = order.shared.filter(|_| total >= shared::FROM_FILES).map(SharedFolders::open);
    let mut have_records = BTreeSet::new();
    let deepest = stale.iter().map(|job| depth(job.path)).max().unwrap_or(0);
    for level in (0..=deepest).rev() {
        let jobs: Vec<&FolderJob<'_>> = stale.iter().filter(|job| depth(job.path) == level).collect();
        let known = FolderCache {
            ledger: &ledger,
            shards: &shards,
            condensates: &condensates,
            added: &added,
            shared: shared.as_ref(),
            have_records: &have_records,
        };
        let files = jobs.iter().map(|job| job.folder.files.len()).sum();
        let results = parallel::try_map_of(
            files,
            &jobs,
            || NewFiles::below(order.root),
            |new, job| {
                if interrupt.load(Ordering::Relaxed) {
                    return Err(Stop::new(FailureKind::Interrupted, "interrupted").into());
                }
                let result = order.bring_up(job, &known, new);
                let count = done.fetch_add(job.folder.files.len() as u64, Ordering::Relaxed);
                progress.update(Stage::Derive, count, Some(total));
                result
            },
        )?;
        // only the level above needs what these folders pass up
        condensates.clear();
        let mut have_more = BTreeSet::new();
        for (job, brought) in jobs.iter().zip(results) {
            ledger.replace(job.path, brought.entry);
            archived.add(job.path, job.folder, &brought.archived);
            condensates.extend(brought.condensate.map(|condensate| (job.path, condensate)));
            outcome.absorb(brought.outcome);
            ahead.extend(brought.brain);
            if brought.changed_meanwhile {
                unsettled.push(job.path);
            }
            have_more.extend(brought.has_record.then_some(job.path));
        }
        have_records = have_more;
    }
    if let Some(shared) = shared {
        shared.finish();
    }
    // a brain that is being made has them itself
    if let Some(guard) = brain::lock(cache, Duration::ZERO).filter(|_| !ahead.is_empty()) {
        brain::keep_ahead(&brain::BrainHome::of(scope, cache), ahead, &guard);
    }
    order.remove_gone(&mut ledger, &shards, &mut outcome)?;
    let room = archive::ArchiveWriteContext { root: order.root, scope, on_disk: order.on_disk, extent };
    archive::bring_up(&room, archived, outline, &mut ledger, &mut outcome)?;
    order.manifest(&mut ledger, importance, &mut outcome)?;
    order.remember_kept(&mut ledger, &outcome)?;
    unsettled.iter().for_each(|folder| ledger.unsettle(folder));
    ledger.tree = tree.filter(|_| unsettled.is_empty());
    let past = added.into_inner().expect("no worker panics while it holds the lock").finish(&mut ledger)?;
    unblock_cache::with(cache, || ledger::save(cache, &ledger))?;
    if past == Past::LeftOver {
        shard::tidy(cache, &ledger);
    }
    shard::sweep_others(cache);
    outcome.sort();
    Ok(outcome)
}

impl Outcome {
    pub(super) fn absorb(&mut self, other: Self) {
        self.written.extend(other.written);
        self.removed.extend(other.removed);
        self.kept.extend(other.kept);
        self.missing.extend(other.missing);
    }

    fn sort(&mut self) {
        self.written.sort();
        self.removed.sort();
        self.kept.sort();
        self.missing.sort();
    }
}

impl<'a> Order<'a> {
    fn stale(&self, ledger: &Ledger) -> Vec<FolderJob<'a>> {
        let is_known = |path: &str, folder: &Folder<'_>| {
            ledger.folders.get(path).is_some_and(|known| Some(known.hash) == folder.hash)
        };
        self.outline
            .folders
            .iter()
            .filter(|(path, folder)| self.extent != Extent::Changed || !is_known(path, folder))
            .map(|(path, folder)| FolderJob { path, folder })
            .collect()
    }

    fn bring_up(
        &self,
        job: &FolderJob<'_>,
        known: &FolderCache<'_>,
        new: &mut NewFiles,
    ) -> Result<FolderResult, RefreshStop> {
        let before = known.ledger.folders.get(job.path);
        let old = before.map(|before| known.shards.load(before).ok_or(RefreshStop::NotKept)).transpose()?;
        let old = old.unwrap_or_default();
        // what is derived anew without a need is known to the brain
        let brain = (self.extent != Extent::All).then(Vec::new);
        let mut done = Done { brain, ..Done::default() };
        let index = fs::below(self.root, join(job.path, "_index.md").as_bytes().as_bstr())?;
        if !fs::is_reached_by_folders(self.root, &index)? {
            // a symlink replaced the folder: its target is not part of the tree
            return Done { shard: old.into_shard(), changed_meanwhile: true, ..done }.brought(job, known);
        }
        let known_entries = before.map(|before| before.entries.by_name()).unwrap_or_default();
        let past = known.past(job).filter(|_| self.extent != Extent::All);
        let shared =
            known.shared.filter(|_| past.is_none() && before.is_none() && self.extent == Extent::Changed);
        let found = shared.zip(job.folder.hash).and_then(|(shared, hash)| shared.get(job.path, hash));
        let found = found.and_then(|found| Some((found.results()?, found)));
        done.to_share = shared.filter(|shared| shared.is_writable()).map(|_| SharedFolder::default());
        let is_made = past.is_some() || found.is_some();
        match past {
            Some((place, shard)) => (done.place, done.shard) = (Some(place), shard),
            None if found.is_some() => {
                if let Some(((shard, brain), found)) = found {
                    (done.shard, done.from_shared) = (Shard { made: BTreeMap::new(), ..shard }, Some(found));
                    done.brain.as_mut().into_iter().for_each(|all| all.extend(brain.iter().cloned()));
                }
            }
            None => {
                self.digests(job, (old.digests(), &known_entries), &mut done)?;
                let overview = done.shard.digests.get("context.md");
                done.shard.archived = overview.map(|digest| digest.archived.clone()).unwrap_or_default();
            }
        }
        let made = old.made();
        // before the new ones are written: a disk that ignores case has one file for both
        for name in made.keys().filter(|name| is_respelled(job.folder, name)) {
            self.remove(&join(job.path, name), &mut done.outcome)?;
        }
        for (name, id) in entries(job.folder) {
            let is_known = known_entries.get(name).is_some_and(|known| known.id == id);
            self.companions(job, (name, id, is_known), &made, &mut done, new)?;
        }
        if !is_made {
            self.index(job, known, &old, &mut done)?;
        }
        let text = std::mem::take(&mut done.shard.index);
        let hash =
            done.shard.condensate.as_ref().map_or_else(|| ContentId::of(b""), |made| made.children_hash);
        let key = derive::index_key(job.path, hash);
        if self.is_due(job, ("_index.md", key), &made, &mut done)? {
            self.put(job, ("_index.md", &text), &made, &mut done, new)?;
        }
        done.shard.index = text;
        let is_orphan =
            |name: &&String| !done.shard.made.contains_key(*name) && !is_respelled(job.folder, name);
        let orphans: Vec<&String> = made.keys().filter(is_orphan).collect();
        for name in orphans {
            self.remove(&join(job.path, name), &mut done.outcome)?;
        }
        done.brought(job, known)
    }

    /// Write abstract and overview of an entry unless they are up to date. `is_known`: whether the ledger has the entry.
    fn companions(
        &self,
        job: &FolderJob<'_>,
        (name, id, is_known): (&str, ContentId, bool),
        made: &BTreeMap<String, Key>,
        done: &mut Done,
        new: &mut NewFiles,
    ) -> Result<(), Stop> {
        let stem = name.strip_suffix(".md").unwrap_or(name);
        let (of_abstract, of_overview) = (format!("{stem}.abstract.md"), format!("{stem}.overview.md"));
        let due = [
            self.is_due(job, (&of_abstract, derive::abstract_key(id)), made, done)?,
            self.is_due(job, (&of_overview, derive::overview_key(id)), made, done)?,
        ];
        if due == [false; 2] && is_known {
            return Ok(());
        }
        if let Some(found) = done.from_shared.take() {
            let texts = [&of_abstract, &of_overview].map(|name| Some((name, found.texts.get(name)?)));
            let put = |text: Option<(&String, &String)>| match text {
                Some((name, text)) => self.put(job, (name, text), made, done, new),
                None => Ok(()),
            };
            texts.into_iter().try_for_each(put)?;
            done.from_shared = Some(found);
            return Ok(());
        }
        if done.shard.digests.get(name).is_none_or(|digest| digest.id != id) && !done.changed_meanwhile {
            // the results of the folder were cached without its digests
            let digest = self.digest(job.path, (name, id, is_known), done)?;
            done.changed_meanwhile |= digest.is_none();
            done.shard.digests.extend(digest.map(|digest| (name.to_owned(), digest)));
        }
        let Some(digest) = done.shard.digests.get(name).filter(|digest| digest.id == id) else {
            // files made for the old content stay until the next refresh
            for name in [of_abstract, of_overview] {
                done.shard.made.remove(&name);
                done.shard.made.extend(made.get(&name).map(|key| (name, *key)));
            }
            return Ok(());
        };
        let abstract_ = due[0].then(|| derive::abstract_of(digest));
        let overview = due[1].then(|| derive::overview_of(digest).text);
        if let Some(abstract_) = abstract_ {
            done.abstracts.insert(name.to_owned(), abstract_.tokens);
            self.put(job, (&of_abstract, &abstract_.text), made, done, new)?;
            done.to_share.as_mut().map(|folder| folder.texts.insert(of_abstract, abstract_.text));
        }
        if let Some(text) = overview {
            self.put(job, (&of_overview, &text), made, done, new)?;
            done.to_share.as_mut().map(|folder| folder.texts.insert(of_overview, text));
        }
        Ok(())
    }

    /// The digests of a folder's own files: those of `cached` that are still valid. The brain knows the entries of the ledger.
    pub fn digests(
        &self,
        job: &FolderJob<'_>,
        (mut cached, known_entries): (BTreeMap<String, Digest>, &BTreeMap<&str, LedgerEntry>),
        done: &mut Done,
    ) -> Result<(), Stop> {
        for (name, id) in &job.folder.files {
            let known = cached.remove(*name);
            let fits = known.as_ref().is_some_and(|digest| digest.id == *id) && self.extent != Extent::All;
            let digest = match known {
                Some(digest) if fits => Some(digest),
                known => {
                    let is_told = known_entries.get(name).is_some_and(|known| known.id == *id);
                    let digest = self.digest(job.path, (name, *id, is_told), done)?;
                    done.changed_meanwhile |= digest.is_none();
                    digest.or(known)
                }
            };
            done.shard.digests.extend(digest.map(|digest| ((*name).to_owned(), digest)));
        }
        Ok(())
    }

    /// `None` if the file has changed or is gone: results for the new bytes must not pass as results for the old ones.
    /// `is_told`: whether the brain knows the file.
    fn digest(
        &self,
        folder: &str,
        (name, id, is_told): (&str, ContentId, bool),
        done: &mut Done,
    ) -> Result<Option<Digest>, Stop> {
        let Ok(path) = TreePath::parse(join(folder, name).as_bytes()) else { return Ok(None) };
        let ours = self.conflicts.get(&path);
        let bytes = match ours {
            Some(ours) => Some(ours.to_vec()),
            None => fs::read_if_there(&path.on_disk(self.root))?,
        };
        let length = bytes.as_ref().map(Vec::len);
        let Some(bytes) = bytes.and_then(|bytes| with_id(bytes, id)) else { return Ok(None) };
        let bytes = our_side(bytes);
        let document = Document::parse(&bytes[..]);
        // the brain reads files as they are on disk
        done.has_secret |= done.to_share.is_some() && !done.has_secret && has_secret(&bytes);
        let is_for_brain = !is_told && ours.is_none() && length == Some(bytes.len());
        if let Some(brain) = done.brain.as_mut().filter(|_| is_for_brain) {
            brain.push(BrainDigest::of_document(path.as_str(), id, &document));
        }
        Ok(Some(derive::digest_of_document(&Input { path: &path, id, bytes: &bytes }, &document)))
    }

    fn index(
        &self,
        job: &FolderJob<'_>,
        known: &FolderCache<'_>,
        old: &StoredShard,
        done: &mut Done,
    ) -> Result<(), RefreshStop> {
        let is_whole = job.folder.files.keys().all(|name| done.shard.digests.contains_key(*name));
        if let Some(condensate) = old.condensate().filter(|_| !is_whole) {
            // a file was saved after the survey: the index stays until the next refresh
            (done.shard.condensate, done.shard.index) = (Some(condensate), old.index());
            return Ok(());
        }
        let mut children = Vec::with_capacity(job.folder.folders.len());
        for child in &job.folder.folders {
            let condensate = match known.condensates.get(child) {
                Some(made) => Cow::Borrowed(made),
                None => Cow::Owned(known.kept(child).ok_or(RefreshStop::NotKept)?),
            };
            children.push((name(child), condensate));
        }
        let folders = children.iter().map(|(name, condensate)| (*name, condensate.as_ref())).collect();
        let files = done.shard.digests.iter().map(|(name, digest)| (name.as_str(), digest)).collect();
        let index = derive::index_of(&derive::Folder { path: job.path, files, folders });
        done.shard.condensate = Some(index.condensate);
        done.shard.index = index.file.text;
        Ok(())
    }

    /// Whether a derived file must be written; notes the file.
    fn is_due(
        &self,
        job: &FolderJob<'_>,
        (name, key): (&str, Key),
        made: &BTreeMap<String, Key>,
        done: &mut Done,
    ) -> Result<bool, Stop> {
        done.shard.made.insert(name.to_owned(), key);
        let is_known = made.get(name) == Some(&key);
        Ok(match self.extent {
            Extent::Changed => !is_known,
            Extent::Missing => {
                let path = TreePath::parse(join(job.path, name).as_bytes()).ok().filter(|_| is_known);
                let is_there =
                    |path: &TreePath| Ok::<_, Stop>(self.on_disk.contains(path) && self.is_ours(path)?);
                !path.as_ref().map(is_there).transpose()?.unwrap_or_default()
            }
            Extent::All => true,
        })
    }

    /// Write one derived file.
    fn put(
        &self,
        job: &FolderJob<'_>,
        (name, text): (&str, &str),
        made: &BTreeMap<String, Key>,
        done: &mut Done,
        new: &mut NewFiles,
    ) -> Result<(), Stop> {
        let Ok(path) = TreePath::parse(join(job.path, name).as_bytes()) else { return Ok(()) };
        let seen = if made.contains_key(name) { EarlierWrite::Before } else { EarlierWrite::Never };
        self.write(&path, (text, seen), new, &mut done.outcome)
    }

    fn is_ours(&self, path: &TreePath) -> Result<bool, Stop> {
        let bytes = fs::read_if_there(&path.on_disk(self.root))?;
        Ok(bytes.is_some_and(|bytes| matches!(derive::stamp::read(&bytes), Stamp::Ours { .. })))
    }

    /// Write a new file that no reader expects, in place. `false` if something is at its path, or if a killed program
    /// could leave a part of it: that would not be known as ours.
    fn create(&self, path: &TreePath, text: &str, new: &mut NewFiles) -> Result<bool, Stop> {
        if text.len() > WRITTEN_AT_ONCE {
            return Ok(false);
        }
        Ok(new.create(path.as_str().into(), text.as_bytes())?.is_some())
    }

    pub(super) fn write(
        &self,
        path: &TreePath,
        (text, seen): (&str, EarlierWrite),
        new: &mut NewFiles,
        outcome: &mut Outcome,
    ) -> Result<(), Stop> {
        let file = path.on_disk(self.root);
        if seen == EarlierWrite::Before || !self.create(path, text, new)? {
            if let Some(bytes) = fs::read_if_there(&file)? {
                if let Some(why) = not_ours(&bytes) {
                    outcome.kept.push(ForeignFile { path: path.clone(), why });
                    return Ok(());
                }
                if bytes == text.as_bytes() {
                    return Ok(());
                }
            }
            fs::replace(&file, text.as_bytes(), Durability::Later)?;
        }
        outcome.written.push(path.clone());
        Ok(())
    }

    pub(super) fn remove(&self, path: &str, outcome: &mut Outcome) -> Result<(), Stop> {
        let Ok(path) = TreePath::parse(path.as_bytes()) else { return Ok(()) };
        let file = path.on_disk(self.root);
        let Some(bytes) = fs::read_below(self.root, &file)? else { return Ok(()) };
        if let Some(why) = not_ours(&bytes) {
            outcome.kept.push(ForeignFile { path, why });
            return Ok(());
        }
        fs::remove_file(&file)?;
        fs::prune_empty_folders(file.parent().unwrap_or(self.root), self.root);
        outcome.removed.push(path);
        Ok(())
    }

    /// Remove the derived files of deleted folders, and those without a source.
    fn remove_gone(
        &self,
        ledger: &mut Ledger,
        shards: &Shards,
        outcome: &mut Outcome,
    ) -> Result<(), RefreshStop> {
        let gone: Vec<_> = ledger.folders.extract_if(.., |path, _| self.outline.is_gone(path)).collect();
        for (folder, known) in gone {
            if fs::IGNORES_CASE && self.outline.has_respelled(&folder) {
                // its files are the new folder's
                continue;
            }
            for name in shards.load(&known).ok_or(RefreshStop::NotKept)?.made().keys() {
                self.remove(&join(&folder, name), outcome)?;
            }
            ledger.remember(&folder, Some(known));
        }
        if self.extent == Extent::Changed && ledger.fingerprint.is_some() {
            return Ok(());
        }
        for path in self.on_disk.iter().filter(|path| is_replaceable(path) && !self.is_wanted(path)) {
            self.remove(path.as_str(), outcome)?;
        }
        Ok(())
    }

    /// Remember files that were left alone, so that the next survey lists them without reading every derived file.
    fn remember_kept(&self, ledger: &mut Ledger, outcome: &Outcome) -> Result<(), Stop> {
        ledger.kept.extend(outcome.kept.iter().map(|kept| kept.path.as_str().to_owned()));
        let mut still = BTreeSet::new();
        for path in &ledger.kept {
            let Ok(path) = TreePath::parse(path.as_bytes()) else { continue };
            let bytes = fs::read_below(self.root, &path.on_disk(self.root))?;
            let is_left = match bytes {
                None => false,
                Some(bytes) if archive::is_below(&path) => {
                    archive::is_altered(self.root, &ledger.archive, &path, &bytes)?
                }
                Some(bytes) => not_ours(&bytes).is_some(),
            };
            if is_left {
                still.insert(path.as_str().to_owned());
            }
        }
        ledger.kept = still;
        Ok(())
    }

    /// Whether a derived file has a source.
    fn is_wanted(&self, path: &TreePath) -> bool {
        is_wanted(self.outline, path)
    }
}

/// Whether BRV006 finds a secret.
fn has_secret(bytes: &[u8]) -> bool {
    !secrets::faults(bytes).is_empty()
}

/// The bytes with this id: as given, or with LF line ends if git wrote CRLF to the disk.
pub(super) fn with_id(bytes: Vec<u8>, id: ContentId) -> Option<Vec<u8>> {
    if ContentId::of(&bytes) == id {
        return Some(bytes);
    }
    let bytes = bytes.replace("\r\n", "\n");
    (ContentId::of(&bytes) == id).then_some(bytes)
}

/// The derived files that are known by their stamp alone; full copies are not.
pub fn is_replaceable(path: &TreePath) -> bool {
    matches!(path.kind(), PathKind::Derived(_)) && !is_archive_file(path)
}

/// The name of a companion's entry, without its extension.
fn stem(name: &str) -> Option<&str> {
    name.strip_suffix(".abstract.md").or_else(|| name.strip_suffix(".overview.md"))
}

/// Whether a companion's entry is gone, and another one has its name in other case.
fn is_respelled(folder: &Folder<'_>, name: &str) -> bool {
    let Some(stem) = stem(name) else { return false };
    let entry = format!("{stem}.md");
    !folder.files.contains_key(entry.as_str())
        && entries(folder).any(|(other, _)| other.to_lowercase() == entry.to_lowercase())
}

fn is_wanted(outline: &Outline<'_>, path: &TreePath) -> bool {
    let folder = outline.folders.get(path.folder());
    let name = path.file_name();
    if name == "_index.md" || path.as_str() == "_manifest.json" {
        return folder.is_some();
    }
    folder
        .zip(stem(name))
        .is_some_and(|(folder, stem)| entries(folder).any(|(name, _)| name == format!("{stem}.md")))
}

#[cfg(test)]
mod tests {
    use super::super::Curated;
    use super::*;
    use brv_base::environment::Environment;
    use brv_base::progress::Silent;
    use brv_git as git;

    fn curated(path: &str, text: &str) -> Curated {
        let path = TreePath::parse(path.as_bytes()).unwrap();
        Curated { path, id: ContentId::of(text.as_bytes()), ours: None }
    }

    /// A tree whose disk holds `on_disk` while a refresh assumes `seen`.
    fn refresh(root: &Path, seen: &str, on_disk: &str) -> Outcome {
        fs::replace(&root.join("tree/d/a.md"), on_disk.as_bytes(), Durability::Later).unwrap();
        let curated = [curated("d/a.md", seen)];
        let (on_disk, cache) = (BTreeSet::new(), root.join("cache"));
        let order = Order {
            root: &root.join("tree"),
            cache: &cache,
            outline: &Outline::of(&curated),
            conflicts: BTreeMap::new(),
            on_disk: &on_disk,
            extent: Extent::Changed,
            tree: Some(TreeId::empty()),
            disk: Disk::Same,
            shared: None,
        };
        let scope = git::init(&root.join("repository"), "main", &Environment::default()).unwrap();
        run((&order, &scope), ledger::load(&cache), &Importance::default, &Silent).unwrap().unwrap()
    }

    fn text(root: &Path, path: &str) -> String {
        std::fs::read_to_string(root.join("tree").join(path)).unwrap_or_default()
    }

    #[test]
    fn a_file_saved_since_it_was_looked_at_is_not_derived_under_its_old_id() {
        let folder = tempfile::tempdir().unwrap();
        let text_about =
            |what: &str| format!("# {what}\n\nThis is about {what}, and about nothing else at all.\n");
        let (one, two, three) = (&*text_about("Alpha"), &*text_about("Beta"), &*text_about("Gamma"));
        // first a new, then a known file: the next refresh reads it again
        for before in [None, Some(one)] {
            let root = &folder.path().join(before.map_or("new", |_| "known"));
            if let Some(before) = before {
                refresh(root, before, before);
            }
            let kept = text(root, "d/a.abstract.md");
            refresh(root, three, two);
            assert_eq!(
                ledger::load(&root.join("cache")).tree,
                None,
                "the disk did not match the tree that was assumed"
            );
            assert_eq!(text(root, "d/a.abstract.md"), kept);
            assert!(!text(root, "d/_index.md").contains("Beta"));
            let again = refresh(root, three, three).written;
            assert!(again.iter().any(|path| path.as_str() == "d/a.abstract.md"), "{again:?}");
            for path in ["d/a.abstract.md", "d/_index.md", "_index.md"] {
                assert!(text(root, path).contains("Gamma"), "{path}: {}", text(root, path));
            }
            assert_eq!(refresh(root, three, three), Outcome::default());
            assert_eq!(ledger::load(&root.join("cache")).tree, Some(TreeId::empty()));
        }
    }

    #[test]
    fn what_a_folder_had_before_is_not_made_twice() {
        let folder = tempfile::tempdir().unwrap();
        let texts = ["# Alpha\n\nAlways say alpha.\n", "# Beta\n\nNever say beta at all.\n"];
        let kept = || shard::file(&folder.path().join("cache"), 0).metadata().unwrap().len();
        let derived = || {
            ["_index.md", "_manifest.json", "d/_index.md", "d/a.abstract.md", "d/a.overview.md"]
                .map(|path| text(folder.path(), path))
        };
        let first = texts.map(|text| {
            refresh(folder.path(), text, text);
            derived()
        });
        let length = kept();
        for round in 0..4 {
            let text = texts[round % 2];
            assert!(!refresh(folder.path(), text, text).written.is_empty());
            assert_eq!(derived(), first[round % 2], "{round}");
        }
        assert_eq!(kept(), length, "nothing is kept twice");
        let ledger = ledger::load(&folder.path().join("cache"));
        assert_eq!(ledger.past.values().map(BTreeMap::len).sum::<usize>(), 2, "of two folders one each");
    }

    #[test]
    fn line_ends_that_git_wrote_for_this_machine_are_the_same_content() {
        let folder = tempfile::tempdir().unwrap();
        let written = refresh(folder.path(), "# Alpha\n\nText.\n", "# Alpha\r\n\r\nText.\r\n").written;
        assert!(written.iter().any(|path| path.as_str() == "d/a.abstract.md"), "{written:?}");
        assert_eq!(refresh(folder.path(), "# Alpha\n\nText.\n", "#"), Outcome::default());
    }
}
