//! Which file became which: git's choice among the files that are gone and those that are new.
//!
//! First those that are the same, byte for byte; then the ones that are alone with their name; then the likest of all.
//! Knows no trees: the bytes are asked for, and only of files that may fit by their size.

use super::similarity::{ALL, HALF, Pieces, is_possible};
use crate::git::error::Error;
use crate::git::id::BlobId;
use crate::git::index::Version;
use bstr::{BStr, ByteSlice as _};
use std::cmp::{Ordering, Reverse};
use std::collections::HashMap;

/// The least that two files which alone have a name must have in common.
const OF_SAME_NAME: u64 = HALF + (ALL - HALF) / 2;
/// Of so many that are the same, the best is sought.
const SAME: usize = 100;
/// So many candidates are kept of each new file.
const CANDIDATES: usize = 4;
/// So many pieces of files are remembered for the next comparison; what is beyond is counted again.
const REMEMBERED: usize = 16_000_000;

/// A file on one side.
#[derive(Debug, Clone, Copy)]
pub(in crate::git) struct File<'a> {
    pub path: &'a BStr,
    pub version: Version,
}

/// A file that another one may be made of.
#[derive(Debug, Clone, Copy)]
pub(in crate::git) struct Source<'a> {
    pub file: File<'a>,
    pub fate: Fate,
}

/// What became of a file itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::git) enum Fate {
    /// It is there no more.
    Gone,
    /// It stayed, changed or not.
    Stayed,
}

/// What a source may become.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kinship {
    /// One file: it was renamed.
    Renamed,
    /// One file that it was renamed to, and copies.
    Copied,
}

/// How many comparisons are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::git) enum Limit {
    /// As many as so many files with as many others make; where there would be more, none is made.
    Square(u64),
    /// All.
    None,
}

/// Where the bytes are.
pub(in crate::git) trait Blobs {
    /// How many bytes there are.
    fn size(&mut self, id: BlobId) -> Result<u64, Error>;
    /// The bytes.
    fn bytes(&mut self, id: BlobId) -> Result<Vec<u8>, Error>;
}

/// For each target the position of the source that it was made of. Both lists are sorted by path.
///
/// # Errors
/// Bytes that cannot be read.
pub(in crate::git) fn pair(
    sources: &[Source<'_>],
    targets: &[File<'_>],
    kinship: Kinship,
    limit: Limit,
    blobs: &mut dyn Blobs,
) -> Result<Vec<Option<usize>>, Error> {
    let is_used = sources.iter().map(|source| source.fate == Fate::Stayed).collect();
    let mut pairing = Pairing { sources, targets, kinship, is_used, found: vec![None; targets.len()] };
    if sources.is_empty() || targets.is_empty() {
        return Ok(pairing.found);
    }
    pairing.join_same();
    let mut likeness = Likeness { blobs, known: HashMap::new(), sizes: HashMap::new(), remembered: 0 };
    if kinship == Kinship::Renamed {
        pairing.join_of_same_name(&mut likeness)?;
    }
    if pairing.is_within(limit) {
        pairing.join_likest(&mut likeness)?;
    }
    Ok(pairing.found)
}

struct Pairing<'a> {
    sources: &'a [Source<'a>],
    targets: &'a [File<'a>],
    kinship: Kinship,
    /// Of each source, whether it is some file already: itself, or a target.
    is_used: Vec<bool>,
    /// Of each target, its source.
    found: Vec<Option<usize>>,
}

