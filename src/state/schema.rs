//! The tables of the state, and the steps from older versions of them. `user_version` names the version of a file.

use rusqlite::{Connection, Transaction};

/// The steps to the current tables; a file of version N has seen the first N. Steps are added, never changed.
const STEPS: [&str; 1] = [SIGNALS];

pub(super) const VERSION: i64 = STEPS.len() as i64;

/// - `baseline`: at most one row: when signals began, and the git tree that was last looked at.
/// - `signals`: entries of which more is known than that they were there when signals began. `importance` and
///   `maturity` are those `at` a moment, `gone` is since when the entry is not in the tree, `blob` what it was then.
/// - `sessions`, `session_hits`: which session was given which entry. `last` is when the session was last seen.
const SIGNALS: &str = "
    CREATE TABLE baseline (
        only INTEGER PRIMARY KEY CHECK (only = 1),
        began INTEGER NOT NULL,
        tree TEXT NOT NULL
    );
    CREATE TABLE signals (
        id INTEGER PRIMARY KEY,
        path TEXT NOT NULL UNIQUE,
        importance REAL NOT NULL,
        maturity INTEGER NOT NULL,
        at INTEGER NOT NULL,
        hits INTEGER NOT NULL,
        updates INTEGER NOT NULL,
        first_seen INTEGER NOT NULL,
        gone INTEGER,
        blob TEXT
    );
    CREATE INDEX signals_gone ON signals (blob) WHERE gone IS NOT NULL;
    CREATE TABLE sessions (
        id INTEGER PRIMARY KEY,
        name TEXT NOT NULL UNIQUE,
        last INTEGER NOT NULL
    );
    CREATE TABLE session_hits (
        session INTEGER NOT NULL,
        entry INTEGER NOT NULL,
        PRIMARY KEY (session, entry)
    ) WITHOUT ROWID;
";

/// The version of a file; 0 for an empty one.
pub(super) fn version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}

/// Take the steps that the file has not seen. Another process may have taken them meanwhile.
pub(super) fn migrate(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    let seen = usize::try_from(version(transaction)?).unwrap_or_default();
    for step in STEPS.iter().skip(seen) {
        transaction.execute_batch(step)?;
    }
    transaction.pragma_update(None, "user_version", VERSION.max(seen as i64))
}
