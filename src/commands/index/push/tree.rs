//! Push one tree: fetch, take a number, send what differs, set the mark.

use super::offers::OfferedTree;
use super::{KeptBackEntry, PushState, PushedTree};
use brv_base::parallel;
use brv_base::path::TreePath;
use brv_engine::query::index::bulk::{BulkCount, BulkSender};
use brv_engine::query::index::document::{self, MadeDocument, PushStamp};
use brv_engine::query::index::engine::SearchEngine;
use brv_engine::query::index::listing;
use brv_engine::query::index::mark::{self, ReadMark, TreeMark};
use brv_engine::query::index::mirror::Mirror;
use brv_engine::query::index::remote_list::RemoteLine;
use brv_engine::{Context, FailureKind, Stop};
use brv_git::{BlobId, CommitId};
use brv_search::TOKENS_VERSION;
use brv_text::words::stems::Stems;
use bstr::BString;
use std::collections::{BTreeMap, BTreeSet};

/// How long a document stays that is gone, in seconds: longer than any push takes.
const KEPT_GONE: i64 = 24 * 3600;

/// How many files are read and analysed at once.
const BATCH: usize = 512;

/// Why a tree was not pushed.
pub(super) enum PushFault {
    /// The command as a whole stops.
    Stop(Stop),
    /// This tree alone cannot be pushed.
    Tree(String),
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
        let from = before.as_ref().and_then(|mark| mark.commit.clone());
        if !self.full && before.as_ref().is_some_and(|mark| mark.has(&tip)) {
            self.sweep(before.as_ref()).map_err(of_engine)?;
            return Ok((self.outcome(from, &tip, BulkCount::default(), Vec::new(), PushState::Done), 0));
        }
        let mirror = Mirror::open(&self.remote.mirror_name(), &self.remote.url, &self.cx.environment)
            .map_err(of_remote)?;
        let tip = mirror.fetch(&self.found.tree.branch, &self.cx.network()).map_err(of_remote)?;
        let files = self.files(&mirror, tip)?;
        let taken = match self.dry_run {
            true => None,
            false => Some(self.take_number(known, &tip.to_string()).map_err(of_engine)?),
        };
        let mark = taken.as_ref().map(|read| &read.mark).or(before.as_ref());
        let changed = self.changed(&mirror, mark, tip, &files)?;
        let author = mirror.author(tip).map_err(of_remote)?;
        let commit = tip.to_string();
        let sending = PushStamp {
            tree: &self.found.tree,
            commit: &commit,
            actor: &author,
            number: mark.map_or(0, |mark| mark.number),
            now: self.cx.clock.seconds(),
        };
        let (count, withheld) = self.send(&mirror, &sending, &changed)?;
        let state = match taken {
            None => PushState::Done,
            Some(taken) => self.settle(&sending, taken, &count).map_err(of_engine)?,
        };
        Ok((self.outcome(from, &commit, count, withheld, state), count.bytes))
    }

    fn outcome(
        &self,
        from: Option<String>,
        to: &str,
        count: BulkCount,
        withheld: Vec<KeptBackEntry>,
        state: PushState,
    ) -> PushedTree {
        let tree = &self.found.tree;
        let behind = "a later push of this tree is under way, or has ended";
        PushedTree {
            tree: tree.name.clone(),
            remote: tree.remote.clone(),
            branch: Some(tree.branch.clone()),
            from,
            to: Some(to.to_owned()),
            sent: count.sent,
            newer: count.newer,
            gone: count.gone,
            withheld,
            state,
            message: (state == PushState::Behind).then(|| behind.to_owned()),
        }
    }

    /// The files of a commit that may have documents.
    fn files(&self, mirror: &Mirror, commit: CommitId) -> Result<SearchedFiles, PushFault> {
        let prefix = &self.found.tree.prefix;
        let files = mirror.files(commit, prefix).map_err(of_remote)?;
        let no_folder = || PushFault::Tree(format!("`{}` has no folder `{prefix}`", self.found.tree.remote));
        let files = files.ok_or_else(no_folder)?;
        if prefix.is_empty() && files.keys().any(|path| path.starts_with(b".brv/context-tree/")) {
            let why = "its tree is a folder of it: name that as its prefix, such as `.brv/context-tree`";
            return Err(PushFault::Tree(format!("`{}`: {why}", self.found.tree.remote)));
        }
        let searched = |(path, blob): (BString, BlobId)| Some((document::searched(&path)?, blob));
        Ok(files.into_iter().filter_map(searched).collect())
    }

    /// Take the next number, and note that this commit is on its way. The mark that is returned has the commits before it.
    fn take_number(&self, known: Option<ReadMark>, tip: &str) -> Result<ReadMark, Stop> {
        let taken = mark::change(self.engine, &self.found.tree, known, |mark| {
            let mut next = TreeMark { number: mark.number + 1, ..mark.clone() };
            // the URL may have become another
            next.remote.clone_from(&self.found.tree.remote);
            if !next.pending.iter().any(|pending| pending == tip) {
                next.pending.push(tip.to_owned());
            }
            Some(next)
        })?;
        taken.ok_or_else(|| Stop::failed("the mark was not changed"))
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
        let commits: BTreeSet<&String> = mark.commit.iter().chain(&mark.pending).collect();
        let (mut bases, mut is_missing) = (Vec::new(), false);
        for commit in commits {
            let found =
                CommitId::from_hex(commit).filter(|commit| *commit == tip || mirror.bring(*commit, &network));
            match found.map(|commit| self.files(mirror, commit)) {
                Some(Ok(files)) => bases.push(files),
                // the tree was elsewhere then, or the commit is not to be had any more
                Some(Err(_)) | None => is_missing = true,
            }
        }
        let listed = match is_missing {
            true => listing::of_tree(self.engine, &self.found.tree.name).map_err(of_engine)?,
            false => BTreeMap::new(),
        };
        let before: BTreeSet<String> = bases
            .iter()
            .flat_map(|files| files.keys().map(|path| path.as_str().to_owned()))
            .chain(listed.keys().cloned())
            .collect();
        let is_there =
            |path: &String| TreePath::parse(path.as_bytes()).is_ok_and(|path| files.contains_key(&path));
        let gone = before.iter().filter(|path| !is_there(path)).cloned().collect();
        // commits that are unknown may have begun to send anything, unless they are the one that the index has as a whole
        let is_pending_missing =
            is_missing && mark.pending.iter().any(|pending| !self.knows(mirror, pending));
        let is_whole = mark.commit.is_none() || is_pending_missing || self.is_everything_sent(mark);
        let is_same = |path: &TreePath, blob: &BlobId| {
            let listed = || listed.get(path.as_str()).is_some_and(|listed| *listed == blob.to_string());
            bases.iter().all(|files| files.get(path) == Some(blob)) && (!is_missing || listed())
        };
        let now = match is_whole {
            true => all(),
            false => files
                .iter()
                .filter(|(path, blob)| !is_same(path, blob))
                .map(|(path, blob)| (path.clone(), *blob))
                .collect(),
        };
        Ok(PathsToSend { now, gone, before })
    }

    fn knows(&self, mirror: &Mirror, commit: &str) -> bool {
        CommitId::from_hex(commit).is_some_and(|commit| mirror.has(commit))
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
            let files: Vec<_> = batch.iter().zip(mirror.blobs(&ids).map_err(of_remote)?).collect();
            let make = |stems: &mut Stems, ((path, blob), bytes): &(&(TreePath, BlobId), Vec<u8>)| {
                document::of_file(sending, path, *blob, bytes, stems)
            };
            let made = parallel::map(&files, Stems::default, make);
            for (((path, _), _), made) in files.iter().zip(made) {
                let lines = match made {
                    MadeDocument::Lines(lines) => Some((lines, false)),
                    MadeDocument::Nothing => None,
                    MadeDocument::Withheld(why) => {
                        withheld.push(KeptBackEntry { path: path.to_string(), why });
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
        let count = if self.dry_run { planned } else { sender.finish().map_err(of_engine)? };
        Ok((count, withheld))
    }

    /// Note that the index has the commit, unless a later push began.
    fn settle(&self, sending: &PushStamp<'_>, taken: ReadMark, count: &BulkCount) -> Result<PushState, Stop> {
        // documents of a later push were met: its number is in the mark
        let known = if count.newer > 0 { mark::read(self.engine, sending.tree)? } else { taken };
        if known.mark.number == sending.number && count.newer > 0 {
            let why = "the index has documents of a later push than its mark knows: was the clock of another machine ahead?";
            return Err(Stop::failed(format!("{why} `brv index drop` removes the tree")));
        }
        let settled = mark::change(self.engine, sending.tree, Some(known), |mark| {
            let mut next = mark.clone();
            next.commit = Some(sending.commit.to_owned());
            next.pending.clear();
            next.tokens_version = TOKENS_VERSION;
            next.swept_from = next.swept_from.or_else(|| (count.gone > 0).then_some(sending.now));
            (mark.number == sending.number).then_some(next)
        })?;
        let Some(settled) = settled else { return Ok(PushState::Behind) };
        self.sweep(Some(&settled.mark))?;
        Ok(PushState::Done)
    }

    /// Remove documents that are gone since more than a day.
    fn sweep(&self, mark: Option<&TreeMark>) -> Result<(), Stop> {
        let before = self.cx.clock.seconds() - KEPT_GONE;
        let is_due = mark.and_then(|mark| mark.swept_from).is_some_and(|oldest| oldest < before);
        if !is_due || self.dry_run {
            return Ok(());
        }
        let removed = listing::remove(self.engine, &self.found.tree.name, Some(before))?;
        // younger ones are looked for a day later
        let next = (removed > 0).then(|| self.cx.clock.seconds());
        mark::change(self.engine, &self.found.tree, None, |mark| {
            Some(TreeMark { swept_from: next, ..mark.clone() })
        })?;
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

/// A failure of the remote or the disk concerns this tree.
fn of_remote(stop: Stop) -> PushFault {
    match stop.kind {
        FailureKind::Interrupted => PushFault::Stop(stop),
        _ => PushFault::Tree(stop.message),
    }
}
