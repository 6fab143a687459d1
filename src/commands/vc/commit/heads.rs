//! For which commit of the code the lines of a commit were written: its trailers say so, and what became of commits of the
//! code that other lines come from.
//!
//! A merge, a revert, and a tree that is a folder of the code say nothing: their lines come from elsewhere, or are code.

use super::notes::Notes;
use super::{Error, Start};
use brv_base::path::TreePath;
use brv_engine::journal::{CodeHead, LinesHead, SourceCommit};
use brv_engine::open::context::{Context, Opened};
use brv_engine::open::hosting;
use brv_engine::read::history::learned::sources::moves;
use brv_engine::read::history::provenance::Trailers;
use brv_git as git;
use brv_git::blame::carried;
use brv_git::commit::Commit;
use brv_git::merge_state::Mark;
use brv_git::trees::{self, Change, Found, Renames};
use brv_git::{Scope, TreeId};
use bstr::{BStr, BString, ByteSlice as _};
use std::collections::{BTreeMap, BTreeSet};

/// The most trailers about single lines. Where more would be needed there are none, and time decides.
const MOST: usize = 500;

type Trailer = (&'static str, String);

/// The trailers of a commit with this message, which takes the tree from the first of these to the second.
pub(super) fn trailers(
    (cx, opened): (&Context<'_>, &Opened),
    start: &Start,
    (message, said): (&BString, &Notes),
    trees: (TreeId, TreeId),
) -> Result<Vec<Trailer>, Error> {
    let scope = &opened.scope;
    if !scope.prefix().is_empty() {
        return Ok(Vec::new());
    }
    let mut trailers = Vec::new();
    let is_restoring = message.lines().any(|line| line.starts_with(b"This reverts commit "));
    if start.merging.is_none() && !is_restoring && Mark::Squash.read(scope)?.is_none() {
        let heads = Heads { scope, now: hosting::code_head(opened, &cx.cwd), said };
        let keeps_source = Trailers::of(message).get(SourceCommit::TRAILER).is_some();
        trailers = match &start.replaced {
            Some(old) => heads.of_amend((old, keeps_source), trees)?,
            None => heads.of_new(trees)?,
        };
    }
    trailers.extend(moves::trailers(opened)?);
    Ok(trailers)
}

/// A message without such trailers: those of a commit that is replaced are written anew.
pub(super) fn without(message: BString) -> BString {
    let is_own = |line: &[u8]| {
        [CodeHead::TRAILER, LinesHead::TRAILER]
            .iter()
            .any(|key| line.strip_prefix(key.as_bytes()).is_some_and(|rest| rest.starts_with(b": ")))
    };
    if !message.lines().any(is_own) {
        return message;
    }
    let kept: Vec<u8> =
        message.lines_with_terminator().filter(|line| !is_own(line)).flatten().copied().collect();
    let mut message = BString::from(kept.trim_end());
    message.push(b'\n');
    message
}

/// What a line was written for, if it is new.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Written {
    /// What the replaced commit says of the most of its lines.
    AsBefore,
    For(CodeHead),
}

struct Heads<'a> {
    scope: &'a Scope,
    /// The head of the code.
    now: Option<CodeHead>,
    said: &'a Notes,
}

