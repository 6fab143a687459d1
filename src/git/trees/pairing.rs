//! Pairs deleted files with added ones: the rules of `diffcore-rename` in gitdiffcore(7).
//!
//! Files with the same bytes are paired first. Then, for renames, files whose name is unique on both sides, if clearly
//! more than half is the same. The rest is compared each with each, and the most similar are paired first. Reads no
//! trees: bytes are requested on demand, and only for files whose size may match.

use super::similarity::{ALL, FilePieces, HALF, is_possible, score};
use crate::error::Error;
use crate::id::BlobId;
use crate::version::{FileMode, Version};
use bstr::{BStr, ByteSlice as _};
use std::cmp::Reverse;
use std::collections::{HashMap, VecDeque};

/// The similarity at which two files of the same name are paired without comparing others: "a bit higher" than half, in
/// the manual's words; the value is as observed in git.
const NAMESAKE: u64 = ALL / 4 * 3;

/// How many of the most similar sources are kept for each target: others may be closer to them.
const KEPT: usize = 8;

/// Targets with this many pieces together are compared at once; each further round reads the sources again.
const PIECES_AT_ONCE: usize = 4_000_000;

#[derive(Debug, Clone, Copy)]
pub(crate) struct File<'a> {
    pub path: &'a BStr,
    pub version: Version,
}

/// A source: a file that another one may be made from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PairingSource<'a> {
    pub file: File<'a>,
    pub fate: RenameFate,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RenameFate {
    Gone,
    /// It still exists, changed or not.
    Stayed,
}

/// What a source may become.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kinship {
    /// One file: it was renamed.
    Renamed,
    /// One renamed file, and copies.
    Copied,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Limit {
    /// The comparisons of this many files with as many others; with more, none is made.
    Square(u64),
    None,
}

pub(crate) trait Blobs {
    fn size(&mut self, id: BlobId) -> Result<u64, Error>;
    fn bytes(&mut self, id: BlobId) -> Result<Vec<u8>, Error>;
}

/// For each target the position of its source. Both lists are sorted by path.
pub(crate) fn pair(
    sources: &[PairingSource<'_>],
    targets: &[File<'_>],
    kinship: Kinship,
    limit: Limit,
    blobs: &mut dyn Blobs,
) -> Result<Vec<Option<usize>>, Error> {
    let is_free = sources.iter().map(|source| source.fate == RenameFate::Gone).collect();
    let mut joined = PairingState { sources, targets, kinship, is_free, found: vec![None; targets.len()] };
    if !sources.is_empty() && !targets.is_empty() {
        joined.join_identical();
        if kinship == Kinship::Renamed {
            joined.join_namesakes(blobs)?;
        }
        joined.join_similar(limit, blobs)?;
    }
    Ok(joined.found)
}

impl<'a> File<'a> {
    fn name(&self) -> &'a BStr {
        self.path.rsplit_str("/").next().unwrap_or_default().as_bstr()
    }

    /// The content without the executable bit, for comparing files.
    const fn content(&self) -> (BlobId, FileMode) {
        let mode = if self.is_regular() { FileMode::Regular } else { self.version.mode };
        (self.version.id, mode)
    }

    /// Symlinks and submodules are equal or different, never similar.
    const fn is_regular(&self) -> bool {
        matches!(self.version.mode, FileMode::Regular | FileMode::Executable)
    }
}

struct PairingState<'a> {
    sources: &'a [PairingSource<'a>],
    targets: &'a [File<'a>],
    kinship: Kinship,
    /// Which sources are still available for a rename.
    is_free: Vec<bool>,
    found: Vec<Option<usize>>,
}

