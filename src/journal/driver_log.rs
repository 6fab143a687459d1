//! What was given up in a merge that git itself ran: a line each in `.git/brv/driver.log`.
//!
//! Such a merge is no operation: git writes the files, and it may end in a commit, a step of a rebase or nothing. So the
//! lines are neither undone nor sent, and knowing them is all that they are for.

use super::Discarded;
use crate::clock::format_utc;
use crate::fs;
use crate::git::Scope;
use std::path::PathBuf;

/// From so many bytes on the log is put aside as `driver.log.old`, and a new one begun.
const MOST: u64 = 1 << 20;

/// Where it is.
#[must_use]
pub fn driver_log(scope: &Scope) -> PathBuf {
    scope.git_dir().join("brv/driver.log")
}

/// Add what a merge gave up.
///
/// # Errors
/// A file that cannot be written.
pub fn log_discarded(scope: &Scope, seconds: i64, discarded: &[Discarded]) -> Result<(), fs::Error> {
    let time = format_utc(seconds);
    let lines: String = discarded.iter().map(|one| format!("{time} {}\n", one.to_line())).collect();
    fs::append(&driver_log(scope), lines.as_bytes(), MOST)
}
