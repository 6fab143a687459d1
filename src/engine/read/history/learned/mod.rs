//! What of the tree comes from commits of the host, and whether it still stands as it was filed.
//!
//! A statement comes from a commit if the change that was filed for it has the statement and what was there before has not.
//! Marks aside: who marks a statement does not state it. Only the changes that name the commit are read.

mod doubled;
pub mod filings;
pub mod sources;
pub mod unmerged;

pub use doubled::{doubled_items, was_merged};

use crate::journal::SourceCommit;
use crate::open::context::Opened;
use crate::open::hosting::Host;
use crate::open::state::{self, Missing, State, StatePlace};
use brv_base::fs;
use brv_base::path::{PathKind, TreePath};
use brv_git as git;
use brv_git::trees::{self, Change, Renames};
use brv_git::{CommitId, PatchId, Scope, TreeId, patch_id};
use brv_text::doc::Document;
use brv_text::doc::item::Mark;
use brv_text::doc::saying::Saying;
use bstr::ByteSlice as _;
use filings::{Filing, Filings, Writer};
use std::collections::HashSet;

/// How many commits one is rewritten from and into that count as the same.
const MOST_ALIKE: usize = 200;

/// Commits of the host that are one: a commit, what it was rewritten from and into, and what changes the same.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Same {
    pub commits: HashSet<CommitId>,
    pub patches: HashSet<PatchId>,
    /// What changes the same and stands in the history before: a change that was made twice, each for its own reason.
    before: HashSet<CommitId>,
}

impl Same {
    /// What is one with a commit, as the project's state and the commit itself tell it.
    ///
    /// # Errors
    /// A commit that is here and cannot be read.
    pub fn of(
        opened: &Opened,
        host: &Host,
        (filings, commit): (&Filings, CommitId),
    ) -> Result<Self, git::Error> {
        let patience = opened.config.lock_timeout.value;
        let place = StatePlace::of(&opened.places, opened.scope.environment());
        let family = |state: &mut State| family(state, commit);
        let read =
            place.ok().and_then(|place| state::with(&place, Missing::Leave, patience, family).ok().flatten());
        let commits = read.map_or_else(|| HashSet::from([commit]), |done| done.result);
        let is_here = git::revision::is_commit(&host.scope, commit)?;
        let patch = if is_here { patch_id::of_commit(&host.scope, commit)? } else { None };
        let mut same = Self { commits, patches: patch.into_iter().collect(), before: HashSet::new() };
        let is_before = |source: &CommitId| {
            !same.commits.contains(source)
                && git::history::is_ancestor(&host.scope, *source, commit).unwrap_or(false)
        };
        let alike = filings.standing().filter(|filing| is_here && same.has(filing));
        same.before = alike.map(|filing| filing.source.commit).filter(is_before).collect();
        Ok(same)
    }

    /// The same, and what changes the same as this patch id says: that of a commit which is not here.
    pub fn with_patch(mut self, patch: Option<PatchId>) -> Self {
        self.patches.extend(patch);
        self
    }

    fn has(&self, filing: &Filing) -> bool {
        let source = filing.source;
        self.commits.contains(&source.commit)
            || source.patch.is_some_and(|patch| self.patches.contains(&patch))
                && !self.before.contains(&source.commit)
    }
}

/// What a commit was rewritten from and into, itself included.
fn family(state: &State, commit: CommitId) -> Result<HashSet<CommitId>, state::Error> {
    let mut found = HashSet::from([commit]);
    let mut open = vec![commit];
    while let Some(one) = open.pop().filter(|_| found.len() < MOST_ALIKE) {
        let own = one.to_string();
        let mut near = state.rewritten_into(&own)?;
        near.extend(state.rewritten(&own)?);
        for other in near.iter().filter_map(|id| CommitId::from_hex(id)) {
            if found.insert(other) {
                open.push(other);
            }
        }
    }
    Ok(found)
}

/// What became of a statement since it was filed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StatementFate {
    /// It stands as it was filed, perhaps with a mark.
    Unchanged(Option<Mark>),
    /// Something else stands under its title, which no other commit of the host states.
    Edited,
    /// It is not there.
    Gone,
}

