//! The lock that every command holds while it writes the tree.
//!
//! The operating system holds it, so that a crash releases it.

use super::Error;
use std::fs::{File, TryLockError};
use std::path::Path;
use std::time::Duration;

/// Proof that this process may write the tree. Released when dropped.
#[derive(Debug)]
pub struct WriteGuard {
    _file: File,
    patience: Duration,
}

/// The lock could not be acquired.
#[derive(Debug, thiserror::Error)]
pub enum Busy {
    /// Another process holds it and did not finish in time.
    #[error("another brv is writing here and did not finish within {} s", waited.as_secs_f32())]
    Held { waited: Duration },
    #[error(transparent)]
    File(#[from] Error),
}

impl WriteGuard {
    /// How long the holder was willing to wait for the lock.
    pub const fn patience(&self) -> Duration {
        self.patience
    }

    /// Whether somebody holds the lock at `path`. To ask does not look like holding it to others who ask.
    pub fn is_held(path: &Path) -> bool {
        let asked = super::without_waiting().read(true).open(path).map(|file| file.try_lock_shared());
        matches!(asked, Ok(Err(TryLockError::WouldBlock)))
    }

    /// Acquire the lock at `path`, waiting at most `patience`.
    ///
    /// # Errors
    /// [`Busy::Held`] if the time is up.
    pub fn acquire(path: &Path, patience: Duration) -> Result<Self, Busy> {
        if let Some(folder) = path.parent() {
            super::create_folder(folder)?;
        }
        let file = super::without_waiting()
            .create(true)
            .truncate(false)
            .write(true)
            .open(path)
            .map_err(Error::during("lock", path))?;
        match file.try_lock() {
            Ok(()) => Ok(Self { _file: file, patience }),
            Err(TryLockError::WouldBlock) => match wait(file, patience) {
                Ok(Some(file)) => Ok(Self { _file: file, patience }),
                Ok(None) => Err(Busy::Held { waited: patience }),
                Err(error) => Err(Error::during("lock", path)(error).into()),
            },
            Err(TryLockError::Error(error)) => Err(Error::during("lock", path)(error).into()),
        }
    }
}

/// Wait in the system's queue for the lock, which is first come, first served. With polling, the last to come, which
/// polls most often, would win, and the first would starve. `None` if the time is up; the waiting thread then still
/// gets the lock at some point, and releases it at once.
#[cfg(unix)]
fn wait(file: File, patience: Duration) -> std::io::Result<Option<File>> {
    if patience.is_zero() {
        return Ok(None);
    }
    let (sender, turn) = std::sync::mpsc::sync_channel(1);
    std::thread::Builder::new().name("lock".into()).spawn(move || {
        let locked = loop {
            match file.lock() {
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                other => break other,
            }
        };
        // if the receiver has given up, the file is closed and so unlocked
        let _ = sender.send(locked.map(|()| file));
    })?;
    match turn.recv_timeout(patience) {
        Ok(locked) => locked.map(Some),
        Err(_) => Ok(None),
    }
}

/// Poll: on Windows a thread that waits for a lock cannot be abandoned.
#[cfg(not(unix))]
fn wait(file: File, patience: Duration) -> std::io::Result<Option<File>> {
    let start = std::time::Instant::now();
    while start.elapsed() < patience {
        std::thread::sleep(Duration::from_millis(10));
        match file.try_lock() {
            Ok(()) => return Ok(Some(file)),
            Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_taker_waits_and_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let first = WriteGuard::acquire(&path, Duration::ZERO).unwrap();
        assert!(matches!(WriteGuard::acquire(&path, Duration::from_millis(5)), Err(Busy::Held { .. })));
        drop(first);
        // a waiter that gave up may still be in the queue; it releases the lock at once
        WriteGuard::acquire(&path, Duration::from_secs(10)).unwrap();
    }

    #[test]
    fn all_who_wait_are_served() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let held = WriteGuard::acquire(&path, Duration::ZERO).unwrap();
        let (sender, served) = std::sync::mpsc::channel();
        std::thread::scope(|scope| {
            for number in 0..8 {
                let (path, sender) = (&path, sender.clone());
                scope.spawn(move || {
                    let guard = WriteGuard::acquire(path, Duration::from_secs(60)).unwrap();
                    sender.send(number).unwrap();
                    std::thread::sleep(Duration::from_millis(20));
                    drop(guard);
                });
            }
            std::thread::sleep(Duration::from_millis(100));
            assert!(served.try_recv().is_err(), "it is held");
            drop(held);
        });
        assert_eq!(served.try_iter().count(), 8);
    }
}
