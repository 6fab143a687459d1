//! What tells for which commit of the code a line was written, from the commit of the tree that last changed it.
//!
//! A commit that takes others back restores lines, and one that only writes where a cited file is now says nothing new: both
//! are followed to the commit before. A merge is followed to its sides.

use super::origin::{LineEvidence, LineOrigin};
use super::said::{Said, origin};
use crate::read::history::provenance::{Trailers, UNARCHIVED};
use brv_base::content::ContentId;
use brv_base::fs;
use brv_git as git;
use brv_git::blame;
use brv_git::commit::Commit;
use brv_git::history::{self, Interest, Range};
use brv_git::{CommitId, Scope, trees};
use brv_text::stale::{Cites, may_cite};
use bstr::{BString, ByteSlice as _};
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::rc::Rc;

/// How many commits are followed.
const STEPS: usize = 8;

/// How alike a line of a side is to one that a merge made of it, at least.
const ALIKE: f64 = 0.5;

/// A line of a commit's version of a file.
#[derive(Debug, Clone)]
pub struct CommitLine {
    pub commit: CommitId,
    pub path: BString,
    /// Counted from 0.
    pub at: usize,
}

/// Follows lines.
pub struct Tracing<'a> {
    scope: &'a Scope,
    commits: HashMap<CommitId, Commit>,
    /// Versions of entries, and what they cite.
    versions: HashMap<ContentId, Rc<Cites>>,
}

impl<'a> Tracing<'a> {
    pub fn new(scope: &'a Scope) -> Self {
        Self { scope, commits: HashMap::new(), versions: HashMap::new() }
    }

    /// The origin of a line with this text, which the commit of its place last changed.
    pub fn origin(&mut self, place: CommitLine, line: &[u8]) -> Result<LineOrigin, git::Error> {
        self.followed(place, line, STEPS)
    }

    /// The origin of a line of the file on disk that differs from one of the commit of its place only in the paths that it
    /// cites.
    pub fn repointed_since(
        &mut self,
        place: &CommitLine,
        line: &[u8],
    ) -> Result<Option<LineOrigin>, git::Error> {
        if !may_cite(&line.to_str_lossy()) {
            return Ok(None);
        }
        let root = self.scope.root();
        let file = fs::below(&root, place.path.as_bstr()).and_then(|file| fs::read_below(&root, &file));
        let Ok(Some(bytes)) = file else { return Ok(None) };
        let later = self.cites(ContentId::of(&bytes), || Ok(bytes))?;
        match self.but_for_paths((&later, place.at), place.commit, place)? {
            Some((place, text)) => self.followed(place, &text, STEPS).map(Some),
            None => Ok(None),
        }
    }

    fn followed(
        &mut self,
        mut place: CommitLine,
        line: &[u8],
        steps: usize,
    ) -> Result<LineOrigin, git::Error> {
        let mut line = line.to_owned();
        for left in (0..steps).rev() {
            let commit = self.commit(place.commit)?;
            if commit.parents.len() > 1 {
                let sides = self.sides(&commit, &place, left)?;
                return Ok(origin(&commit, LineEvidence::Sides(sides)));
            }
            let earlier = match is_restored(&commit, &place) {
                true => self.restored(&commit, &place, &line)?,
                false => self.repointed(&commit, &place, &line)?,
            };
            let Some((earlier, text)) = earlier else { break };
            (place, line) = (earlier, text);
        }
        let commit = self.commit(place.commit)?;
        let told = Said::of(&commit.message).told(&commit, &line);
        Ok(origin(&commit, told))
    }

    fn commit(&mut self, id: CommitId) -> Result<Commit, git::Error> {
        if let Some(known) = self.commits.get(&id) {
            return Ok(known.clone());
        }
        let commit = history::read(self.scope, id)?;
        self.commits.insert(id, commit.clone());
        Ok(commit)
    }

    /// The lines that the sides of a merge have in the place of one that it made.
    fn sides(
        &mut self,
        commit: &Commit,
        place: &CommitLine,
        steps: usize,
    ) -> Result<Vec<LineOrigin>, git::Error> {
        let mut sides = Vec::new();
        let Some(later) = self.version(commit.id, place).map(|found| found.filter(|_| steps > 0))? else {
            return Ok(sides);
        };
        for parent in &commit.parents {
            let Some(earlier) = self.version(*parent, place)? else { continue };
            let Some(at) = later.most_alike(place.at, &earlier, ALIKE) else { continue };
            if let Some(place) = self.blamed(*parent, place, at)? {
                sides.push(self.followed(place, earlier.line(at).as_bytes(), steps)?);
            }
        }
        Ok(sides)
    }

