//! The rows about entries: read all of them, change some of them in one transaction.

use super::{Error, State};
use brv_text::lifecycle::{Life, Maturity};
use rusqlite::{OptionalExtension as _, Row, Transaction, params};
use std::cell::RefCell;
use std::collections::HashMap;

/// What holds for entries without a row of their own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Baseline {
    /// When the first entries were seen, in seconds since 1970.
    pub began: i64,
    /// The git tree that was last looked at; entries without a row are in it, and were there when signals began.
    pub tree: String,
}

#[derive(Debug, Clone, PartialEq)]
pub struct StoredSignals {
    id: i64,
    pub life: Life,
    /// Whether the entry is not in the tree.
    pub is_gone: bool,
}

/// What to remember of an entry that left the tree.
#[derive(Debug, Clone, Copy)]
pub struct GoneEntry<'a> {
    /// When it left.
    pub since: i64,
    pub blob: &'a str,
}

pub struct Change<'a> {
    pub(super) transaction: Transaction<'a>,
    state: std::path::PathBuf,
}

/// Looks up what is known of single entries.
pub struct SignalLookup<'a> {
    state: &'a State,
    statement: RefCell<rusqlite::Statement<'a>>,
    /// All lookups are of one moment; without it, each would lock the file anew.
    _transaction: rusqlite::Transaction<'a>,
}

impl SignalLookup<'_> {
    /// What is known of an entry in the tree.
    pub fn life(&self, path: &str) -> Result<Option<Life>, Error> {
        let mut statement = self.statement.borrow_mut();
        let found = statement.query_row([path], |row| life(row, 0)).optional();
        found.map_err(|error| self.state.failed(error))
    }
}

impl State {
    /// What holds for entries without a row; `None` before signals began.
    pub fn baseline(&self) -> Result<Option<Baseline>, Error> {
        baseline(&self.connection).map_err(|error| self.failed(error))
    }

    /// What is known of entries in the tree, by path.
    pub fn lives(&self) -> Result<HashMap<String, Life>, Error> {
        let read = || -> rusqlite::Result<HashMap<String, Life>> {
            let mut rows = self.connection.prepare_cached(
                "SELECT importance, maturity, at, hits, updates, first_seen, path FROM signals WHERE gone IS NULL",
            )?;
            let rows = rows.query_map([], |row| Ok((row.get(6)?, life(row, 0)?)))?;
            rows.collect()
        };
        read().map_err(|error| self.failed(error))
    }

    /// Look up single entries.
    pub fn lookup(&self) -> Result<SignalLookup<'_>, Error> {
        let transaction = self.connection.unchecked_transaction().map_err(|error| self.failed(error))?;
        let statement = self.connection.prepare(
            "SELECT importance, maturity, at, hits, updates, first_seen FROM signals WHERE gone IS NULL AND path = ?1",
        );
        let statement = statement.map_err(|error| self.failed(error))?;
        Ok(SignalLookup { state: self, statement: RefCell::new(statement), _transaction: transaction })
    }

    /// Change rows. Other processes wait until this is done; on an error nothing changes.
    pub fn change<T>(&mut self, work: impl FnOnce(&Change<'_>) -> Result<T, Error>) -> Result<T, Error> {
        let state = self.path.clone();
        let change = Change { transaction: self.begin()?, state };
        let result = work(&change)?;
        let Change { transaction, state } = change;
        transaction.commit().map_err(|source| Error { path: state, source })?;
        Ok(result)
    }

    /// Whether the tables are there as this version writes them.
    pub(super) fn has_tables(&self) -> bool {
        let tables = [
            "SELECT began, tree FROM baseline",
            "SELECT id, name, last FROM sessions",
            "SELECT id, host_commit, state FROM jobs",
            "SELECT old, new FROM rewrites",
        ];
        let is_there = |sql: &&str| self.connection.prepare(sql).is_ok();
        tables.iter().all(is_there) && self.baseline().is_ok() && self.lives().is_ok()
    }
}

fn baseline(connection: &rusqlite::Connection) -> rusqlite::Result<Option<Baseline>> {
    let mut row = connection.prepare_cached("SELECT began, tree FROM baseline")?;
    row.query_row([], |row| Ok(Baseline { began: row.get(0)?, tree: row.get(1)? })).optional()
}

