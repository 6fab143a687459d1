//! What a dream of any clone did, and somebody took back: where the versions from before it stand again, they were decided
//! about. So an undo or a rejection that a pull brings keeps the next dream from doing the same again.

use super::ground::Ground;
use brv_base::content::ContentId;
use brv_base::path::TreePath;
use brv_engine::Stop;
use brv_engine::journal::DreamId;
use brv_engine::read::history::provenance::{Trailers, UNDOES};
use brv_git as git;
use brv_git::commit::Commit;
use brv_git::history::{self, Range};
use brv_git::trees::{self, Renames};
use brv_git::{Scope, Version};
use brv_text::doc::{Document, relation};
use bstr::ByteSlice as _;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

/// What is as it was before a dream.
#[derive(Debug, Default)]
pub struct TakenBack {
    /// Versions that a decision changed together, or related to each other.
    pub pairs: Vec<[ContentId; 2]>,
    /// Entries that a dream archived.
    pub archived: BTreeSet<TreePath>,
}

impl TakenBack {
    /// What the history of the ground tells.
    pub fn of(scope: &Scope, ground: &Ground) -> Result<Self, Stop> {
        let mut taken_back = Self::default();
        let Some(head) = ground.base else { return Ok(taken_back) };
        let range = Range { tips: vec![head], ..Range::default() };
        let mut failed = None;
        history::walk(scope, &range, |walked| {
            let message = &walked.commit.message;
            let has = |key: &str| message.contains_str(format!("\n{key}: "));
            if has(DreamId::TRAILER) && !has(UNDOES) {
                failed = taken_back.note(scope, ground, &walked.commit).err();
            }
            if failed.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        failed.map_or(Ok(taken_back), Err)
    }

    fn note(&mut self, scope: &Scope, ground: &Ground, commit: &Commit) -> Result<(), Stop> {
        // where a shallow history ends, the parent is not here
        let parent = commit.parents.first().and_then(|parent| scope.tree_of(*parent).ok());
        let Some(before) = parent else { return Ok(()) };
        let changes = trees::diff(scope, before, scope.tree_of(commit.id)?, Renames::Ignore)?;
        let trailers = Trailers::of(&commit.message);
        let back = changes.into_iter().filter_map(|change| {
            let (path, was) = (TreePath::parse(&change.path).ok()?, change.before?);
            let is_back = ground.entries.get(&path) == Some(&was.id);
            let reason = trailers.reason(path.as_str()).unwrap_or_default();
            is_back.then_some(Back { path, was, now: change.after, reason })
        });
        let back: Vec<Back> = back.collect();
        for (at, one) in back.iter().enumerate() {
            let others = back[at + 1..].iter().filter(|other| one.shares_a_reason(other));
            self.pairs.extend(others.map(|other| [one.was.id, other.was.id]));
        }
        for Back { path, was, now, reason } in back {
            let Some(now) = now else {
                self.archived.extend(Some(path).filter(|_| reason.contains("[dream/prune] ")));
                continue;
            };
            for path in related(scope, [was, now])? {
                let other = trees::file(scope, before, path.as_str().into())?;
                self.pairs.extend(other.map(|other| [was.id, other.id]));
            }
        }
        Ok(())
    }
}

/// A file that is as it was before a dream.
struct Back {
    path: TreePath,
    was: Version,
    /// As the dream left it.
    now: Option<Version>,
    /// What the dream says about it.
    reason: String,
}

impl Back {
    /// Whether one decision changed both.
    fn shares_a_reason(&self, other: &Self) -> bool {
        let others: Vec<&str> = reasons(&other.reason).collect();
        reasons(&self.reason).any(|reason| others.contains(&reason))
    }
}

/// The reasons of several decisions about one file.
fn reasons(all: &str) -> impl Iterator<Item = &str> {
    all.split("; [dream/").map(|reason| reason.trim_start_matches("[dream/"))
}

/// The relations that only the second version of an entry has.
fn related(scope: &Scope, versions: [Version; 2]) -> Result<Vec<String>, git::Error> {
    let read = |version: Version| Ok::<_, git::Error>(Document::parse(trees::blob(scope, version.id)?));
    let [was, now] = versions.map(read);
    let was = was?.meta().related;
    let new = now?.meta().related.into_iter().filter(|one| !was.contains(one));
    Ok(new.filter_map(|one| relation(&one)).collect())
}
