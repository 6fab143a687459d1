//! Guards against losing many entries at once: a remote whose history was rewritten, and an update that deletes or empties
//! a large part of the entries. Each guard stops before anything is written, and keeps a ref to what would be lost.
//!
//! Decides whether to stop. Does not carry anything out.

use super::emptied::{emptied, is_entry, may_empty};
use crate::outcome::bytes::text;
use crate::outcome::bytes::texts;
use crate::read::history::archiving::{self, Read};
use crate::write::overriding::Guard;
use brv_git as git;
use brv_git::trees::{self, Change, Renames};
use brv_git::{CommitId, Head, Scope, TreeId, history, refs, rescue};
use brv_text::diff::knowledge::{is_named, named};
use bstr::{BStr, BString, ByteSlice as _};
use schemars::JsonSchema;
use serde::Serialize;

/// Below this number of entries no deletion counts as large.
const FEWEST_ENTRIES: usize = 10;
/// A deletion counts as large above this percentage of the entries.
const PERCENT: usize = 30;

/// A guard that stopped a command.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
#[schemars(rename = "Stopped")]
pub struct GuardStop {
    /// The name of the guard, as `--allow` takes it. `rewrite`: the remote has dropped commits; `mass-delete`: a large
    /// part of the entries would be deleted or emptied.
    pub guard: &'static str,
    /// The ref that keeps the dropped commits; absent in a dry run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rescue: Option<String>,
    /// The remote-tracking branch that was rewritten.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// Its commit before.
    #[serde(skip_serializing_if = "Option::is_none")]
    old: Option<CommitId>,
    /// Its commit now.
    #[serde(skip_serializing_if = "Option::is_none")]
    new: Option<CommitId>,
    /// Number of commits that the remote has dropped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dropped: Option<usize>,
    /// The entries that would be deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deleted: Option<Vec<String>>,
    /// The entries that would lose most of their text.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub emptied: Vec<String>,
    /// Number of all entries.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entries: Option<usize>,
}

impl GuardStop {
    fn by(guard: Guard, rescue: Option<&BString>) -> Self {
        Self {
            guard: guard.word(),
            rescue: rescue.map(|name| text(name)),
            reference: None,
            old: None,
            new: None,
            dropped: None,
            deleted: None,
            emptied: Vec::new(),
            entries: None,
        }
    }
}

impl From<&RemoteRewrite> for GuardStop {
    fn from(rewrite: &RemoteRewrite) -> Self {
        Self {
            reference: Some(text(&rewrite.reference)),
            old: Some(rewrite.old),
            new: Some(rewrite.new),
            dropped: Some(rewrite.dropped),
            ..Self::by(Guard::Rewrite, Some(&rewrite.rescue))
        }
    }
}

impl From<&MassDelete> for GuardStop {
    fn from(deletion: &MassDelete) -> Self {
        Self {
            deleted: Some(texts(&deletion.deleted)),
            emptied: texts(&deletion.emptied),
            entries: Some(deletion.entries),
            ..Self::by(Guard::MassDelete, deletion.rescue.as_ref())
        }
    }
}

/// A remote whose history was rewritten since it was last integrated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemoteRewrite {
    /// The remote-tracking ref here.
    pub reference: BString,
    pub old: CommitId,
    pub new: CommitId,
    /// How many commits it has dropped.
    pub dropped: usize,
    pub rescue: BString,
}

/// Entries that would be deleted or emptied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MassDelete {
    /// The deleted entries, sorted.
    pub deleted: Vec<BString>,
    /// The entries that would lose most of their text, sorted.
    pub emptied: Vec<BString>,
    pub entries: usize,
    /// The ref that keeps the commit that has them.
    pub rescue: Option<BString>,
}

/// Whether a remote's branch dropped commits since it was last integrated; if so, keeps a ref to the dropped commits.
/// `tracking` is the remote-tracking ref; it was at `before` until the fetch and is at `tip` now.
pub fn rewritten(
    scope: &Scope,
    tracking: &BStr,
    before: Option<CommitId>,
    tip: CommitId,
) -> Result<Option<RemoteRewrite>, git::Error> {
    // what was integrated from another remote that once had the name proves nothing
    let Some(before) = before else { return Ok(None) };
    let known = [taken(scope, tracking)?, Some(before)];
    for old in known.into_iter().flatten() {
        if !is_dropped(scope, old, tip)? {
            continue;
        }
        let rescue = rescue::keep(scope, tracking, old)?;
        let dropped = history::between(scope, &[old], &[tip])?.len();
        return Ok(Some(RemoteRewrite { reference: tracking.to_owned(), old, new: tip, dropped, rescue }));
    }
    Ok(None)
}

