//! For which commit of the code the lines of a commit were written: its trailers say so, and what became of commits of the
//! code that other lines come from.
//!
//! A merge, a revert, and a tree that is a folder of the code say nothing: their lines come from elsewhere, or are code.

use super::new_lines::{LinePurpose, LineTrailer, Most, NewLines};
use super::{Start, notes};
use brv_base::path::TreePath;
use brv_engine::Stop;
use brv_engine::journal::{CodeHead, LineMark, LinesHead, Listed};
use brv_engine::open::context::{Context, Opened};
use brv_engine::open::hosting;
use brv_engine::read::history::learned::sources::moves;
use brv_engine::read::stale::{Said, WrittenHere};
use brv_git as git;
use brv_git::blame::carried;
use brv_git::commit::Commit;
use brv_git::trees::{self, Change, Renames};
use brv_git::{CommitId, Scope, TreeId, Version, history};
use brv_text::stale::{Cites, may_cite};
use bstr::{BString, ByteSlice as _};
use std::collections::{BTreeSet, HashMap, HashSet};

/// The most heads that the commit of a squash says.
const MOST_SQUASHED: usize = 20;

/// The trailers of a commit with this message, which takes the tree from the first of these to the second, where these
/// operations (newest first) may have left something to commit.
pub(super) fn trailers(
    (cx, opened): (&Context<'_>, &Opened),
    start: &Start,
    (message, listed): (&BString, &[Listed]),
    trees: (TreeId, TreeId),
) -> Result<Vec<LineTrailer>, Stop> {
    let scope = &opened.scope;
    if !scope.prefix().is_empty() {
        return Ok(Vec::new());
    }
    let is_restoring = message.lines().any(|line| line.starts_with(b"This reverts commit "));
    let mut trailers = Vec::new();
    if start.merging.is_none() && !is_restoring {
        let squashed = notes::squashed(scope)?;
        let is_learned = Said::of(message).is_learned();
        let (now, here) = (hosting::code_head(opened, &cx.cwd), WrittenHere::of(scope, listed)?);
        let heads = Heads { scope, now, here, is_learned };
        trailers = match (&start.picked, &start.replaced) {
            (Some(picked), _) => Said::of(&picked.message).trailers(),
            (None, old) if !squashed.is_empty() => of_squash(scope, (&squashed, start.head.commit()), old)?,
            (None, Some(old)) => heads.of_amend(old, trees)?,
            (None, None) => heads.of_new(trees)?,
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

/// The heads of all commits of a squash, which has nothing of its own, and of the commit that it is added to: the older of them
/// counts.
fn of_squash(
    scope: &Scope,
    (squashed, head): (&[CommitId], Option<CommitId>),
    old: &Option<Commit>,
) -> Result<Vec<LineTrailer>, git::Error> {
    let mut heads: Vec<CodeHead> = Vec::new();
    let old = old.iter().map(|old| Said::of(&old.message));
    let mut all: Vec<Said> = Vec::new();
    for id in history::between(scope, squashed, head.as_slice())? {
        all.push(Said::of(&history::read(scope, id)?.message));
    }
    // the oldest first; none may be missing
    for head in all.into_iter().chain(old).rev().flat_map(|said| said.all_heads()) {
        if !heads.contains(&head) && heads.len() < MOST_SQUASHED {
            heads.push(head);
        }
    }
    Ok(heads.iter().map(|head| (CodeHead::TRAILER, head.to_string())).collect())
}

struct Heads<'a> {
    scope: &'a Scope,
    /// The head of the code.
    now: Option<CodeHead>,
    here: WrittenHere,
    /// Whether the message names the commit of the code that its lines were learned from.
    is_learned: bool,
}

impl Heads<'_> {
    fn of_new(&self, (before, after): (TreeId, TreeId)) -> Result<Vec<LineTrailer>, Stop> {
        let changed = self.changed(before, after)?;
        if changed.is_empty() {
            return Ok(Vec::new());
        }
        let mut lines = NewLines::default();
        if !self.here.is_empty() {
            for change in &changed {
                let new = self.new_lines(change)?;
                new.lines.iter().for_each(|at| lines.add(new.line(*at), [self.written(&new, *at)]));
            }
        }
        let most = Most { heads: self.now.into_iter().collect(), is_learned: false };
        Ok(lines.trailers(most, self.now))
    }

    fn of_amend(&self, old: &Commit, (before, after): (TreeId, TreeId)) -> Result<Vec<LineTrailer>, Stop> {
        if old.parents.len() > 1 {
            return Ok(Vec::new());
        }
        let said = Said::of(&old.message);
        let most = Most { heads: said.heads().into_iter().collect(), is_learned: self.is_learned };
        let mut lines = NewLines::default();
        let is_of_now = most.heads == self.now.into_iter().collect::<BTreeSet<_>>();
        if is_of_now && !most.heads.is_empty() && !said.names_lines() && self.here.is_empty() {
            return Ok(lines.trailers(most, self.now));
        }
        let replaced = self.replaced(old, (before, after))?;
        for change in self.changed(before, after)? {
            let new = self.new_lines(&change)?;
            for at in new.lines.iter().copied() {
                let Some(earlier) = replaced.line(&change.path, &new.version, at) else {
                    lines.add(new.line(at), [self.written(&new, at)]);
                    continue;
                };
                let own = said.heads_of(earlier.as_bytes());
                match own.is_empty() {
                    true => lines.add(new.line(at), [LinePurpose::AsMost]),
                    false => lines.add(new.line(at), own.into_iter().map(LinePurpose::For)),
                }
            }
        }
        Ok(lines.trailers(most, self.now))
    }

    /// For which commit a new line was written: the operation that wrote it says so, else it is now.
    fn written(&self, new: &NewVersion, at: usize) -> LinePurpose {
        self.here.head(&new.version, at).or(self.now).map_or(LinePurpose::AsMost, LinePurpose::For)
    }

    /// What the replaced commit has, as far as it concerns the new one.
    fn replaced(&self, old: &Commit, (before, after): (TreeId, TreeId)) -> Result<ReplacedLines, git::Error> {
        let mut replaced = ReplacedLines::default();
        let own = self.changed(before, old.tree)?.into_iter().map(|change| (change.path, change.after));
        let since = self.changed(old.tree, after)?.into_iter().map(|change| (change.path, change.before));
        for (path, version) in own.chain(since) {
            let bytes = self.bytes(version)?;
            replaced.lines.extend(bytes.lines().filter_map(LineMark::of));
            replaced.versions.insert(path, Cites::of(&bytes));
        }
        Ok(replaced)
    }

    /// The lines of a file that it did not have before.
    fn new_lines(&self, change: &Change) -> Result<NewVersion, git::Error> {
        let (was, is) = (self.bytes(change.before)?, self.bytes(change.after)?);
        let new = carried(&was, &is).into_iter().enumerate().filter(|(_, from)| from.is_none());
        Ok(NewVersion { version: Cites::of(&is), lines: new.map(|(at, _)| at).collect() })
    }

    /// The curated files that have another version, or another path.
    fn changed(&self, before: TreeId, after: TreeId) -> Result<Vec<Change>, git::Error> {
        let mut changes = trees::diff(self.scope, before, after, Renames::Detect)?;
        let is_entry = |change: &Change| {
            let path = TreePath::parse(&change.path);
            change.after.is_some() && path.is_ok_and(|path| path.kind().is_curated())
        };
        changes.retain(is_entry);
        Ok(changes)
    }

    fn bytes(&self, version: Option<Version>) -> Result<Vec<u8>, git::Error> {
        version.map_or_else(|| Ok(Vec::new()), |version| trees::blob(self.scope, version.id))
    }
}

/// A version of a file, and which of its lines are new, counted from 0.
struct NewVersion {
    version: Cites,
    lines: Vec<usize>,
}

impl NewVersion {
    fn line(&self, at: usize) -> &[u8] {
        self.version.line(at).as_bytes()
    }
}

/// The lines of a commit that is replaced.
#[derive(Debug, Default)]
struct ReplacedLines {
    lines: HashSet<LineMark>,
    /// The versions of files, by the paths that they have in the new commit.
    versions: HashMap<BString, Cites>,
}

impl ReplacedLines {
    /// The line that one of a version in the new commit comes from: with its text, in whichever file, or one of its own file that
    /// it differs from only in the files that it cites.
    fn line<'a>(&'a self, path: &BString, version: &'a Cites, at: usize) -> Option<&'a str> {
        let line = version.line(at);
        if self.lines.contains(&LineMark::of(line.as_bytes())?) {
            return Some(line);
        }
        let earlier = self.versions.get(path).filter(|_| may_cite(line))?;
        Some(earlier.line(version.repointed(at, earlier)?))
    }
}
