//! What the commits of a squash say about the paths of the commit that takes them all.

use super::history::RangeMarks;
use crate::journal::{DreamId, Note};
use crate::open::context::Actor;
use crate::read::history::provenance::{ACTOR, DREAM, SESSION, Trailers};
use brv_git as git;
use brv_git::commit::Commit;
use brv_git::trees::{self, Renames};
use brv_git::{CommitId, Scope, TreeId, history};
use bstr::{BString, ByteSlice as _};
use std::collections::{BTreeMap, BTreeSet};

/// What is kept of the commits of a squash.
#[derive(Debug, Default)]
pub struct Squashed {
    /// Reason and marks of each path that the commit changes, sorted.
    pub notes: Vec<Note>,
    /// The dream that they were, if it is one.
    pub dream: Option<DreamId>,
    /// Who acted in the newest of them.
    pub actor: Actor,
}

/// What `commits`, and those below them that `head` lacks, say about the paths that differ between the trees before and
/// after. What they took back themselves is not marked.
pub fn squashed(
    scope: &Scope,
    (commits, head): (&[CommitId], CommitId),
    (before, after): (TreeId, TreeId),
) -> Result<Squashed, git::Error> {
    let changes = trees::diff(scope, before, after, Renames::Ignore)?;
    let changed: BTreeSet<BString> = changes.into_iter().map(|change| change.path).collect();
    let mut reasons: BTreeMap<BString, Vec<String>> = BTreeMap::new();
    let (mut dreams, mut actor) = (BTreeSet::new(), None);
    for id in history::between(scope, commits, &[head])? {
        let commit = history::read(scope, id)?;
        if !commit.message.contains_str("Brv-") {
            continue;
        }
        let trailers = Trailers::of(&commit.message);
        let touched = touched(scope, &commit)?;
        for path in touched.iter().filter(|path| changed.contains(*path)) {
            let said = reasons.entry(path.clone()).or_default();
            // the commits come newest first
            said.extend(trailers.reason(&path.to_str_lossy()).filter(|reason| !said.contains(reason)));
            dreams.extend(trailers.get(DREAM).and_then(DreamId::parse));
            let get = |key| trailers.get(key).map(ToOwned::to_owned);
            actor.get_or_insert_with(|| Actor { name: get(ACTOR), session: get(SESSION), door: None });
        }
    }
    let mut marks = marks(scope, &RangeMarks::read(scope, commits, &[head])?, after)?;
    let note = |(path, mut said): (BString, Vec<String>)| {
        said.reverse();
        let review = marks.remove(&path).map(|why| why.join(", "));
        Note { path, reason: said.join("; "), review }
    };
    let notes = reasons.into_iter().map(note).filter(|note| !note.reason.is_empty() || note.review.is_some());
    let notes = notes.collect();
    let dream = dreams.pop_first().filter(|_| dreams.is_empty());
    Ok(Squashed { notes, dream, actor: actor.unwrap_or_default() })
}

/// The paths that a commit changes.
fn touched(scope: &Scope, commit: &Commit) -> Result<Vec<BString>, git::Error> {
    // where a shallow history ends, the parent is not here
    let parent = commit.parents.first().and_then(|parent| scope.tree_of(*parent).ok());
    let before = parent.unwrap_or_else(TreeId::empty);
    let changes = trees::diff(scope, before, scope.tree_of(commit.id)?, Renames::Ignore)?;
    Ok(changes.into_iter().map(|change| change.path).collect())
}

/// Why each path was marked, the oldest first.
fn marks(
    scope: &Scope,
    range: &RangeMarks,
    tree: TreeId,
) -> Result<BTreeMap<BString, Vec<String>>, git::Error> {
    let mut marks: BTreeMap<BString, Vec<String>> = BTreeMap::new();
    for flag in range.flags.iter().rev() {
        if !range.is_taken_back(scope, flag, tree)? {
            let why = marks.entry(flag.path.clone()).or_default();
            let new: Vec<String> = flag.why.iter().filter(|word| !why.contains(word)).cloned().collect();
            why.extend(new);
        }
    }
    Ok(marks)
}
