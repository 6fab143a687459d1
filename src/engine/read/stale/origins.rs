//! Where the lines of an entry come from, by the history of the tree: kept in a file for each entry until the entry changes.

use super::cache;
use super::origin::LineOrigin;
use super::tracing::{CommitLine, Tracing};
use super::written_here::WrittenHere;
use crate::journal;
use crate::open::context::Opened;
use brv_base::content::ContentId;
use brv_base::path::TreePath;
use brv_git as git;
use brv_git::blame::{self, BlameSubject};
use brv_git::{CommitId, Scope, history, trees};
use brv_text::stale::Cites;
use bstr::ByteSlice as _;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};

/// The origins of lines, by number from 1; `None` for one that is not committed.
pub type Origins = BTreeMap<usize, Option<LineOrigin>>;

/// What is kept of an entry.
#[derive(Debug, Serialize, Deserialize)]
struct OriginCache {
    path: String,
    blob: String,
    /// A commit whose version of the entry has these origins.
    head: String,
    lines: Origins,
}

/// Finds origins by the history of `HEAD`.
pub struct OriginHistory<'a> {
    opened: &'a Opened,
    head: Option<CommitId>,
    /// Whether earlier heads are in the history of this one.
    earlier: HashMap<String, bool>,
    /// The versions of `HEAD`, loaded when many entries are looked up.
    versions: Option<HashMap<Vec<u8>, ContentId>>,
    /// The lines that operations wrote, once they are needed.
    written_here: Option<WrittenHere>,
}

impl<'a> OriginHistory<'a> {
    /// For this many entries.
    pub fn new(opened: &'a Opened, entries: usize) -> Result<Self, git::Error> {
        const MANY: usize = 100;
        let scope = &opened.scope;
        let head = scope.head()?.commit();
        let versions = match head.filter(|_| entries > MANY) {
            Some(head) => {
                let files = trees::list(scope, scope.tree_of(head)?)?;
                Some(files.into_iter().map(|(path, version)| (path.into(), version.id)).collect())
            }
            None => None,
        };
        Ok(Self { opened, head, earlier: HashMap::new(), versions, written_here: None })
    }

    /// The origins of these lines of an entry that is on disk with these bytes.
    pub fn origins(&mut self, path: &TreePath, bytes: &[u8], lines: &[usize]) -> Result<Origins, git::Error> {
        let (scope, name) = (&self.opened.scope, path.as_bytes().as_bstr());
        let blob = ContentId::of(bytes);
        let Some(head) = self.head else {
            let (cites, own) = (Cites::of(bytes), self.written_here()?);
            return Ok(lines.iter().map(|line| (*line, own.origin(&cites, line - 1).cloned())).collect());
        };
        if self.recorded(head, path)? != Some(blob) {
            let index = git::index::read(scope)?;
            let subject = blame::on_disk(scope, &[head], &index, name, bytes.to_vec())?;
            let subject = subject.unwrap_or_else(|| BlameSubject::untracked(name, bytes.to_vec()));
            return self.with_uncommitted(found(scope, &subject, lines)?, head, (path, bytes));
        }
        let file = cache::file_of(self.opened, path);
        if let Some(known) = cache::read::<OriginCache>(&file)
            && known.path == path.as_str()
            && known.blob == blob.to_string()
            && lines.iter().all(|line| known.lines.contains_key(line))
            && self.is_earlier(&known.head, head)?
        {
            if known.head != head.to_string() {
                cache::write(
                    &file,
                    &OriginCache { head: head.to_string(), lines: known.lines.clone(), ..known },
                );
            }
            return Ok(known.lines);
        }
        let Some(subject) = blame::recorded(scope, head, name)? else { return Ok(Origins::new()) };
        let origins = found(scope, &subject, lines)?;
        let (path, blob, head) = (path.to_string(), blob.to_string(), head.to_string());
        cache::write(&file, &OriginCache { path, blob, head, lines: origins.clone() });
        Ok(origins)
    }

    /// The origins of a version that `HEAD` does not have, with those of its own lines: one that only cites another path is the
    /// one before, and others are of the operation that wrote them, if one did.
    fn with_uncommitted(
        &mut self,
        mut origins: Origins,
        head: CommitId,
        (path, bytes): (&TreePath, &[u8]),
    ) -> Result<Origins, git::Error> {
        if origins.values().all(Option::is_some) {
            return Ok(origins);
        }
        let is_committed = self.recorded(head, path)?.is_some();
        let texts: Vec<&[u8]> = bytes.lines().collect();
        let mut tracing = Tracing::new(&self.opened.scope);
        let (cites, own) = (Cites::of(bytes), self.written_here()?);
        for (line, origin) in origins.iter_mut().filter(|(_, origin)| origin.is_none()) {
            let place = CommitLine { commit: head, path: path.as_bytes().into(), at: line - 1 };
            let text = texts.get(line - 1).copied().unwrap_or_default();
            let before = if is_committed { tracing.repointed_since(&place, text)? } else { None };
            *origin = before.or_else(|| own.origin(&cites, line - 1).cloned());
        }
        Ok(origins)
    }

    /// The lines that operations of this clone wrote.
    fn written_here(&mut self) -> Result<&WrittenHere, git::Error> {
        let scope = &self.opened.scope;
        let found = match self.written_here.take() {
            Some(found) => found,
            None => WrittenHere::of(scope, &journal::list(scope).unwrap_or_default())?,
        };
        Ok(self.written_here.insert(found))
    }

    /// The version that `HEAD` has.
    fn recorded(&self, head: CommitId, path: &TreePath) -> Result<Option<ContentId>, git::Error> {
        if let Some(versions) = &self.versions {
            return Ok(versions.get(path.as_bytes()).copied());
        }
        version(&self.opened.scope, head, path)
    }

    fn is_earlier(&mut self, earlier: &str, head: CommitId) -> Result<bool, git::Error> {
        if let Some(known) = self.earlier.get(earlier) {
            return Ok(*known);
        }
        let scope = &self.opened.scope;
        let is_earlier = match CommitId::from_hex(earlier) {
            Some(id) if id == head => true,
            Some(id) => git::revision::is_commit(scope, id)? && history::is_ancestor(scope, id, head)?,
            None => false,
        };
        self.earlier.insert(earlier.to_owned(), is_earlier);
        Ok(is_earlier)
    }
}

/// The version of an entry that a commit has.
fn version(scope: &Scope, commit: CommitId, path: &TreePath) -> Result<Option<ContentId>, git::Error> {
    let found = trees::file(scope, scope.tree_of(commit)?, path.as_bytes().as_bstr())?;
    Ok(found.map(|version| version.id))
}

/// The origins of the committed lines of a version.
fn found(scope: &Scope, subject: &BlameSubject, lines: &[usize]) -> Result<Origins, git::Error> {
    let texts: Vec<&[u8]> = subject.bytes.lines().collect();
    let ranges: Vec<_> =
        lines.iter().filter(|line| **line <= texts.len()).map(|line| line - 1..*line).collect();
    let mut origins: Origins = lines.iter().map(|line| (*line, None)).collect();
    let mut tracing = Tracing::new(scope);
    for hunk in blame::blame(scope, subject, &ranges)? {
        let Some(commit) = hunk.commit else { continue };
        for (at, line) in hunk.lines.enumerate() {
            let place = CommitLine { commit, path: hunk.path.clone(), at: hunk.source_start + at };
            origins.insert(line + 1, Some(tracing.origin(place, texts[line])?));
        }
    }
    Ok(origins)
}
