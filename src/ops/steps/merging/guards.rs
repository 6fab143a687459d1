//! The guards against losing much at once: a remote whose history was rewritten, and an update that deletes a large part
//! of the entries. Each stops before anything is written, keeps a ref to what would be lost, and has a door that somebody
//! opens with a reason.
//!
//! Decides whether to stop. Does not carry anything out.

use crate::doc::Document;
use crate::git::trees::{self, Change, Found, Renames};
use crate::git::{self, CommitId, Head, Scope, TreeId, history, refs, rescue};
use crate::path::{self, Kind};
use bstr::{BStr, BString, ByteSlice as _};
use std::collections::HashMap;

/// With fewer entries nothing is a large part.
const FEWEST_ENTRIES: usize = 10;
/// More than so many of a hundred entries are a large part.
const PERCENT: usize = 30;

/// What stops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Guard {
    /// The remote has dropped commits that it had.
    Rewrite,
    /// A large part of the entries would be deleted.
    MassDelete,
}

impl Guard {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Rewrite, Self::MassDelete];

    /// The name of its door.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Rewrite => "rewrite",
            Self::MassDelete => "mass-delete",
        }
    }
}

/// The doors that somebody opens, and why.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Allowed {
    /// Which.
    pub guards: Vec<Guard>,
    /// In their words.
    pub reason: String,
}

impl Allowed {
    /// Whether a door is open.
    #[must_use]
    pub fn lets(&self, guard: Guard) -> bool {
        self.guards.contains(&guard)
    }

    /// What the journal says of an operation for which doors were needed.
    #[must_use]
    pub fn told(&self, what: &str, needed: &[Guard]) -> String {
        if needed.is_empty() {
            return what.to_owned();
        }
        let doors: Vec<_> = needed.iter().map(|guard| guard.word()).collect();
        format!("{what} (allowed {}: {})", doors.join(" and "), self.reason)
    }
}

/// Why nothing was done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stopped {
    /// The remote has dropped commits that it had.
    Rewrite(Rewrite),
    /// A large part of the entries would be deleted.
    MassDelete(MassDelete),
}

impl Stopped {
    /// What stopped it.
    #[must_use]
    pub const fn guard(&self) -> Guard {
        match self {
            Self::Rewrite(_) => Guard::Rewrite,
            Self::MassDelete(_) => Guard::MassDelete,
        }
    }

    /// The ref that keeps what would be lost; `None` in a dry run.
    #[must_use]
    pub const fn rescue(&self) -> Option<&BString> {
        match self {
            Self::Rewrite(rewrite) => Some(&rewrite.rescue),
            Self::MassDelete(deletion) => deletion.rescue.as_ref(),
        }
    }
}

/// A remote whose history was rewritten since it was last taken in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rewrite {
    /// The ref here that remembers its branch.
    pub reference: BString,
    /// Where it was.
    pub old: CommitId,
    /// Where it is.
    pub new: CommitId,
    /// How many commits it has dropped.
    pub dropped: usize,
    /// The ref that keeps them.
    pub rescue: BString,
}

/// Entries that would be deleted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MassDelete {
    /// Them, sorted.
    pub deleted: Vec<BString>,
    /// How many there are.
    pub entries: usize,
    /// The ref that keeps the commit that has them.
    pub rescue: Option<BString>,
}

/// Whether a remote's branch dropped commits since it was last taken in; what it had is then kept. `tracking` is the ref
/// here that remembers it, which was at `before` until the remote was asked and is at `tip` now.
///
/// # Errors
/// A history that cannot be read, a ref that cannot be written.
pub fn rewritten(
    scope: &Scope,
    tracking: &BStr,
    before: Option<CommitId>,
    tip: CommitId,
) -> Result<Option<Rewrite>, git::Error> {
    // what was taken from another remote that once had the name says nothing
    let Some(before) = before else { return Ok(None) };
    let known = [taken(scope, tracking)?, Some(before)];
    for old in known.into_iter().flatten() {
        if !is_dropped(scope, old, tip)? {
            continue;
        }
        let rescue = rescue::keep(scope, tracking, old)?;
        let dropped = history::between(scope, &[old], &[tip])?.len();
        return Ok(Some(Rewrite { reference: tracking.to_owned(), old, new: tip, dropped, rescue }));
    }
    Ok(None)
}

/// What [`rewritten`] would find of what was fetched already: the history that the next pull stops at. Writes nothing.
///
/// # Errors
/// A history that cannot be read.
pub fn held_back(scope: &Scope, tracking: &BStr) -> Result<Option<Rewrite>, git::Error> {
    let known = (taken(scope, tracking)?, refs::commit(scope, tracking)?);
    let (Some(old), Some(new)) = known else { return Ok(None) };
    if !is_dropped(scope, old, new)? {
        return Ok(None);
    }
    let rescue = rescue::keeping(scope, tracking, old)?;
    let dropped = history::between(scope, &[old], &[new])?.len();
    Ok(Some(Rewrite { reference: tracking.to_owned(), old, new, dropped, rescue }))
}

