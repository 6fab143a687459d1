//! Where a file comes from: the file of a parent that it was made of, under the same name or another one.
//!
//! [`Lineage`] goes from commit to commit, as `blame` does. Scores and choices are git's, where one file is followed (`blame`, `log --follow`). [`super::renames`] looks at all
//! files of a difference instead.

use super::Scope;
use super::commit::{self, Undecoded};
use super::error::{During, Error};
use super::id::{CommitId, TreeId, object_id};
use super::index::{FileMode, Index, Version};
use super::path_history::Paths;
use super::shallow::{self, Boundary};
use super::similarity::{ALL, HALF, Pieces, is_possible};
use super::trees::{self, Change, Found, Renames};
use bstr::{BStr, BString, ByteSlice as _};
use std::collections::HashMap;

/// Which files another one may be made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kinship {
    /// One that is gone since.
    Renamed,
    /// One that is gone, or one that stayed.
    Copied,
}

/// A file of a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// Where it is in the scope's tree.
    pub path: BString,
    /// What it is.
    pub version: Version,
}

struct Source {
    file: File,
    is_gone: bool,
}

/// The file of `before` that became the one at `path` of `after`, which is not in `before`.
///
/// # Errors
/// Trees or blobs that cannot be read.
pub fn source(
    scope: &Scope,
    before: TreeId,
    after: TreeId,
    path: &BStr,
    kinship: Kinship,
) -> Result<Option<File>, Error> {
    let Some(Found::File(target)) = trees::find(scope, after, path)? else { return Ok(None) };
    let changes = trees::diff(scope, before, after, Renames::Ignore)?;
    chosen(scope, &sources(scope, before, changes, kinship)?, path, target, kinship)
}

/// The file of `before` that became the one that is recorded at `path` for the next commit, which is not in `before`.
///
/// # Errors
/// Trees or blobs that cannot be read.
pub fn source_of_recorded(
    scope: &Scope,
    before: TreeId,
    index: &Index,
    path: &BStr,
) -> Result<Option<File>, Error> {
    let Some(target) = index.version(scope.full(path).as_bstr()) else { return Ok(None) };
    let changes = trees::diff_index(scope, before, index, Renames::Ignore)?;
    chosen(scope, &sources(scope, before, changes, Kinship::Renamed)?, path, target, Kinship::Renamed)
}

fn chosen(
    scope: &Scope,
    sources: &[Source],
    path: &BStr,
    target: Version,
    kinship: Kinship,
) -> Result<Option<File>, Error> {
    if let Some(found) = identical(sources, path, target) {
        return Ok(Some(found.file.clone()));
    }
    similar(scope, sources, path, target, kinship)
}

/// Sorted by path.
fn sources(
    scope: &Scope,
    before: TreeId,
    changes: Vec<Change>,
    kinship: Kinship,
) -> Result<Vec<Source>, Error> {
    let gone = changes.into_iter().filter(|change| change.after.is_none());
    let gone = gone.filter_map(|change| Some(File { path: change.path, version: change.before? }));
    let mut sources: Vec<Source> = gone.map(|file| Source { file, is_gone: true }).collect();
    if kinship == Kinship::Copied {
        let gone: std::collections::HashSet<BString> =
            sources.iter().map(|source| source.file.path.clone()).collect();
        let all = trees::list(scope, before)?.into_iter();
        let kept = all.filter(|(path, _)| !gone.contains(path));
        sources.extend(kept.map(|(path, version)| Source { file: File { path, version }, is_gone: false }));
        sources.sort_by(|one, other| one.file.path.cmp(&other.file.path));
    }
    Ok(sources)
}

const fn is_regular(version: Version) -> bool {
    matches!(version.mode, FileMode::Regular | FileMode::Executable)
}

/// One that is gone before one that stayed, one of the same name before another, then the first.
fn identical<'s>(sources: &'s [Source], path: &BStr, target: Version) -> Option<&'s Source> {
    let fits = |source: &&Source| {
        let version = source.file.version;
        version.id == target.id && (is_regular(version) && is_regular(target) || version.mode == target.mode)
    };
    let rank = |source: &Source| usize::from(source.is_gone) + usize::from(has_same_name(&source.file, path));
    sources.iter().filter(fits).reduce(|best, next| if rank(next) > rank(best) { next } else { best })
}

fn has_same_name(file: &File, path: &BStr) -> bool {
    name(file.path.as_bstr()) == name(path)
}

fn name(path: &BStr) -> &[u8] {
    path.rsplit_once_str("/").map_or(path.as_bytes(), |(_, name)| name)
}

