//! From the lock to the derived files: what every command does around its own idea.

use super::engine::carry_out;
use super::{Error, Purpose, Work, recovery};
use crate::fs::WriteGuard;
use crate::git::{self, Index, LockedIndex, Scope, TreeId};
use crate::journal::{OperationId, Recovered};
use crate::ops::context::Parts;
use crate::ops::steps::cause::Cause;
use crate::ops::steps::refresh::{self, Disk, Extent};
use crate::ops::steps::work_tree::survey::Survey;
use bstr::BString;

/// A command that writes, from taking the lock to [`Writing::finish`]. Where it ends earlier, nothing of it is written.
pub struct Writing<'a> {
    parts: Parts<'a>,
    guard: WriteGuard,
    locked: Option<LockedIndex>,
    written: Written,
}

/// What became of it.
#[derive(Debug, Default)]
pub struct Written {
    /// The operation in the journal; `None` where nothing was written.
    pub operation: Option<OperationId>,
    /// An interrupted command that was finished first.
    pub recovered: Option<Recovered>,
    /// The derived files; `None` where they were not looked at. A failure undoes nothing.
    pub derived: Option<Result<refresh::Outcome, refresh::Error>>,
    /// Files that stay in the commit without being written, with the reason.
    pub withheld: Vec<(BString, &'static str)>,
    /// Files that were saved meanwhile, and left as they are.
    pub left_alone: Vec<BString>,
    /// Files that are not there, since others stand in a folder of that name.
    pub blocked: Vec<BString>,
}

/// Which derived files are made again.
#[derive(Debug, Clone, Copy)]
pub enum Derived {
    /// None.
    Leave,
    /// Those that depend on what differs from when they were made: the disk is walked.
    Changed,
    /// Those that depend on what differs between two trees.
    Between(TreeId, TreeId, Disk),
    /// As [`Derived::Changed`], also where nothing was written.
    Anyway,
    /// Those that an earlier command could not make for this tree, also where nothing was written.
    MissedFor(TreeId),
}

impl Derived {
    /// Make them again; `None`: they are not looked at.
    fn make(self, parts: &Parts<'_>) -> Option<Result<refresh::Outcome, refresh::Error>> {
        let changed = || refresh::refresh(parts.opened, Extent::Changed, parts.progress);
        match self {
            Self::Leave => None,
            Self::Changed | Self::Anyway => Some(changed()),
            Self::Between(before, after, disk) => {
                Some(refresh::follow(parts.opened, (before, after), disk, parts.progress))
            }
            Self::MissedFor(tree) => Some(if refresh::is_made_for(parts.opened, tree) {
                Ok(Default::default())
            } else {
                changed()
            }),
        }
    }

    /// As far as anything is to be made after what was written.
    fn after(self, written: &Written) -> Self {
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

impl Written {
    /// The end of every command, when nothing is locked any more: derived files are made again.
    #[must_use]
    pub fn deriving(mut self, parts: &Parts<'_>, derived: Derived) -> Self {
        self.derived = derived.after(&self).make(parts);
        self
    }

    /// Whether every file is as it should be.
    fn is_complete(&self) -> bool {
        self.left_alone.is_empty() && self.blocked.is_empty()
    }
}

/// Finish what a crash left, for a command that asks a remote before it writes.
///
/// # Errors
/// As [`Writing::begin`].
pub fn recover(parts: Parts<'_>) -> Result<Option<Recovered>, recovery::Error> {
    Ok(Writing::begin(parts)?.written.recovered)
}

impl<'a> Writing<'a> {
    /// Take the lock, and finish what a crash left.
    ///
    /// # Errors
    /// Another process is writing, or what a crash left cannot be finished.
    pub fn begin(parts: Parts<'a>) -> Result<Self, recovery::Error> {
        let (guard, recovered) = recovery::lock(parts.opened)?;
        // also a command that fails from here on tells it
        if let Some(recovered) = &recovered {
            parts.preceding.note(recovered);
        }
        Ok(Self { parts, guard, locked: None, written: Written { recovered, ..Written::default() } })
    }

    /// The repository.
    #[must_use]
    pub const fn scope(&self) -> &'a Scope {
        self.parts.scope()
    }

    /// The lock.
    #[must_use]
    pub const fn guard(&self) -> &WriteGuard {
        &self.guard
    }

    /// An interrupted command that was finished first.
    #[must_use]
    pub const fn recovered(&self) -> Option<&Recovered> {
        self.written.recovered.as_ref()
    }

    /// Take git's lock of the index, too, and the index as it is.
    ///
    /// # Errors
    /// git holds the lock, or the index cannot be read.
    pub fn index(&mut self) -> Result<Index, git::Error> {
        Ok(self.locked.insert(git::index::lock(self.scope(), &self.guard)?).take())
    }

    /// The same, and look at the tree with it.
    ///
    /// # Errors
    /// git holds the lock, or whatever `look` says.
    pub fn survey<E>(&mut self, look: impl FnOnce(Index) -> Result<Survey, E>) -> Result<Survey, Cause>
    where
        Cause: From<E>,
    {
        Ok(look(self.index()?)?)
    }

    /// Write the index that [`Writing::index`] took, where no operation is about what changed in it.
    ///
    /// # Errors
    /// When it cannot be written; the old index then still stands.
    pub fn write_index(&mut self, index: Index) -> Result<(), Error> {
        Ok(self.locked_with(index)?.commit()?)
    }

    /// Carry it out, with the index that [`Writing::index`] took. `None` where nothing changes: then nothing is done.
    ///
    /// # Errors
    /// What was begun is finished by the next command. [`Error::OutOfTurn`] where something was carried out before, or the
    /// index is not that of its lock: what was looked at need not be there any more.
    pub fn carry_out(
        &mut self,
        index: Option<Index>,
        work: Work<'_>,
        purpose: &Purpose,
    ) -> Result<Option<OperationId>, Cause> {
        // an index that is locked, and not given back, would be lost
        if self.written.operation.is_some() || index.is_none() && self.locked.is_some() {
            return Err(Error::OutOfTurn.into());
        }
        let locked = index.map(|index| self.locked_with(index)).transpose()?;
        if work.is_empty() {
            return Ok(None);
        }
        let (operation, switched) = carry_out(&self.parts, &self.guard, locked, work, purpose)?;
        self.written.operation = Some(operation.clone());
        self.written.withheld = switched.withheld;
        self.written.left_alone = switched.left_alone;
        self.written.blocked = switched.blocked;
        Ok(Some(operation))
    }

    /// The lock, with the index that it was taken for.
    fn locked_with(&mut self, index: Index) -> Result<LockedIndex, Error> {
        let mut locked = self.locked.take().ok_or(Error::OutOfTurn)?;
        locked.index = index;
        Ok(locked)
    }

    /// What it was begun with.
    #[must_use]
    pub const fn parts(&self) -> Parts<'a> {
        self.parts
    }

    /// Give the lock back, and make derived files again.
    #[must_use]
    pub fn finish(self, derived: Derived) -> Written {
        let Self { parts, guard, locked, written } = self;
        drop((locked, guard));
        written.deriving(&parts, derived)
    }
}
