//! Execute a [`Work`]: write files, index, merge state, references and settings, or put all back as it was.

use super::index_edits::edited;
use super::{Ground, Interference, Purpose, Work, moved, out_of_turn, record, unfinished};
use crate::journal::{self, OperationId, RefMove, Staged, Transition, Waiting};
use crate::open::context::Parts;
use crate::read::history::reflog::signature;
use crate::write::policy::own_files::{self, LocalFiles};
use crate::{OrStop, Stop};
use brv_base::fs::WriteGuard;
use brv_git as git;
use brv_git::apply::{self, SwitchFailure, SwitchOutcome};
use brv_git::held::Held;
use brv_git::index::Glimpse;
use brv_git::switch::{Admission, Admit, Content, Plan};
use brv_git::trees::Change;
use brv_git::{Edits, Head, Index, LockedIndex, NewIndex, Scope, reflog, settings_moves};
use bstr::{BStr, BString, ByteSlice as _};
use std::collections::HashSet;

/// git's index as a command read it.
pub(super) enum Hold {
    Locked(Box<LockedIndex>),
    /// Read without a lock.
    Seen(Box<OperationStart>),
}

/// The index and `HEAD` at the moment when a command began.
pub(super) struct OperationStart {
    glimpse: Glimpse,
    head: Head,
}

impl Hold {
    pub(super) fn seen(scope: &Scope) -> Result<Self, git::Error> {
        let head = scope.head()?;
        Ok(Self::Seen(Box::new(OperationStart { glimpse: git::index::glimpse(scope)?, head })))
    }

    const fn index_mut(&mut self) -> &mut Index {
        match self {
            Self::Locked(locked) => &mut locked.index,
            Self::Seen(seen) => &mut seen.glimpse.index,
        }
    }

    const fn index(&self) -> &Index {
        match self {
            Self::Locked(locked) => &locked.index,
            Self::Seen(seen) => &seen.glimpse.index,
        }
    }

    /// Take the index out for reading.
    pub(super) fn take(&mut self) -> Index {
        std::mem::replace(self.index_mut(), git::index::empty())
    }

    pub(super) fn with(mut self, index: Index) -> Self {
        *self.index_mut() = index;
        self
    }
}

/// Carry out the work: begin, write files, index and merge state, move the references, publish. All objects of both
/// sides are stored already. Without the index only references and settings can change.
///
/// # Errors
/// All is as before, or the next command completes it.
pub(super) fn carry_out(
    parts: &Parts<'_>,
    guard: &WriteGuard,
    hold: Option<Hold>,
    work: Work<'_>,
    purpose: &Purpose,
) -> Result<(OperationId, OperationFiles), OrStop<Interference>> {
    let scope = parts.scope();
    let draft = record::draft(parts, &work, purpose, hold.as_ref().map(Hold::index))?;
    let kept = match &hold {
        Some(hold) => keep(scope, guard, hold.index(), &work)?,
        None => LocalFiles::default(),
    };
    let pending = journal::begin(scope, guard, parts.clock, &draft)?;
    let Work { transition, ground, admit, obstacles } = work;
    let (plan, source) = match ground {
        Ground::Exact => (Plan::exactly(&transition.files, obstacles), IndexSource::Listed),
        Ground::Planned { plan, .. } => (plan, IndexSource::Files),
        Ground::Untouched { .. } => (Plan::default(), IndexSource::Caller),
    };
    let is_brief = matches!(hold, Some(Hold::Seen(_)));
    let mut act = OperationRun {
        parts,
        guard,
        transition: &transition,
        purpose,
        source,
        kept,
        done: OperationProgress::default(),
    };
    match act.run(plan, admit, hold) {
        Ok(mut brought) => {
            settings_moves::bring(scope, &transition.settings).map_err(unfinished)?;
            brought.left_alone.extend(act.done.release());
            let operation = pending.publish(scope).map_err(unfinished)?;
            Ok((operation, brought))
        }
        Err(error) => match act.take_back().and_then(|()| Ok(pending.forget(scope)?)) {
            Ok(()) => Err(match error {
                // git moved the branch between the look at `HEAD` and the lock of the branch
                OrStop::This(Interference::Overtaken(_)) if is_brief => moved().into(),
                error => error,
            }),
            Err(_) => Err(unfinished(error).into()),
        },
    }
}