/// The columns from `first` on, in the order of the table.
fn life(row: &Row<'_>, first: usize) -> rusqlite::Result<Life> {
    let count = |column| row.get::<_, i64>(column).map(|count| u64::try_from(count).unwrap_or_default());
    Ok(Life {
        importance: row.get(first)?,
        maturity: match row.get::<_, i64>(first + 1)? {
            2 => Maturity::Core,
            1 => Maturity::Validated,
            _ => Maturity::Draft,
        },
        at: row.get(first + 2)?,
        hits: count(first + 3)?,
        updates: count(first + 4)?,
        first_seen: row.get(first + 5)?,
    })
}

/// The columns `id`, those of [`life`], and whether it is gone.
fn kept(row: &Row<'_>) -> rusqlite::Result<StoredSignals> {
    Ok(StoredSignals { id: row.get(0)?, life: life(row, 1)?, is_gone: row.get(7)? })
}

const fn number(maturity: Maturity) -> i64 {
    match maturity {
        Maturity::Draft => 0,
        Maturity::Validated => 1,
        Maturity::Core => 2,
    }
}

fn stored(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

impl Change<'_> {
    /// As [`State::baseline`], as the transaction sees it.
    pub fn baseline(&self) -> Result<Option<Baseline>, Error> {
        self.done(baseline(&self.transaction))
    }

    /// Set what holds for entries without a row.
    pub fn set_baseline(&self, baseline: &Baseline) -> Result<(), Error> {
        self.execute(
            "INSERT INTO baseline (only, began, tree) VALUES (1, ?1, ?2)
             ON CONFLICT (only) DO UPDATE SET began = ?1, tree = ?2",
            params![baseline.began, baseline.tree],
        )
    }

    /// Whether there is no row at all.
    pub fn is_empty(&self) -> Result<bool, Error> {
        self.done((|| {
            let mut row = self.transaction.prepare_cached("SELECT 1 FROM signals LIMIT 1")?;
            row.exists([]).map(|is_there| !is_there)
        })())
    }

    /// The row of an entry, also of one that is gone.
    pub fn get(&self, path: &str) -> Result<Option<StoredSignals>, Error> {
        self.done((|| {
            let mut row = self.transaction.prepare_cached(
                "SELECT id, importance, maturity, at, hits, updates, first_seen, gone IS NOT NULL
                 FROM signals WHERE path = ?1",
            )?;
            row.query_row([path], kept).optional()
        })())
    }

    /// All rows by path, also of entries that are gone: for changes of many.
    pub fn all(&self) -> Result<HashMap<String, StoredSignals>, Error> {
        self.done((|| {
            let mut rows = self.transaction.prepare_cached(
                "SELECT id, importance, maturity, at, hits, updates, first_seen, gone IS NOT NULL, path FROM signals",
            )?;
            rows.query_map([], |row| Ok((row.get(8)?, kept(row)?)))?.collect()
        })())
    }

    /// Add the row of an entry that has none.
    pub fn add(&self, path: &str, life: Life) -> Result<StoredSignals, Error> {
        self.execute(
            "INSERT INTO signals (path, importance, maturity, at, hits, updates, first_seen)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            params![
                path,
                life.importance,
                number(life.maturity),
                life.at,
                stored(life.hits),
                stored(life.updates),
                life.first_seen
            ],
        )?;
        Ok(StoredSignals { id: self.transaction.last_insert_rowid(), life, is_gone: false })
    }

    /// Replace what is known of an entry. It is in the tree.
    pub fn set(&self, kept: &StoredSignals, life: Life) -> Result<(), Error> {
        // an index covers what is gone: leaving these columns alone halves the work
        let sql = match kept.is_gone {
            true => {
                "UPDATE signals SET importance = ?2, maturity = ?3, at = ?4, hits = ?5, updates = ?6,
                     first_seen = ?7, gone = NULL, blob = NULL
                 WHERE id = ?1"
            }
            false => {
                "UPDATE signals SET importance = ?2, maturity = ?3, at = ?4, hits = ?5, updates = ?6,
                     first_seen = ?7
                 WHERE id = ?1"
            }
        };
        self.execute(
            sql,
            params![
                kept.id,
                life.importance,
                number(life.maturity),
                life.at,
                stored(life.hits),
                stored(life.updates),
                life.first_seen
            ],
        )
    }

    /// Note that an entry left the tree.
    pub fn leave(&self, kept: &StoredSignals, gone: GoneEntry<'_>) -> Result<(), Error> {
        let set = "UPDATE signals SET gone = ?2, blob = ?3 WHERE id = ?1 AND gone IS NULL";
        self.execute(set, params![kept.id, gone.since, gone.blob])
    }

    /// Give a row another path. A row that is there is dropped.
    pub fn rename(&self, kept: &StoredSignals, path: &str) -> Result<(), Error> {
        if let Some(other) = self.get(path)?.filter(|other| other.id != kept.id) {
            self.drop(&other)?;
        }
        let rename = "UPDATE signals SET path = ?2, gone = NULL, blob = NULL WHERE id = ?1";
        self.execute(rename, params![kept.id, path])
    }

    pub fn drop(&self, kept: &StoredSignals) -> Result<(), Error> {
        self.execute("DELETE FROM signals WHERE id = ?1", params![kept.id])
    }

    /// The row of an entry with this content that left the tree, the last that did.
    pub fn gone_with(&self, blob: &str) -> Result<Option<StoredSignals>, Error> {
        self.done((|| {
            let mut row = self.transaction.prepare_cached(
                "SELECT id, importance, maturity, at, hits, updates, first_seen, 1 FROM signals
                 WHERE gone IS NOT NULL AND blob = ?1 ORDER BY gone DESC, path LIMIT 1",
            )?;
            row.query_row([blob], kept).optional()
        })())
    }

    /// The paths of entries that are in the tree and have a row.
    pub fn paths(&self) -> Result<Vec<String>, Error> {
        self.done((|| {
            let mut rows = self.transaction.prepare_cached("SELECT path FROM signals WHERE gone IS NULL")?;
            rows.query_map([], |row| row.get(0))?.collect()
        })())
    }

    /// Delete the rows of entries that left the tree before this moment.
    pub fn sweep(&self, before: i64) -> Result<(), Error> {
        self.execute("DELETE FROM signals WHERE gone IS NOT NULL AND gone < ?1", params![before])
    }

    /// The number of a session, which is seen now. Sessions that were last seen before `forgotten` are deleted when a
    /// new one comes.
    pub fn session(&self, name: &str, now: i64, forgotten: i64) -> Result<i64, Error> {
        let known = self.done((|| {
            let mut row = self.transaction.prepare_cached("SELECT id FROM sessions WHERE name = ?1")?;
            row.query_row([name], |row| row.get(0)).optional()
        })())?;
        if let Some(id) = known {
            self.execute("UPDATE sessions SET last = max(last, ?2) WHERE id = ?1", params![id, now])?;
            return Ok(id);
        }
        self.execute(
            "DELETE FROM session_hits WHERE session IN (SELECT id FROM sessions WHERE last < ?1)",
            params![forgotten],
        )?;
        self.execute("DELETE FROM sessions WHERE last < ?1", params![forgotten])?;
        self.execute("INSERT INTO sessions (name, last) VALUES (?1, ?2)", params![name, now])?;
        Ok(self.transaction.last_insert_rowid())
    }

    /// Note that a session was given an entry; false if it was before.
    pub fn is_first_hit(&self, session: i64, kept: &StoredSignals) -> Result<bool, Error> {
        self.done((|| {
            let insert = "INSERT OR IGNORE INTO session_hits (session, entry) VALUES (?1, ?2)";
            Ok(self.transaction.prepare_cached(insert)?.execute([session, kept.id])? > 0)
        })())
    }

    pub(super) fn execute(&self, sql: &str, values: impl rusqlite::Params) -> Result<(), Error> {
        self.done((|| self.transaction.prepare_cached(sql)?.execute(values).map(drop))())
    }

    pub(super) fn done<T>(&self, result: rusqlite::Result<T>) -> Result<T, Error> {
        result.map_err(|source| Error { path: self.state.clone(), source })
    }
}
