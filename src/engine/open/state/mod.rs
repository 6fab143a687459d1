//! What brv remembers about a project beside its tree: one SQLite file that many processes use at once. It is in the git
//! folder, since no clone may bring what means trust.
//!
//! Stores and returns, computes nothing. Nothing in it is curated: a file that cannot be read is set aside, and its
//! content begins anew.
//!
//! The file is in WAL mode with `synchronous=NORMAL`: a crash of the program loses nothing, a power cut may lose the
//! last changes but leaves the file whole. Every change is one transaction that takes the write lock at its start, so
//! that two processes wait for each other and never fail half-way.

mod comments;
mod damage;
mod decisions;
mod dreams;
mod hook_calls;
mod identity;
mod inherit;
mod jobs;
mod place;
mod rewrites;
mod schema;
mod served;
mod signals;
#[cfg(test)]
mod tests;

pub use comments::{CommentWrite, Remark, StoredComment};
pub use decisions::{Ruling, StoredDecision};
pub use dreams::{DreamHandover, KeptEntry, Open, SuggestedMerge};
pub use hook_calls::{HookCall, HookKey, HookRow};
pub use identity::project_id;
pub use inherit::{Grounds, Inherited, inherit};
pub use jobs::{Ended, JobCounts, JobState, NewJob, StoredJob};
pub use place::{Extent, StatePlace};
pub use rewrites::{BranchChange, LogPosition};
pub use served::{ServedCall, ServedEntry, ServedFilter, ServedLimits, StoredReceipt};
pub use signals::{Baseline, Change, GoneEntry, SignalLookup, StoredSignals};

use crate::{Fails, FailureKind, OrStop, Stop};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The version of the file's format that this program writes. It stops at a newer one.
pub const FORMAT: i64 = schema::VERSION;

/// From how many bytes of its log on it is emptied. A process that opens the file first reads the whole log: about 1 ms for
/// each MiB. Emptying it syncs the disk twice; a hit writes about 20 KiB.
const LONGEST_LOG: u64 = 512 << 10;

/// What SQLite reports of a file.
#[derive(Debug, thiserror::Error)]
#[error("cannot use `{}`", path.display())]
pub struct Error {
    path: PathBuf,
    source: rusqlite::Error,
}

impl Error {
    /// Whether the file is not a database, or a broken one.
    fn is_damage(&self) -> bool {
        let source = &self.source;
        matches!(source.sqlite_error_code(), Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt))
            // a table that a file of this version has is missing, or has other columns
            || matches!(source.sqlite_error_code(), Some(ErrorCode::Unknown))
            || matches!(source, rusqlite::Error::InvalidColumnType(..) | rusqlite::Error::FromSqlConversionFailure(..))
    }

    /// Whether another process holds the write lock.
    fn is_busy(&self) -> bool {
        matches!(self.source.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
    }
}

impl Fails for Error {
    fn kind(&self) -> FailureKind {
        if self.is_busy() { FailureKind::Busy } else { FailureKind::Failed }
    }
}

pub struct State {
    connection: Connection,
    path: PathBuf,
}

/// What [`with`] did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateResult<T> {
    pub result: T,
    /// Where a damaged file was moved to; the state then began anew.
    pub set_aside: Option<PathBuf>,
}

/// Whether a missing file is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Missing {
    Make,
    /// Leave it, and do nothing.
    Leave,
}

/// Open the state at a place and do some work with it, waiting at most `patience` for other processes. If the file turns
/// out to be damaged and may be made, it is set aside and the work is done once more, with a new one. `None` if there is
/// no file, and none is made.
pub fn with<T>(
    place: &StatePlace,
    missing: Missing,
    patience: Duration,
    work: impl Fn(&mut State) -> Result<T, Error>,
) -> Result<Option<StateResult<T>>, Stop> {
    let attempt = |missing| match State::open(place, missing, patience)? {
        Some(mut state) => {
            let result = work(&mut state);
            state.empty_log();
            result.map(Some).map_err(OrStop::This)
        }
        None => Ok(None),
    };
    match attempt(missing) {
        Err(OrStop::This(error)) if error.is_damage() && missing == Missing::Make => {
            let set_aside = damage::set_aside(place, patience)?;
            Ok(attempt(Missing::Make)?.map(|result| StateResult { result, set_aside }))
        }
        other => Ok(other?.map(|result| StateResult { result, set_aside: None })),
    }
}