    /// The line that one comes from which this commit restored.
    fn restored(
        &self,
        commit: &Commit,
        place: &CommitLine,
        line: &[u8],
    ) -> Result<Option<(CommitLine, Vec<u8>)>, git::Error> {
        let interest = Interest::Paths(vec![place.path.clone()]);
        let range = Range { tips: commit.parents.clone(), interest, ..Range::default() };
        let mut found = Ok(None);
        history::walk(self.scope, &range, |walked| {
            found = position(self.scope, &walked.commit, place, |other| other.trim() == line.trim());
            match &found {
                Ok(None) => ControlFlow::Continue(()),
                _ => ControlFlow::Break(()),
            }
        })?;
        let Some((earlier, at)) = found? else { return Ok(None) };
        Ok(self.blamed(earlier, place, at)?.map(|place| (place, line.to_owned())))
    }

    /// The line before this commit that differs only in the paths that it cites.
    fn repointed(
        &mut self,
        commit: &Commit,
        place: &CommitLine,
        line: &[u8],
    ) -> Result<Option<(CommitLine, Vec<u8>)>, git::Error> {
        let Some(parent) = commit.parents.first().copied() else { return Ok(None) };
        if !may_cite(&line.to_str_lossy()) {
            return Ok(None);
        }
        let Some(later) = self.version(commit.id, place)? else { return Ok(None) };
        self.but_for_paths((&later, place.at), parent, place)
    }

    /// The line of a commit's version that a line of a later version differs from only in the paths that it cites.
    fn but_for_paths(
        &mut self,
        (later, at): (&Cites, usize),
        commit: CommitId,
        place: &CommitLine,
    ) -> Result<Option<(CommitLine, Vec<u8>)>, git::Error> {
        let Some(earlier) = self.version(commit, place)? else { return Ok(None) };
        let Some(at) = later.repointed(at, &earlier) else { return Ok(None) };
        Ok(self.blamed(commit, place, at)?.map(|place| (place, earlier.line(at).into())))
    }

    /// The version of the file of a place that a commit has.
    fn version(&mut self, commit: CommitId, place: &CommitLine) -> Result<Option<Rc<Cites>>, git::Error> {
        let (scope, tree) = (self.scope, self.commit(commit)?.tree);
        let Some(trees::TreeItem::File(version)) = trees::find(scope, tree, place.path.as_bstr())? else {
            return Ok(None);
        };
        self.cites(version.id, || trees::blob(scope, version.id)).map(Some)
    }

    fn cites(
        &mut self,
        id: ContentId,
        read: impl FnOnce() -> Result<Vec<u8>, git::Error>,
    ) -> Result<Rc<Cites>, git::Error> {
        if let Some(known) = self.versions.get(&id) {
            return Ok(Rc::clone(known));
        }
        let version = Rc::new(Cites::of(&read()?));
        self.versions.insert(id, Rc::clone(&version));
        Ok(version)
    }

    /// Where a line of a commit's version comes from.
    fn blamed(
        &self,
        commit: CommitId,
        place: &CommitLine,
        at: usize,
    ) -> Result<Option<CommitLine>, git::Error> {
        let Some(subject) = blame::recorded(self.scope, commit, place.path.as_bstr())? else {
            return Ok(None);
        };
        let hunks = blame::blame(self.scope, &subject, std::slice::from_ref(&(at..at + 1)))?;
        let hunk = hunks.into_iter().next();
        Ok(hunk.and_then(|hunk| {
            Some(CommitLine { commit: hunk.commit?, path: hunk.path, at: hunk.source_start })
        }))
    }
}

/// Whether a commit takes others back, by undo or revert, or the file out of the archive.
fn is_restored(commit: &Commit, place: &CommitLine) -> bool {
    let trailers = Trailers::of(&commit.message);
    trailers.undoes().next().is_some()
        || trailers.reason(&place.path.to_str_lossy()).is_some_and(|reason| reason == UNARCHIVED)
        || commit.message.lines().any(|line| line.starts_with(b"This reverts commit "))
}

/// The first line of a commit's version of a file that is meant: its commit, and its number from 0.
fn position(
    scope: &Scope,
    commit: &Commit,
    place: &CommitLine,
    is_it: impl Fn(&[u8]) -> bool,
) -> Result<Option<(CommitId, usize)>, git::Error> {
    let Some(trees::TreeItem::File(version)) = trees::find(scope, commit.tree, place.path.as_bstr())? else {
        return Ok(None);
    };
    let bytes = trees::blob(scope, version.id)?;
    Ok(bytes.lines().position(is_it).map(|at| (commit.id, at)))
}
