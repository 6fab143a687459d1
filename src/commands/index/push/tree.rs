//! Push one tree: fetch, take a number, send what differs, set the mark.

use super::offers::OfferedTree;
use super::{KeptBackEntry, PushState, PushedTree};
use brv_base::parallel;
use brv_base::path::TreePath;
use brv_engine::query::index::bulk::{BulkCount, BulkSender};
use brv_engine::query::index::document::{self, MadeDocument, PushStamp};
use brv_engine::query::index::engine::{EngineBody, SearchEngine};
use brv_engine::query::index::mark::{self, ReadMark, TreeCommit, TreeMark};
use brv_engine::query::index::mirror::Mirror;
use brv_engine::query::index::remote_list::RemoteLine;
use brv_engine::query::index::{listing, schema};
use brv_engine::{Context, FailureKind, Stop};
use brv_git::{BlobId, CommitId};
use brv_search::TOKENS_VERSION;
use brv_text::lint::secrets;
use brv_text::words::stems::Stems;
use bstr::BString;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

/// How long a document stays that is gone, in seconds: longer than any push takes.
const KEPT_GONE: i64 = 24 * 3600;

/// How many files are read and analysed at once.
const BATCH: usize = 128;

/// Why a tree was not pushed.
pub(super) enum PushFault {
    /// The command as a whole stops.
    Stop(Stop),
    /// This tree alone cannot be pushed.
    Tree(String),
    /// What the cache has of the remote cannot be read.
    Mirror(String),
    /// The engine failed.
    Engine(String),
}

/// The push of one tree.
pub(super) struct PushJob<'a> {
    pub cx: &'a Context<'a>,
    pub engine: &'a SearchEngine,
    pub remote: &'a RemoteLine,
    pub found: &'a OfferedTree,
    pub full: bool,
    pub dry_run: bool,
}

/// The files of a commit that may have documents, and their blobs.
type SearchedFiles = BTreeMap<TreePath, BlobId>;

/// What a push sends.
#[derive(Default)]
struct PathsToSend {
    /// Files that are there, with what the index may have of them.
    now: Vec<(TreePath, BlobId)>,
    /// Paths that are not there any more.
    gone: Vec<String>,
    /// Paths that the index may have.
    before: BTreeSet<String>,
}