/// Tells whether git moved a reference at the same time.
fn overtaken(error: git::Error) -> OrStop<Interference> {
    match error.class() {
        git::ErrorClass::Moved => OrStop::This(Interference::Overtaken(error)),
        _ => error.into(),
    }
}

/// The files that an operation has brought.
#[derive(Debug, Default)]
pub(super) struct OperationFiles {
    pub(super) withheld: Vec<(BString, &'static str)>,
    pub(super) left_alone: Vec<BString>,
    pub(super) blocked: Vec<BString>,
}

/// An operation that is being carried out.
struct OperationRun<'a> {
    parts: &'a Parts<'a>,
    guard: &'a WriteGuard,
    transition: &'a Transition,
    purpose: &'a Purpose,
    source: IndexSource,
    kept: LocalFiles,
    done: OperationProgress,
}

/// What is done so far, to be released or put back.
#[derive(Default)]
struct OperationProgress {
    files: Option<Held>,
    /// The lock is held until the references have moved: otherwise a git commit would include what is staged here.
    index: Option<Box<LockedIndex>>,
    /// Whether the merge state may be the new one.
    has_state: bool,
    /// Files could not be put back.
    is_stuck: bool,
}

impl OperationProgress {
    /// Returns the files beside which a late save is kept.
    fn release(&mut self) -> Vec<BString> {
        self.index = None;
        self.files.take().map_or_else(Vec::new, Held::release)
    }
}