/// What [`rewritten`] would find for commits that are already fetched: the rewrite that stops the next pull. Writes
/// nothing.
pub fn held_back(scope: &Scope, tracking: &BStr) -> Result<Option<RemoteRewrite>, git::Error> {
    let known = (taken(scope, tracking)?, refs::commit(scope, tracking)?);
    let (Some(old), Some(new)) = known else { return Ok(None) };
    if !is_dropped(scope, old, new)? {
        return Ok(None);
    }
    let rescue = rescue::keeping(scope, tracking, old)?;
    let dropped = history::between(scope, &[old], &[new])?.len();
    Ok(Some(RemoteRewrite { reference: tracking.to_owned(), old, new, dropped, rescue }))
}

/// The commit that was last integrated and still is. If that integration was undone, the older dropped commit that
/// `HEAD` contains.
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
    // in a shallow history the commits beyond its end may contain it
    Ok(!git::is_shallow(scope)? || !history::merge_bases(scope, old, tip)?.is_empty())
}

/// The entries that changes (without renames) to the tree `before` delete or empty, if they are a large part; `read` gives the
/// files after them. Renames do not count, nor do entries that the folder's overview lists in `archived`, nor those that
/// another changed entry says it was made of.
pub fn mass_deletion(
    scope: &Scope,
    before: TreeId,
    changes: &[Change],
    read: Read<'_>,
) -> Result<Option<MassDelete>, git::Error> {
    let gone = changes.iter().filter(|change| is_deleted_entry(change)).count();
    let edited = changes.iter().filter(|change| may_empty(change)).count();
    if (gone + edited) * 100 <= FEWEST_ENTRIES * PERCENT {
        return Ok(None);
    }
    // with so many entries it is not large
    let enough = ((gone + edited) * 100).div_ceil(PERCENT);
    if trees::has_at_least(scope, before, enough, &is_entry)? {
        return Ok(None);
    }
    let entries = trees::list(scope, before)?.iter().filter(|(path, _)| is_entry(path.as_bstr())).count();
    let is_large = |gone: usize| entries >= FEWEST_ENTRIES && gone * 100 > entries * PERCENT;
    if !is_large(gone + edited) {
        return Ok(None);
    }
    let emptied = emptied(scope, changes, read)?;
    if !is_large(gone + emptied.len()) {
        return Ok(None);
    }
    let merged = merged(scope, changes, read)?;
    let is_merged = |path: &BString| merged.iter().any(|name| is_named(name, path));
    let archived = archiving::archived(changes, read)?;
    let mut deleted = Vec::new();
    for change in trees::join_renames(scope, changes.to_vec(), Renames::Always)? {
        if is_deleted_entry(&change) && !is_merged(&change.path) && !archived.contains(&change.path) {
            deleted.push(change.path);
        }
    }
    let is_large = is_large(deleted.len() + emptied.len());
    Ok(is_large.then_some(MassDelete { deleted, emptied, entries, rescue: None }))
}

/// The entries that changed entries name as their sources, and did not name before.
fn merged(scope: &Scope, changes: &[Change], read: Read<'_>) -> Result<Vec<BString>, git::Error> {
    let mut merged = Vec::new();
    for change in changes.iter().filter(|change| change.after.is_some() && is_entry(change.path.as_bstr())) {
        let after = read(change.path.as_bstr())?.unwrap_or_default();
        let before = change.before.map_or(Ok(Vec::new()), |version| trees::blob(scope, version.id))?;
        merged.extend(named(&before, &after));
    }
    Ok(merged)
}

/// Keep a ref to the commit of `head`.
pub fn keep_head(scope: &Scope, head: &Head) -> Result<Option<BString>, git::Error> {
    let name = head.branch().unwrap_or(b"HEAD".as_bstr());
    head.commit().map(|commit| rescue::keep(scope, name, commit)).transpose()
}

fn is_deleted_entry(change: &Change) -> bool {
    change.before.is_some() && change.after.is_none() && is_entry(change.path.as_bstr())
}
