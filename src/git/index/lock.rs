//! Takes `index.lock` as git does, and recognizes one that a killed brv left behind.

use super::{Edits, Index, read};
use crate::error::{During, Error};
use crate::objects::checksum::Checksum;
use crate::repository::locks;
use crate::{Scope, interrupt};
use brv_base::fs::{self, Durability, FileStat, WriteGuard};
use std::collections::BTreeSet;
use std::time::Duration;

/// The index with `index.lock` held: no other process, not even git run by hand, can write it meanwhile.
pub struct LockedIndex {
    lock: gix::lock::File,
    _owner: LockNote,
    path: std::path::PathBuf,
    /// The folder for what was there before.
    aside: std::path::PathBuf,
    replaced: Option<Replaced>,
    /// The folders of the notices that announce this process's locks: this one, and those of references.
    notes: BTreeSet<std::path::PathBuf>,
    pub index: Index,
}

/// Takes `index.lock` and reads the index. The guard proves that no other brv is writing, which distinguishes a lock
/// left by a killed brv from one that git holds. Waits for git as long as for another brv.
///
/// # Errors
/// When another process keeps the lock, or the index cannot be decoded.
pub fn lock(scope: &Scope, guard: &WriteGuard) -> Result<LockedIndex, Error> {
    lock_within(scope, guard, guard.patience())
}

/// As [`lock`], with another wait.
pub(crate) fn lock_within(
    scope: &Scope,
    guard: &WriteGuard,
    patience: Duration,
) -> Result<LockedIndex, Error> {
    let mut locked = lock_only(scope, guard, patience)?;
    locked.index = read(scope)?;
    Ok(locked)
}

/// Takes `index.lock` without reading the index.
///
/// # Errors
/// When another process keeps the lock.
pub fn lock_unread(scope: &Scope, guard: &WriteGuard) -> Result<LockedIndex, Error> {
    lock_only(scope, guard, guard.patience())
}

fn lock_only(scope: &Scope, guard: &WriteGuard, patience: Duration) -> Result<LockedIndex, Error> {
    interrupt::clean_up_when_killed();
    drop_abandoned(scope, guard)?;
    let path = scope.repo.index_path();
    let acquire = |patience| locks::acquire(scope.common_dir(), &path, patience, "lock the index");
    let owner = LockNote::announce(scope)?;
    let (lock, mut owner) = match acquire(Duration::ZERO) {
        Ok(lock) => (lock, owner),
        Err(_) => {
            // git holds it: a lock that appears while we wait may be git's again
            drop(owner);
            (acquire(patience)?, LockNote::announce(scope)?)
        }
    };
    owner.sign(scope)?;
    let notes = [scope.git_dir(), scope.common_dir()].map(|folder| folder.join("brv")).into();
    let aside = scope.git_dir().join("brv");
    Ok(LockedIndex { lock, _owner: owner, path, aside, replaced: None, notes, index: super::empty() })
}

impl LockedIndex {
    /// Takes the index out for reading while the lock is held; it must be put back before [`LockedIndex::commit`].
    pub fn take(&mut self) -> Index {
        std::mem::replace(&mut self.index, super::empty())
    }

    /// Merges edits in; nothing is written yet.
    pub fn edit(&mut self, edits: &Edits) -> Result<(), Error> {
        self.index = self.take().edited(edits)?;
        Ok(())
    }
}

fn lock_path(scope: &Scope) -> std::path::PathBuf {
    scope.repo.index_path().with_extension("lock")
}

/// The note that identifies brv's own `index.lock`: first announced, then signed.
fn owner_path(scope: &Scope) -> std::path::PathBuf {
    scope.git_dir().join("brv").join("index.lock-owner")
}

/// The note of a lock that is about to be taken.
const ANNOUNCEMENT: &[u8] = b"soon\n";