/// A statement that comes from a commit of the host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Learned {
    /// Where it stands today, or stood when it was filed.
    pub path: TreePath,
    /// As it was filed.
    pub saying: Saying,
    pub since: StatementFate,
    /// The commit of the tree; `None` where only the operation log knows it.
    pub tree_commit: Option<CommitId>,
    pub operation: Option<String>,
    pub writer: Writer,
    /// When it was filed, in seconds since 1970.
    pub seconds: i64,
}

/// All statements that come from these commits, by path, those that were filed last first.
///
/// # Errors
/// A change of the tree that cannot be read.
pub fn learned(opened: &Opened, filings: &Filings, same: &Same) -> Result<Vec<Learned>, git::Error> {
    let scope = &opened.scope;
    let mut today = DiskEntries::of(opened);
    let mut found: Vec<Learned> = Vec::new();
    for filing in filings.standing().filter(|one| same.has(one)) {
        for (path, gained) in gained(scope, filing)? {
            for saying in gained.stated {
                let now = today.find(&path, &saying);
                if found.iter().any(|one| one.path == now.path && one.saying.is_same(&saying)) {
                    continue;
                }
                let since = match (now.same, now.others) {
                    (Some(mark), _) => StatementFate::Unchanged(mark),
                    (None, others) if others.is_empty() => StatementFate::Gone,
                    (None, others) => match is_of_another(scope, filings, (same, filing), &others)? {
                        true => StatementFate::Gone,
                        false => StatementFate::Edited,
                    },
                };
                found.push(Learned {
                    path: now.path,
                    saying,
                    since,
                    tree_commit: filing.commit,
                    operation: filing.operation.clone(),
                    writer: filing.writer,
                    seconds: filing.seconds,
                });
            }
        }
    }
    found.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(found)
}

/// Whether a change that was filed later for another commit of the host states the present text.
fn is_of_another(
    scope: &Scope,
    filings: &Filings,
    (same, filing): (&Same, &Filing),
    now: &[Saying],
) -> Result<bool, git::Error> {
    let later = filings.standing().take_while(|one| *one != filing).filter(|one| !same.has(one));
    for other in later {
        let stated = gained(scope, other)?.into_iter().flat_map(|(_, gained)| gained.stated);
        if stated.into_iter().any(|one| now.iter().any(|now| now.is_same(&one))) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The commit of the host that a statement of an entry comes from: that of the newest change which states it.
///
/// # Errors
/// As [`learned`].
pub fn source_of(
    opened: &Opened,
    filings: &Filings,
    path: &TreePath,
    saying: &Saying,
) -> Result<Option<SourceCommit>, git::Error> {
    for filing in filings.standing() {
        let gained = gained(&opened.scope, filing)?;
        let mut stated = gained.iter().filter(|(own, _)| own == path).flat_map(|(_, gained)| &gained.stated);
        if stated.any(|one| one.is_same(saying)) {
            return Ok(Some(filing.source));
        }
    }
    Ok(None)
}

/// What a commit of the host did to a mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Marking {
    Set,
    Taken,
}

/// A statement whose mark was set or taken away for a commit of the host, and which still stands so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MarkedStatement {
    pub path: TreePath,
    pub saying: Saying,
    pub marking: Marking,
}

/// The marks that were set and taken away for these commits, as far as nothing changed them since.
///
/// # Errors
/// As [`learned`].
pub fn marked(opened: &Opened, filings: &Filings, same: &Same) -> Result<Vec<MarkedStatement>, git::Error> {
    let mut today = DiskEntries::of(opened);
    let mut found: Vec<MarkedStatement> = Vec::new();
    for filing in filings.standing().filter(|one| same.has(one)) {
        for (path, gained) in gained(&opened.scope, filing)? {
            for (saying, marking) in gained.marked {
                let now = today.find(&path, &saying);
                let is_known = found.iter().any(|one| one.path == now.path && one.saying.is_same(&saying));
                if !is_known && now.same == Some(saying.mark.clone()) {
                    found.push(MarkedStatement { path: now.path, saying, marking });
                }
            }
        }
    }
    Ok(found)
}

/// What an entry gets from one change of the tree.
#[derive(Debug, Default)]
struct Gained {
    stated: Vec<Saying>,
    marked: Vec<(Saying, Marking)>,
}