impl PairingState<'_> {
    fn join(&mut self, source: usize, target: usize) {
        self.found[target] = Some(source);
        self.is_free[source] = false;
    }

    /// An available source, the same name first; a copy may use any.
    fn join_identical(&mut self) {
        let mut all: HashMap<_, VecDeque<usize>> = HashMap::new();
        let mut named: HashMap<_, VecDeque<usize>> = HashMap::new();
        for (position, PairingSource { file, .. }) in self.sources.iter().enumerate() {
            all.entry(file.content()).or_default().push_back(position);
            named.entry((file.content(), file.name())).or_default().push_back(position);
        }
        for (target, file) in self.targets.iter().enumerate() {
            let content = file.content();
            let free = self.free(named.get_mut(&(content, file.name())));
            let free = free.or_else(|| self.free(all.get_mut(&content)));
            if let Some(source) = free.or_else(|| self.copied_from(file)) {
                self.join(source, target);
            }
        }
    }

    /// The first available one; those before it stay unavailable.
    fn free(&self, candidates: Option<&mut VecDeque<usize>>) -> Option<usize> {
        let candidates = candidates?;
        while candidates.front().is_some_and(|source| !self.is_free[*source]) {
            candidates.pop_front();
        }
        candidates.pop_front()
    }

    fn copied_from(&self, target: &File<'_>) -> Option<usize> {
        let files = self.sources.iter().map(|source| source.file).enumerate();
        let same = files.filter(|(_, file)| file.content() == target.content());
        let chosen =
            || same.max_by_key(|(position, file)| (file.name() == target.name(), Reverse(*position)));
        if self.kinship == Kinship::Copied { chosen().map(|(position, _)| position) } else { None }
    }

    /// Pairs files whose name is unique on both sides, among those that are left.
    fn join_namesakes(&mut self, blobs: &mut dyn Blobs) -> Result<(), Error> {
        let sources = self.left_sources().map(|source| (self.sources[source].file.name(), source));
        let targets = self.left_targets().map(|target| (self.targets[target].name(), target));
        let (sources, targets) = (alone(sources), alone(targets));
        for (name, target) in targets {
            if let Some(source) = sources.get(name)
                && is_namesake(&self.sources[*source].file, &self.targets[target], blobs)?
            {
                self.join(*source, target);
            }
        }
        Ok(())
    }

    fn join_similar(&mut self, limit: Limit, blobs: &mut dyn Blobs) -> Result<(), Error> {
        let sources: Vec<usize> = self.left_sources().collect();
        let targets: Vec<usize> = self.left_targets().collect();
        if limit.is_exceeded(sources.len(), targets.len()) {
            return Ok(());
        }
        let sources = sources.into_iter().map(|position| (position, self.sources[position].file)).collect();
        let targets = targets.into_iter().map(|position| (position, self.targets[position])).collect();
        let candidates = Comparison::new(sources, targets, blobs)?.run(blobs)?;
        for PairingCandidate { source, target, .. } in &candidates {
            if self.is_free[source.0] && self.found[target.0].is_none() {
                self.join(source.0, target.0);
            }
        }
        // renames come first, however little similar
        for PairingCandidate { source, target, .. } in candidates {
            if self.kinship == Kinship::Copied && self.found[target.0].is_none() {
                self.join(source.0, target.0);
            }
        }
        Ok(())
    }

    fn left_sources(&self) -> impl Iterator<Item = usize> {
        let may_be_any = self.kinship == Kinship::Copied;
        (0..self.sources.len()).filter(move |source| may_be_any || self.is_free[*source])
    }

    fn left_targets(&self) -> impl Iterator<Item = usize> {
        (0..self.targets.len()).filter(|target| self.found[*target].is_none())
    }
}

fn alone<'n>(files: impl Iterator<Item = (&'n BStr, usize)>) -> HashMap<&'n BStr, usize> {
    let mut named: HashMap<&BStr, Option<usize>> = HashMap::new();
    for (name, position) in files {
        named.entry(name).and_modify(|alone| *alone = None).or_insert(Some(position));
    }
    named.into_iter().filter_map(|(name, alone)| Some((name, alone?))).collect()
}

fn is_namesake(source: &File<'_>, target: &File<'_>, blobs: &mut dyn Blobs) -> Result<bool, Error> {
    let [one, other] = [source.version.id, target.version.id];
    if !source.is_regular()
        || !target.is_regular()
        || !is_possible(blobs.size(one)?, blobs.size(other)?, NAMESAKE)
    {
        return Ok(false);
    }
    Ok(FilePieces::of(&blobs.bytes(one)?).score(&FilePieces::of(&blobs.bytes(other)?)) >= NAMESAKE)
}

impl Limit {
    fn is_exceeded(self, sources: usize, targets: usize) -> bool {
        match self {
            Self::Square(side) => (sources as u128).saturating_mul(targets as u128) > u128::from(side).pow(2),
            Self::None => false,
        }
    }
}

/// A possible source of a target. The greatest is the best; among equals the first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct PairingCandidate {
    score: u64,
    has_same_name: bool,
    target: Reverse<usize>,
    source: Reverse<usize>,
}

/// A file whose size allows a partner.
struct Measured<'a> {
    position: usize,
    file: File<'a>,
    size: u64,
}

/// Compares each with each: lists the targets' pieces, and looks up every source in the list.
struct Comparison<'a> {
    sources: Vec<Measured<'a>>,
    targets: Vec<Measured<'a>>,
}

/// For each piece, the targets that contain it, with the number of bytes.
type TargetPieces = HashMap<u32, Vec<(usize, u64)>>;

