//! Whether `git gc` is at work here, and whether tidying up is due.

use super::Error;
use crate::fs;
use crate::git::Scope;
use crate::git::error::During;

/// An older note is from a process that died, as git has it.
const NOTE_AGE: i64 = 12 * 60 * 60;

/// From so many loose objects on every look-up gets slow.
const LOOSE: usize = 5000;

/// Objects are spread evenly over 256 folders, so that one tells of all, as git estimates it.
const FOLDERS: usize = 256;

/// Whether there are so many loose objects that packing them is due. Lists one folder only.
#[must_use]
pub fn is_due(scope: &Scope) -> bool {
    let folder = scope.repo.objects.store_ref().path().join("17");
    let Ok(entries) = std::fs::read_dir(folder) else { return false };
    let objects = entries.flatten().filter(|entry| entry.file_name().len() == 38);
    objects.take(LOOSE / FOLDERS + 1).count() * FOLDERS >= LOOSE
}

/// Refuse while the process that `gc.pid` names is alive.
pub(super) fn refuse(scope: &Scope, now: i64) -> Result<(), Error> {
    let act = "look for a running `git gc`";
    let path = scope.common_dir().join("gc.pid");
    let (Some(stat), Some(note)) = (fs::stat(&path).during(act)?, fs::read_if_there(&path).during(act)?)
    else {
        return Ok(());
    };
    let note = String::from_utf8_lossy(&note);
    let process = note.split(' ').next().and_then(|word| word.parse::<u32>().ok());
    match process {
        Some(process) if stat.modified.0 > now - NOTE_AGE && is_alive(process) => {
            Err(Error::Running(process))
        }
        _ => Ok(()),
    }
}

#[cfg(unix)]
fn is_alive(process: u32) -> bool {
    let process = i32::try_from(process).ok().and_then(rustix::process::Pid::from_raw);
    // one that is another user's is there, too
    process.is_some_and(|process| rustix::process::test_kill_process(process) != Err(rustix::io::Errno::SRCH))
}

#[cfg(not(unix))]
fn is_alive(_process: u32) -> bool {
    true
}