impl PushJob<'_> {
    /// Push, given the mark as it was read; beside the outcome how many bytes were sent.
    pub fn run(&self, known: Option<ReadMark>) -> Result<(PushedTree, u64), PushFault> {
        let before = known.as_ref().map(|read| read.mark.clone());
        let tip = self.found.tip.to_string();
        if let Some(known) = known.as_ref().filter(|known| !self.full && self.has(&known.mark, &tip)) {
            self.keep(known).map_err(of_engine)?;
            let same = self.outcome(before.as_ref(), &tip, BulkCount::default(), Vec::new(), PushState::Done);
            return Ok((same, 0));
        }
        let mirror = Mirror::open(&self.remote.mirror_name(), &self.remote.url, &self.cx.environment)
            .map_err(of_remote)?;
        // the remote did answer before: what is in the mirror may be what it stumbles over
        let of_fetch = |stop: Stop| match stop.kind {
            FailureKind::Remote if mirror.is_used => of_mirror(stop),
            _ => of_remote(stop),
        };
        let tip = mirror.fetch(&self.found.tree.branch, &self.cx.network()).map_err(of_fetch)?;
        let files = self.files(&mirror, tip)?;
        let author = document::author_name(&mirror.author(tip).map_err(of_mirror)?);
        let (taken, last) = match self.dry_run {
            true => (None, before.clone()),
            false => {
                let (taken, last) = self.take_number(known, &tip.to_string()).map_err(of_engine)?;
                (Some(taken), Some(last))
            }
        };
        let changed = self.changed(&mirror, last.as_ref(), tip, &files)?;
        let commit = tip.to_string();
        let sending = PushStamp {
            tree: &self.found.tree,
            commit: &commit,
            actor: &author,
            number: taken.as_ref().map_or(0, |taken| taken.mark.number),
            now: self.cx.clock.seconds(),
        };
        let (count, withheld) = self.send(&mirror, &sending, &changed)?;
        let state = match taken {
            None => PushState::Done,
            Some(taken) => self.settle(&sending, taken, &count).map_err(of_engine)?,
        };
        if state == PushState::Behind {
            self.take_back(&mirror, &sending, &changed)?;
        }
        Ok((self.outcome(before.as_ref(), &commit, count, withheld, state), count.bytes))
    }

    /// What is said of the tree, given the mark before it.
    fn outcome(
        &self,
        before: Option<&TreeMark>,
        to: &str,
        count: BulkCount,
        withheld: Vec<KeptBackEntry>,
        state: PushState,
    ) -> PushedTree {
        let tree = &self.found.tree;
        let moved = before.map(|mark| &mark.remote).filter(|remote| **remote != tree.remote);
        PushedTree {
            tree: tree.name.clone(),
            remote: tree.remote.clone(),
            branch: Some(tree.branch.clone()),
            from: before.and_then(|mark| mark.commit.clone()),
            to: Some(to.to_owned()),
            sent: count.sent,
            newer: count.newer,
            gone: count.gone,
            withheld,
            state,
            message: match state {
                PushState::Behind => Some("a later push of this tree is under way, or has ended".to_owned()),
                // one name for two remotes is seen so
                _ => moved.map(|remote| format!("until now the tree of `{remote}`")),
            },
        }
    }

    /// The files of a commit that may have documents.
    fn files(&self, mirror: &Mirror, commit: CommitId) -> Result<SearchedFiles, PushFault> {
        self.files_below(mirror, commit, &self.found.tree.prefix)
    }

    /// The same of the tree that has this folder.
    fn files_below(
        &self,
        mirror: &Mirror,
        commit: CommitId,
        prefix: &str,
    ) -> Result<SearchedFiles, PushFault> {
        let files = mirror.files(commit, prefix).map_err(of_mirror)?;
        let no_folder = || PushFault::Tree(format!("`{}` has no folder `{prefix}`", self.found.tree.remote));
        let files = files.ok_or_else(no_folder)?;
        if prefix.is_empty() && files.keys().any(|path| path.starts_with(b".brv/context-tree/")) {
            let why = "its tree is a folder of it: name that as its prefix, such as `.brv/context-tree`";
            return Err(PushFault::Tree(format!("`{}`: {why}", self.found.tree.remote)));
        }
        let searched = |(path, blob): (BString, BlobId)| Some((document::searched(&path)?, blob));
        Ok(files.into_iter().filter_map(searched).collect())
    }

    /// Whether the index has all of this commit.
    fn has(&self, mark: &TreeMark, tip: &str) -> bool {
        mark.has(tip) && mark.prefix == self.found.tree.prefix
    }

    /// Of a tree that did not change: note where it is now, and remove what is gone since long.
    fn keep(&self, known: &ReadMark) -> Result<(), Stop> {
        let tree = &self.found.tree;
        if !self.dry_run && (known.mark.remote != tree.remote || known.mark.branch != tree.branch) {
            mark::change(self.engine, tree, Some(known.clone()), |mark| Some(self.moved(mark)))?;
        }
        self.sweep(Some(&known.mark))
    }

    /// The mark with the URL and branch that the tree has now.
    fn moved(&self, mark: &TreeMark) -> TreeMark {
        let tree = &self.found.tree;
        TreeMark { remote: tree.remote.clone(), branch: tree.branch.clone(), ..mark.clone() }
    }

    /// The number after the last one, and not below the time: so it is above those of a mark that was removed by hand, too,
    /// whose documents the index still has.
    fn next_number(&self, mark: &TreeMark) -> u64 {
        let now = u64::try_from(self.cx.clock.seconds()).unwrap_or_default();
        now.max(mark.number + 1)
    }

    /// A commit of the remote, and the folder that is the tree now.
    fn tree_commit(&self, commit: &str) -> TreeCommit {
        TreeCommit { commit: commit.to_owned(), prefix: self.found.tree.prefix.clone() }
    }

    /// Take the next number, and note that this commit is on its way. Beside the new mark stands the one before it.
    fn take_number(&self, known: Option<ReadMark>, tip: &str) -> Result<(ReadMark, TreeMark), Stop> {
        let before = RefCell::new(None);
        let taken = mark::change(self.engine, &self.found.tree, known, |mark| {
            before.replace(Some(mark.clone()));
            let mut next = TreeMark { number: self.next_number(mark), ..self.moved(mark) };
            if mark.tokens_version != TOKENS_VERSION {
                // from now on there are terms of this version: older ones stop, and if this push ends early, the next sends all
                next.pending.extend(next.settled());
                next.commit = None;
                next.tokens_version = TOKENS_VERSION;
            }
            next.pending.push(self.tree_commit(tip));
            next.pending.sort_unstable();
            next.pending.dedup();
            (mark.tokens_version <= TOKENS_VERSION).then_some(next)
        })?;
        match (taken, before.into_inner()) {
            (Some(taken), Some(before)) => Ok((taken, before)),
            (_, before) => {
                // a newer brv pushed meanwhile
                schema::check_tokens(before.map_or(u32::MAX, |before| before.tokens_version))?;
                Err(Stop::failed("the mark was not changed"))
            }
        }
    }

    /// The paths in which the commits that the index may have differ from `tip`.
    fn changed(
        &self,
        mirror: &Mirror,
        mark: Option<&TreeMark>,
        tip: CommitId,
        files: &SearchedFiles,
    ) -> Result<PathsToSend, PushFault> {
        let all = || files.iter().map(|(path, blob)| (path.clone(), *blob)).collect();
        let Some(mark) = mark else { return Ok(PathsToSend { now: all(), ..PathsToSend::default() }) };
        let network = self.cx.network();
        let settled = mark.settled();
        let noted: BTreeSet<&TreeCommit> = settled.iter().chain(&mark.pending).collect();
        // the index has, or may have, files of another folder
        let is_elsewhere = noted.iter().any(|noted| noted.prefix != self.found.tree.prefix);
        // without a settled commit, documents may be left of a drop that ended early, or of a mark that was removed by hand; and
        // where everything is sent again, what no mark tells of is looked for, too
        let is_untold = self.is_everything_sent(mark) || is_elsewhere || settled.is_none();
        let (mut bases, mut is_missing, mut is_unknown) = (Vec::new(), is_untold, is_untold);
        for noted in noted {
            let found = CommitId::from_hex(&noted.commit)
                .filter(|commit| *commit == tip || mirror.bring(*commit, &network));
            let is_pending = mark.pending.contains(noted);
            match found.map(|commit| self.files_below(mirror, commit, &noted.prefix)) {
                Some(Ok(files)) => bases.push((is_pending, files)),
                Some(Err(PushFault::Mirror(why))) => return Err(PushFault::Mirror(why)),
                // the tree was elsewhere then, or the commit is not to be had any more
                Some(Err(_)) | None => {
                    is_missing = true;
                    // one that is unknown may have begun to send anything, unless it is the one that the index has as a whole
                    is_unknown |= is_pending;
                }
            }
        }
        let listed = match is_missing {
            true => self.listed().map_err(of_engine)?,
            false => BTreeMap::new(),
        };
        // the list says what is there of a settled commit, but not what a pending push is still sending
        let told = bases.iter().filter(|(is_pending, _)| *is_pending || !is_missing);
        let before: BTreeSet<String> = told
            .flat_map(|(_, files)| files.keys().map(|path| path.as_str().to_owned()))
            .chain(listed.keys().cloned())
            .collect();
        let is_there =
            |path: &String| TreePath::parse(path.as_bytes()).is_ok_and(|path| files.contains_key(&path));
        let gone = before.iter().filter(|path| !is_there(path)).cloned().collect();
        let is_same = |path: &TreePath, blob: &BlobId| {
            let listed = || listed.get(path.as_str()).is_some_and(|listed| *listed == blob.to_string());
            bases.iter().all(|(_, files)| files.get(path) == Some(blob)) && (!is_missing || listed())
        };
        let now = match is_unknown {
            true => all(),
            false => files
                .iter()
                .filter(|(path, blob)| !is_same(path, blob))
                .map(|(path, blob)| (path.clone(), *blob))
                .collect(),
        };
        Ok(PathsToSend { now, gone, before })
    }

    /// What the index has of the tree, of a push that ended early, too: the refresh of a mark is that of its shard alone.
    fn listed(&self) -> Result<BTreeMap<String, String>, Stop> {
        if !self.dry_run {
            self.engine.ask("POST", "/_refresh", EngineBody::None, &[])?;
        }
        listing::of_tree(self.engine, &self.found.tree.name)
    }

    fn is_everything_sent(&self, mark: &TreeMark) -> bool {
        self.full || mark.tokens_version != TOKENS_VERSION
    }

    /// Send what changed.
    fn send(
        &self,
        mirror: &Mirror,
        sending: &PushStamp<'_>,
        changed: &PathsToSend,
    ) -> Result<(BulkCount, Vec<KeptBackEntry>), PushFault> {
        let mut sender = BulkSender::new(self.engine);
        let (mut withheld, mut planned) = (Vec::new(), BulkCount::default());
        for batch in changed.now.chunks(BATCH) {
            let ids: Vec<BlobId> = batch.iter().map(|(_, blob)| *blob).collect();
            let blobs = mirror.blobs(&ids, document::MOST_BYTES as u64).map_err(of_mirror)?;
            let files: Vec<_> = batch.iter().zip(blobs).collect();
            let make = |stems: &mut Stems, ((path, blob), bytes): &(&(TreePath, BlobId), Option<Vec<u8>>)| {
                let too_large = || MadeDocument::Withheld(document::too_large());
                let made = |bytes: &Vec<u8>| document::of_file(sending, path, *blob, bytes, stems);
                bytes.as_ref().map_or_else(too_large, made)
            };
            let made = parallel::map(&files, Stems::default, make);
            for (((path, _), _), made) in files.iter().zip(made) {
                let lines = match made {
                    MadeDocument::Lines(lines) => Some((lines, false)),
                    MadeDocument::Nothing => None,
                    MadeDocument::Withheld(why) => {
                        withheld
                            .push(KeptBackEntry { path: secrets::masked(path.as_str()).into_owned(), why });
                        // what the index has of it is not what the tree has any more
                        let had = changed.before.contains(path.as_str());
                        had.then(|| (document::tombstone(sending, path.as_str()), true))
                    }
                };
                let Some((lines, is_gone)) = lines else { continue };
                planned.sent += usize::from(!is_gone);
                planned.gone += usize::from(is_gone);
                planned.bytes += lines.len() as u64;
                if !self.dry_run {
                    sender.push(lines, is_gone).map_err(of_engine)?;
                }
            }
        }
        for path in &changed.gone {
            planned.gone += 1;
            if !self.dry_run {
                sender.push(document::tombstone(sending, path), true).map_err(of_engine)?;
            }
        }
        if self.dry_run {
            return Ok((planned, withheld));
        }
        let (count, refused) = sender.finish().map_err(of_engine)?;
        let (mut sender, mut count) = (BulkSender::new(self.engine), count);
        for path in refused {
            if changed.before.contains(&path) {
                sender.push(document::tombstone(sending, &path), true).map_err(of_engine)?;
            }
            withheld
                .push(KeptBackEntry { path, why: "the engine takes no document of this size".to_owned() });
        }
        let (gone, _) = sender.finish().map_err(of_engine)?;
        count.gone += gone.gone;
        Ok((count, withheld))
    }

    /// Note that the index has the commit, unless a later push began.
    fn settle(&self, sending: &PushStamp<'_>, taken: ReadMark, count: &BulkCount) -> Result<PushState, Stop> {
        // documents of a later push were met: its number is in the mark
        let known = if count.newer > 0 { mark::read(self.engine, sending.tree)? } else { taken };
        if known.mark.number == sending.number && count.newer > 0 {
            let why = "the index has documents of a later push than the mark of the tree knows";
            return Err(Stop::failed(format!("{why}: is the clock of this machine behind?")));
        }
        let is_lost = Cell::new(false);
        let settled = mark::change(self.engine, sending.tree, Some(known), |mark| {
            is_lost.set(mark.is_new());
            let mut next = mark.clone();
            next.commit = Some(sending.commit.to_owned());
            next.prefix.clone_from(&sending.tree.prefix);
            next.pending.clear();
            next.tokens_version = TOKENS_VERSION;
            next.swept_from = next.swept_from.or_else(|| (count.gone > 0).then_some(sending.now));
            (mark.number == sending.number).then_some(next)
        })?;
        if is_lost.get() {
            return Err(Stop::failed("the index, or the mark of the tree, was removed while this push ran"));
        }
        let Some(settled) = settled else { return Ok(PushState::Behind) };
        self.sweep(Some(&settled.mark))?;
        Ok(PushState::Done)
    }

    /// Mark as gone what this push wrote and no later one has: those may not have known its commit, if no branch had it any
    /// more. What later pushes wrote has a higher number, and stays.
    fn take_back(
        &self,
        mirror: &Mirror,
        sending: &PushStamp<'_>,
        changed: &PathsToSend,
    ) -> Result<(), PushFault> {
        let later = mark::read(self.engine, sending.tree).map_err(of_engine)?.mark;
        // a later push of the same commit sends all that the settled one lacks, with its own number
        let own = self.tree_commit(sending.commit);
        let pending = later.pending.iter().filter(|noted| **noted != own).cloned();
        let mut kept: BTreeSet<TreePath> = BTreeSet::new();
        for TreeCommit { commit, prefix } in later.settled().into_iter().chain(pending) {
            let found =
                CommitId::from_hex(&commit).filter(|commit| mirror.bring(*commit, &self.cx.network()));
            // a push after this one compares with it
            let Some(commit) = found else { return Ok(()) };
            kept.extend(self.files_below(mirror, commit, &prefix)?.into_keys());
        }
        let mut sender = BulkSender::new(self.engine);
        for (path, _) in changed.now.iter().filter(|(path, _)| !kept.contains(path)) {
            sender.push(document::tombstone(sending, path.as_str()), true).map_err(of_engine)?;
        }
        if sender.finish().map_err(of_engine)?.0.gone > 0 {
            let swept_from = |mark: &TreeMark| mark.swept_from.or(Some(sending.now));
            mark::change(self.engine, sending.tree, None, |mark| {
                Some(TreeMark { swept_from: swept_from(mark), ..mark.clone() })
            })
            .map_err(of_engine)?;
        }
        Ok(())
    }

    /// Remove documents that are gone since more than a day.
    fn sweep(&self, mark: Option<&TreeMark>) -> Result<(), Stop> {
        let before = self.cx.clock.seconds() - KEPT_GONE;
        let is_due = mark.and_then(|mark| mark.swept_from).is_some_and(|oldest| oldest < before);
        if !is_due || self.dry_run {
            return Ok(());
        }
        let tree = &self.found.tree;
        listing::remove(self.engine, &tree.name, Some(before))?;
        let next = listing::oldest_gone(self.engine, &tree.name)?;
        mark::change(self.engine, tree, None, |mark| Some(TreeMark { swept_from: next, ..mark.clone() }))?;
        Ok(())
    }
}

/// A failure of the engine ends the command if it concerns all trees.
fn of_engine(stop: Stop) -> PushFault {
    match stop.kind {
        FailureKind::Remote => PushFault::Engine(stop.message),
        FailureKind::Failed => PushFault::Tree(stop.message),
        _ => PushFault::Stop(stop),
    }
}

/// A failure of the remote concerns this tree.
fn of_remote(stop: Stop) -> PushFault {
    match stop.kind {
        FailureKind::Failed | FailureKind::File => of_mirror(stop),
        FailureKind::Interrupted => PushFault::Stop(stop),
        _ => PushFault::Tree(stop.message),
    }
}

/// A failure to read what was fetched may pass once it is fetched anew.
fn of_mirror(stop: Stop) -> PushFault {
    match stop.kind {
        FailureKind::Interrupted => PushFault::Stop(stop),
        _ => PushFault::Mirror(stop.message),
    }
}