impl Heads<'_> {
    fn of_new(&self, (before, after): (TreeId, TreeId)) -> Result<Vec<Trailer>, Error> {
        let mut lines = Lines::default();
        let changed = self.changed(before, after)?;
        if self.said.heads.is_empty() {
            let head = self.now.filter(|_| !changed.is_empty());
            return Ok(lines.trailers(head));
        }
        for change in changed {
            let Some(head) = self.of_path(&change.path) else { continue };
            let was = self.bytes(before, change.path.as_bstr())?;
            let is = self.bytes(after, change.path.as_bstr())?;
            let new = carried(&was, &is).into_iter().enumerate().filter(|(_, from)| from.is_none());
            new.for_each(|(at, _)| lines.add(&change.path, at, Written::For(head)));
        }
        Ok(lines.trailers(self.now.filter(|now| lines.has(*now)).or_else(|| lines.only())))
    }

    fn of_amend(
        &self,
        (old, keeps_source): (&Commit, bool),
        (before, after): (TreeId, TreeId),
    ) -> Result<Vec<Trailer>, Error> {
        let said = Trailers::of(&old.message);
        let of_lines: Vec<LinesHead> = said.all(LinesHead::TRAILER).filter_map(LinesHead::parse).collect();
        let source = said.get(SourceCommit::TRAILER).and_then(SourceCommit::parse).filter(|_| !keeps_source);
        let source = source.map(|source| CodeHead { commit: source.commit, base: None });
        let before_it = said.get(CodeHead::TRAILER).and_then(CodeHead::parse).or(source);
        let mut lines = Lines::default();
        if before_it.is_some() && before_it == self.now && of_lines.is_empty() && self.said.heads.is_empty() {
            return Ok(lines.trailers(before_it));
        }
        for change in self.changed(before, after)? {
            let path = change.path.as_bstr();
            let is = self.bytes(after, path)?;
            let old = carried(&self.bytes(old.tree, path)?, &is);
            for (at, from) in carried(&self.bytes(before, path)?, &is).into_iter().enumerate() {
                let written = match old.get(at).copied().flatten() {
                    _ if from.is_some() => None,
                    Some(was) => {
                        let own =
                            of_lines.iter().find(|one| one.path == path && one.lines.contains(&(was + 1)));
                        Some(own.map_or(Written::AsBefore, |own| Written::For(own.head)))
                    }
                    None => self.of_path(&change.path).map(Written::For),
                };
                written.into_iter().for_each(|written| lines.add(&change.path, at, written));
            }
        }
        if lines.keeps() || keeps_source {
            return Ok(lines.trailers(before_it));
        }
        Ok(lines.trailers(self.now.filter(|now| lines.has(*now)).or_else(|| lines.only())))
    }

    /// For which commit what is new in a file was written: the operation that left it says so, else it is now.
    fn of_path(&self, path: &BString) -> Option<CodeHead> {
        self.said.heads.get(path).copied().or(self.now)
    }

    /// The curated files that have another version.
    fn changed(&self, before: TreeId, after: TreeId) -> Result<Vec<Change>, git::Error> {
        let mut changes = trees::diff(self.scope, before, after, Renames::Ignore)?;
        let is_entry = |change: &Change| {
            let path = TreePath::parse(&change.path);
            change.after.is_some() && path.is_ok_and(|path| path.kind().is_curated())
        };
        changes.retain(is_entry);
        Ok(changes)
    }

    fn bytes(&self, tree: TreeId, path: &BStr) -> Result<Vec<u8>, git::Error> {
        match trees::find(self.scope, tree, path)? {
            Some(Found::File(version)) => trees::blob(self.scope, version.id),
            _ => Ok(Vec::new()),
        }
    }
}

/// What the new lines of files were written for.
#[derive(Debug, Default)]
struct Lines(BTreeMap<(String, Written), BTreeSet<usize>>);

impl Lines {
    /// `at` is counted from 0.
    fn add(&mut self, path: &BString, at: usize, written: Written) {
        self.0.entry((path.to_string(), written)).or_default().insert(at + 1);
    }

    fn keeps(&self) -> bool {
        self.0.keys().any(|(_, written)| *written == Written::AsBefore)
    }

    fn has(&self, head: CodeHead) -> bool {
        self.0.keys().any(|(_, written)| *written == Written::For(head))
    }

    /// What all lines were written for, if that is one.
    fn only(&self) -> Option<CodeHead> {
        let mut heads = self.0.keys().filter_map(|(_, written)| match written {
            Written::For(head) => Some(*head),
            Written::AsBefore => None,
        });
        let first = heads.next()?;
        heads.all(|head| head == first).then_some(first)
    }

    /// The trailers, where most lines were written for this commit.
    fn trailers(&self, most: Option<CodeHead>) -> Vec<Trailer> {
        let others = self.0.iter().filter_map(|((path, written), lines)| match written {
            Written::For(head) if Some(*head) != most => {
                Some(LinesHead { head: *head, lines: lines.clone(), path: path.clone() })
            }
            _ => None,
        });
        let others: Vec<LinesHead> = others.filter(|one| !one.path.contains(char::is_control)).collect();
        let most = most.map(|head| (CodeHead::TRAILER, head.to_string()));
        if others.len() > MOST {
            return Vec::new();
        }
        most.into_iter().chain(others.into_iter().map(|one| (LinesHead::TRAILER, one.to_string()))).collect()
    }
}
