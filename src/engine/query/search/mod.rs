//! Search the tree as it is now: the index on disk, what changed since it was made, and what is known of entries beside
//! their text.
//!
//! # What is seen
//!
//! A search finds out by a walk what changed since the index was made, and meanwhile works with what the last walk found
//! ([`answered`]). What a walk found holds for `search.freshness` seconds, as long as git's index, `HEAD`, the derived
//! files and the search index are as they were. brv's own writes tell what they changed. Both are the work of
//! `change_cache`, so that the search after a write needs no walk. A hit whose file is not as it was indexed is never
//! shown: the file is taken as changed, and the search is repeated.
//!
//! Changes are scored from memory; once there are many, [`SearchSession::settle`] puts them into the index, after the answer.

mod answers;
mod asking;
mod background_scan;
pub(crate) mod change_cache;
pub mod encoder;
mod making;
mod origins;
mod recent;
mod related;
mod reply;
mod scope;
mod shown;
mod standings;
mod texts;
mod walk;

pub use answers::{Cached, SearchAnswerCache};
pub use asking::{Asked, HITS, ask};
pub use background_scan::answered;
pub use change_cache::{ScanFreshness, fingerprint, marks, milliseconds};
pub use origins::{grouped, last_changes, last_changes_on_disk, origin_of_fact};
pub use recent::Recent;
pub use related::{Related, related};
pub use reply::{OriginNaming, ReplyRequest, reply};
pub use scope::{Scoped, checked, scoped};
pub use shown::{HitDisplay, ResultKind as HitKind, excerpt, item_of, passage_text, shown};
pub use texts::{EntryTextExtent, belonging, near, nearest, text_of};

use crate::open::context::Opened;
use crate::{FailureKind, Stop};
use background_scan::BackgroundScan;
use brv_base::content::ContentId;
use brv_base::fs;
use brv_base::path::TreePath;
use brv_base::progress::Progress;
use brv_search::{Changes, Damaged, Each, Hit, Index, Pending, SearchQuery, SearchResults, Snapshot};
use brv_text::doc;
use change_cache::{CachedScan, Moment, State};
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// From this many changes on, they are put into the index.
const MANY: usize = 200;

/// How often a search is repeated because files changed while it ran.
const ATTEMPTS: usize = 4;

#[derive(Debug, Clone, Copy)]
pub struct Wanted<'a> {
    pub text: &'a str,
    /// The largest number of hits.
    pub limit: usize,
    /// Only what is in this folder or below it.
    pub scope: Option<&'a str>,
    /// Whether folders are found by their names, too.
    pub folders: bool,
    /// What is one hit.
    pub each: Each,
    /// The time by which importance and recency are judged.
    pub now: i64,
}

/// The tree, ready to be searched.
pub struct SearchSession<'a> {
    opened: &'a Opened,
    progress: &'a dyn Progress,
    index: Arc<Index>,
    seen: CachedScan,
    /// The look at all files that goes on.
    look: Option<BackgroundScan>,
    snapshot: OnceCell<Snapshot>,
    /// Why the index is not kept on disk.
    unkept: Option<String>,
}

/// The hits, with the bytes of their files as they were searched.
pub struct Hits {
    pub found: SearchResults,
    pub bytes: BTreeMap<TreePath, Vec<u8>>,
    /// The hits in conflict.
    in_conflict: BTreeSet<TreePath>,
    /// How many other files link to each hit.
    pub backlinks: BTreeMap<TreePath, usize>,
    /// How many files and folders can be found.
    pub entries: usize,
    /// How many of them, from the first, an encoder ordered: their order says more than their relevance.
    pub by_meaning: usize,
}

impl Hits {
    /// The bytes of a hit; none of a folder.
    pub fn bytes_of(&self, hit: &Hit) -> &[u8] {
        self.bytes.get(&hit.path).map_or(&[], Vec::as_slice)
    }

    /// Whether a hit is in conflict; only our side is then searched and shown.
    pub fn is_in_conflict(&self, path: &str) -> bool {
        self.in_conflict.iter().any(|one| one.as_str() == path)
    }
}

