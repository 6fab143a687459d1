//! A writing session, from taking the lock to regenerating derived files: the frame of every command that writes.

use super::engine::{self, Hold};
use super::{Interference, Locking, Purpose, Work, out_of_turn, recovery};
use crate::derive::{self, Disk, Extent};
use crate::journal::{OperationId, Recovered};
use crate::open::context::Parts;
use crate::open::survey::Survey;
use crate::query::search::change_cache;
use crate::{OrStop, Stop};
use brv_base::fs::WriteGuard;
use brv_git as git;
use brv_git::{Index, Scope, TreeId};
use bstr::BString;

/// A command that writes, from taking the lock to [`Writing::finish`]. If it ends earlier, nothing is written.
pub struct Writing<'a> {
    parts: Parts<'a>,
    guard: WriteGuard,
    locking: Locking,
    hold: Option<Hold>,
    written: WriteOutcome,
    /// When the session began, in milliseconds since 1970.
    began: i64,
}

#[derive(Debug, Default)]
pub struct WriteOutcome {
    /// The operation in the journal; `None` where nothing was written.
    pub operation: Option<OperationId>,
    /// An interrupted command that was finished first.
    pub recovered: Option<Recovered>,
    /// The derived files; `None` if they were not checked. A failure here undoes nothing.
    pub derived: Option<Result<derive::Outcome, Stop>>,
    /// Files that stay in the commit without being written, with the reason.
    pub withheld: Vec<(BString, &'static str)>,
    /// Files of a new tree that came while it was written, and files beside which a late save is kept.
    pub left_alone: Vec<BString>,
    /// Files that could not be written because a folder with other files has their name.
    pub blocked: Vec<BString>,
}

impl WriteOutcome {
    /// The derived files that were updated; `None` if there was no attempt, or it failed.
    pub fn refreshed(&self) -> Option<&derive::Outcome> {
        self.derived.as_ref()?.as_ref().ok()
    }
}

#[derive(Debug, Clone, Copy)]
pub enum Derived {
    Leave,
    /// Those whose sources changed since they were made: scans the disk.
    Changed,
    /// Those whose sources differ between two trees.
    Between(TreeId, TreeId, Disk),
    /// As [`Derived::Changed`], even if nothing was written.
    Anyway,
    /// Those that an earlier command could not generate for this tree, even if nothing was written.
    MissedFor(TreeId),
}

impl Derived {
    /// Regenerate them; `None`: they are not checked.
    fn make(self, parts: &Parts<'_>) -> Option<Result<derive::Outcome, Stop>> {
        let changed = || derive::refresh(parts.opened, Extent::Changed, parts.progress);
        match self {
            Self::Leave => None,
            Self::Changed | Self::Anyway => Some(changed()),
            Self::Between(before, after, disk) => {
                Some(derive::follow(parts.opened, (before, after), disk, parts.progress))
            }
            Self::MissedFor(tree) => {
                Some(if derive::is_made_for(parts.opened, tree) { Ok(Default::default()) } else { changed() })
            }
        }
    }

    fn after(self, written: &WriteOutcome) -> Self {
        match self {
            Self::Anyway | Self::MissedFor(_) => self,
            _ if written.operation.is_none() => Self::Leave,
            Self::Between(before, after, _) if !written.is_complete() => {
                Self::Between(before, after, Disk::Unknown)
            }
            Self::Leave | Self::Changed | Self::Between(..) => self,
        }
    }
}

impl WriteOutcome {
    /// The end of every command, after the locks are released: regenerates derived files.
    pub fn deriving(mut self, parts: &Parts<'_>, derived: Derived) -> Self {
        self.derived = derived.after(&self).make(parts);
        self
    }