/// What was last taken in, and is: where that was undone, it is what was there before, of which `HEAD` has what a
/// rewrite dropped.
fn taken(scope: &Scope, tracking: &BStr) -> Result<Option<CommitId>, git::Error> {
    let Some(taken) = rescue::taken(scope, tracking)? else { return Ok(None) };
    let kept = rescue::kept(scope, tracking)?;
    let head = if kept.is_empty() { None } else { scope.head()?.commit() };
    let Some(head) = head.filter(|head| *head != taken) else { return Ok(Some(taken)) };
    let has = |commit: CommitId| history::is_ancestor(scope, commit, head);
    if has(taken)? {
        return Ok(Some(taken));
    }
    for old in kept {
        if has(old)? {
            return Ok(Some(old));
        }
    }
    Ok(Some(taken))
}

fn is_dropped(scope: &Scope, old: CommitId, tip: CommitId) -> Result<bool, git::Error> {
    if old == tip || history::read(scope, old).is_err() || history::is_ancestor(scope, old, tip)? {
        return Ok(false);
    }
    // where a history ends in the middle, what lies beyond may have it
    Ok(!git::is_shallow(scope)? || !history::merge_bases(scope, old, tip)?.is_empty())
}

/// The entries that the way from `before` to `after` deletes, if they are a large part. Renames are none, nor are entries
/// that the folder's overview has in `archived`.
///
/// # Errors
/// Trees and files that cannot be read.
pub fn mass_deletion(scope: &Scope, before: TreeId, after: TreeId) -> Result<Option<MassDelete>, git::Error> {
    let changes = trees::diff(scope, before, after, Renames::Ignore)?;
    let gone = changes.iter().filter(|change| is_deleted_entry(change)).count();
    if gone * 100 <= FEWEST_ENTRIES * PERCENT {
        return Ok(None);
    }
    let entries = trees::list(scope, before)?.iter().filter(|(path, _)| is_entry(path.as_bstr())).count();
    let is_large = |gone: usize| entries >= FEWEST_ENTRIES && gone * 100 > entries * PERCENT;
    if !is_large(gone) {
        return Ok(None);
    }
    let mut archives = Archives { scope, after, known: HashMap::new() };
    let mut deleted = Vec::new();
    for change in trees::join_renames(scope, changes, Renames::Always)? {
        if is_deleted_entry(&change) && !archives.have(&change)? {
            deleted.push(change.path);
        }
    }
    Ok(is_large(deleted.len()).then_some(MassDelete { deleted, entries, rescue: None }))
}

/// Keep what `head` has.
///
/// # Errors
/// A ref that cannot be written.
pub fn keep_head(scope: &Scope, head: &Head) -> Result<Option<BString>, git::Error> {
    let name = head.branch().unwrap_or(b"HEAD".as_bstr());
    head.commit().map(|commit| rescue::keep(scope, name, commit)).transpose()
}

fn is_entry(path: &BStr) -> bool {
    path::check(path).is_ok_and(|path| path::kind_of(path) == Kind::Entry)
}

fn is_deleted_entry(change: &Change) -> bool {
    change.before.is_some() && change.after.is_none() && is_entry(change.path.as_bstr())
}

/// What the overviews of folders say is archived.
struct Archives<'a> {
    scope: &'a Scope,
    after: TreeId,
    /// The items of each folder that was asked about.
    known: HashMap<BString, Vec<String>>,
}

impl Archives<'_> {
    /// Whether the folder's overview has an item for the file with these bytes: `<name>.md <blob id> …`.
    fn have(&mut self, change: &Change) -> Result<bool, git::Error> {
        let (folder, name) = change.path.rsplit_once_str("/").unwrap_or((b"", &change.path));
        let Some(version) = change.before else { return Ok(false) };
        let folder = BString::from(folder);
        if !self.known.contains_key(&folder) {
            let items = self.read(&folder)?;
            self.known.insert(folder.clone(), items);
        }
        let (name, id) = (name.to_str_lossy(), version.id.to_string());
        Ok(self.known[&folder].iter().any(|item| {
            let mut words = item.strip_prefix(&*name).unwrap_or_default().split_whitespace();
            words.next() == Some(&id)
        }))
    }

    fn read(&self, folder: &BString) -> Result<Vec<String>, git::Error> {
        let path = if folder.is_empty() { "context.md".into() } else { format!("{folder}/context.md") };
        match trees::find(self.scope, self.after, path.as_bytes().as_bstr())? {
            Some(Found::File(version)) => {
                Ok(Document::parse(trees::blob(self.scope, version.id)?).meta().archived)
            }
            _ => Ok(Vec::new()),
        }
    }
}
