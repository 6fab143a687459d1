//! What was decided about changes that waited for review.

use super::{Error, State};
use rusqlite::params;

/// What was decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ruling {
    Rejected,
    Approved,
    /// An approval was taken back: the change waits again.
    Reopened,
}

impl Ruling {
    /// As the table has it; another number lets nothing pass.
    const fn of(number: i64) -> Self {
        match number {
            1 => Self::Approved,
            2 => Self::Reopened,
            _ => Self::Rejected,
        }
    }
}

/// One decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredDecision {
    /// The id of the change.
    pub row: String,
    /// What it does to its path.
    pub change: String,
    /// The path, relative to the tree.
    pub path: String,
    pub ruling: Ruling,
    /// Who decided.
    pub actor: String,
    /// When, in seconds since 1970.
    pub at: i64,
    pub comment: Option<String>,
    /// The operation that took a rejected change back.
    pub operation: Option<String>,
}

impl State {
    /// Remember decisions, in order.
    pub fn decide(&mut self, decisions: &[StoredDecision]) -> Result<(), Error> {
        self.in_transaction(|change| {
            let sql = "INSERT INTO decisions (row, change, path, approved, actor, at, comment, operation)
                       VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
            let mut statement = change.prepare_cached(sql)?;
            for one in decisions {
                let StoredDecision { row, change, path, ruling, actor, at, comment, operation } = one;
                let ruling = *ruling as i64;
                statement.execute(params![row, change, path, ruling, actor, at, comment, operation])?;
            }
            Ok(())
        })
    }

    /// Remember versions of files that wait for a person, each with the one before.
    pub fn note_unreviewed(&mut self, versions: &[(String, Option<String>)]) -> Result<(), Error> {
        self.in_transaction(|change| {
            let sql = "INSERT OR REPLACE INTO unreviewed (blob, before) VALUES (?1, ?2)";
            let mut statement = change.prepare_cached(sql)?;
            versions.iter().try_for_each(|(blob, before)| statement.execute(params![blob, before]).map(drop))
        })
    }

    /// The versions of files that no person wrote and that instruct, each with the one before.
    pub fn unreviewed(&self) -> Result<Vec<(String, Option<String>)>, Error> {
        let read = || -> rusqlite::Result<Vec<(String, Option<String>)>> {
            let mut statement = self.connection.prepare_cached("SELECT blob, before FROM unreviewed")?;
            statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
        };
        read().map_err(|error| self.failed(error))
    }

    /// All decisions, the oldest first.
    pub fn decisions(&self) -> Result<Vec<StoredDecision>, Error> {
        let read = || -> rusqlite::Result<Vec<StoredDecision>> {
            let sql = "SELECT row, change, path, approved, actor, at, comment, operation
                       FROM decisions ORDER BY id";
            let mut statement = self.connection.prepare_cached(sql)?;
            let decision = |row: &rusqlite::Row<'_>| {
                Ok(StoredDecision {
                    row: row.get(0)?,
                    change: row.get(1)?,
                    path: row.get(2)?,
                    ruling: Ruling::of(row.get(3)?),
                    actor: row.get(4)?,
                    at: row.get(5)?,
                    comment: row.get(6)?,
                    operation: row.get(7)?,
                })
            };
            statement.query_map([], decision)?.collect()
        };
        read().map_err(|error| self.failed(error))
    }
}
