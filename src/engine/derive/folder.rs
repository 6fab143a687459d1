//! A folder that is brought up to date: the job, what is known of it before, and the results.

use super::Outcome;
use super::cache::shard::{Shard, ShardAppender, Shards};
use super::cache::shared::{SharedFolder, SharedFolders};
use super::ledger::{self, Entries, Ledger, Measures, ShardPlace};
use super::outline::{Folder, entries};
use crate::Stop;
use brv_base::content::ContentId;
use brv_text::brain::Digest as BrainDigest;
use brv_text::derive::{self, Condensate};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Mutex;

/// Why a refresh stopped early.
pub(super) enum RefreshStop {
    /// The cached results of an unchanged folder cannot be read: everything must be regenerated.
    NotKept,
    Failed(Stop),
}

impl<E: Into<Stop>> From<E> for RefreshStop {
    fn from(error: E) -> Self {
        Self::Failed(error.into())
    }
}

pub(super) struct FolderJob<'a> {
    pub path: &'a str,
    pub folder: &'a Folder<'a>,
}

#[derive(Default)]
pub(super) struct Done {
    pub outcome: Outcome,
    pub shard: Shard,
    /// The tokens of the abstracts that were made, by the name of the entry.
    pub abstracts: BTreeMap<String, u64>,
    /// What the brain keeps of the files that were read, if it is wanted.
    pub brain: Option<Vec<BrainDigest>>,
    /// The place of these results in the cache, if the folder was in this state before.
    pub place: Option<ShardPlace>,
    /// Whether a file was saved after the survey: then the folder is still stale.
    pub changed_meanwhile: bool,
    /// What is to be kept of the folder in the user's cache; `None`: nothing, or it is there.
    pub to_share: Option<SharedFolder>,
    /// Whether a file has a secret.
    pub has_secret: bool,
    /// What the user's cache has of the folder.
    pub from_shared: Option<SharedFolder>,
}

/// The results for the ledger and the parent folder; those to cache are on the disk.
pub(super) struct FolderResult {
    pub outcome: Outcome,
    pub entry: ledger::Folder,
    pub condensate: Option<Condensate>,
    pub changed_meanwhile: bool,
    /// Whether the user's cache has a record of it now.
    pub has_record: bool,
    /// The items of `archived` in its `context.md`.
    pub archived: Vec<String>,
    pub brain: Vec<BrainDigest>,
}

/// Known results of subfolders, and of the folder itself from the last refresh.
pub(super) struct FolderCache<'a> {
    pub ledger: &'a Ledger,
    pub shards: &'a Shards,
    /// The condensates of the updated folders one level deeper.
    pub condensates: &'a HashMap<&'a str, Condensate>,
    /// Where the results are cached.
    pub added: &'a Mutex<ShardAppender>,
    /// The user's cache, if it is asked.
    pub shared: Option<&'a SharedFolders>,
    /// The folders one level deeper of which it has a record.
    pub have_records: &'a BTreeSet<&'a str>,
}

impl FolderCache<'_> {
    /// The cached results from when the folder was last in this state, and their place.
    pub fn past(&self, job: &FolderJob<'_>) -> Option<(ShardPlace, Shard)> {
        let present = self.ledger.folders.get(job.path).filter(|known| Some(known.hash) == job.folder.hash);
        let place = self.ledger.past(job.path, job.folder.hash).or_else(|| present?.place)?;
        // which of its derived files are there is asked of the last refresh
        let shard = Shard { made: BTreeMap::new(), ..self.shards.at(place)?.into_shard() };
        let hash = shard.condensate.as_ref().map(|condensate| condensate.children_hash);
        (hash == job.folder.hash).then_some((place, shard))
    }

    /// The cached condensate of an unchanged folder.
    pub fn kept(&self, folder: &str) -> Option<Condensate> {
        let known = self.ledger.folders.get(folder)?;
        self.shards.load(known)?.condensate().filter(|condensate| condensate.children_hash == known.hash)
    }
}

fn ledger_entry(job: &FolderJob<'_>, done: &Done, before: Option<&ledger::Folder>) -> ledger::Folder {
    let before = before.map(|before| before.entries.by_name()).unwrap_or_default();
    let entries = entries(job.folder).filter_map(|(name, id)| {
        if let Some(known) = before.get(name).filter(|known| known.id == id) {
            return Some((name, *known));
        }
        if let Some(measures) = done.from_shared.as_ref().and_then(|shared| shared.measures(name)) {
            return Some((name, ledger::LedgerEntry { id, measures }));
        }
        let digest = done.shard.digests.get(name)?;
        let made = done.abstracts.get(name).copied();
        let abstract_tokens = made.unwrap_or_else(|| derive::abstract_of(digest).tokens);
        Some((name, ledger::LedgerEntry { id, measures: Measures::of(digest, abstract_tokens) }))
    });
    let entries = Entries::of(entries);
    let index_tokens = done.shard.condensate.as_ref().map_or(0, |condensate| condensate.index_tokens);
    let hash = job.folder.hash.unwrap_or_else(|| ContentId::of(b""));
    ledger::Folder { hash, index_tokens, entries, place: done.place }
}

impl Done {
    /// Cache the results if they are not cached yet.
    pub fn brought(
        mut self,
        job: &FolderJob<'_>,
        known: &FolderCache<'_>,
    ) -> Result<FolderResult, RefreshStop> {
        if self.place.is_none() {
            let bytes = self.shard.to_bytes();
            self.place = known.added.lock().expect("no worker panics while it holds the lock").add(&bytes)?;
        }
        let entry = ledger_entry(job, &self, known.ledger.folders.get(job.path));
        let has_record = self.share(job, known, &entry);
        let Self { outcome, shard, brain, changed_meanwhile, .. } = self;
        let Shard { condensate, archived, .. } = shard;
        let brain = brain.unwrap_or_default();
        Ok(FolderResult { outcome, entry, condensate, changed_meanwhile, has_record, archived, brain })
    }
}

impl Done {
    /// Keep the results in the user's cache, if nothing in them is of a file with a secret; whether it has them now.
    fn share(&mut self, job: &FolderJob<'_>, known: &FolderCache<'_>, entry: &ledger::Folder) -> bool {
        let Some((shared, hash)) = known.shared.zip(job.folder.hash) else { return false };
        if self.from_shared.is_some() {
            return true;
        }
        let is_clean = !self.has_secret && !self.changed_meanwhile;
        let is_whole = job.folder.folders.iter().all(|child| known.have_records.contains(child));
        let Some(SharedFolder { texts, .. }) = self.to_share.take().filter(|_| is_clean && is_whole) else {
            return false;
        };
        let mut folder = SharedFolder::of(&self.shard, self.brain.as_deref().unwrap_or_default());
        folder.texts = texts;
        entry.entries.measures().for_each(|(name, measures)| folder.measure(name, measures));
        shared.add(job.path, hash, &folder);
        true
    }
}
