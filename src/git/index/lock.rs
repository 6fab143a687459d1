//! `index.lock`: taken as git takes it, and told apart from one that a killed brv left behind.

use super::{Index, read};
use crate::fs::{self, Durability, FileStat, WriteGuard};
use crate::git::error::{During, Error};
use crate::git::{Scope, interrupt};
use std::time::Duration;

/// How long to wait for `index.lock`, which hand-run git holds only for moments.
const LOCK_PATIENCE: Duration = Duration::from_secs(2);

/// The index with `index.lock` held: nobody else, not even hand-run git, can write it meanwhile.
pub struct LockedIndex {
    lock: gix::lock::File,
    _note: Option<OwnerNote>,
    /// The current content.
    pub index: Index,
}

/// Take `index.lock` and read the index. The guard shows that no other brv is writing, so that a lock which a killed
/// brv left behind can be told from one that git holds.
///
/// # Errors
/// When another process keeps the lock, or the index cannot be decoded.
pub fn lock(scope: &Scope, _guard: &WriteGuard) -> Result<LockedIndex, Error> {
    interrupt::clean_up_when_killed();
    drop_lock_of_the_dead(scope)?;
    let mut locked = lock_unguarded(scope, LOCK_PATIENCE)?;
    if let Some(stat) = fs::stat(&lock_path(scope)).during("lock the index")? {
        let note = OwnerNote { path: owner_path(scope) };
        fs::replace(&note.path, identity_of(&stat).as_bytes(), Durability::Later).during("lock the index")?;
        locked._note = Some(note);
    }
    Ok(locked)
}

/// Says which `index.lock` is a brv's. Goes with the lock, unless brv is killed.
struct OwnerNote {
    path: std::path::PathBuf,
}

impl Drop for OwnerNote {
    fn drop(&mut self) {
        // a note that stays names a lock that is gone: it does no harm
        drop(fs::remove_file(&self.path));
    }
}

/// Take `index.lock` without a guard: for what is only a saving, and gives up when somebody else has it.
pub(in crate::git) fn lock_unguarded(scope: &Scope, patience: Duration) -> Result<LockedIndex, Error> {
    let lock = gix::lock::File::acquire_to_update_resource(scope.repo.index_path(), patience.into(), None, 0)
        .during("lock the index, which another git process holds")?;
    Ok(LockedIndex { lock, _note: None, index: read(scope)? })
}

fn lock_path(scope: &Scope) -> std::path::PathBuf {
    scope.repo.index_path().with_extension("lock")
}

fn owner_path(scope: &Scope) -> std::path::PathBuf {
    scope.git_dir().join("brv").join("index.lock-owner")
}

fn identity_of(stat: &FileStat) -> String {
    format!("{} {}.{:09}", stat.inode, stat.modified.0, stat.modified.1)
}

/// A lock that the note names belongs to a brv that was killed, since whoever holds the guard is the only one alive.
fn drop_lock_of_the_dead(scope: &Scope) -> Result<(), Error> {
    let act = "look at the index's lock";
    let Some(owner) = fs::read_if_there(&owner_path(scope)).during(act)? else { return Ok(()) };
    let lock = lock_path(scope);
    if let Some(stat) = fs::stat(&lock).during(act)?
        && identity_of(&stat).as_bytes() == owner
    {
        fs::remove_file(&lock).during(act)?;
    }
    fs::remove_file(&owner_path(scope)).during(act)?;
    Ok(())
}

impl LockedIndex {
    /// Write the index durably and give the lock back.
    ///
    /// # Errors
    /// When it cannot be written; the old index then still stands.
    pub fn commit(mut self) -> Result<(), Error> {
        let options = gix::index::write::Options { skip_hash: false, ..Default::default() };
        let path = self.lock.resource_path();
        let file = gix::index::File::from_state(self.index.state, path.clone());
        let mut out = std::io::BufWriter::with_capacity(1 << 16, &mut self.lock);
        file.write_to(&mut out, options).during("write the index")?;
        std::io::Write::flush(&mut out).during("write the index")?;
        drop(out);
        self.lock.with_mut(|file| file.sync_all()).during("write the index")?;
        self.lock.commit().during("write the index")?;
        Ok(())
    }
}
