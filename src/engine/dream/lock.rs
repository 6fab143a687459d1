//! The lock that one dream at a time holds: a file with the process that dreams.
//!
//! brv locks the file, so that a crash frees it. Another tool may only write it: then its process counts, for as long as
//! it lives and the file is young.

use super::files;
use crate::Stop;
use crate::open::context::Opened;
use brv_base::clock::{Clock, format_utc};
use brv_base::fs::{self, Busy, Form, WriteGuard};
use brv_base::process;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// From this age on, in seconds, a lock counts as left over.
const STALE: i64 = 30 * 60;

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct DreamLockContent {
    pid: u32,
    started_at: String,
}

/// Proof that no other dream runs. The file goes when it is dropped.
pub struct Lock {
    path: PathBuf,
    _guard: WriteGuard,
}

impl Lock {
    /// Take the lock; else the process that dreams.
    pub fn take(opened: &Opened, clock: Clock) -> Result<Result<Self, u32>, Stop> {
        let path = files::lock_file(opened)?;
        if let Some(pid) = holder(&path)? {
            return Ok(Err(pid));
        }
        let guard = match WriteGuard::acquire(&path, Duration::ZERO) {
            Ok(guard) => guard,
            Err(Busy::Held { .. }) if is_stale(&path)? => {
                fs::remove_file(&path)?;
                match WriteGuard::acquire(&path, Duration::ZERO) {
                    Ok(guard) => guard,
                    Err(Busy::Held { .. }) => return Ok(Err(named(&path)?.unwrap_or_default())),
                    Err(Busy::File(error)) => return Err(error.into()),
                }
            }
            Err(Busy::Held { .. }) => return Ok(Err(named(&path)?.unwrap_or_default())),
            Err(Busy::File(error)) => return Err(error.into()),
        };
        let content = DreamLockContent { pid: std::process::id(), started_at: format_utc(clock.seconds()) };
        let text = serde_json::to_string(&content).expect("the keys are texts");
        fs::put(&path, text.as_bytes())?;
        Ok(Ok(Self { path, _guard: guard }))
    }

    /// The process that dreams now, if one does.
    pub fn holder(opened: &Opened) -> Result<Option<u32>, Stop> {
        let path = files::lock_file(opened)?;
        match WriteGuard::is_held(&path) && !is_stale(&path)? {
            true => Ok(named(&path)?),
            false => holder(&path),
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

/// The living process that a young file names, other than this one.
fn holder(path: &Path) -> Result<Option<u32>, Stop> {
    if is_stale(path)? {
        return Ok(None);
    }
    Ok(named(path)?.filter(|pid| *pid != std::process::id() && process::is_alive(*pid)))
}

fn named(path: &Path) -> Result<Option<u32>, Stop> {
    let bytes = fs::read_shipped(path, Form::State)?.unwrap_or_default();
    Ok(serde_json::from_slice::<DreamLockContent>(&bytes).ok().map(|content| content.pid))
}

/// Whether the file is so old, by the clock that dates files, that whoever wrote it left it over.
fn is_stale(path: &Path) -> Result<bool, Stop> {
    let now = Clock::Wall.seconds();
    Ok(fs::stat(path)?.is_some_and(|stat| now - stat.modified.0 >= STALE))
}
