//! The lock that every command holds while it writes the tree.
//!
//! Held by the operating system, so that a crash releases it.

use super::Error;
use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;
use std::time::{Duration, Instant};

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
        let start = Instant::now();
        let mut pause = Duration::from_millis(1);
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Self { _file: file, patience }),
                Err(TryLockError::WouldBlock) if start.elapsed() < patience => {
                    std::thread::sleep(pause);
                    pause = (pause * 2).min(Duration::from_millis(50));
                }
                Err(TryLockError::WouldBlock) => return Err(Busy::Held { waited: patience }),
                Err(TryLockError::Error(error)) => return Err(Error::during("lock", path)(error).into()),
            }
        }
    }
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
        WriteGuard::acquire(&path, Duration::ZERO).unwrap();
    }
}