impl Pairing<'_> {
    fn join(&mut self, source: usize, target: usize) {
        self.is_used[source] = true;
        self.found[target] = Some(source);
    }

    fn open_targets(&self) -> impl Iterator<Item = usize> {
        (0..self.targets.len()).filter(|target| self.found[*target].is_none())
    }

    /// The sources that can become something yet.
    fn open_sources(&self) -> impl Iterator<Item = usize> {
        (0..self.sources.len()).filter(|source| self.kinship == Kinship::Copied || !self.is_used[*source])
    }

    /// One that is used by nothing goes before one that is, one of the same name before another, then the first.
    fn join_same(&mut self) {
        let mut by_id: HashMap<BlobId, Vec<usize>> = HashMap::new();
        for (position, source) in self.sources.iter().enumerate() {
            by_id.entry(source.file.version.id).or_default().push(position);
        }
        for (position, target) in self.targets.iter().enumerate() {
            let Some(same) = by_id.get_mut(&target.version.id) else { continue };
            if self.kinship == Kinship::Renamed {
                // what is used is at the front mostly, and need not be passed again and again
                let used = same.iter().take_while(|source| self.is_used[**source]).count();
                same.drain(..used);
            }
            if let Some(source) = self.best_same(same, target) {
                self.join(source, position);
            }
        }
    }

    fn best_same(&self, same: &[usize], target: &File<'_>) -> Option<usize> {
        let fits = |source: &&usize| {
            let mode = self.sources[**source].file.version.mode;
            let is_open = self.kinship == Kinship::Copied || !self.is_used[**source];
            is_open && mode.is_of_same_type(target.version.mode)
        };
        let rank = |source: usize| {
            let has_same_name = name(self.sources[source].file.path) == name(target.path);
            usize::from(!self.is_used[source]) + usize::from(has_same_name)
        };
        let fitting = same.iter().filter(fits).take(SAME).copied();
        fitting.reduce(|best, next| if rank(next) > rank(best) { next } else { best })
    }

    /// Join what has a name that no other file of its side has, if enough of it is the same.
    fn join_of_same_name(&mut self, likeness: &mut Likeness<'_>) -> Result<(), Error> {
        let sources = alone(self.open_sources().map(|source| (name(self.sources[source].file.path), source)));
        let targets = alone(self.open_targets().map(|target| (name(self.targets[target].path), target)));
        let mut pairs: Vec<(usize, usize)> = sources
            .into_iter()
            .filter_map(|(name, source)| Some((source?, (*targets.get(name)?)?)))
            .collect();
        pairs.sort_unstable();
        for (source, target) in pairs {
            let (from, to) = (&self.sources[source].file, &self.targets[target]);
            if likeness.score(from, to, OF_SAME_NAME)? >= OF_SAME_NAME {
                self.join(source, target);
            }
        }
        Ok(())
    }

    fn is_within(&self, limit: Limit) -> bool {
        let comparisons = self.open_sources().count() as u64 * self.open_targets().count() as u64;
        match limit {
            Limit::Square(side) => comparisons <= side.saturating_mul(side),
            Limit::None => true,
        }
    }

    /// Compare every source with every target, and join the likest first.
    fn join_likest(&mut self, likeness: &mut Likeness<'_>) -> Result<(), Error> {
        let sources: Vec<usize> = self.open_sources().collect();
        let targets: Vec<usize> = self.open_targets().collect();
        let mut candidates: Vec<Candidate> = Vec::new();
        for target in targets {
            let mut best: [Option<Candidate>; CANDIDATES] = [None; CANDIDATES];
            for source in &sources {
                let (from, to) = (&self.sources[*source].file, &self.targets[target]);
                let score = likeness.score(from, to, HALF)?;
                let has_same_name = name(from.path) == name(to.path);
                keep_if_better(&mut best, Candidate { score, has_same_name, source: *source, target });
            }
            likeness.forget(&self.targets[target]);
            candidates.extend(best.into_iter().flatten().filter(|candidate| candidate.score >= HALF));
        }
        // of those that are as good the one whose place came first stays first, as git's sort leaves it
        candidates.sort_by_key(|candidate| Reverse(candidate.rank()));
        for candidate in &candidates {
            if !self.is_used[candidate.source] && self.found[candidate.target].is_none() {
                self.join(candidate.source, candidate.target);
            }
        }
        if self.kinship == Kinship::Copied {
            for candidate in &candidates {
                if self.found[candidate.target].is_none() {
                    self.join(candidate.source, candidate.target);
                }
            }
        }
        Ok(())
    }
}

/// A source that a target may be made of.
#[derive(Debug, Clone, Copy)]
struct Candidate {
    score: u64,
    has_same_name: bool,
    source: usize,
    target: usize,
}

impl Candidate {
    const fn rank(&self) -> (u64, bool) {
        (self.score, self.has_same_name)
    }
}

