//! For which commits of the code lines were written that no commit of the tree has: the operations of this clone that wrote them
//! say so.

use super::origin::{LineEvidence, LineOrigin};
use crate::journal::{self, CodeHead, LineMark, Listed, Record};
use brv_base::path::TreePath;
use brv_git as git;
use brv_git::trees::{self, Renames};
use brv_git::{Scope, Version};
use brv_text::stale::{Cites, may_cite};
use bstr::ByteSlice as _;
use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};

/// The lines of entries that operations wrote, wherever they stand now, each with the first that wrote it.
#[derive(Debug, Default)]
pub struct WrittenHere {
    lines: HashMap<LineMark, LocalLineOrigin>,
    /// The versions of entries that they wrote.
    versions: Vec<Vec<u8>>,
    cites: OnceCell<Vec<Cites>>,
}

#[derive(Debug)]
struct LocalLineOrigin {
    origin: LineOrigin,
    head: CodeHead,
}

impl WrittenHere {
    /// By these operations, the newest first.
    ///
    /// # Errors
    /// Objects that cannot be read.
    pub fn of(scope: &Scope, listed: &[Listed]) -> Result<Self, git::Error> {
        let undone = journal::undone(listed);
        let standing = listed.iter().filter(|one| !undone.contains_key(&one.id));
        let mut lines = Self::default();
        for record in standing.filter_map(|one| one.record.as_ref().ok()) {
            // the commit of an operation tells what it committed as a whole
            let after = Some(record.after.into());
            let is_committed = record.moves.iter().any(|one| one.new == after);
            if !is_committed && record.is_of(scope) {
                lines.add(scope, record)?;
            }
        }
        Ok(lines)
    }

    fn add(&mut self, scope: &Scope, record: &Record) -> Result<(), git::Error> {
        let source = record.source_commit.map(|source| {
            let told = LineEvidence::Source { recorded: source.to_string(), subject: None };
            (told, CodeHead { commit: source.commit, base: None })
        });
        let head = record.code_head.map(|head| (LineEvidence::Head(head.to_string()), head));
        let Some((told, head)) = source.or(head) else { return Ok(()) };
        let origin = LineOrigin { commit: record.commit.to_string(), seconds: record.seconds, told };
        let [before, after] = [scope.tree_of(record.before)?, scope.tree_of(record.after)?];
        let (mut was, mut is) = (HashSet::new(), HashSet::new());
        for change in trees::diff(scope, before, after, Renames::Ignore)? {
            if TreePath::parse(&change.path).is_ok_and(|path| path.kind().is_curated()) {
                let [before, after] = [change.before, change.after].map(|version| bytes(scope, version));
                let after = after?;
                was.extend(before?.lines().filter_map(LineMark::of));
                is.extend(after.lines().filter_map(LineMark::of));
                self.versions.push(after);
            }
        }
        // an older one comes later
        self.lines.extend(
            is.difference(&was).map(|mark| (*mark, LocalLineOrigin { origin: origin.clone(), head })),
        );
        Ok(())
    }

    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// The operation that a line of a version comes from; it is counted from 0.
    pub fn origin(&self, version: &Cites, at: usize) -> Option<&LineOrigin> {
        self.find(version, at).map(|written| &written.origin)
    }

    /// The commit of the code that a line of a version was written for; it is counted from 0.
    pub fn head(&self, version: &Cites, at: usize) -> Option<CodeHead> {
        self.find(version, at).map(|written| written.head)
    }

    /// The line with its text, else one that it differs from only in the files that it cites.
    fn find(&self, version: &Cites, at: usize) -> Option<&LocalLineOrigin> {
        let known = |line: &str| self.lines.get(&LineMark::of(line.as_bytes())?);
        let line = version.line(at);
        if known(line).is_some() || !may_cite(line) {
            return known(line);
        }
        let cites = self.cites.get_or_init(|| self.versions.iter().map(|bytes| Cites::of(bytes)).collect());
        let earlier = |earlier: &Cites| known(earlier.line(version.repointed(at, earlier)?));
        cites.iter().filter_map(earlier).min_by_key(|written| written.origin.seconds)
    }
}

fn bytes(scope: &Scope, version: Option<Version>) -> Result<Vec<u8>, git::Error> {
    version.map_or_else(|| Ok(Vec::new()), |version| trees::blob(scope, version.id))
}