impl<'a> Comparison<'a> {
    fn new(
        sources: Vec<(usize, File<'a>)>,
        targets: Vec<(usize, File<'a>)>,
        blobs: &mut dyn Blobs,
    ) -> Result<Self, Error> {
        let (mut sources, mut targets) = (measured(sources, blobs)?, measured(targets, blobs)?);
        keep_fitting(&mut sources, &targets);
        keep_fitting(&mut targets, &sources);
        Ok(Self { sources, targets })
    }

    fn run(&self, blobs: &mut dyn Blobs) -> Result<Vec<PairingCandidate>, Error> {
        let mut candidates = Vec::new();
        let mut next = 0;
        while next < self.targets.len() {
            let (first, mut pieces, mut listed) = (next, 0, TargetPieces::new());
            while next < self.targets.len() && pieces < PIECES_AT_ONCE {
                let target = FilePieces::of(&blobs.bytes(self.targets[next].file.version.id)?);
                for (piece, weight) in target.weights() {
                    listed.entry(*piece).or_default().push((next - first, *weight));
                }
                pieces += target.weights().len();
                next += 1;
            }
            candidates.extend(self.best(&self.targets[first..next], &listed, blobs)?);
        }
        candidates.sort_unstable_by_key(|candidate| Reverse(*candidate));
        Ok(candidates)
    }

    fn best(
        &self,
        targets: &[Measured<'_>],
        listed: &TargetPieces,
        blobs: &mut dyn Blobs,
    ) -> Result<Vec<PairingCandidate>, Error> {
        let mut best: Vec<Vec<PairingCandidate>> = vec![Vec::new(); targets.len()];
        let (mut shared, mut met) = (vec![0; targets.len()], Vec::new());
        for source in &self.sources {
            let pieces = FilePieces::of(&blobs.bytes(source.file.version.id)?);
            for (piece, weight) in pieces.weights() {
                for (target, other) in listed.get(piece).into_iter().flatten() {
                    if shared[*target] == 0 {
                        met.push(*target);
                    }
                    shared[*target] += other.min(weight);
                }
            }
            for target in met.drain(..) {
                let (best, shared) = (&mut best[target], std::mem::take(&mut shared[target]));
                best.extend(candidate(source, &targets[target], shared));
                if best.len() == 2 * KEPT {
                    best.sort_unstable_by_key(|candidate| Reverse(*candidate));
                    best.truncate(KEPT);
                }
            }
        }
        Ok(best.concat())
    }
}

fn candidate(source: &Measured<'_>, target: &Measured<'_>, shared: u64) -> Option<PairingCandidate> {
    let score = score(shared, source.size, target.size);
    (score >= HALF).then(|| PairingCandidate {
        score,
        has_same_name: source.file.name() == target.file.name(),
        target: Reverse(target.position),
        source: Reverse(source.position),
    })
}

fn measured<'a>(files: Vec<(usize, File<'a>)>, blobs: &mut dyn Blobs) -> Result<Vec<Measured<'a>>, Error> {
    let regular = files.into_iter().filter(|(_, file)| file.is_regular());
    regular
        .map(|(position, file)| Ok(Measured { position, file, size: blobs.size(file.version.id)? }))
        .collect()
}

fn keep_fitting(files: &mut Vec<Measured<'_>>, others: &[Measured<'_>]) {
    let mut sizes: Vec<u64> = others.iter().map(|other| other.size).collect();
    sizes.sort_unstable();
    files.retain(|file| {
        let too_small =
            sizes.partition_point(|size| *size < file.size && !is_possible(*size, file.size, HALF));
        sizes.get(too_small).is_some_and(|size| is_possible(*size, file.size, HALF))
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FileMode;

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
        let sources: Vec<PairingSource<'_>> = gone
            .iter()
            .map(|(path, text)| PairingSource { file: heap.file(path, text), fate: RenameFate::Gone })
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
        // if too little is the same, the most similar is chosen
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
        let stayed = PairingSource { file: heap.file("a.md", "1\n2\n3\n4\n"), fate: RenameFate::Stayed };
        let gone = PairingSource { file: heap.file("b.md", "1\n2\n3\n5\n6\n"), fate: RenameFate::Gone };
        let target = [heap.file("c.md", "1\n2\n3\n4\n7\n")];
        let mut source = |sources: &[PairingSource<'_>], kinship| {
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
        let sources: Vec<PairingSource<'_>> = texts[..10]
            .iter()
            .zip(&names)
            .map(|(text, name)| PairingSource { file: heap.file(name, text), fate: RenameFate::Gone })
            .collect();
        let targets: Vec<File<'_>> =
            texts[10..].iter().zip(&names[20..]).map(|(text, name)| heap.file(name, text)).collect();
        let found = pair(&sources, &targets, Kinship::Renamed, Limit::None, &mut heap).unwrap();
        assert_eq!(found.iter().flatten().count(), 10);
        assert_eq!(heap.reads, 20);
    }
}
