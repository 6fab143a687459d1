//! Looks through undo: lines that an undo brought back come from where they came from before they went.

use brv_engine::journal::OperationId;
use brv_engine::read::history::provenance::Trailers;
use brv_git as git;
use brv_git::history::{self, Interest, Range};
use brv_git::trees::{self, TreeItem};
use brv_git::{BlobId, CommitId, Scope, blame};
use bstr::{BStr, ByteSlice as _};
use std::collections::{BTreeMap, HashMap};
use std::ops::{ControlFlow, Range as Lines};

/// The undos in the history of a commit of the tree.
#[derive(Debug, Default)]
pub struct Undos {
    /// By the commit of an undo: what it undid.
    undid: HashMap<CommitId, Vec<OperationId>>,
    /// By operation: the versions of the tree before it.
    before: HashMap<OperationId, Vec<CommitId>>,
}

impl Undos {
    /// All up to a commit.
    ///
    /// # Errors
    /// A history that cannot be read.
    pub fn of(scope: &Scope, head: CommitId) -> Result<Self, git::Error> {
        let mut undos = Self::default();
        let range = Range { tips: vec![head], ..Range::default() };
        history::walk(scope, &range, |walked| {
            let commit = &walked.commit;
            if commit.message.contains_str("\nBrv-") {
                let trailers = Trailers::of(&commit.message);
                let undid: Vec<OperationId> = trailers.undoes().collect();
                if !undid.is_empty() {
                    undos.undid.insert(commit.id, undid);
                }
                if let (Some(operation), Some(parent)) = (trailers.operation(), commit.parents.first()) {
                    undos.before.entry(operation).or_default().push(*parent);
                }
            }
            ControlFlow::Continue(())
        })?;
        Ok(undos)
    }

    /// The commits that these lines of a file come from; `None`: of no commit.
    ///
    /// # Errors
    /// A history that cannot be read.
    pub fn origins(
        &self,
        scope: &Scope,
        (head, path): (CommitId, &BStr),
        lines: &[Lines<usize>],
    ) -> Result<Vec<Option<CommitId>>, git::Error> {
        let mut origins = Vec::new();
        let mut open = vec![(self.start(scope, head, path)?, lines.to_vec())];
        while let Some((commit, lines)) = open.pop() {
            let Some(subject) = blame::recorded(scope, commit, path)? else {
                origins.push(None);
                continue;
            };
            let mut restored: BTreeMap<CommitId, Vec<Lines<usize>>> = BTreeMap::new();
            for hunk in blame::blame(scope, &subject, &lines)? {
                let own = hunk.commit.filter(|_| hunk.path == path);
                match own.map(|own| self.earlier(scope, own, path)).transpose()?.flatten() {
                    Some(earlier) => {
                        let first = hunk.source_start;
                        restored.entry(earlier).or_default().push(first..first + hunk.lines.len());
                    }
                    None => origins.push(hunk.commit),
                }
            }
            for (earlier, lines) in restored {
                open.push((self.start(scope, earlier, path)?, lines));
            }
        }
        Ok(origins)
    }

    /// The commit to ask for the lines of a file: an earlier one with the same bytes where an undo brought the whole file back,
    /// as a file that the undo removed may look like its origin.
    fn start(&self, scope: &Scope, head: CommitId, path: &BStr) -> Result<CommitId, git::Error> {
        let mut start = head;
        while !self.undid.is_empty() {
            let interest = Interest::Paths(vec![path.to_owned()]);
            let range = Range { tips: vec![start], interest, ..Range::default() };
            let mut last = None;
            history::walk(scope, &range, |walked| {
                last = Some(walked.commit.id);
                ControlFlow::Break(())
            })?;
            let Some(earlier) = last.map(|last| self.earlier(scope, last, path)).transpose()?.flatten()
            else {
                break;
            };
            start = earlier;
        }
        Ok(start)
    }

    /// If a commit is an undo that made a file as it was before what it undid: a commit of then.
    fn earlier(&self, scope: &Scope, commit: CommitId, path: &BStr) -> Result<Option<CommitId>, git::Error> {
        let Some(undid) = self.undid.get(&commit) else { return Ok(None) };
        let Some(restored) = version(scope, commit, path)? else { return Ok(None) };
        for before in undid.iter().filter_map(|operation| self.before.get(operation)).flatten() {
            if version(scope, *before, path)? == Some(restored)
                && history::is_ancestor(scope, *before, commit)?
            {
                return Ok(Some(*before));
            }
        }
        Ok(None)
    }
}

fn version(scope: &Scope, commit: CommitId, path: &BStr) -> Result<Option<BlobId>, git::Error> {
    let found = trees::find(scope, scope.tree_of(commit)?, path)?;
    Ok(match found {
        Some(TreeItem::File(version)) => Some(version.id),
        _ => None,
    })
}
