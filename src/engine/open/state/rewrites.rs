//! What is remembered of commits of the host that were rewritten or squashed, and how far its logs were read.

use super::{Error, State};
use rusqlite::{OptionalExtension as _, params};

/// How often a commit is followed from one rewriting to the next.
const STEPS: usize = 1_000;

/// The change of a branch as a whole, from where it left another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BranchChange {
    /// The patch id of the whole change.
    pub patch: String,
}

/// How far a log was read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LogPosition {
    /// The bytes of the log up to there.
    pub offset: u64,
    /// The line that ends there.
    pub line: String,
}

impl State {
    /// Remember that each first commit is now the second one.
    pub fn note_rewrites(&mut self, pairs: &[(String, String)], now: i64) -> Result<(), Error> {
        self.in_transaction(|change| {
            let sql = "INSERT OR REPLACE INTO rewrites (old, new, at) VALUES (?1, ?2, ?3)";
            let mut statement = change.prepare_cached(sql)?;
            for (old, new) in pairs.iter().filter(|(old, new)| old != new) {
                statement.execute(params![old, new, now])?;
            }
            Ok(())
        })
    }

    /// What became of a commit by rewriting, step by step, the last one last; empty if it was never rewritten.
    pub fn rewritten(&self, commit: &str) -> Result<Vec<String>, Error> {
        let read = || -> rusqlite::Result<Vec<String>> {
            let mut statement = self.connection.prepare_cached("SELECT new FROM rewrites WHERE old = ?1")?;
            let mut found: Vec<String> = Vec::new();
            let mut now = commit.to_owned();
            while found.len() < STEPS {
                let next: Option<String> = statement.query_row([&now], |row| row.get(0)).optional()?;
                let Some(next) = next.filter(|next| next != commit && !found.contains(next)) else { break };
                found.push(next.clone());
                now = next;
            }
            Ok(found)
        };
        read().map_err(|error| self.failed(error))
    }

    /// The commits that were rewritten into this one, in one step.
    pub fn rewritten_into(&self, commit: &str) -> Result<Vec<String>, Error> {
        let read = || -> rusqlite::Result<Vec<String>> {
            let sql = "SELECT old FROM rewrites WHERE new = ?1 ORDER BY at DESC, rowid DESC";
            self.connection.prepare_cached(sql)?.query_map([commit], |row| row.get(0))?.collect()
        };
        read().map_err(|error| self.failed(error))
    }

    /// Remember the whole change of the branch that these commits are on. A change that was noted before stays, too, since
    /// either may be what is squashed.
    pub fn note_branch_change(
        &mut self,
        commits: &[String],
        change: &BranchChange,
        now: i64,
    ) -> Result<(), Error> {
        self.in_transaction(|transaction| {
            let sql = "INSERT OR REPLACE INTO branch_changes (host_commit, patch, at) VALUES (?1, ?2, ?3)";
            let mut statement = transaction.prepare_cached(sql)?;
            for commit in commits {
                statement.execute(params![commit, change.patch, now])?;
            }
            Ok(())
        })
    }

    /// The changes of the branch that a commit is on, the latest first.
    pub fn branch_changes(&self, commit: &str) -> Result<Vec<BranchChange>, Error> {
        let read = || -> rusqlite::Result<Vec<BranchChange>> {
            let sql = "SELECT patch FROM branch_changes WHERE host_commit = ?1 ORDER BY at DESC, rowid DESC";
            let mut statement = self.connection.prepare_cached(sql)?;
            let change = |row: &rusqlite::Row<'_>| Ok(BranchChange { patch: row.get(0)? });
            statement.query_map([commit], change)?.collect()
        };
        read().map_err(|error| self.failed(error))
    }

    /// How far a log was read; `None` if it never was.
    pub fn mark(&self, log: &str) -> Result<Option<LogPosition>, Error> {
        let read = || -> rusqlite::Result<Option<LogPosition>> {
            let mut statement =
                self.connection.prepare_cached("SELECT offset, line FROM logs WHERE name = ?1")?;
            let mark = |row: &rusqlite::Row<'_>| {
                let offset: i64 = row.get(0)?;
                Ok(LogPosition { offset: u64::try_from(offset).unwrap_or_default(), line: row.get(1)? })
            };
            statement.query_row([log], mark).optional()
        };
        read().map_err(|error| self.failed(error))
    }

    /// Whether a log was ever read: since hooks were installed.
    pub fn has_marks(&self) -> Result<bool, Error> {
        let read = || self.connection.query_row("SELECT EXISTS (SELECT 1 FROM logs)", [], |row| row.get(0));
        read().map_err(|error| self.failed(error))
    }

    /// Forget how far logs were read.
    pub fn forget_marks(&mut self) -> Result<(), Error> {
        self.in_transaction(|change| change.execute("DELETE FROM logs", []).map(drop))
    }

    /// Remember how far a log was read.
    pub fn set_mark(&mut self, log: &str, mark: &LogPosition) -> Result<(), Error> {
        let offset = i64::try_from(mark.offset).unwrap_or(i64::MAX);
        self.in_transaction(|change| {
            let sql = "INSERT OR REPLACE INTO logs (name, offset, line) VALUES (?1, ?2, ?3)";
            change.prepare_cached(sql)?.execute(params![log, offset, mark.line]).map(drop)
        })
    }
}
