//! What tells for which commit of the code a line was written, from the commit of the tree that last changed it.
//!
//! A commit that takes others back restores lines, and one that only writes where a cited file is now says nothing new: both
//! are followed to the commit before. A merge is followed to its sides.

use super::origin::{Origin, Told};
use crate::journal::{CodeHead, LinesHead, SourceCommit};
use crate::read::history::provenance::{SOURCE_SUBJECT, Trailers};
use brv_git as git;
use brv_git::blame::{self, Subject};
use brv_git::commit::Commit;
use brv_git::history::{self, Interest, Range};
use brv_git::{CommitId, Scope, trees};
use brv_text::stale::{is_but_for_paths, likeness};
use bstr::{BString, ByteSlice as _};
use std::collections::HashMap;
use std::ops::ControlFlow;

/// How many commits are followed.
const STEPS: usize = 8;

/// How alike a line of a side is to one that a merge made of it, at least.
const ALIKE: f64 = 0.5;

/// A line of a commit's version of a file.
#[derive(Debug, Clone)]
pub struct Place {
    pub commit: CommitId,
    pub path: BString,
    /// Counted from 0.
    pub at: usize,
}

/// Follows lines.
pub struct Tracing<'a> {
    scope: &'a Scope,
    commits: HashMap<CommitId, Commit>,
}

impl<'a> Tracing<'a> {
    pub fn new(scope: &'a Scope) -> Self {
        Self { scope, commits: HashMap::new() }
    }

    /// The origin of a line with this text, which the commit of its place last changed.
    pub fn origin(&mut self, place: Place, line: &[u8]) -> Result<Origin, git::Error> {
        self.followed(place, line, STEPS)
    }

    /// The origin of a line that is not committed and differs from one of this commit only in the paths that it cites.
    pub fn repointed_since(&mut self, place: &Place, line: &[u8]) -> Result<Option<Origin>, git::Error> {
        let commit = self.commit(place.commit)?;
        match self.but_for_paths(&commit, place, line)? {
            Some((place, text)) => self.followed(place, &text, STEPS).map(Some),
            None => Ok(None),
        }
    }

    fn followed(&mut self, mut place: Place, line: &[u8], steps: usize) -> Result<Origin, git::Error> {
        let mut line = line.to_owned();
        for left in (0..steps).rev() {
            let commit = self.commit(place.commit)?;
            if commit.parents.len() > 1 {
                let sides = self.sides(&commit, &place, &line, left)?;
                return Ok(origin(&commit, Told::Sides(sides)));
            }
            let earlier = match is_restored(&commit) {
                true => self.restored(&commit, &place, &line)?,
                false => self.repointed(&commit, &place, &line)?,
            };
            let Some((earlier, text)) = earlier else { break };
            (place, line) = (earlier, text);
        }
        let commit = self.commit(place.commit)?;
        let told = told(&commit, &place);
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
        place: &Place,
        line: &[u8],
        steps: usize,
    ) -> Result<Vec<Origin>, git::Error> {
        let mut sides = Vec::new();
        if steps == 0 {
            return Ok(sides);
        }
        let wanted = line.to_str_lossy();
        for parent in &commit.parents {
            let Some(subject) = blame::recorded(self.scope, *parent, place.path.as_bstr())? else { continue };
            let alike = subject.bytes.lines().enumerate().map(|(at, other)| {
                let text = other.to_str_lossy();
                (likeness(&text, &wanted), at)
            });
            let nearest = alike
                .filter(|(alike, _)| *alike >= ALIKE)
                .max_by(|(one, _), (other, _)| one.total_cmp(other));
            let Some((_, at)) = nearest else { continue };
            let text = subject.bytes.lines().nth(at).unwrap_or_default().to_owned();
            if let Some(place) = self.blamed(&subject, at)? {
                sides.push(self.followed(place, &text, steps)?);
            }
        }
        Ok(sides)
    }

