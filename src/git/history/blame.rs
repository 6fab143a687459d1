//! Finds the commit that wrote each line of a file, exactly as `git blame` does.
//!
//! Walks from commit to commit, newest first: lines that a parent has too are passed to it, in the order of the
//! parents; lines that no parent has belong to the commit. Returns lines and commits; the commands format them.

use super::lineage::{self, File, FilePredecessors, Lineage};
use crate::error::Error;
use crate::id::{BlobId, CommitId};
use crate::index::Index;
use crate::version::Version;
use crate::{Scope, trees};
use brv_base::sorting;
use bstr::{BStr, BString, ByteSlice as _};
use gix::diff::blob::{Algorithm, InternedInput, diff_with_slider_heuristics};
use std::collections::{BinaryHeap, HashMap};
use std::ops::Range;
use std::rc::Rc;

/// A run of lines with one origin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hunk {
    /// The commit that wrote them; `None`: they are not committed yet.
    pub commit: Option<CommitId>,
    pub path: BString,
    /// The lines of the requested file, counted from 0.
    pub lines: Range<usize>,
    /// The lines in the commit that wrote them.
    pub source_start: usize,
    /// Whether the commit has no parents here (a root, or shallow): `git blame` marks such lines with `^`.
    pub is_boundary: bool,
}

/// A version of a file to blame.
#[derive(Debug, Clone)]
pub struct BlameSubject {
    pub bytes: Vec<u8>,
    path: BString,
    place: BlameStart,
}

impl BlameSubject {
    /// A file on disk that git does not know: nothing of it is committed.
    pub fn untracked(path: &BStr, bytes: Vec<u8>) -> Self {
        Self { bytes, path: path.to_owned(), place: BlameStart::Disk(Vec::new()) }
    }

    /// The committed versions that a file on disk is based on; none for a committed version.
    pub fn versions_before(&self) -> &[(CommitId, File)] {
        match &self.place {
            BlameStart::Commit(..) => &[],
            BlameStart::Disk(before) => before,
        }
    }
}

#[derive(Debug, Clone)]
enum BlameStart {
    Commit(CommitId, Version),
    /// Uncommitted, on top of these versions.
    Disk(Vec<(CommitId, File)>),
}

/// The file at `path` of a commit.
pub fn recorded(scope: &Scope, commit: CommitId, path: &BStr) -> Result<Option<BlameSubject>, Error> {
    let Some(file) = Lineage::new(scope)?.file(commit, path)? else { return Ok(None) };
    let bytes = trees::blob(scope, file.version.id)?;
    Ok(Some(BlameSubject { bytes, path: file.path, place: BlameStart::Commit(commit, file.version) }))
}

/// A file as it is on disk, on top of `heads`: `HEAD`, and the merged commits. `None`: none of them has it, and it is
/// not in the index.
pub fn on_disk(
    scope: &Scope,
    heads: &[CommitId],
    index: &Index,
    path: &BStr,
    bytes: Vec<u8>,
) -> Result<Option<BlameSubject>, Error> {
    let mut lineage = Lineage::new(scope)?;
    let mut before = Vec::new();
    for head in heads {
        let found = match lineage.file(*head, path)? {
            Some(file) => Some(file),
            None => lineage::source_of_recorded(scope, scope.tree_of(*head)?, index, path)?,
        };
        before.extend(found.map(|file| (*head, file)));
    }
    if before.is_empty() && !index.contains(scope.full(path).as_bstr()) {
        return Ok(None);
    }
    Ok(Some(BlameSubject { bytes, path: path.to_owned(), place: BlameStart::Disk(before) }))
}

/// The origin of these lines, counted from 0; sorted by line.
pub fn blame(scope: &Scope, subject: &BlameSubject, lines: &[Range<usize>]) -> Result<Vec<Hunk>, Error> {
    let scope = &scope.without_object_cache();
    let mut search = BlameSearch {
        scope,
        lineage: Lineage::new(scope)?,
        queue: BinaryHeap::new(),
        suspects: HashMap::new(),
        found: Vec::new(),
    };
    let pieces: Vec<BlameSpan> =
        lines.iter().map(|lines| BlameSpan { asked: lines.start, here: lines.clone() }).collect();
    let bytes = Rc::new(subject.bytes.clone());
    match &subject.place {
        BlameStart::Commit(commit, version) => {
            let file = File { path: subject.path.clone(), version: *version };
            search.suspect(*commit, file, &bytes, pieces)?;
        }
        BlameStart::Disk(before) => {
            let own = search.ask_parents(before.clone(), &bytes, pieces)?;
            search.convict(None, &subject.path, own, false);
        }
    }
    while let Some((commit, suspect)) = search.next() {
        search.examine(commit, suspect)?;
    }
    Ok(joined(search.found))
}