impl State {
    /// Open the file; `None` if it does not exist and is not to be made.
    fn open(place: &StatePlace, missing: Missing, patience: Duration) -> Result<Option<Self>, OrStop<Error>> {
        if place.file.exists() {
            return Self::open_file(&place.file, patience).map(Some);
        }
        match (missing, &place.old) {
            (Missing::Leave, _) => return Ok(None),
            // a new state would make the old one forgotten
            (Missing::Make, Some(old)) if place.waits() => {
                let old = old.display();
                let why = "is the state of an earlier brv, and could not be moved into the git folder";
                return Err(Stop::failed(format!("`{old}` {why}")).into());
            }
            (Missing::Make, _) => {}
        }
        brv_base::fs::create_folder(place.folder())?;
        let state = Self::open_file(&place.file, patience)?;
        identity::give(&state, place);
        place.stand_in();
        Ok(Some(state))
    }

    fn open_file(path: &Path, patience: Duration) -> Result<Self, OrStop<Error>> {
        let start = Instant::now();
        loop {
            // the change to WAL mode reports a busy file at once instead of waiting
            match Self::attempt(path, patience) {
                Err(OrStop::This(error)) if error.is_busy() && start.elapsed() < patience => {
                    std::thread::sleep(Duration::from_millis(5));
                }
                other => return other,
            }
        }
    }

    fn attempt(path: &Path, patience: Duration) -> Result<Self, OrStop<Error>> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_CREATE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let failed = |source| OrStop::This(Error { path: path.to_path_buf(), source });
        let connection = Connection::open_with_flags(path, flags).map_err(failed)?;
        let mut state = Self { connection, path: path.to_path_buf() };
        state.set_up(patience).map_err(failed)?;
        match schema::version(&state.connection).map_err(failed)? {
            version if version > schema::VERSION => {
                let place = path.display();
                let why = format!("was written by a newer brv (version {version} of its format)");
                Err(Stop::refused(format!("`{place}` {why}")).into())
            }
            schema::VERSION => Ok(state),
            _ => {
                let change = state.begin().map_err(OrStop::This)?;
                schema::migrate(&change).and_then(|()| change.commit()).map_err(failed)?;
                Ok(state)
            }
        }
    }

    fn set_up(&mut self, patience: Duration) -> rusqlite::Result<()> {
        self.connection.busy_timeout(patience)?;
        // a checkpoint at the end of every process would sync the disk each time
        self.connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
        self.connection.pragma_update(None, "journal_mode", "wal")?;
        self.connection.pragma_update(None, "synchronous", "normal")?;
        // 16 MiB: a change of many rows stays in memory until it is committed
        self.connection.pragma_update(None, "cache_size", -16_384)?;
        self.connection.set_prepared_statement_cache_capacity(32);
        Ok(())
    }

    /// Begin a transaction that holds the write lock from its start.
    fn begin(&mut self) -> Result<rusqlite::Transaction<'_>, Error> {
        let path = &self.path;
        let began = self.connection.transaction_with_behavior(TransactionBehavior::Immediate);
        began.map_err(|source| Error { path: path.clone(), source })
    }

    /// Empty the log if this connection made it long. SQLite copies a log of 1,000 pages into the file by itself, but begins
    /// it anew only with a later change by a process that knows of the copy: after short processes, which make one change
    /// each, it grows for ever. Readers that still need the log are not waited for: the next change tries again.
    fn empty_log(&self) {
        let log = format!("{}-wal", self.path.display());
        let is_long =
            || brv_base::fs::stat(Path::new(&log)).ok().flatten().is_some_and(|log| log.size > LONGEST_LOG);
        if self.connection.total_changes() > 0 && is_long() {
            let _ = self.connection.busy_timeout(Duration::ZERO);
            let _ = self.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
        }
    }

    fn failed(&self, source: rusqlite::Error) -> Error {
        Error { path: self.path.clone(), source }
    }
}