    /// The line that one comes from which this commit restored.
    fn restored(
        &self,
        commit: &Commit,
        place: &Place,
        line: &[u8],
    ) -> Result<Option<(Place, Vec<u8>)>, git::Error> {
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
        let Some((earlier, at, _)) = found? else { return Ok(None) };
        let Some(subject) = blame::recorded(self.scope, earlier, place.path.as_bstr())? else {
            return Ok(None);
        };
        Ok(self.blamed(&subject, at)?.map(|place| (place, line.to_owned())))
    }

    /// The line before this commit that differs only in the paths that it cites.
    fn repointed(
        &mut self,
        commit: &Commit,
        place: &Place,
        line: &[u8],
    ) -> Result<Option<(Place, Vec<u8>)>, git::Error> {
        let Some(parent) = commit.parents.first().copied() else { return Ok(None) };
        if !line.contains(&b'.') && !line.contains(&b'/') {
            return Ok(None);
        }
        let before = self.commit(parent)?;
        self.but_for_paths(&before, place, line)
    }

    /// The line of a commit's version that differs only in the paths that it cites.
    fn but_for_paths(
        &self,
        commit: &Commit,
        place: &Place,
        line: &[u8],
    ) -> Result<Option<(Place, Vec<u8>)>, git::Error> {
        let wanted = line.to_str_lossy();
        let is_it = |other: &[u8]| is_but_for_paths(&other.to_str_lossy(), &wanted);
        let Some((earlier, at, text)) = position(self.scope, commit, place, is_it)? else { return Ok(None) };
        let Some(subject) = blame::recorded(self.scope, earlier, place.path.as_bstr())? else {
            return Ok(None);
        };
        Ok(self.blamed(&subject, at)?.map(|place| (place, text)))
    }

    /// Where a line of a version comes from.
    fn blamed(&self, subject: &Subject, at: usize) -> Result<Option<Place>, git::Error> {
        let hunks = blame::blame(self.scope, subject, std::slice::from_ref(&(at..at + 1)))?;
        let hunk = hunks.into_iter().next();
        Ok(hunk.and_then(|hunk| Some(Place { commit: hunk.commit?, path: hunk.path, at: hunk.source_start })))
    }
}

fn origin(commit: &Commit, told: Told) -> Origin {
    let seconds = commit.author.seconds.min(commit.committer.seconds);
    Origin { commit: commit.id.to_string(), seconds, told }
}

/// What the trailers of a commit say of a line.
fn told(commit: &Commit, place: &Place) -> Told {
    let trailers = Trailers::of(&commit.message);
    let path = place.path.to_str_lossy();
    let of_line = trailers
        .all(LinesHead::TRAILER)
        .filter_map(LinesHead::parse)
        .find(|one| one.path == path && one.lines.contains(&(place.at + 1)));
    if let Some(one) = of_line {
        return Told::Head(one.head.to_string());
    }
    if let Some(recorded) = trailers.get(SourceCommit::TRAILER) {
        let subject = trailers.get(SOURCE_SUBJECT).map(str::to_owned);
        return Told::Source { recorded: recorded.to_owned(), subject };
    }
    trailers.get(CodeHead::TRAILER).map_or(Told::Time, |head| Told::Head(head.to_owned()))
}

/// Whether a commit takes others back, by undo or revert.
fn is_restored(commit: &Commit) -> bool {
    Trailers::of(&commit.message).undoes().next().is_some()
        || commit.message.lines().any(|line| line.starts_with(b"This reverts commit "))
}

/// The first line of a commit's version of a file that is meant: its commit, its number from 0 and its text.
fn position(
    scope: &Scope,
    commit: &Commit,
    place: &Place,
    is_it: impl Fn(&[u8]) -> bool,
) -> Result<Option<(CommitId, usize, Vec<u8>)>, git::Error> {
    let Some(trees::Found::File(version)) = trees::find(scope, commit.tree, place.path.as_bstr())? else {
        return Ok(None);
    };
    let bytes = trees::blob(scope, version.id)?;
    let found = bytes.lines().enumerate().find(|(_, other)| is_it(other));
    Ok(found.map(|(at, text)| (commit.id, at, text.to_owned())))
}