/// A better one takes the place of the worst, the first of those that are as bad. Which place it gets matters: it decides
/// between candidates that are as good.
fn keep_if_better(best: &mut [Option<Candidate>; CANDIDATES], next: Candidate) {
    let rank = |candidate: &Option<Candidate>| candidate.as_ref().map(Candidate::rank);
    let worst = best.iter_mut().reduce(|worst, other| match rank(other).cmp(&rank(worst)) {
        Ordering::Less => other,
        Ordering::Equal | Ordering::Greater => worst,
    });
    if let Some(worst) = worst.filter(|worst| rank(worst) < Some(next.rank())) {
        *worst = Some(next);
    }
}

/// Each name with the one that has it; `None` where there are more.
fn alone<'n>(named: impl Iterator<Item = (&'n [u8], usize)>) -> HashMap<&'n [u8], Option<usize>> {
    let mut found = HashMap::new();
    for (name, position) in named {
        found.entry(name).and_modify(|only| *only = None).or_insert(Some(position));
    }
    found
}

fn name(path: &BStr) -> &[u8] {
    path.rsplit_once_str("/").map_or(path.as_bytes(), |(_, name)| name)
}

/// How much files have in common, each read once as far as memory allows.
struct Likeness<'b> {
    blobs: &'b mut dyn Blobs,
    sizes: HashMap<BlobId, u64>,
    known: HashMap<BlobId, Pieces>,
    remembered: usize,
}

