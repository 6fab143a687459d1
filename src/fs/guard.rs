//! The lock that every command holds while it writes the tree.
//!
//! Held by the operating system, so that a crash releases it.

use super::Error;
use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;
use std::time::Duration;

/// Proof that this process may write the tree. Released when dropped.
#[derive(Debug)]
pub struct WriteGuard {
    _file: File,
    patience: Duration,
}

/// The lock could not be had.
#[derive(Debug, thiserror::Error)]
pub enum Busy {
    /// Another process holds it and did not finish in time.
    #[error("another brv is writing here and did not finish within {} s", waited.as_secs_f32())]
    Held {
        /// How long was waited.
        waited: Duration,
    },
    /// The lock file itself could not be opened.
    #[error(transparent)]
    File(#[from] Error),
}

impl WriteGuard {
    /// How long whoever took it was ready to wait.
    #[must_use]
    pub const fn patience(&self) -> Duration {
        self.patience
    }

    /// Take the lock at `path`, waiting at most `patience`.
    ///
    /// # Errors
    /// [`Busy::Held`] when the time is up.
    pub fn acquire(path: &Path, patience: Duration) -> Result<Self, Busy> {
        if let Some(folder) = path.parent() {
            super::create_folder(folder)?;
        }
        let file = OpenOptions::new()
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

/// Stand in the system's queue for the lock, which serves who came first: of those who only look again and again the
/// last to come, who looks most often, would win, and the first would wait in vain. `None` when the time is up; whoever
/// stands in the queue then still gets the lock one day, and lets it go at once.
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
        // the file is closed, and so let go, if nobody waits for it any more
        let _ = sender.send(locked.map(|()| file));
    })?;
    match turn.recv_timeout(patience) {
        Ok(locked) => locked.map(Some),
        Err(_) => Ok(None),
    }
}

/// Look again and again: a thread that waits for a lock of Windows cannot be left behind.
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
        // whoever gave up may still be in the queue, and gets out of the way
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