impl<'a> SearchSession<'a> {
    /// Open the index, or make it, and find out what changed since.
    pub fn open(
        opened: &'a Opened,
        freshness: ScanFreshness,
        progress: &'a dyn Progress,
    ) -> Result<Self, Stop> {
        let mut sought = Self::guessed(opened, freshness, progress)?;
        sought.confirm()?;
        Ok(sought)
    }

    /// Open the index, or make it. If a look at all files is due, it begins, and until [`SearchSession::confirm`] the tree
    /// is taken to be as it was last seen.
    fn guessed(
        opened: &'a Opened,
        freshness: ScanFreshness,
        progress: &'a dyn Progress,
    ) -> Result<Self, Stop> {
        if let Some(sought) = Self::on_disk(opened, freshness, progress) {
            return Ok(sought);
        }
        let unkept = match making::make(opened, progress) {
            Ok(()) => match Self::on_disk(opened, ScanFreshness::Look, progress) {
                Some(sought) => return Ok(sought),
                None => "it was removed as soon as it was made".to_owned(),
            },
            Err(stop) => stop.message,
        };
        let index = Arc::new(Index::default());
        let seen = CachedScan::unsaved(walk::changes(opened, &index, Moment::now(opened))?);
        Ok(Self {
            opened,
            progress,
            index,
            seen,
            look: None,
            snapshot: OnceCell::new(),
            unkept: Some(unkept),
        })
    }

    fn on_disk(opened: &'a Opened, freshness: ScanFreshness, progress: &'a dyn Progress) -> Option<Self> {
        // before the index is opened: if it is replaced meanwhile, the next search finds that out
        let moment = Moment::now(opened);
        let index = Arc::new(Index::open(&folder(opened))?);
        let (seen, look) = match change_cache::load(opened, freshness, &moment) {
            Some(seen) => (seen, None),
            None => {
                (change_cache::guess(opened, &moment), Some(BackgroundScan::begin(opened, &index, moment)))
            }
        };
        Some(Self { opened, progress, index, seen, look, snapshot: OnceCell::new(), unkept: None })
    }

    /// End the look at all files, if one goes on: whether the tree is as it was taken to be. From now on it is taken to be
    /// as the look found it.
    fn confirm(&mut self) -> Result<bool, Stop> {
        let Some(look) = self.look.take() else { return Ok(true) };
        let walked = look.end()?;
        let is_as_guessed = walked.changes == self.seen.changes;
        self.seen = change_cache::save(self.opened, walked);
        if !is_as_guessed {
            self.snapshot.take();
        }
        Ok(is_as_guessed)
    }