impl OperationRun<'_> {
    fn run(
        &mut self,
        plan: Plan,
        admit: &Admit<'_>,
        hold: Option<Hold>,
    ) -> Result<OperationFiles, OrStop<Interference>> {
        let (edits, brought) = self.write_files(plan, admit)?;
        let new = match hold {
            Some(mut hold) => {
                let new = self.new_index(hold.take(), &edits)?;
                self.lock(hold, new, &edits)?
            }
            None => None,
        };
        self.check_files()?;
        if self.source == IndexSource::Caller {
            // no file was touched: stage nothing and end no merge before it is certain that the branch moves
            self.move_references(|act| act.write_state(new)).map_err(overtaken)?;
        } else {
            self.write_state(new)?;
            self.move_references(|_| Ok(())).map_err(overtaken)?;
        }
        Ok(brought)
    }

    fn write_files(
        &mut self,
        plan: Plan,
        admit: &Admit<'_>,
    ) -> Result<(Edits, OperationFiles), OrStop<Interference>> {
        let scope = self.parts.scope();
        let open = open_paths(scope, self.transition);
        let admit = |path: &BStr, content: Content<'_>| match admit(path, content) {
            // whoever resolves the conflict must see the file
            _ if open.contains(path) => Admission::Admitted,
            Admission::Withheld(_) => self.kept.admit(path, content),
            judged => judged,
        };
        match apply::apply(scope, plan, &admit, self.parts.progress) {
            Ok(SwitchOutcome { edits, withheld, left_alone, blocked, held }) => {
                self.done.files = Some(held);
                Ok((edits, OperationFiles { withheld, left_alone, blocked }))
            }
            Err(SwitchFailure { error, unfinished }) => {
                self.done.is_stuck = unfinished.is_some();
                Err(error.into())
            }
        }
    }

    /// The index after the operation, written to a file of its own; `None` if it stays as it is.
    fn new_index(&self, index: Index, brought: &Edits) -> Result<Option<NewIndex>, Stop> {
        let scope = self.parts.scope();
        let index = match self.source {
            IndexSource::Caller => Some(index),
            source => {
                edited(scope, index, source == IndexSource::Files, (self.transition, brought), &self.kept)?
            }
        };
        Ok(index.map(|index| NewIndex::of(scope, &index)).transpose()?)
    }

    /// Lock the index, if it is not locked already. If somebody has written it since it was read, the new index is made
    /// again from what they wrote, unless that concerns what the operation changes.
    fn lock(&mut self, hold: Hold, new: Option<NewIndex>, brought: &Edits) -> Result<Option<NewIndex>, Stop> {
        let scope = self.parts.scope();
        let seen = match hold {
            Hold::Locked(locked) => {
                self.done.index = Some(locked);
                return Ok(new);
            }
            Hold::Seen(seen) => seen,
        };
        self.done.index = Some(Box::new(git::index::lock_unread(scope, self.guard)?));
        if !self.transition.moves.is_empty() && scope.head()? != seen.head {
            return Err(moved());
        }
        if seen.glimpse.is_current(scope)? {
            return Ok(new);
        }
        let index = git::index::read(scope)?;
        if self.source != IndexSource::Listed || !self.is_as_before(&index)? {
            return Err(moved());
        }
        self.new_index(index, brought)
    }

    /// Whether the index entries and the merge state that the operation changes are those from which it begins.
    fn is_as_before(&self, index: &Index) -> Result<bool, Stop> {
        let sides = &self.transition.index;
        let mut entries = sides.before.entries.iter();
        let are_same = entries.all(|(path, before)| Staged::of(index, path.as_bstr()) == *before);
        Ok(are_same && (sides.is_empty() || Waiting::read(self.parts.scope())? == sides.before.waiting))
    }

    /// Fail if another program has saved one of the files since it was changed.
    fn check_files(&mut self) -> Result<(), OrStop<Interference>> {
        let disturbed = match &mut self.done.files {
            Some(files) => files.disturbed()?,
            None => Vec::new(),
        };
        if disturbed.is_empty() { Ok(()) } else { Err(OrStop::This(Interference::saved(disturbed))) }
    }

    fn write_state(&mut self, new: Option<NewIndex>) -> Result<(), git::Error> {
        if let (Some(locked), Some(new)) = (&mut self.done.index, new) {
            locked.write(new)?;
        }
        let (before, after) = (&self.transition.index.before.waiting, &self.transition.index.after.waiting);
        if before == after {
            return Ok(());
        }
        self.done.has_state = true;
        after.write(self.parts.scope()).map_err(|error| git::Error::new("write the merge state", error))
    }

    /// Runs `along` right before the references move.
    fn move_references(
        &mut self,
        along: impl FnOnce(&mut Self) -> Result<(), git::Error>,
    ) -> Result<(), git::Error> {
        let (scope, transition, purpose) = (self.parts.scope(), self.transition, self.purpose);
        let moves = transition.moves.iter().filter(|one| one.old != one.new);
        let moves: Vec<_> = moves.map(|one| one.to_move(purpose.reflog.line(one.name.as_bstr()))).collect();
        if moves.is_empty() {
            return along(self);
        }
        journal::keep_tags(scope, &transition.moves)?;
        let who = purpose.who.clone().unwrap_or_else(|| signature(scope, self.parts.clock));
        let renamed = renamed(&transition.moves);
        let log = renamed.map(|(gone, _)| reflog::read(scope, gone)).transpose()?;
        git::refs::update_with(scope, moves, &who, || along(self))?;
        match (renamed, log) {
            (Some((_, come)), Some(log)) => reflog::go_on(scope, come, &log),
            _ => Ok(()),
        }
    }

    /// Put everything back as it was.
    ///
    /// # Errors
    /// A reference has moved, or something could not be put back.
    fn take_back(&mut self) -> Result<(), OrStop<Interference>> {
        let scope = self.parts.scope();
        if self.done.is_stuck || !has_moved_nothing(scope, &self.transition.moves) {
            return Err(out_of_turn().into());
        }
        if self.done.has_state {
            self.transition.index.before.waiting.write(scope)?;
        }
        if let Some(locked) = &mut self.done.index {
            locked.put_back()?;
        }
        self.done.files.take().map_or(Ok(()), Held::put_back)?;
        self.done.index = None;
        Ok(())
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum IndexSource {
    Listed,
    /// The files that were written, and other entries listed in the transition.
    Files,
    /// The caller has edited the index already.
    Caller,
}

/// Remember the files as this disk's own: unmanaged files that are removed or overwritten, and those that are staged.
fn keep(scope: &Scope, guard: &WriteGuard, index: &Index, work: &Work<'_>) -> Result<LocalFiles, Stop> {
    let mut kept = LocalFiles::read(scope)?;
    match &work.ground {
        Ground::Exact => {
            kept.extend(going(scope, index, &work.transition.files));
            for id in unfit(scope, index, &work.transition.files)? {
                kept.add_unfit(id);
            }
        }
        Ground::Planned { plan, .. } => kept.extend(plan.going()),
        Ground::Untouched { .. } => kept.extend(staged(scope, &work.transition)),
    }
    kept.save(scope, guard)?;
    Ok(kept)
}

/// The staged versions of the transition, by path in the tree.
fn staged<'a>(scope: &'a Scope, transition: &'a Transition) -> impl Iterator<Item = (&'a BStr, git::BlobId)> {
    transition.index.after.entries.iter().filter_map(|(full, staged)| match staged {
        Staged::Version(version) => Some((scope.strip(full.as_bstr())?, version.id)),
        Staged::Nothing | Staged::Intended | Staged::Unmerged(_) => None,
    })
}