impl Likeness<'_> {
    /// Of [`ALL`]; nothing where `least` cannot be reached by the sizes.
    fn score(&mut self, source: &File<'_>, target: &File<'_>, least: u64) -> Result<u64, Error> {
        if !source.version.mode.is_file() || !target.version.mode.is_file() {
            return Ok(0);
        }
        let (from, to) = (source.version.id, target.version.id);
        if !is_possible(self.size(from)?, self.size(to)?, least) {
            return Ok(0);
        }
        let (from, to) = (self.take(from)?, self.take(to)?);
        let score = from.1.score(&to.1);
        self.put(from);
        self.put(to);
        Ok(score)
    }

    fn size(&mut self, id: BlobId) -> Result<u64, Error> {
        if let Some(size) = self.sizes.get(&id) {
            return Ok(*size);
        }
        let size = self.blobs.size(id)?;
        self.sizes.insert(id, size);
        Ok(size)
    }

    fn take(&mut self, id: BlobId) -> Result<(BlobId, Pieces), Error> {
        let pieces = match self.known.remove(&id) {
            Some(pieces) => {
                self.remembered -= pieces.count();
                pieces
            }
            None => Pieces::of(&self.blobs.bytes(id)?),
        };
        Ok((id, pieces))
    }

    fn put(&mut self, (id, pieces): (BlobId, Pieces)) {
        if self.remembered + pieces.count() <= REMEMBERED {
            self.remembered += pieces.count();
            if let Some(replaced) = self.known.insert(id, pieces) {
                self.remembered -= replaced.count();
            }
        }
    }

    /// It is not asked for again.
    fn forget(&mut self, file: &File<'_>) {
        if let Some(pieces) = self.known.remove(&file.version.id) {
            self.remembered -= pieces.count();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::git::FileMode;

    /// Bytes by their ids.
    #[derive(Default)]
    struct Heap {
        blobs: HashMap<BlobId, Vec<u8>>,
        reads: usize,
    }

    impl Heap {
        fn file<'p>(&mut self, path: &'p str, text: &str) -> File<'p> {
            let id = BlobId::of(text.as_bytes());
            self.blobs.insert(id, text.into());
            File { path: path.into(), version: Version { mode: FileMode::Regular, id } }
        }
    }

    impl Blobs for Heap {
        fn size(&mut self, id: BlobId) -> Result<u64, Error> {
            Ok(self.blobs[&id].len() as u64)
        }

        fn bytes(&mut self, id: BlobId) -> Result<Vec<u8>, Error> {
            self.reads += 1;
            Ok(self.blobs[&id].clone())
        }
    }

    /// `from → to` of each pair.
    fn paired(gone: &[(&str, &str)], new: &[(&str, &str)], limit: Limit) -> Vec<String> {
        let mut heap = Heap::default();
        let sources: Vec<Source<'_>> = gone
            .iter()
            .map(|(path, text)| Source { file: heap.file(path, text), fate: Fate::Gone })
            .collect();
        let targets: Vec<File<'_>> = new.iter().map(|(path, text)| heap.file(path, text)).collect();
        let found = pair(&sources, &targets, Kinship::Renamed, limit, &mut heap).unwrap();
        let pairs = found.iter().zip(new).filter_map(|(source, (to, _))| Some((gone[(*source)?].0, to)));
        pairs.map(|(from, to)| format!("{from} → {to}")).collect()
    }

    #[test]
    fn of_the_same_bytes_the_same_name_is_taken() {
        let gone = [("a/x.md", "text"), ("b/y.md", "text"), ("c/z.md", "")];
        let new = [("d/y.md", "text"), ("e/w.md", "text"), ("e/z.md", "")];
        assert_eq!(
            paired(&gone, &new, Limit::None),
            ["b/y.md → d/y.md", "a/x.md → e/w.md", "c/z.md → e/z.md"]
        );
    }

    #[test]
    fn a_name_that_only_two_files_have_decides_before_likeness() {
        let gone = [("a/x.md", "1\n2\n3\n4\n5\n6\n7\n8\n"), ("b/y.md", "1\n2\n3\n4\n5\n6\n7\n9\n")];
        let new = [("d/x.md", "1\n2\n3\n4\n5\n6\n7\n9\n0\n")];
        assert_eq!(paired(&gone, &new, Limit::None), ["a/x.md → d/x.md"]);
        // where too little is the same, the likest is taken
        let new = [("d/x.md", "1\n2\n3\n9\n0\n7\n8\na\n")];
        assert_eq!(paired(&gone, &new, Limit::None), ["a/x.md → d/x.md"]);
        let new = [("d/x.md", "1\n2\n3\n9\n0\n7\nc\na\n")];
        assert_eq!(paired(&gone, &new, Limit::None), ["b/y.md → d/x.md"]);
    }

    #[test]
    fn where_there_are_too_many_only_sure_pairs_are_told() {
        let gone = [("a/x.md", "1\n2\n3\n4\n"), ("b/y.md", "5\n6\n7\n8\n"), ("c/same.md", "9\n")];
        let new = [("d/v.md", "1\n2\n3\n"), ("d/w.md", "5\n6\n7\n"), ("e/same.md", "9\n")];
        assert_eq!(paired(&gone, &new, Limit::Square(1)), ["c/same.md → e/same.md"]);
        let all = ["a/x.md → d/v.md", "b/y.md → d/w.md", "c/same.md → e/same.md"];
        assert_eq!(paired(&gone, &new, Limit::Square(2)), all);
    }

    #[test]
    fn a_copy_is_made_of_what_stayed_where_nothing_went() {
        let mut heap = Heap::default();
        let stayed = Source { file: heap.file("a.md", "1\n2\n3\n4\n"), fate: Fate::Stayed };
        let gone = Source { file: heap.file("b.md", "1\n2\n3\n5\n6\n"), fate: Fate::Gone };
        let target = [heap.file("c.md", "1\n2\n3\n4\n7\n")];
        let mut source = |sources: &[Source<'_>], kinship| {
            pair(sources, &target, kinship, Limit::None, &mut heap).unwrap()[0]
        };
        assert_eq!(source(&[stayed], Kinship::Renamed), None);
        assert_eq!(source(&[stayed], Kinship::Copied), Some(0));
        assert_eq!(source(&[stayed, gone], Kinship::Copied), Some(1));
    }

    #[test]
    fn each_file_is_read_once() {
        let mut heap = Heap::default();
        let texts: Vec<String> = (0..20).map(|number| format!("{number}\nsome\nlines\nof\nall\n")).collect();
        let names: Vec<String> = (0..40).map(|number| format!("{number}.md")).collect();
        let sources: Vec<Source<'_>> = texts[..10]
            .iter()
            .zip(&names)
            .map(|(text, name)| Source { file: heap.file(name, text), fate: Fate::Gone })
            .collect();
        let targets: Vec<File<'_>> =
            texts[10..].iter().zip(&names[20..]).map(|(text, name)| heap.file(name, text)).collect();
        let found = pair(&sources, &targets, Kinship::Renamed, Limit::None, &mut heap).unwrap();
        assert!(found.iter().flatten().count() >= CANDIDATES);
        assert_eq!(heap.reads, 20);
    }
}