/// Lines whose origin is still being searched.
#[derive(Debug, Clone)]
struct BlameSpan {
    /// The first of them in the requested file.
    asked: usize,
    /// Their position in the version being examined.
    here: Range<usize>,
}

struct BlameSuspect {
    file: File,
    bytes: Rc<Vec<u8>>,
    pieces: Vec<BlameSpan>,
}

struct BlameSearch<'a> {
    scope: &'a Scope,
    lineage: Lineage<'a>,
    /// By time, newest first.
    queue: BinaryHeap<(i64, CommitId)>,
    suspects: HashMap<CommitId, Vec<BlameSuspect>>,
    found: Vec<Hunk>,
}

impl BlameSearch<'_> {
    fn next(&mut self) -> Option<(CommitId, BlameSuspect)> {
        while let Some((_, commit)) = self.queue.peek().copied() {
            if let Some(suspect) = self.suspects.get_mut(&commit).and_then(Vec::pop) {
                return Some((commit, suspect));
            }
            self.suspects.remove(&commit);
            self.queue.pop();
        }
        None
    }

    fn suspect(
        &mut self,
        commit: CommitId,
        file: File,
        bytes: &Rc<Vec<u8>>,
        pieces: Vec<BlameSpan>,
    ) -> Result<(), Error> {
        if pieces.is_empty() {
            return Ok(());
        }
        let seconds = self.lineage.seconds(commit)?;
        let known = self.suspects.entry(commit).or_default();
        if known.is_empty() {
            self.queue.push((seconds, commit));
        }
        match known.iter_mut().find(|suspect| suspect.file.path == file.path) {
            Some(suspect) => suspect.pieces.extend(pieces),
            None => known.push(BlameSuspect { file, bytes: Rc::clone(bytes), pieces }),
        }
        Ok(())
    }

    fn examine(&mut self, commit: CommitId, suspect: BlameSuspect) -> Result<(), Error> {
        let BlameSuspect { file, bytes, pieces } = suspect;
        let parents = match self.lineage.before(commit, &file)? {
            FilePredecessors::Same(parent, file) => return self.suspect(parent, file, &bytes, pieces),
            FilePredecessors::Other(parents) => parents,
        };
        let own = self.ask_parents(parents, &bytes, pieces)?;
        let is_boundary = self.lineage.is_first(commit)?;
        self.convict(Some(commit), &file.path, own, is_boundary);
        Ok(())
    }

    /// Passes lines on to the parents that have them; returns the rest.
    fn ask_parents(
        &mut self,
        parents: Vec<(CommitId, File)>,
        bytes: &Rc<Vec<u8>>,
        mut pieces: Vec<BlameSpan>,
    ) -> Result<Vec<BlameSpan>, Error> {
        let mut asked: Vec<BlobId> = Vec::new();
        for (parent, file) in parents {
            if pieces.is_empty() || asked.contains(&file.version.id) {
                continue;
            }
            asked.push(file.version.id);
            let before = Rc::new(trees::blob(self.scope, file.version.id)?);
            let (theirs, own) = split(&changes(&before, bytes), pieces);
            self.suspect(parent, file, &before, theirs)?;
            pieces = own;
        }
        Ok(pieces)
    }

    fn convict(
        &mut self,
        commit: Option<CommitId>,
        path: &BString,
        pieces: Vec<BlameSpan>,
        is_boundary: bool,
    ) {
        self.found.extend(pieces.into_iter().map(|piece| Hunk {
            commit,
            path: path.clone(),
            lines: piece.asked..piece.asked + piece.here.len(),
            source_start: piece.here.start,
            is_boundary,
        }));
    }
}

/// Lines that differ, before and after.
struct BlameLineChange {
    before: Range<usize>,
    after: Range<usize>,
}