/// The paths (relative to the tree) that are still in conflict.
fn open_paths(scope: &Scope, transition: &Transition) -> HashSet<BString> {
    let entries = transition.index.after.entries.iter();
    let open = entries.filter(|(_, staged)| matches!(staged, Staged::Unmerged(_)));
    open.filter_map(|(full, _)| Some(scope.strip(full.as_bstr())?.to_owned())).collect()
}

/// The versions removed from the disk or overwritten.
fn going<'a>(
    scope: &'a Scope,
    index: &'a Index,
    files: &'a [Change],
) -> impl Iterator<Item = (&'a BStr, git::BlobId)> {
    let on_disk = |change: &&Change| !index.is_withheld(scope.full(&change.path).as_bstr());
    let stood = |change: &'a Change| Some((change.path.as_bstr(), change.before?.id));
    files.iter().filter(on_disk).filter_map(stood)
}

/// Edits on this disk that are removed and are invalid as entries. Versions in the index were checked when they were
/// staged.
fn unfit(scope: &Scope, index: &Index, files: &[Change]) -> Result<Vec<git::BlobId>, git::Error> {
    let mut found = Vec::new();
    for (path, id) in going(scope, index, files) {
        let recorded = index.version(scope.full(path).as_bstr());
        if recorded.is_none_or(|version| version.id != id) && own_files::is_unfit(scope, path, id)? {
            found.push(id);
        }
    }
    Ok(found)
}

/// Whether no reference moved to its new target, as far as can be checked.
fn has_moved_nothing(scope: &Scope, moves: &[RefMove]) -> bool {
    let mut moving = moves.iter().filter(|one| one.old != one.new);
    moving.all(|one| git::refs::target(scope, one.name.as_bstr()).is_ok_and(|here| here != one.new))
}

/// A branch that is removed while another one is created at the same commit: a rename, so the reflog moves along.
fn renamed(moves: &[RefMove]) -> Option<(&BStr, &BStr)> {
    let branches = || moves.iter().filter(|one| one.name.starts_with(b"refs/heads/") && one.old != one.new);
    let (gone, come): (Vec<_>, Vec<_>) = branches().partition(|one| one.new.is_none());
    match (&gone[..], &come[..]) {
        ([gone], [come]) if gone.old == come.new => Some((gone.name.as_bstr(), come.name.as_bstr())),
        _ => None,
    }
}