/// What each entry gets from a change of the tree. A statement that only moved from one entry to another was there before.
fn gained(scope: &Scope, filing: &Filing) -> Result<Vec<(TreePath, Gained)>, git::Error> {
    let before = filing.before.map_or(Ok(TreeId::empty()), |commit| scope.tree_of(commit))?;
    let changes = trees::diff(scope, before, scope.tree_of(filing.after)?, Renames::Ignore)?;
    let sayings = |version: Option<git::Version>| -> Result<Vec<Saying>, git::Error> {
        let bytes = version.map(|version| trees::blob(scope, version.id)).transpose()?;
        Ok(Document::parse(bytes.unwrap_or_default()).sayings())
    };
    let path =
        |change: &Change| TreePath::parse(&change.path).ok().filter(|path| path.kind() == PathKind::Entry);
    let entries: Vec<(TreePath, &Change)> =
        changes.iter().filter_map(|change| Some((path(change)?, change))).collect();
    let mut old: Vec<Saying> = Vec::new();
    for (_, change) in &entries {
        old.extend(sayings(change.before)?);
    }
    let mut found = Vec::new();
    for (path, change) in entries {
        let mut gained = Gained::default();
        for saying in sayings(change.after)? {
            match old.iter().find(|one| one.is_same(&saying)) {
                None => gained.stated.push(saying),
                Some(one) => match (one.mark.is_some(), saying.mark.is_some()) {
                    (false, true) => gained.marked.push((saying, Marking::Set)),
                    (true, false) => gained.marked.push((saying, Marking::Taken)),
                    _ => {}
                },
            }
        }
        if !gained.stated.is_empty() || !gained.marked.is_empty() {
            found.push((path, gained));
        }
    }
    Ok(found)
}

/// The entries on disk.
struct DiskEntries<'a> {
    opened: &'a Opened,
    /// All of them, where they were needed.
    entries: Option<Vec<(TreePath, Vec<u8>)>>,
}

/// What stands today for a statement.
struct Now {
    path: TreePath,
    /// Its mark, if it stands.
    same: Option<Option<Mark>>,
    /// What stands under its title instead.
    others: Vec<Saying>,
}

impl Now {
    fn of(path: &TreePath, bytes: Vec<u8>, saying: &Saying) -> Self {
        let all = Document::parse(bytes).sayings();
        let same = all.iter().find(|one| one.is_same(saying)).map(|one| one.mark.clone());
        let is_about = |one: &Saying| saying.title.is_some() && one.is_about_same(saying);
        Self { path: path.clone(), same, others: all.into_iter().filter(is_about).collect() }
    }
}

impl<'a> DiskEntries<'a> {
    const fn of(opened: &'a Opened) -> Self {
        Self { opened, entries: None }
    }
}

impl DiskEntries<'_> {
    /// Look where it was filed; if it is not there, it may have moved to one other entry.
    fn find(&mut self, path: &TreePath, saying: &Saying) -> Now {
        let root = self.opened.scope.root();
        let bytes = read_entry(&root, path);
        let now = Now::of(path, bytes, saying);
        if now.same.is_some() || !now.others.is_empty() {
            return now;
        }
        // a word of it that is written the same wherever it stands
        let text = saying.title.as_deref().unwrap_or(&saying.text);
        let word = text.split_whitespace().max_by_key(|word| word.len()).unwrap_or_default();
        let mut moved = self.entries().iter().filter(|(_, bytes)| bytes.contains_str(word)).filter_map(
            |(path, bytes)| {
                let now = Now::of(path, bytes.clone(), saying);
                now.same.is_some().then_some(now)
            },
        );
        let found = moved.next().filter(|_| moved.next().is_none());
        found.unwrap_or(now)
    }

    fn entries(&mut self) -> &[(TreePath, Vec<u8>)] {
        if self.entries.is_none() {
            let root = self.opened.scope.root();
            let paths =
                crate::read::history::source::Reading::on_disk(root.clone()).curated_paths(self.opened);
            let paths = paths.unwrap_or_default().into_iter().filter(|path| path.kind() == PathKind::Entry);
            let read = |path: TreePath| {
                let bytes = read_entry(&root, &path);
                (path, bytes)
            };
            self.entries = Some(paths.map(read).collect());
        }
        self.entries.as_deref().unwrap_or_default()
    }
}

/// The bytes of an entry; none where it cannot be read.
fn read_entry(root: &std::path::Path, path: &TreePath) -> Vec<u8> {
    fs::read_below(root, &path.on_disk(root)).ok().flatten().unwrap_or_default()
}