/// The differences as git finds them with its default settings.
fn changes(before: &[u8], after: &[u8]) -> Vec<BlameLineChange> {
    let input = InternedInput::new(before, after);
    let diff = diff_with_slider_heuristics(Algorithm::Myers, &input);
    let range = |range: Range<u32>| range.start as usize..range.end as usize;
    diff.hunks()
        .map(|hunk| BlameLineChange { before: range(hunk.before), after: range(hunk.after) })
        .collect()
}

/// Where each line of a version stands in the one before, both counted from 0; `None` for a new one.
pub fn carried(before: &[u8], after: &[u8]) -> Vec<Option<usize>> {
    let count = after.lines().count();
    let mut carried = vec![None; count];
    let all = BlameSpan { asked: 0, here: 0..count };
    for piece in split(&changes(before, after), vec![all]).0 {
        let to = piece.asked..piece.asked + piece.here.len();
        carried[to].iter_mut().zip(piece.here).for_each(|(line, at)| *line = Some(at));
    }
    carried
}

/// Splits the pieces into those that exist before as well, at their position there, and the rest.
fn split(changes: &[BlameLineChange], pieces: Vec<BlameSpan>) -> (Vec<BlameSpan>, Vec<BlameSpan>) {
    let (mut theirs, mut own) = (Vec::new(), Vec::new());
    for piece in pieces {
        let first = changes.partition_point(|change| change.after.end <= piece.here.start);
        let mut at = piece.here.start;
        let part = |lines: Range<usize>| BlameSpan {
            asked: piece.asked + lines.start - piece.here.start,
            here: lines,
        };
        // how far lines after the last change have moved
        let last = |number: usize| {
            number.checked_sub(1).map_or((0, 0), |last| (changes[last].before.end, changes[last].after.end))
        };
        for (number, change) in changes.iter().enumerate().skip(first).chain([(changes.len(), &END)]) {
            let (before, after) = last(number);
            let same = at..change.after.start.min(piece.here.end);
            if same.start < same.end {
                let moved = same.start - after + before..same.end - after + before;
                theirs.push(BlameSpan { here: moved, ..part(same.clone()) });
                at = same.end;
            }
            let other = at..change.after.end.min(piece.here.end);
            if other.start < other.end {
                own.push(part(other.clone()));
                at = other.end;
            }
            if at >= piece.here.end {
                break;
            }
        }
    }
    (theirs, own)
}

static END: BlameLineChange =
    BlameLineChange { before: usize::MAX..usize::MAX, after: usize::MAX..usize::MAX };

/// Sorts pieces, and joins neighbours of one origin.
fn joined(mut found: Vec<Hunk>) -> Vec<Hunk> {
    sorting::sort_by_key(&mut found, |hunk| hunk.lines.start);
    let mut joined: Vec<Hunk> = Vec::with_capacity(found.len());
    for hunk in found {
        match joined.last_mut() {
            Some(last)
                if last.commit == hunk.commit
                    && last.path == hunk.path
                    && last.lines.end == hunk.lines.start
                    && last.source_start + last.lines.len() == hunk.source_start =>
            {
                last.lines.end = hunk.lines.end;
            }
            _ => joined.push(hunk),
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(asked: usize, here: Range<usize>) -> BlameSpan {
        BlameSpan { asked, here }
    }

    fn told(pieces: Vec<BlameSpan>) -> Vec<(usize, Range<usize>)> {
        pieces.into_iter().map(|piece| (piece.asked, piece.here)).collect()
    }

    #[test]
    fn lines_that_were_there_before_go_to_where_they_stood() {
        let changes = changes(b"a\nb\nc\nd\n", b"a\nx\ny\nc\nd\nz\n");
        let (theirs, own) = split(&changes, vec![piece(10, 0..6)]);
        assert_eq!(told(theirs), [(10, 0..1), (13, 2..4)]);
        assert_eq!(told(own), [(11, 1..3), (15, 5..6)]);
        assert_eq!(
            carried(b"a\nb\nc", b"x\na\nc\n"),
            [None, Some(0), None],
            "a line without an end is another"
        );
        let (theirs, own) = split(&changes, vec![piece(0, 2..4)]);
        assert_eq!((told(theirs), told(own)), (vec![(1, 2..3)], vec![(0, 2..3)]));
    }
}
