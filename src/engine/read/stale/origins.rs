//! Where the lines of an entry come from, by the history of the tree: kept in a file for each entry until the entry changes.

use super::cache;
use crate::journal::SourceCommit;
use crate::open::context::Opened;
use crate::read::history::provenance::{CODE_HEAD, Trailers};
use brv_base::content::ContentId;
use brv_base::path::TreePath;
use brv_git as git;
use brv_git::blame::{self, Subject};
use brv_git::commit::Commit;
use brv_git::history::{self, Interest, Range};
use brv_git::{CommitId, Scope, trees};
use bstr::{BStr, ByteSlice as _};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};
use std::ops::ControlFlow;

/// The commit of the tree that last changed a line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    pub commit: String,
    /// When it was made, in seconds since 1970: a commit that was rebased keeps the time of its author.
    pub seconds: i64,
    /// The commit of the code that it was learned from, or that was the head then, as its trailer names it.
    pub source: Option<String>,
}

/// The origins of lines, by number from 1; `None` for one that is not committed.
pub type Origins = BTreeMap<usize, Option<Origin>>;

/// How often an undo of an undo is followed.
const MOST_RESTORED: usize = 8;

/// What is kept of an entry.
#[derive(Debug, Serialize, Deserialize)]
struct Known {
    path: String,
    blob: String,
    /// A commit whose version of the entry has these origins.
    head: String,
    lines: Origins,
}

/// Finds origins by the history of `HEAD`.
pub struct History<'a> {
    opened: &'a Opened,
    head: Option<CommitId>,
    /// Whether earlier heads are in the history of this one.
    earlier: HashMap<String, bool>,
    /// The versions of `HEAD`, where many entries are asked for.
    versions: Option<HashMap<Vec<u8>, ContentId>>,
}

impl<'a> History<'a> {
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
        Ok(Self { opened, head, earlier: HashMap::new(), versions })
    }

    /// The origins of these lines of an entry that is on disk with these bytes.
    pub fn origins(&mut self, path: &TreePath, bytes: &[u8], lines: &[usize]) -> Result<Origins, git::Error> {
        let (scope, name) = (&self.opened.scope, path.as_bytes().as_bstr());
        let Some(head) = self.head else { return Ok(lines.iter().map(|line| (*line, None)).collect()) };
        let blob = ContentId::of(bytes);
        if self.recorded(head, path)? != Some(blob) {
            let index = git::index::read(scope)?;
            let subject = blame::on_disk(scope, &[head], &index, name, bytes.to_vec())?;
            let subject = subject.unwrap_or_else(|| Subject::untracked(name, bytes.to_vec()));
            return found(scope, &subject, lines);
        }
        let file = cache::file_of(self.opened, path);
        if let Some(known) = cache::read::<Known>(&file)
            && known.path == path.as_str()
            && known.blob == blob.to_string()
            && lines.iter().all(|line| known.lines.contains_key(line))
            && self.is_earlier(&known.head, head)?
        {
            if known.head != head.to_string() {
                cache::write(&file, &Known { head: head.to_string(), lines: known.lines.clone(), ..known });
            }
            return Ok(known.lines);
        }
        let Some(subject) = blame::recorded(scope, head, name)? else { return Ok(Origins::new()) };
        let origins = found(scope, &subject, lines)?;
        let (path, blob, head) = (path.to_string(), blob.to_string(), head.to_string());
        cache::write(&file, &Known { path, blob, head, lines: origins.clone() });
        Ok(origins)
    }

    /// The version that `HEAD` has.
    fn recorded(&self, head: CommitId, path: &TreePath) -> Result<Option<ContentId>, git::Error> {
        if let Some(versions) = &self.versions {
            return Ok(versions.get(path.as_bytes()).copied());
        }
        let scope = &self.opened.scope;
        let found = trees::find(scope, scope.tree_of(head)?, path.as_bytes().as_bstr())?;
        Ok(found.and_then(|found| match found {
            trees::Found::File(version) => Some(version.id),
            trees::Found::Folder(_) => None,
        }))
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

fn found(scope: &Scope, subject: &Subject, lines: &[usize]) -> Result<Origins, git::Error> {
    let texts: Vec<&[u8]> = subject.bytes.lines().collect();
    let ranges: Vec<_> =
        lines.iter().filter(|line| **line <= texts.len()).map(|line| line - 1..*line).collect();
    let mut origins: Origins = lines.iter().map(|line| (*line, None)).collect();
    let mut commits: HashMap<CommitId, Commit> = HashMap::new();
    for hunk in blame::blame(scope, subject, &ranges)? {
        let Some(id) = hunk.commit else { continue };
        for line in hunk.lines {
            let mut commit = match commits.get(&id) {
                Some(commit) => commit.clone(),
                None => commits.entry(id).or_insert(history::read(scope, id)?).clone(),
            };
            if is_restored(&commit) {
                commit = before(scope, commit, hunk.path.as_bstr(), texts[line])?;
            }
            origins.insert(line + 1, Some(origin(&commit)));
        }
    }
    Ok(origins)
}

fn origin(commit: &Commit) -> Origin {
    let trailers = Trailers::of(&commit.message);
    let source = trailers.get(SourceCommit::TRAILER).or_else(|| trailers.get(CODE_HEAD)).map(str::to_owned);
    let seconds = commit.author.seconds.min(commit.committer.seconds);
    Origin { commit: commit.id.to_string(), seconds, source }
}

/// Whether a commit takes others back, by undo or revert.
fn is_restored(commit: &Commit) -> bool {
    Trailers::of(&commit.message).undoes().next().is_some()
        || commit.message.lines().any(|line| line.starts_with(b"This reverts commit "))
}

/// The commit that a line came from before it was restored; the restoring one where none had it.
fn before(scope: &Scope, restoring: Commit, path: &BStr, line: &[u8]) -> Result<Commit, git::Error> {
    let mut commit = restoring;
    for _ in 0..MOST_RESTORED {
        let Some((earlier, at)) = earlier(scope, &commit, path, line)? else { break };
        let Some(subject) = blame::recorded(scope, earlier, path)? else { break };
        let hunks = blame::blame(scope, &subject, std::slice::from_ref(&(at..at + 1)))?;
        let Some(id) = hunks.first().and_then(|hunk| hunk.commit) else { break };
        commit = history::read(scope, id)?;
        if !is_restored(&commit) {
            break;
        }
    }
    Ok(commit)
}

/// The newest commit before this one whose version of the file has a line, and the line's number from 0.
fn earlier(
    scope: &Scope,
    commit: &Commit,
    path: &BStr,
    line: &[u8],
) -> Result<Option<(CommitId, usize)>, git::Error> {
    let range = Range {
        tips: commit.parents.clone(),
        interest: Interest::Paths(vec![path.to_owned()]),
        ..Range::default()
    };
    let mut found = Ok(None);
    history::walk(scope, &range, |walked| {
        found = position(scope, &walked.commit, path, line);
        match &found {
            Ok(None) => ControlFlow::Continue(()),
            _ => ControlFlow::Break(()),
        }
    })?;
    found
}

fn position(
    scope: &Scope,
    commit: &Commit,
    path: &BStr,
    line: &[u8],
) -> Result<Option<(CommitId, usize)>, git::Error> {
    let Some(trees::Found::File(version)) = trees::find(scope, commit.tree, path)? else { return Ok(None) };
    let bytes = trees::blob(scope, version.id)?;
    let at = bytes.lines().position(|other| other.trim() == line.trim());
    Ok(at.map(|at| (commit.id, at)))
}
