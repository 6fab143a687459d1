//! Additions and deletions that are one file moved: gitoxide's tracker, as `git diff -M` does it.

use super::Scope;
use super::error::{During, Error};
use super::id::object_id;
use super::index::FileMode;
use super::trees::Change;
use bstr::ByteSlice;
use gix::diff::rewrites::tracker::{Change as Tracked, ChangeKind};
use gix::objs::tree::{EntryKind, EntryMode};

/// Above this many additions or deletions only identical files are matched: git's `diff.renameLimit`.
const LIMIT: usize = 1000;

#[derive(Clone)]
struct Candidate {
    position: usize,
    kind: ChangeKind,
    id: gix::ObjectId,
    mode: EntryMode,
}

impl Tracked for Candidate {
    fn id(&self) -> &gix::oid {
        &self.id
    }
    fn relation(&self) -> Option<gix::diff::tree::visit::Relation> {
        None
    }
    fn kind(&self) -> ChangeKind {
        self.kind
    }
    fn entry_mode(&self) -> EntryMode {
        self.mode
    }
    fn id_and_entry_mode(&self) -> (&gix::oid, EntryMode) {
        (&self.id, self.mode)
    }
}

/// Join each deletion with the addition that it became, where at least half of the lines are the same.
///
/// # Errors
/// A blob that cannot be read.
pub(super) fn detect(scope: &Scope, changes: Vec<Change>) -> Result<Vec<Change>, Error> {
    let pairs = pairs(scope, &changes)?;
    if pairs.is_empty() {
        return Ok(changes);
    }
    let sources: std::collections::HashSet<usize> = pairs.values().copied().collect();
    let mut joined = Vec::with_capacity(changes.len());
    for (position, change) in changes.iter().enumerate() {
        if sources.contains(&position) {
            continue;
        }
        let mut change = change.clone();
        if let Some(source) = pairs.get(&position).map(|source| &changes[*source]) {
            change.renamed_from = Some(source.path.clone());
            change.before = source.before;
        }
        joined.push(change);
    }
    Ok(joined)
}

/// Position of an addition → position of the deletion that it came from.
fn pairs(scope: &Scope, changes: &[Change]) -> Result<std::collections::HashMap<usize, usize>, Error> {
    let mut pairs = std::collections::HashMap::new();
    let is_one_sided = |change: &Change| change.before.is_none() || change.after.is_none();
    let has = |side: fn(&Change) -> bool| changes.iter().any(side);
    if !has(|change| change.before.is_none()) || !has(|change| change.after.is_none()) {
        return Ok(pairs);
    }
    let rewrites =
        gix::diff::Rewrites { copies: None, percentage: Some(0.5), limit: LIMIT, track_empty: false };
    let mut tracker = gix::diff::rewrites::Tracker::new(rewrites);
    for (position, change) in changes.iter().enumerate().filter(|(_, change)| is_one_sided(change)) {
        let (kind, version) = match (change.before, change.after) {
            (None, Some(after)) => (ChangeKind::Addition, after),
            (Some(before), None) => (ChangeKind::Deletion, before),
            _ => continue,
        };
        let mode = match version.mode {
            FileMode::Regular | FileMode::Executable => EntryKind::Blob,
            FileMode::Symlink => EntryKind::Link,
            FileMode::Gitlink => continue,
        };
        let candidate = Candidate { position, kind, id: object_id(version.id), mode: mode.into() };
        tracker.try_push_change(candidate, change.path.as_bstr());
    }
    let mut cache = scope
        .repo
        .diff_resource_cache(gix::diff::blob::pipeline::Mode::ToGit, Default::default())
        .during("prepare rename detection")?;
    tracker
        .emit(
            |destination, source| {
                if let Some(source) = source {
                    pairs.insert(destination.change.position, source.change.position);
                }
                std::ops::ControlFlow::Continue(())
            },
            &mut cache,
            &scope.repo.objects,
            |_| Ok::<_, std::io::Error>(()),
        )
        .during("detect renames")?;
    Ok(pairs)
}
