//! Decide what may steer an agent and came from elsewhere: it is withheld from agents until a person approves it.
//!
//! A version of a file is foreign if no commit of this clone made it; one that was made here by an agent, a hook or a
//! model and instructs is judged as if it came from elsewhere ([`unreviewed`](mod@unreviewed)). Of a foreign version with a finding of BRV007 or BRV008 the whole
//! entry counts as withheld. An edit here does not free what was withheld before it, as long as it leaves a finding of the
//! same kind in the entry; nor does a merge. What no commit has yet was written here.

mod cache;
mod local_versions;
mod sources;
mod suspects;
mod unreviewed;

pub use suspects::Suspect;
pub use unreviewed::{WHY as INSTRUCTIONS, note as note_unreviewed};

use crate::open::context::Opened;
use crate::review::{self, Decisions};
use brv_base::content::ContentId;
use brv_base::fs;
use brv_base::path::{TreePath, archived_original};
use brv_git::trees;
use brv_git::{Converter, TreeId, merge_state};
use brv_text::doc::{self, Document};
use brv_text::lint::Steering;
use bstr::{BStr, ByteSlice as _};
use local_versions::LocalVersions;
use std::cell::{OnceCell, RefCell};
use std::collections::{HashMap, HashSet};
use unreviewed::UnreviewedVersions;

/// Where the bytes of an entry are from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryBytesSource {
    /// The work tree: perhaps no commit has them yet.
    Disk,
    Commit,
}

/// Judges the entries of a tree. Nothing is looked up as long as no entry has a finding.
pub struct Trust<'a> {
    opened: &'a Opened,
    made: OnceCell<Option<LocalVersions>>,
    unreviewed: OnceCell<UnreviewedVersions>,
    accepted: OnceCell<HashSet<String>>,
    ground: OnceCell<Vec<TreeId>>,
    /// What is foreign in the versions that were judged.
    judged: RefCell<HashMap<ContentId, Steering>>,
}

impl<'a> Trust<'a> {
    pub fn of(opened: &'a Opened) -> Self {
        Self {
            opened,
            made: OnceCell::new(),
            unreviewed: OnceCell::new(),
            accepted: OnceCell::new(),
            ground: OnceCell::new(),
            judged: RefCell::default(),
        }
    }

    /// What in the bytes of an entry is withheld from agents. The stub of an archived entry is judged by the entry.
    pub fn judge(&self, path: &str, bytes: &[u8], place: EntryBytesSource) -> Steering {
        if let Some(original) = archived_original(path) {
            return self.judge_archived(&original);
        }
        self.judge_read(path, bytes, Steering::of(&Document::parse(bytes)), place)
    }

    /// The same of bytes in which this was found.
    pub fn judge_read(&self, path: &str, bytes: &[u8], found: Steering, place: EntryBytesSource) -> Steering {
        match found.is_none() {
            true => found,
            false => self.judge_found(path, self.id(path, bytes, place), found, place),
        }
    }

    /// The same of a file as it is on disk.
    pub fn judge_file(&self, path: &str) -> Steering {
        self.judge(path, &self.on_disk(path), EntryBytesSource::Disk)
    }

    fn on_disk(&self, path: &str) -> Vec<u8> {
        let root = self.opened.scope.root();
        let path = TreePath::parse(path.as_bytes()).ok();
        path.and_then(|path| fs::read_below(&root, &path.on_disk(&root)).ok().flatten()).unwrap_or_default()
    }

    /// The same of an archived entry, by the records of its folder on disk.
    pub fn judge_archived(&self, original: &str) -> Steering {
        let (folder, name) = original.rsplit_once('/').unwrap_or(("", original));
        let overview =
            if folder.is_empty() { "context.md".to_owned() } else { format!("{folder}/context.md") };
        let records = doc::archive_records(&Document::parse(self.on_disk(&overview))).records;
        let of_entry = records.iter().filter(|record| record.name == name);
        of_entry.fold(Steering::NONE, |all, record| all | self.judge_blob(record.blob))
    }

    /// The same of a version that commits have.
    pub fn judge_blob(&self, blob: ContentId) -> Steering {
        let found = self.found(blob);
        if found.is_none() { found } else { self.foreign(blob, found) }
    }

    /// The same of a version in which this was found.
    pub fn judge_found(
        &self,
        path: &str,
        blob: ContentId,
        found: Steering,
        place: EntryBytesSource,
    ) -> Steering {
        if found.is_none() {
            return found;
        }
        if place == EntryBytesSource::Commit {
            return self.foreign(blob, found);
        }
        let committed: Vec<ContentId> =
            self.ground().iter().filter_map(|tree| self.version(*tree, path.as_bytes().as_bstr())).collect();
        if committed.contains(&blob) || self.made().is_none_or(|made| made.knows(blob)) {
            return self.foreign(blob, found);
        }
        if self.is_accepted(blob) {
            return Steering::NONE;
        }
        if self.waits(blob) {
            return found;
        }
        let before = committed.iter().map(|blob| self.judge_blob(*blob));
        before.fold(Steering::NONE, |all, one| all | one) & found
    }

    /// The version that the bytes of a file are, as git has them.
    pub fn id(&self, path: &str, bytes: &[u8], place: EntryBytesSource) -> ContentId {
        let has_dos_ends = || bytes.contains_str("\r\n");
        if place == EntryBytesSource::Disk && has_dos_ends() {
            let converted = Converter::of(&self.opened.scope).to_git(path.as_bytes().as_bstr(), bytes.into());
            return ContentId::of(&converted.unwrap_or_else(|_| bytes.into()));
        }
        ContentId::of(bytes)
    }