fn similar(
    scope: &Scope,
    sources: &[Source],
    path: &BStr,
    target: Version,
    kinship: Kinship,
) -> Result<Option<File>, Error> {
    if !is_regular(target) || sources.is_empty() {
        return Ok(None);
    }
    let bytes = trees::blob(scope, target.id)?;
    let pieces = Pieces::of(&bytes);
    let mut scores: HashMap<usize, u64> = HashMap::new();
    for (at, source) in sources.iter().enumerate().filter(|(_, source)| is_regular(source.file.version)) {
        if is_possible(size(scope, source)?, bytes.len() as u64) {
            let score = Pieces::of(&trees::blob(scope, source.file.version.id)?).score(&pieces);
            if score >= HALF {
                scores.insert(at, score);
            }
        }
    }
    let found = if kinship == Kinship::Renamed { of_same_name(sources, &scores, path) } else { None };
    let rank = |at: &usize| (sources[*at].is_gone, scores[at], has_same_name(&sources[*at].file, path));
    let best = |best: usize, next: usize| if rank(&next) > rank(&best) { next } else { best };
    let mut places: Vec<usize> = scores.keys().copied().collect();
    places.sort_unstable();
    let found = found.or_else(|| places.into_iter().reduce(best));
    Ok(found.map(|at| sources[at].file.clone()))
}

/// The only one of the same name, if three quarters are the same: no other is looked at then.
fn of_same_name(sources: &[Source], scores: &HashMap<usize, u64>, path: &BStr) -> Option<usize> {
    let mut same = (0..sources.len()).filter(|at| has_same_name(&sources[*at].file, path));
    let (only, None) = (same.next()?, same.next()) else { return None };
    scores.get(&only).is_some_and(|score| *score >= (HALF + ALL) / 2).then_some(only)
}

fn size(scope: &Scope, source: &Source) -> Result<u64, Error> {
    let id = object_id(source.file.version.id);
    Ok(scope.repo.find_header(id).during(|| format!("read blob {id}"))?.size())
}

/// Where a file of a commit was in the commits before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Before {
    /// A parent has it, byte for byte: what it says came from there.
    Same(CommitId, File),
    /// Parents have other versions of it, in their order; none: it is new.
    Other(Vec<(CommitId, File)>),
}

/// The way of files through a history.
pub struct Lineage<'a> {
    scope: &'a Scope,
    shallow: Boundary,
    commits: HashMap<CommitId, Undecoded>,
    paths: HashMap<BString, Paths<'a>>,
    buffer: Vec<u8>,
}

impl<'a> Lineage<'a> {
    /// Of files of this repository.
    ///
    /// # Errors
    /// A list of where the history ends that cannot be read.
    pub fn new(scope: &'a Scope) -> Result<Self, Error> {
        let shallow = shallow::read(&scope.repo)?;
        Ok(Self { scope, shallow, commits: HashMap::new(), paths: HashMap::new(), buffer: Vec::new() })
    }

    /// When a commit was recorded.
    ///
    /// # Errors
    /// A commit that cannot be read.
    pub fn seconds(&mut self, id: CommitId) -> Result<i64, Error> {
        Ok(self.commit(id)?.seconds)
    }

    /// Whether no commit comes before.
    ///
    /// # Errors
    /// A commit that cannot be read.
    pub fn is_first(&mut self, id: CommitId) -> Result<bool, Error> {
        Ok(self.shallow.contains(&id.0) || self.commit(id)?.parents.is_empty())
    }

    /// The file at a path of a commit.
    ///
    /// # Errors
    /// Commits or trees that cannot be read.
    pub fn file(&mut self, id: CommitId, path: &BStr) -> Result<Option<File>, Error> {
        let tree = self.commit(id)?.tree;
        let scope = self.scope;
        let paths =
            self.paths.entry(path.to_owned()).or_insert_with(|| Paths::new(scope, &[path.to_owned()]));
        Ok(paths.file(tree)?.map(|version| File { path: path.to_owned(), version }))
    }

    /// Where a file of a commit was before. As in `git blame` its name comes first, then what it may have been renamed
    /// from.
    ///
    /// # Errors
    /// Commits, trees or blobs that cannot be read.
    pub fn before(&mut self, id: CommitId, file: &File) -> Result<Before, Error> {
        if self.is_first(id)? {
            return Ok(Before::Other(Vec::new()));
        }
        let parents = self.commit(id)?.parents.clone();
        let mut found: Vec<Option<File>> = Vec::with_capacity(parents.len());
        for parent in &parents {
            let same_name = self.file(*parent, file.path.as_bstr())?;
            let same_name = same_name.filter(|other| is_link(other) == is_link(file));
            if let Some(same) = same_name.as_ref().filter(|same| same.version.id == file.version.id) {
                return Ok(Before::Same(*parent, same.clone()));
            }
            found.push(same_name);
        }
        for (parent, place) in parents.iter().zip(&mut found).filter(|(_, place)| place.is_none()) {
            let (before, after) = (self.commit(*parent)?.tree, self.commit(id)?.tree);
            *place = source(self.scope, before, after, file.path.as_bstr(), Kinship::Renamed)?;
            if let Some(same) = place.as_ref().filter(|same| same.version.id == file.version.id) {
                return Ok(Before::Same(*parent, same.clone()));
            }
        }
        let pairs = parents.into_iter().zip(found);
        Ok(Before::Other(pairs.filter_map(|(parent, file)| Some((parent, file?))).collect()))
    }

    fn commit(&mut self, id: CommitId) -> Result<&Undecoded, Error> {
        if !self.commits.contains_key(&id) {
            let commit = commit::read_undecoded(self.scope, id, &mut self.buffer)?;
            self.commits.insert(id, commit);
        }
        Ok(&self.commits[&id])
    }
}

fn is_link(file: &File) -> bool {
    file.version.mode == FileMode::Symlink
}
