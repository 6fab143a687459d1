//! What a range of commits says about review: what operations marked, and what was taken back since.

use super::flag::Flag;
use super::merged;
use crate::journal::{self, OperationId};
use crate::read::history::provenance::{ACTOR, COMMENT, REJECTED, Trailers};
use brv_git as git;
use brv_git::commit::Commit;
use brv_git::trees::{self, Renames};
use brv_git::{CommitId, Scope, TreeId, history, refs};
use bstr::{BString, ByteSlice as _};
use std::collections::HashSet;
use std::ops::ControlFlow;

/// The marks of a range of commits, and what later commits of it took back.
#[derive(Debug, Default)]
pub struct RangeMarks {
    /// Newest first.
    pub flags: Vec<Flag>,
    /// Newest first, those that were undone among them.
    pub rejections: Vec<Rejection>,
    /// The changes that are rejected, by id.
    rejected: HashSet<String>,
    /// The operations that were taken back, each with a path.
    taken_back: HashSet<(OperationId, BString)>,
    /// The changes, by id, whose commits are not in the range: an undo in it took back what had taken them back.
    pub again: HashSet<String>,
    undos: Vec<Undo>,
}

/// A commit of a range that takes something back.
#[derive(Debug)]
struct Undo {
    parents: Vec<CommitId>,
    operation: Option<OperationId>,
    undoes: Vec<OperationId>,
    /// The paths that it changes, without those where it was itself undone.
    paths: Vec<BString>,
}

/// How much earlier than an operation its commit may say that it was made, in seconds.
const CLOCKS: i64 = 7 * 24 * 60 * 60;

/// A change that a commit rejected.
#[derive(Debug, Clone)]
pub struct Rejection {
    /// The id of the change.
    pub row: String,
    pub path: String,
    /// The operation that took it back.
    pub operation: Option<OperationId>,
    pub actor: String,
    /// When, in seconds since 1970.
    pub seconds: i64,
    pub comment: Option<String>,
}

/// The changes that the commits mark which the tips have and `known` lacks, newest first.
pub fn marked(scope: &Scope, tips: &[CommitId], known: &[CommitId]) -> Result<Vec<Flag>, git::Error> {
    Ok(RangeMarks::read(scope, tips, known)?.flags)
}

impl RangeMarks {
    /// Read the commits that the tips have and `known` lacks.
    pub fn read(scope: &Scope, tips: &[CommitId], known: &[CommitId]) -> Result<Self, git::Error> {
        let mut range = Self::default();
        for id in history::between(scope, tips, known)? {
            let commit = history::read(scope, id)?;
            range.note(scope, &commit)?;
        }
        range.bring_back(scope)?;
        // of a commit and its cherry-picks the first counts
        let mut seen = HashSet::new();
        range.flags.reverse();
        range.flags.retain(|flag| seen.insert(flag.id.clone()));
        range.flags.reverse();
        Ok(range)
    }

    /// Note what a commit says, whose descendants in the range were noted before.
    fn note(&mut self, scope: &Scope, commit: &Commit) -> Result<(), git::Error> {
        let has = |key: &str| commit.message.contains_str(key);
        if has("Brv-Undoes: ") {
            self.take_back(scope, commit)?;
        }
        if has("Brv-Review: ") {
            self.flags.extend(Flag::of_commit(scope, commit)?.into_iter().rev());
        }
        Ok(())
    }

    /// Note an undo. What was itself undone later takes nothing back.
    fn take_back(&mut self, scope: &Scope, commit: &Commit) -> Result<(), git::Error> {
        let trailers = Trailers::of(&commit.message);
        let operation = trailers.operation();
        let is_undone = |range: &Self, path: &BString| {
            let own = operation.clone().map(|operation| (operation, path.clone()));
            own.is_some_and(|own| range.taken_back.contains(&own))
        };
        let before = match commit.parents.first() {
            Some(parent) => scope.tree_of(*parent).unwrap_or_else(|_| TreeId::empty()),
            None => TreeId::empty(),
        };
        let changes = trees::diff(scope, before, scope.tree_of(commit.id)?, Renames::Ignore)?;
        let paths: Vec<BString> =
            changes.into_iter().map(|change| change.path).filter(|path| !is_undone(self, path)).collect();
        let undoes: Vec<OperationId> = trailers.undoes().collect();
        for undone in &undoes {
            self.taken_back.extend(paths.iter().map(|path| (undone.clone(), path.clone())));
        }
        let (parents, operation_id) = (commit.parents.clone(), operation.clone());
        self.undos.push(Undo { parents, operation: operation_id, undoes, paths: paths.clone() });
        for (row, path) in trailers.all(REJECTED).filter_map(|text| text.split_once(' ')) {
            // what a commit says it rejects, and leaves as it is, still leaves with a push
            if paths.iter().any(|changed| changed == path) {
                self.rejected.insert(row.to_owned());
            }
            self.rejections.push(Rejection {
                row: row.to_owned(),
                path: path.to_owned(),
                operation: operation.clone(),
                actor: trailers.get(ACTOR).map_or_else(|| commit.author.to_string(), ToOwned::to_owned),
                seconds: commit.author.seconds,
                comment: trailers.get(COMMENT).map(ToOwned::to_owned),
            });
        }
        Ok(())
    }

