//! Take over the state that an earlier brv kept in `.brv/`, once.
//!
//! Such a file may have come with a clone. Where that cannot be ruled out, nothing of it that means trust is taken: no
//! approval, no queued job, no input, no lease. The steps can be broken off after each, and are finished by the next try:
//! the copy is made whole under another name, the old file is moved aside, and the copy gets its name.

use super::damage::with_suffix;
use super::place::{Extent, StatePlace};
use super::{Error, State, schema};
use crate::Stop;
use brv_base::fs::{self, WriteGuard};
use rusqlite::config::DbConfig;
use rusqlite::types::Value;
use rusqlite::{Connection, OpenFlags, OptionalExtension as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What is believed of a file whose origin is not known: a table, its columns, and a condition on its rows. The first column
/// of a table with `is_here` names a commit of the host.
struct Believed {
    table: &'static str,
    columns: &'static [&'static str],
    rows: &'static str,
    is_here: bool,
}

const fn all(table: &'static str, columns: &'static [&'static str]) -> Believed {
    Believed { table, columns, rows: "TRUE", is_here: false }
}

const BELIEVED: [Believed; 8] = [
    all("baseline", &["only", "began", "tree"]),
    all(
        "signals",
        &["id", "path", "importance", "maturity", "at", "hits", "updates", "first_seen", "gone", "blob"],
    ),
    all("sessions", &["id", "name", "last"]),
    all("session_hits", &["session", "entry"]),
    Believed { is_here: true, ..all("rewrites", &["new", "old", "at"]) },
    Believed { is_here: true, ..all("branch_changes", &["host_commit", "patch", "at"]) },
    all("logs", &["name", "offset", "line"]),
    Believed {
        rows: "approved = 0",
        ..all("decisions", &["row", "change", "path", "approved", "actor", "at", "comment", "operation"])
    },
];

/// What is known about the file beside its content.
pub struct Grounds<'a> {
    /// Whether this clone wrote the file, as its place and time show.
    pub is_own: &'a dyn Fn(&Path) -> bool,
    /// Whether the host has a commit.
    pub is_here: &'a dyn Fn(&str) -> bool,
}

/// An old state that was taken over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inherited {
    pub extent: Extent,
    /// Where the old file is now.
    pub aside: PathBuf,
}

/// Take the old state over, if one waits. `None`: there is none, or another process did it meanwhile.
///
/// # Errors
/// Files that cannot be made or moved: the old state still waits then, and no new one is begun.
pub fn inherit(
    place: &StatePlace,
    grounds: &Grounds<'_>,
    patience: Duration,
) -> Result<Option<Inherited>, Stop> {
    if !place.waits() {
        return Ok(None);
    }
    fs::create_folder(place.folder())?;
    let _guard = WriteGuard::acquire(&with_suffix(&place.file, "-guard"), patience)?;
    if place.file.exists() {
        return Ok(None);
    }
    let old = place.old.as_deref().filter(|_| place.holds_old());
    let mut inherited = None;
    if let Some(old) = old {
        let extent = match place.next() {
            Some((extent, _)) => extent,
            None => copy(old, (grounds, place), patience)?,
        };
        inherited = Some(Inherited { extent, aside: put_aside(old)? });
    }
    place.stand_in();
    if let Some((_, next)) = place.next() {
        fs::rename(&next, &place.file)?;
        let state = State::open_file(&place.file, patience)?;
        super::identity::give(&state, place);
    }
    Ok(inherited)
}