    /// Whether every file was written.
    fn is_complete(&self) -> bool {
        self.left_alone.is_empty() && self.blocked.is_empty()
    }
}

/// Recover an interrupted command, for a command that contacts a remote before it writes.
pub fn recover(parts: Parts<'_>) -> Result<Option<Recovered>, Stop> {
    Ok(Writing::begin(parts)?.written.recovered)
}

impl<'a> Writing<'a> {
    /// Take the lock, and recover an interrupted command.
    ///
    /// # Errors
    /// Another process is writing, or an interrupted command cannot be recovered.
    pub fn begin(parts: Parts<'a>) -> Result<Self, Stop> {
        let (guard, recovered) = recovery::lock(parts.opened)?;
        // a command that fails later reports it, too
        if let Some(recovered) = &recovered {
            parts.preceding.note(recovered);
        }
        let began = parts.clock.now().timestamp_millis();
        let locking = Locking::Throughout;
        Ok(Self {
            parts,
            guard,
            locking,
            hold: None,
            written: WriteOutcome { recovered, ..WriteOutcome::default() },
            began,
        })
    }

    /// The same session, with the index locked in another way. The default is [`Locking::Throughout`].
    pub fn locking(self, locking: Locking) -> Self {
        Self { locking, ..self }
    }

    pub const fn scope(&self) -> &'a Scope {
        self.parts.scope()
    }

    pub const fn guard(&self) -> &WriteGuard {
        &self.guard
    }

    /// An interrupted command that was finished first.
    pub const fn recovered(&self) -> Option<&Recovered> {
        self.written.recovered.as_ref()
    }

    /// The current index, locked for git, too, unless the session locks it only while it is written.
    pub fn index(&mut self) -> Result<Index, git::Error> {
        let scope = self.scope();
        let hold = match self.locking {
            Locking::Throughout => Hold::Locked(Box::new(git::index::lock(scope, &self.guard)?)),
            Locking::Briefly => Hold::seen(scope)?,
        };
        Ok(self.hold.insert(hold).take())
    }

    /// The same, and survey the tree with it.
    ///
    /// # Errors
    /// git holds the lock, or an error of `look`.
    pub fn survey<E: From<git::Error>>(
        &mut self,
        look: impl FnOnce(Index) -> Result<Survey, E>,
    ) -> Result<Survey, E> {
        look(self.index()?)
    }

    /// Write the index that [`Writing::index`] returned, without an operation.
    ///
    /// # Errors
    /// The index cannot be written; the old one is still in place.
    pub fn write_index(&mut self, index: Index) -> Result<(), Stop> {
        match self.hold_with(index)? {
            Hold::Locked(locked) => Ok(locked.commit()?),
            Hold::Seen(_) => Err(out_of_turn()),
        }
    }

    /// Carry out the work, with the index that [`Writing::index`] returned. `None` if nothing changes: then nothing is
    /// done.
    ///
    /// # Errors
    /// Another program wrote meanwhile, and all is as before; or the next command finishes the operation. The session has
    /// carried out work before, or the index was not asked for.
    pub fn carry_out(
        &mut self,
        index: Option<Index>,
        work: Work<'_>,
        purpose: &Purpose,
    ) -> Result<Option<OperationId>, OrStop<Interference>> {
        // an index that is held, and not passed here, would be lost
        if self.written.operation.is_some() || index.is_none() && self.hold.is_some() {
            return Err(out_of_turn().into());
        }
        let hold = index.map(|index| self.hold_with(index)).transpose()?;
        if work.is_empty() {
            return Ok(None);
        }
        let (operation, switched) = engine::carry_out(&self.parts, &self.guard, hold, work, purpose)?;
        self.written.operation = Some(operation.clone());
        self.written.withheld = switched.withheld;
        self.written.left_alone = switched.left_alone;
        self.written.blocked = switched.blocked;
        Ok(Some(operation))
    }

    /// The hold on the index, with the index that was taken out of it.
    fn hold_with(&mut self, index: Index) -> Result<Hold, Stop> {
        Ok(self.hold.take().ok_or_else(out_of_turn)?.with(index))
    }

    pub const fn parts(&self) -> Parts<'a> {
        self.parts
    }

    /// Release the lock, and regenerate derived files.
    pub fn finish(self, derived: Derived) -> WriteOutcome {
        let Self { parts, guard, hold, written, began, .. } = self;
        drop((hold, guard));
        let derived = derived.after(&written);
        let written = written.deriving(&parts, derived);
        if let (Derived::Between(before, after, disk), Some(Ok(made))) = (derived, &written.derived) {
            let looked = (disk == Disk::Same).then_some(began);
            change_cache::renew(parts.opened, looked, (before, after), made);
        }
        written
    }
}
