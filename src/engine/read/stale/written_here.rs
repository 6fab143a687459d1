//! For which commits of the code lines were written that no commit of the tree has: the operations of this clone that wrote them
//! say so.

use super::origin::{Origin, Told};
use crate::journal::{self, CodeHead, LineMark, Listed, Record};
use brv_base::path::TreePath;
use brv_git as git;
use brv_git::trees::{self, Renames};
use brv_git::{Scope, Version};
use brv_text::stale::is_but_for_paths;
use bstr::ByteSlice as _;
use std::collections::HashMap;

/// The lines of entries that operations wrote, wherever they stand now, each with the first that wrote it.
#[derive(Debug, Default)]
pub struct WrittenHere(HashMap<LineMark, Written>);

#[derive(Debug)]
struct Written {
    text: String,
    origin: Origin,
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
            // what an operation committed as a whole is told by its commit
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
            let told = Told::Source { recorded: source.to_string(), subject: None };
            (told, CodeHead { commit: source.commit, base: None })
        });
        let head = record.code_head.map(|head| (Told::Head(head.to_string()), head));
        let Some((told, head)) = source.or(head) else { return Ok(()) };
        let origin = Origin { commit: record.commit.to_string(), seconds: record.seconds, told };
        let [before, after] = [scope.tree_of(record.before)?, scope.tree_of(record.after)?];
        let (mut was, mut is) = (HashMap::new(), HashMap::new());
        for change in trees::diff(scope, before, after, Renames::Ignore)? {
            if TreePath::parse(&change.path).is_ok_and(|path| path.kind().is_curated()) {
                was.extend(marked(scope, change.before)?);
                is.extend(marked(scope, change.after)?);
            }
        }
        for (mark, text) in is.into_iter().filter(|(mark, _)| !was.contains_key(mark)) {
            // an older one comes later
            self.0.insert(mark, Written { text, origin: origin.clone(), head });
        }
        Ok(())
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The operation that a line comes from.
    pub fn origin(&self, line: &[u8]) -> Option<&Origin> {
        self.find(line).map(|written| &written.origin)
    }

    /// The commit of the code that a line was written for.
    pub fn head(&self, line: &[u8]) -> Option<CodeHead> {
        self.find(line).map(|written| written.head)
    }

    /// The line with this text, else one that differs only in the paths that it cites.
    fn find(&self, line: &[u8]) -> Option<&Written> {
        if let Some(written) = self.0.get(&LineMark::of(line)?) {
            return Some(written);
        }
        if !line.contains(&b'.') && !line.contains(&b'/') {
            return None;
        }
        let text = line.to_str_lossy();
        let alike = self.0.values().filter(|written| is_but_for_paths(&written.text, &text));
        alike.min_by_key(|written| written.origin.seconds)
    }
}

/// The lines of a version that are not blank.
fn marked(scope: &Scope, version: Option<Version>) -> Result<HashMap<LineMark, String>, git::Error> {
    let bytes = version.map_or_else(|| Ok(Vec::new()), |version| trees::blob(scope, version.id))?;
    let mark = |line: &[u8]| Some((LineMark::of(line)?, line.to_str_lossy().into_owned()));
    Ok(bytes.lines().filter_map(mark).collect())
}