    /// Add the changes that were marked and taken back before the range, and that an undo in it brings back: what is known
    /// has them no more.
    fn bring_back(&mut self, scope: &Scope) -> Result<(), git::Error> {
        let own: HashSet<&OperationId> =
            self.undos.iter().filter_map(|undo| undo.operation.as_ref()).collect();
        let mut found = Vec::new();
        for undo in self.undos.iter().filter(|undo| !undo.paths.is_empty()) {
            // an undo in the range that was undone leaves all as it was before the range
            let undoes = undo.undoes.iter().filter(|undone| !own.contains(undone));
            let mut left: Vec<_> = undoes.map(|id| (undo.parents.clone(), id.clone(), false)).collect();
            while let Some((tips, operation, is_back)) = left.pop() {
                let Some(commit) = commit_of(scope, tips.clone(), &operation)? else {
                    // an undo of what nobody had leaves no commit
                    let undoes = undoes_of(scope, &operation)?;
                    left.extend(undoes.into_iter().map(|undone| (tips.clone(), undone, !is_back)));
                    continue;
                };
                if is_back {
                    let flags = Flag::of_commit(scope, &commit)?.into_iter().rev();
                    found.extend(flags.filter(|flag| undo.paths.contains(&flag.path)));
                }
                let undoes = Trailers::of(&commit.message);
                left.extend(undoes.undoes().map(|undone| (commit.parents.clone(), undone, !is_back)));
            }
        }
        self.again = found.iter().map(|flag| flag.id.clone()).collect();
        self.flags.extend(found);
        Ok(())
    }

    /// Whether a change was taken back: by an undo or a rejection, or the files in `tree` are as before it, whoever did
    /// that. Of a merge the sources must be back, too.
    pub fn is_taken_back(&self, scope: &Scope, flag: &Flag, tree: TreeId) -> Result<bool, git::Error> {
        if self.rejected.contains(&flag.id) {
            return Ok(true);
        }
        for path in merged::of_merge(scope, flag)? {
            let undone = flag.operation.clone().map(|operation| (operation, path.clone()));
            if !undone.is_some_and(|undone| self.taken_back.contains(&undone))
                && !flag.is_as_before(scope, path.as_bstr(), trees::file(scope, tree, path.as_bstr())?)?
            {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// What the record of an older operation of this clone undoes.
fn undoes_of(scope: &Scope, operation: &OperationId) -> Result<Vec<OperationId>, git::Error> {
    let Some(commit) = refs::commit(scope, operation.reference().as_str().into())? else {
        return Ok(Vec::new());
    };
    let undoes = journal::read(scope, commit).map(|record| record.undoes).unwrap_or_default();
    Ok(undoes.into_iter().map(|undoes| undoes.operation).filter(|undone| undone < operation).collect())
}

/// The commit of an operation that the tips have.
fn commit_of(
    scope: &Scope,
    tips: Vec<CommitId>,
    operation: &OperationId,
) -> Result<Option<Commit>, git::Error> {
    let since = operation.seconds().map(|seconds| seconds - CLOCKS);
    let mut found = None;
    history::walk(scope, &history::Range { tips, since, ..history::Range::default() }, |walked| {
        let message = &walked.commit.message;
        if message.contains_str(operation.to_string())
            && Trailers::of(message).operation().as_ref() == Some(operation)
        {
            found = Some(walked.commit);
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    })?;
    Ok(found)
}
