//! What earlier operations said about the paths of a commit, where they left the commit to a person, and what the
//! commits of a squash said.

use brv_base::sorting;
use brv_engine::Stop;
use brv_engine::journal::{self, DreamId, Listed, Note, SourceCommit};
use brv_engine::open::context::Actor;
use brv_engine::review;
use brv_git::history::revision;
use brv_git::merge_state::Mark;
use brv_git::trees::{self, Renames};
use brv_git::{CommitId, Scope, TreeId, Version};
use bstr::{BString, ByteSlice as _};
use std::collections::{BTreeMap, BTreeSet};

/// The notes for the paths of a commit, and who acted.
#[derive(Debug, Default)]
pub(super) struct Notes {
    /// One for each path, sorted; the reasons in the order of time.
    pub(super) notes: Vec<Note>,
    /// The actor of the newest of these operations.
    pub(super) actor: Actor,
    /// The commit of the code that all these operations learned from, if it is one.
    pub(super) source_commit: Option<SourceCommit>,
    /// The dream that all these operations are, if it is one.
    pub(super) dream: Option<DreamId>,
}

impl Notes {
    /// Add what the commits said that a squash has staged.
    pub(super) fn add_squashed(
        &mut self,
        scope: &Scope,
        head: CommitId,
        trees: (TreeId, TreeId),
    ) -> Result<(), Stop> {
        let commits = squashed(scope)?;
        if commits.is_empty() {
            return Ok(());
        }
        let said = review::squashed(scope, (&commits, head), trees)?;
        if self.notes.is_empty() {
            (self.actor, self.dream) = (said.actor, said.dream);
        }
        for note in said.notes {
            match self.notes.iter_mut().find(|own| own.path == note.path) {
                Some(own) => own.review = own.review.take().or(note.review),
                None => self.notes.push(note),
            }
        }
        sorting::sort_by(&mut self.notes, |one, other| one.path.cmp(&other.path));
        Ok(())
    }
}

/// The commits that a squash has staged, as far as they are here.
pub(super) fn squashed(scope: &Scope) -> Result<Vec<CommitId>, Stop> {
    let message = Mark::Squash.read(scope)?.unwrap_or_default();
    let named = message.lines().filter_map(|line| line.strip_prefix(b"commit "));
    let mut commits = Vec::new();
    for id in named.filter_map(|name| CommitId::from_hex(name.to_str().ok()?.trim())) {
        if revision::is_commit(scope, id)? {
            commits.push(id);
        }
    }
    Ok(commits)
}

/// The notes of those of these operations (newest first) whose files go into a commit as they left them.
pub(super) fn of(scope: &Scope, listed: &[Listed], (before, after): (TreeId, TreeId)) -> Result<Notes, Stop> {
    let changes = trees::diff(scope, before, after, Renames::Ignore)?;
    // the version that the next older operation must have left
    let mut sought: BTreeMap<BString, Option<Version>> =
        changes.into_iter().map(|change| (change.path, change.after)).collect();
    let mut found: BTreeMap<BString, Note> = BTreeMap::new();
    let mut actor = None;
    let mut sources = BTreeSet::new();
    let mut dreams = BTreeSet::new();
    let undone = journal::undone(listed);
    for Listed { id, record, .. } in listed {
        let Ok(record) = record else { continue };
        if record.notes.is_empty() || undone.contains_key(id) || !record.is_of(scope) {
            continue;
        }
        let [was, left] = [scope.tree_of(record.before)?, scope.tree_of(record.after)?];
        for note in &record.notes {
            let path = note.path.as_bstr();
            if sought.get(&note.path) != Some(&trees::file(scope, left, path)?) {
                continue;
            }
            sought.insert(note.path.clone(), trees::file(scope, was, path)?);
            sources.insert(record.source_commit);
            dreams.insert(record.dream);
            actor.get_or_insert_with(|| Actor {
                name: Some(record.actor.clone()).filter(|name| !name.is_empty()),
                session: record.session.clone(),
                door: None,
            });
            found
                .entry(note.path.clone())
                .and_modify(|newer| join(newer, note))
                .or_insert_with(|| note.clone());
        }
    }
    Ok(Notes {
        notes: found.into_values().collect(),
        actor: actor.unwrap_or_default(),
        source_commit: only(sources),
        dream: only(dreams),
    })
}

/// What all have, if it is one.
fn only<T: Ord>(mut all: BTreeSet<Option<T>>) -> Option<T> {
    if all.len() == 1 { all.pop_first().flatten() } else { None }
}

/// Put the earlier notes in front.
fn join(newer: &mut Note, earlier: &Note) {
    newer.reason = format!("{}; {}", earlier.reason, newer.reason);
    newer.review = newer.review.take().or_else(|| earlier.review.clone());
}