    /// Search as if these files were not there.
    pub fn leave_out<'p>(&mut self, paths: impl Iterator<Item = &'p TreePath>) {
        self.seen.changes.extend(paths.map(|path| (path.to_string(), State::Gone)));
        self.snapshot.take();
    }

    /// The index with what changed since.
    fn snapshot(&self) -> &Snapshot {
        let pending = || Pending::of(&changes(self.opened, &self.seen));
        self.snapshot.get_or_init(|| self.index.snapshot(&pending()))
    }

    /// What tells whether the tree has changed by content.
    pub fn fingerprint(&self) -> String {
        self.seen.fingerprint()
    }

    /// Why the index is not kept on disk, if it is not.
    pub fn unkept(&self) -> Option<String> {
        self.unkept.clone()
    }

    /// When the index was made, in seconds since 1970; `None` if it is not kept on disk.
    pub fn updated(&self) -> Option<i64> {
        let file = brv_search::generation(&folder(self.opened));
        fs::stat(&file).ok().flatten().filter(|_| self.unkept.is_none()).map(|stat| stat.modified.0)
    }

    /// The folder that this name means, in any case of its letters; without an exact name only if `is_certain` that it is
    /// meant as one.
    pub fn folder_named(&self, name: &str, is_certain: bool) -> Option<String> {
        let is_there = || self.opened.scope.root().join(name).is_dir();
        let may_be_meant = is_certain || TreePath::parse(name.as_bytes()).is_ok() && is_there();
        if !may_be_meant {
            return None;
        }
        let lower = name.to_lowercase();
        let folders = self.folders();
        let same = folders.iter().find(|folder| *folder == name);
        same.or_else(|| folders.iter().find(|folder| folder.to_lowercase() == lower)).cloned()
    }

    /// Whether a file has this title. Damage of the index reads as no.
    pub fn has_title(&self, title: &str) -> bool {
        self.snapshot().has_title(title).unwrap_or(false)
    }

    pub fn folders(&self) -> Vec<String> {
        self.snapshot().folders().map(str::to_owned).collect()
    }

    /// The files that link to an entry or folder, in order. Damage of the index reads as none.
    pub fn linking(&self, path: &str) -> Vec<TreePath> {
        self.snapshot().linking(doc::link_key(path)).unwrap_or_default()
    }

    /// The paths of all files that are searched, sorted.
    pub fn paths(&self) -> Vec<TreePath> {
        let changed = |path: &str| self.seen.changes.contains_key(path);
        let kept = self.index.files().map(|(path, _)| path).filter(|path| !changed(path));
        let now = self.seen.changes.iter().filter(|(_, state)| **state != State::Gone);
        let mut paths: Vec<TreePath> = kept
            .chain(now.map(|(path, _)| path.as_str()))
            .filter_map(|path| TreePath::parse(path.as_bytes()).ok())
            .collect();
        paths.sort_unstable();
        paths
    }

    pub fn find(&mut self, wanted: &Wanted<'_>) -> Result<Hits, Stop> {
        for attempt in 0.. {
            let (found, linked, entries) = match self.once(wanted) {
                Ok(found) => found,
                Err(damaged) if attempt > 0 => return Err(Stop::because(FailureKind::Failed, &damaged)),
                Err(_) => {
                    self.build_anew()?;
                    continue;
                }
            };
            let (shown, stale) = self.check(&found);
            if stale.is_empty() || attempt + 1 == ATTEMPTS {
                let backlinks = found.hits.iter().map(|hit| hit.path.clone()).zip(linked).collect();
                let mut found = found;
                found.hits.retain(|hit| !stale.contains_key(hit.path.as_str()));
                let in_conflict = shown.iter().filter(|(_, (_, is_in_conflict))| *is_in_conflict);
                let in_conflict = in_conflict.map(|(path, _)| path.clone()).collect();
                let bytes = shown.into_iter().map(|(path, (bytes, _))| (path, bytes)).collect();
                return Ok(Hits { found, bytes, in_conflict, backlinks, entries, by_meaning: 0 });
            }
            self.seen.changes.extend(stale);
            self.snapshot.take();
        }
        unreachable!("the loop ends by itself")
    }

    /// What is found, how many other files link to each hit, and the number of items.
    fn once(&self, wanted: &Wanted<'_>) -> Result<(SearchResults, Vec<usize>, usize), Damaged> {
        let read = |path: &TreePath| Some(self.shown(path)?.0);
        let snapshot = self.snapshot();
        let found = standings::with(self.opened, wanted.now, |standing| {
            let Wanted { text, limit, scope, folders, each, .. } = *wanted;
            snapshot.search(&SearchQuery {
                text,
                limit,
                scope,
                only: None,
                folders,
                each,
                standing,
                read: &read,
            })
        })?;
        let linked = |path: &TreePath| {
            let linking = snapshot.linking(doc::link_key(path.as_str()))?;
            Ok(linking.iter().filter(|from| *from != path).count())
        };
        let linked = found.hits.iter().map(|hit| linked(&hit.path)).collect::<Result<_, Damaged>>()?;
        Ok((found, linked, snapshot.len()))
    }

    /// A file as it is searched and shown, and whether it is in conflict: then this is our side.
    pub fn shown(&self, path: &TreePath) -> Option<ShownBytes> {
        let known = self.seen.changes.get(path.as_str());
        Some(shown_bytes(walk::bytes(self.opened, path, known)?, known))
    }

    /// The hits as they are shown, and those whose files are not as they were indexed.
    fn check(&self, found: &SearchResults) -> (BTreeMap<TreePath, ShownBytes>, BTreeMap<String, State>) {
        let (mut all, mut stale) = (BTreeMap::new(), BTreeMap::new());
        for path in found.hits.iter().filter(|hit| hit.passage.is_some()).map(|hit| &hit.path) {
            let known = self.seen.changes.get(path.as_str());
            let bytes = walk::bytes(self.opened, path, known);
            let expected = match known {
                Some(State::Here(id) | State::Ours(id)) => Some(*id),
                Some(State::Gone) => None,
                None => self.index.id_of(path),
            };
            let id = bytes.as_deref().map(ContentId::of);
            if id.is_some() && id == expected {
                all.extend(bytes.map(|bytes| (path.clone(), shown_bytes(bytes, known))));
            } else {
                stale.insert(path.to_string(), id.map_or(State::Gone, State::Here));
            }
        }
        (all, stale)
    }

    /// The index on disk is damaged.
    fn build_anew(&mut self) -> Result<(), Stop> {
        // nothing reads the old index any more
        let _ = self.look.take().map(BackgroundScan::end);
        brv_search::discard(&folder(self.opened));
        *self = Self::open(self.opened, ScanFreshness::Look, self.progress)?;
        Ok(())
    }

    /// Put the changes into the index if there are many: for the end of a command, after its answer was given. Another
    /// process that does so already, or a full disk, is not an error: the changes stay what they are. Returns the
    /// fingerprint of what was searched; `None` if the tree is not so any more.
    pub fn settle(self) -> Option<String> {
        let was = Some(self.fingerprint());
        if self.seen.changes.len() <= MANY || self.unkept.is_some() {
            return was;
        }
        let folder = folder(self.opened);
        let Ok(guard) = brv_search::lock(&folder, std::time::Duration::ZERO) else { return was };
        let Some(index) = Index::open(&folder) else { return was };
        let Ok(found) = walk::changes(self.opened, &index, Moment::now(self.opened)) else { return was };
        let is_same = found.changes == self.seen.changes;
        let seen = CachedScan::unsaved(found);
        let root = self.opened.scope.root();
        let read = |path: &TreePath| walk::on_disk(&root, path);
        let changes = changes(self.opened, &seen);
        let Ok(index) = index.fold(&folder, &changes, &read, self.progress, &guard) else { return was };
        let found = walk::changes(self.opened, &index, Moment::now(self.opened)).ok()?;
        let seen = change_cache::save(self.opened, found);
        (is_same && seen.changes.is_empty()).then(|| seen.fingerprint())
    }
}

/// The bytes of a file as they are shown, and whether it is in conflict.
pub type ShownBytes = (Vec<u8>, bool);

fn shown_bytes(bytes: Vec<u8>, known: Option<&State>) -> ShownBytes {
    let (bytes, had_markers) = walk::without_markers(bytes);
    (bytes, had_markers || matches!(known, Some(State::Ours(_))))
}

/// The stem under which a word is compared with others.
pub fn stem(word: &str) -> String {
    brv_text::words::stems::stem(word)
}

fn folder(opened: &Opened) -> std::path::PathBuf {
    brv_search::folder(&opened.places.cache())
}

/// The changes with their bytes; what cannot be read is not there.
fn changes(opened: &Opened, seen: &CachedScan) -> Changes {
    let mut changes = Changes::default();
    for (path, state) in &seen.changes {
        let Ok(path) = TreePath::parse(path.as_bytes()) else { continue };
        let bytes = match state {
            State::Gone => None,
            state => walk::bytes(opened, &path, Some(state)),
        };
        match bytes {
            Some(bytes) => changes.now.push((path, bytes)),
            None => changes.gone.push(path),
        }
    }
    changes
}