    /// What of a version no commit of this clone wrote.
    fn foreign(&self, blob: ContentId, found: Steering) -> Steering {
        if let Some(known) = self.judged.borrow().get(&blob) {
            return *known;
        }
        let versions = self.with_those_before(blob, found);
        for (blob, found) in &versions {
            let foreign = self.unwritten(*blob, *found, &versions);
            self.judged.borrow_mut().insert(*blob, foreign);
        }
        self.judged.borrow().get(&blob).copied().unwrap_or(found)
    }

    /// A version with all those before it in which something is found: what was made first comes first.
    fn with_those_before(&self, blob: ContentId, found: Steering) -> Vec<(ContentId, Steering)> {
        let (mut versions, mut seen) = (vec![(blob, found)], HashSet::from([blob]));
        let Some(made) = self.made() else { return versions };
        let mut at = 0;
        while let Some((blob, _)) = versions.get(at) {
            let waiting = made.waiting(*blob).unwrap_or_default().iter().copied();
            for before in made.before(*blob).into_iter().flatten().chain(waiting) {
                if seen.insert(before) && !self.judged.borrow().contains_key(&before) {
                    versions.push((before, self.found(before)));
                }
            }
            at += 1;
        }
        versions.sort_by_key(|(blob, _)| made.first(*blob));
        versions
    }

    fn unwritten(&self, blob: ContentId, found: Steering, versions: &[(ContentId, Steering)]) -> Steering {
        if found.is_none() || self.is_accepted(blob) {
            return Steering::NONE;
        }
        if self.waits(blob) {
            return found;
        }
        let judged = self.judged.borrow();
        // an edit that is not judged yet came later, and brought this version back
        let later =
            |blob| versions.iter().find(|(one, _)| *one == blob).map_or(Steering::NONE, |(_, found)| *found);
        let foreign = |blob: &ContentId| judged.get(blob).copied().unwrap_or_else(|| later(*blob));
        let before = self.made().map(|made| made.before(blob)).unwrap_or_default();
        let edits =
            before.iter().map(|before| before.iter().map(foreign).fold(Steering::NONE, |all, one| all | one));
        edits.fold(found, |left, edit| left & edit)
    }

    /// What is found in a version.
    fn found(&self, blob: ContentId) -> Steering {
        Steering::of(&Document::parse(trees::blob(&self.opened.scope, blob).unwrap_or_default()))
    }

    /// `None` if it cannot be found out: then everything is foreign.
    fn made(&self) -> Option<&LocalVersions> {
        self.made.get_or_init(|| LocalVersions::read(self.opened).ok()).as_ref()
    }

    /// The version to read in place of one that is withheld in part: the last one before it that was reviewed, or
    /// needs no review. `None`: there is none, and the file is withheld as a whole.
    pub fn reviewed(&self, path: &str, blob: ContentId) -> Option<Vec<u8>> {
        let (mut sought, mut at) = (vec![blob], 0);
        while let Some(blob) = sought.get(at).copied() {
            let recorded = self.made().map(|made| made.before(blob)).unwrap_or_default();
            let marked = self.made().and_then(|made| made.waiting(blob)).unwrap_or_default().iter().copied();
            let own = self.unreviewed().before(blob).into_iter().chain(marked);
            let mut before: Vec<ContentId> = own.chain(recorded.into_iter().flatten()).collect();
            if at == 0 && before.is_empty() {
                let path = path.as_bytes().as_bstr();
                before = self.ground().iter().filter_map(|tree| self.version(*tree, path)).collect();
            }
            before.retain(|blob| !sought.contains(blob));
            for blob in before {
                if self.judge_blob(blob).is_none() {
                    return trees::blob(&self.opened.scope, blob).ok();
                }
                sought.push(blob);
            }
            at += 1;
        }
        None
    }

    /// Whether no person wrote a version, and it instructs.
    fn waits(&self, blob: ContentId) -> bool {
        self.unreviewed().has(blob) || self.made().is_some_and(|made| made.waiting(blob).is_some())
    }

    fn unreviewed(&self) -> &UnreviewedVersions {
        self.unreviewed.get_or_init(|| UnreviewedVersions::read(self.opened))
    }

    /// Whether a person approved this version.
    pub fn is_accepted(&self, blob: ContentId) -> bool {
        let read = || Decisions::read(self.opened).map(|all| all.accepted()).unwrap_or_default();
        self.accepted.get_or_init(read).contains(&review::foreign_change(blob))
    }

    /// The trees of `HEAD` and of what is being merged.
    fn ground(&self) -> &[TreeId] {
        self.ground.get_or_init(|| {
            let scope = &self.opened.scope;
            let head = scope.head().ok().and_then(|head| head.commit());
            let merging =
                merge_state::read(scope).ok().flatten().map(|state| state.heads).unwrap_or_default();
            head.into_iter().chain(merging).filter_map(|commit| scope.tree_of(commit).ok()).collect()
        })
    }

    fn version(&self, tree: TreeId, path: &BStr) -> Option<ContentId> {
        trees::file(&self.opened.scope, tree, path).ok().flatten().map(|version| version.id)
    }
}