/// Whether a note is about this file. An announcement is about an empty file created right after it; a signed note
/// about the same file, perhaps written to since. Without inodes (Windows) only the time counts.
fn is_about(note: &[u8], written: &FileStat, lock: &FileStat) -> bool {
    if locks::has_lost_its_words(note) {
        // the note lost its content in a power failure: the lock is of the same time, or of a later process
        return (-60..=60).contains(&(lock.modified.0 - written.modified.0));
    }
    if note == ANNOUNCEMENT {
        let at = |stat: &FileStat| i128::from(stat.modified.0) * 1_000_000_000 + i128::from(stat.modified.1);
        return lock.size == 0 && (0..1_000_000_000).contains(&(at(lock) - at(written)));
    }
    let text = String::from_utf8_lossy(note);
    let numbers: Vec<i128> = text.split(' ').filter_map(|part| part.parse().ok()).collect();
    let &[device, inode, seconds] = &numbers[..] else { return false };
    let now = i128::from(lock.modified.0);
    device == i128::from(lock.device)
        && inode == i128::from(lock.inode)
        && if inode == 0 { seconds == now } else { seconds <= now }
}

/// Whether the note claims the index's lock for a brv: a running one, or one that was killed.
pub(crate) fn is_signed(scope: &Scope) -> bool {
    owner_path(scope).exists()
}

/// Removes a lock that the note names: it belongs to a killed brv, since only the holder of the guard is alive.
pub(crate) fn drop_abandoned(scope: &Scope, _guard: &WriteGuard) -> Result<(), Error> {
    let act = "check the index lock";
    let Some(owner) = fs::read_if_there(&owner_path(scope)).during(act)? else { return Ok(()) };
    let lock = lock_path(scope);
    if let Some(stat) = fs::stat(&lock).during(act)?
        && let Some(written) = fs::stat(&owner_path(scope)).during(act)?
        && is_about(&owner, &written, &stat)
    {
        fs::remove_file(&lock).during(act)?;
    }
    fs::remove_file(&owner_path(scope)).during(act)?;
    Ok(())
}

/// The note about our lock: removed with the lock, so that it never describes a later one.
struct LockNote {
    note: std::path::PathBuf,
    /// The lock, as it was when the note was signed.
    lock: Option<(std::path::PathBuf, FileStat)>,
}

impl LockNote {
    fn announce(scope: &Scope) -> Result<Self, Error> {
        let owner = Self { note: owner_path(scope), lock: None };
        fs::replace(&owner.note, ANNOUNCEMENT, Durability::Later).during("lock the index")?;
        Ok(owner)
    }

    fn sign(&mut self, scope: &Scope) -> Result<(), Error> {
        let path = lock_path(scope);
        let Some(lock) = fs::stat(&path).during("lock the index")? else { return Ok(()) };
        let note = format!("{} {} {}", lock.device, lock.inode, lock.modified.0);
        self.lock = Some((path, lock));
        fs::replace(&self.note, note.as_bytes(), Durability::Later).during("lock the index")
    }
}

impl Drop for LockNote {
    fn drop(&mut self) {
        // tries again to remove a lock that could not be removed; if it stays, so does the note, for the next process
        if let Some((lock, signed)) = &self.lock
            && fs::stat(lock).is_ok_and(|now| now.is_some_and(|now| locks::is_same(&now, signed)))
            && fs::remove_file(lock).is_err()
        {
            return;
        }
        // the next process drops this one too
        let _ = fs::remove_file(&self.note);
    }
}

impl LockedIndex {
    /// Puts the new index in place durably and keeps the lock, so that git run by hand neither reads nor writes the index
    /// before the branch that belongs to it has moved.
    ///
    /// # Errors
    /// When it cannot be written; the old index is then intact.
    pub fn write(&mut self, new: NewIndex) -> Result<(), Error> {
        let act = "write the index";
        // syncing the index's folder makes the locks in it durable too: they must not outlive their notes
        for folder in &self.notes {
            fs::sync_folder(folder).during(act)?;
        }
        // whoever looks finds the old index or the new one, on every file system
        let old = fs::keep(&self.path, &self.aside).during(act)?.map(|file| NewIndex { file });
        fs::rename(&new.file, &self.path).during(act)?;
        self.replaced = Some(Replaced { old });
        fs::sync_folder(self.path.parent().unwrap_or(std::path::Path::new("."))).during(act)
    }