/// Copy what is believed of `old` to the next state, which appears whole or not at all.
fn copy(
    old: &Path,
    (grounds, place): (&Grounds<'_>, &StatePlace),
    patience: Duration,
) -> Result<Extent, Stop> {
    let draft = place.file.with_extension("db.draft");
    let remove = || {
        ["", "-wal", "-shm", "-journal"]
            .into_iter()
            .try_for_each(|side| fs::remove_file(&with_suffix(&draft, side)).map(drop))
    };
    remove()?;
    let has_log = ["-wal", "-journal"].iter().any(|side| with_suffix(old, side).exists());
    let is_whole = (grounds.is_own)(old) || !has_log && is_known(old, place, patience);
    let copied = match is_whole {
        true => copy_whole(old, &draft, patience),
        false => copy_believed(old, &draft, grounds, patience),
    };
    if copied.is_err() {
        remove()?;
        return Ok(Extent::Nothing);
    }
    fs::sync_file(&draft)?;
    let extent = if is_whole { Extent::Whole } else { Extent::Untrusted };
    fs::rename(&draft, &place.next_of(extent))?;
    Ok(extent)
}

/// Open a file that a stranger may have made: nothing in its schema is run.
fn open(old: &Path, patience: Duration) -> rusqlite::Result<Connection> {
    let flags =
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let connection = Connection::open_with_flags(old, flags)?;
    connection.busy_timeout(patience)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false)?;
    match schema::version(&connection)? > schema::VERSION {
        true => Err(rusqlite::Error::InvalidQuery),
        false => Ok(connection),
    }
}

/// Whether the file has the id of this project, which only a state in its git folder can have got.
fn is_known(old: &Path, place: &StatePlace, patience: Duration) -> bool {
    let Some(own) = super::identity::read(place.folder()) else { return false };
    let theirs = open(old, patience).and_then(|old| {
        old.query_row("SELECT id FROM project", [], |row| row.get::<_, String>(0)).optional()
    });
    theirs.is_ok_and(|theirs| theirs.as_ref() == Some(&own))
}

fn copy_whole(old: &Path, draft: &Path, patience: Duration) -> Result<(), Stop> {
    let failed = |source| Error { path: old.to_path_buf(), source };
    let connection = open(old, patience).map_err(failed)?;
    // with what its log holds
    connection.execute("VACUUM INTO ?1", [draft.to_string_lossy()]).map_err(failed)?;
    Ok(())
}

fn copy_believed(old: &Path, draft: &Path, grounds: &Grounds<'_>, patience: Duration) -> Result<(), Stop> {
    let failed = |source| Error { path: old.to_path_buf(), source };
    let from = open(old, patience).map_err(failed)?;
    let mut into = State::attempt(draft, patience)?;
    into.in_transaction(|change| {
        for one in BELIEVED.iter().filter(|one| has_table(&from, one.table)) {
            copy_rows(&from, change, one, grounds)?;
        }
        Ok(())
    })?;
    // one file, without a log beside it
    Ok(into.connection.pragma_update(None, "journal_mode", "delete").map_err(failed)?)
}

fn has_table(connection: &Connection, table: &str) -> bool {
    let sql = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?1";
    connection.query_row(sql, [table], |_| Ok(())).is_ok()
}

fn copy_rows(
    from: &Connection,
    into: &Connection,
    one: &Believed,
    grounds: &Grounds<'_>,
) -> rusqlite::Result<()> {
    let Believed { table, columns, rows, is_here } = one;
    let names = columns.join(", ");
    let marks = vec!["?"; columns.len()].join(", ");
    let mut read = from.prepare(&format!("SELECT {names} FROM {table} WHERE {rows}"))?;
    let mut write = into.prepare(&format!("INSERT OR IGNORE INTO {table} ({names}) VALUES ({marks})"))?;
    let mut found = read.query([])?;
    while let Some(row) = found.next()? {
        let values: Vec<Value> = (0..columns.len()).map(|at| row.get(at)).collect::<Result<_, _>>()?;
        let is_commit = |value: &Value| matches!(value, Value::Text(commit) if (grounds.is_here)(commit));
        if !is_here || is_commit(&values[0]) {
            write.execute(rusqlite::params_from_iter(values))?;
        }
    }
    Ok(())
}

/// Move the old file and its log aside, and say where it is.
fn put_aside(old: &Path) -> Result<PathBuf, fs::Error> {
    let free = |number: usize| match number {
        0 => with_suffix(old, ".old"),
        _ => with_suffix(old, &format!(".old-{number}")),
    };
    let is_free = |path: &PathBuf| std::fs::symlink_metadata(path).is_err();
    let aside = (0..).map(free).find(is_free).expect("there are more numbers than files");
    let log = with_suffix(old, "-wal");
    if log.exists() {
        fs::rename(&log, &with_suffix(&aside, "-wal"))?;
    }
    fs::remove_file(&with_suffix(old, "-shm"))?;
    fs::rename(old, &aside)?;
    Ok(aside)
}
