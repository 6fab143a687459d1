//! Log the values discarded by merges that git itself ran, one per line, in `.git/brv/driver.log`.
//!
//! Such a merge is not an operation: git writes the files, and it may end in a commit, in a step of a rebase or in
//! nothing. So the lines are neither undone nor sent; they are for information only.

use super::Discarded;
use brv_base::clock::format_utc;
use brv_base::fs;
use brv_git::Scope;
use std::path::PathBuf;

/// When the log reaches this size in bytes, it is renamed to `driver.log.old` and a new one is begun.
const MOST: u64 = 1 << 20;

pub fn driver_log(scope: &Scope) -> PathBuf {
    scope.git_dir().join("brv/driver.log")
}

/// Append the values that a merge discarded.
pub fn log_discarded(scope: &Scope, seconds: i64, discarded: &[Discarded]) -> Result<(), fs::Error> {
    let time = format_utc(seconds);
    let lines: String = discarded.iter().map(|one| format!("{time} {}\n", one.to_line())).collect();
    fs::append(&driver_log(scope), lines.as_bytes(), MOST)
}