    /// Puts the index back that [`LockedIndex::write`] replaced, if it did.
    pub fn put_back(&mut self) -> Result<(), Error> {
        match self.replaced.take() {
            Some(Replaced { old: Some(old) }) => fs::rename(&old.file, &self.path),
            Some(Replaced { old: None }) => fs::remove_file(&self.path).map(drop),
            None => Ok(()),
        }
        .during("restore the index")
    }

    /// Writes the index durably and releases the lock.
    ///
    /// # Errors
    /// When it cannot be written; the old index is then intact.
    pub fn commit(mut self) -> Result<(), Error> {
        let bytes = encode(&self.index.state)?;
        let path = self.path.display();
        let act = || format!("write the index `{path}`");
        std::io::Write::write_all(&mut self.lock, &bytes).during(act)?;
        self.lock.with_mut(|file| file.sync_all()).during(act)?;
        self.lock.commit().during(act)?;
        // the branch update that follows must not outlive the index that belongs to it
        let folder = self.path.parent().unwrap_or(std::path::Path::new("."));
        fs::sync_folder(folder).during(act)
    }
}

struct Replaced {
    /// What was there before, if something was.
    old: Option<NewIndex>,
}

/// An index in a file of its own, written durably; removed on drop.
pub struct NewIndex {
    file: std::path::PathBuf,
}

impl NewIndex {
    /// Writes it. No lock is needed.
    pub fn of(scope: &Scope, index: &Index) -> Result<Self, Error> {
        let act = "write the index";
        let folder = scope.git_dir().join("brv");
        fs::create_folder(&folder).during(act)?;
        let bytes = encode(&index.state)?;
        let file = fs::put_aside(&folder, "index", &bytes, &scope.repo.index_path()).during(act)?;
        let new = Self { file };
        fs::sync_file(&new.file).during(act)?;
        Ok(new)
    }
}

impl Drop for NewIndex {
    fn drop(&mut self) {
        // what stays is removed when the next command begins
        let _ = fs::remove_file(&self.file);
    }
}

/// The index file with its checksum; gitoxide writes a few bytes at a time.
fn encode(state: &gix::index::State) -> Result<Vec<u8>, Error> {
    // an entry takes 62 bytes and its path
    let mut bytes = Vec::with_capacity(state.entries().len() * 128 + 4096);
    let options = gix::index::write::Options { skip_hash: true, ..Default::default() };
    state.write_to(&mut bytes, options).during("write the index")?;
    let checksum = Checksum::of(&bytes);
    bytes.extend_from_slice(checksum.as_bytes());
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use brv_base::fs::FileKind;

    fn stat(inode: u64, modified: (i64, u32), size: u64) -> FileStat {
        let kind = FileKind::Regular;
        FileStat { kind, size, modified, changed: modified, device: 1, inode, user: 0, group: 0 }
    }

    #[test]
    fn a_note_speaks_of_its_own_lock_only() {
        let written = stat(1, (100, 500), 5);
        let is = |note: &[u8], lock: &FileStat| is_about(note, &written, lock);
        assert!(is(ANNOUNCEMENT, &stat(2, (100, 600), 0)));
        assert!(!is(ANNOUNCEMENT, &stat(2, (100, 400), 0)), "it was there before");
        assert!(!is(ANNOUNCEMENT, &stat(2, (102, 0), 0)), "it came much later");
        assert!(!is(ANNOUNCEMENT, &stat(2, (100, 600), 9)), "a lock is written to only after it was signed");
        assert!(is(b"1 7 100", &stat(7, (100, 0), 0)));
        assert!(is(b"1 7 100", &stat(7, (160, 0), 9)));
        assert!(!is(b"1 7 100", &stat(8, (100, 0), 0)));
        assert!(!is(b"1 7 100", &stat(7, (99, 0), 0)));
        assert!(!is(b"1 0 100", &stat(0, (160, 0), 9)), "without inodes only the same time is the same lock");
        assert!(!is(b"rubbish", &stat(7, (100, 0), 0)));
        assert!(is(b"", &stat(7, (130, 0), 9)), "the power was lost with the note's words");
        assert!(is(b"\0\0\0", &stat(7, (90, 0), 9)));
        assert!(!is(b"\0", &stat(7, (300, 0), 9)), "somebody else's, since");
    }
}
