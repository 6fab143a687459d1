//! Receipts: which entries callers were given. A row for each call, and one for each entry that it was given.

use super::{Change, Error, State};
use rusqlite::{Connection, OptionalExtension as _, Row, params, params_from_iter};

/// A clock that was ahead for more than this was wrong: what it dated is forgotten, too.
const AHEAD: i64 = 24 * 3600;

/// A call that was given entries.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ServedCall {
    /// When, in seconds since 1970.
    pub time: i64,
    pub session: Option<String>,
    pub actor: Option<String>,
    /// The way by which it came.
    pub door: String,
    pub command: String,
    /// What was asked for; `None`: nothing in particular.
    pub asked: Option<String>,
}

/// An entry that was given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServedEntry {
    pub path: String,
    /// The id of what was given.
    pub blob: String,
    /// Why this entry.
    pub why: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredReceipt {
    pub call: ServedCall,
    pub entry: ServedEntry,
}

/// Which receipts to read: those that meet all conditions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ServedFilter {
    pub session: Option<String>,
    /// An entry, or a folder with all below it.
    pub path: Option<String>,
    /// Not before this moment.
    pub since: Option<i64>,
    pub limit: usize,
}

/// How much is kept.
#[derive(Debug, Clone, Copy)]
pub struct ServedLimits {
    /// Calls before this moment are forgotten.
    pub oldest: i64,
    /// The most entries, of all calls together.
    pub most: usize,
}

impl Change<'_> {
    /// Add a call and the entries that it was given, and forget what is too old or too much.
    pub fn add_served(
        &self,
        call: &ServedCall,
        entries: &[ServedEntry],
        limits: ServedLimits,
    ) -> Result<(), Error> {
        self.done(add(&self.transaction, call, &entries[..entries.len().min(limits.most)], limits))
    }

    /// Forget all receipts.
    pub fn clear_served(&self) -> Result<(), Error> {
        self.execute("DELETE FROM served", [])?;
        self.execute("DELETE FROM served_calls", [])
    }
}

fn add(
    state: &Connection,
    call: &ServedCall,
    entries: &[ServedEntry],
    limits: ServedLimits,
) -> rusqlite::Result<()> {
    let ServedCall { time, session, actor, door, command, asked } = call;
    let last = "SELECT id, before + entries FROM served_calls ORDER BY id DESC LIMIT 1";
    let last = state.prepare_cached(last)?.query_row([], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
    let (id, before): (i64, i64) = last.map_or((1, 0), |(id, all): (i64, i64)| (id + 1, all));
    let count = i64::try_from(entries.len()).unwrap_or(i64::MAX);
    let sql = "INSERT INTO served_calls (id, before, entries, time, session, actor, door, command, asked)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
    let values = params![id, before, count, time, session, actor, door, command, asked];
    state.prepare_cached(sql)?.execute(values)?;
    let sql = "INSERT INTO served (call, place, path, blob, why) VALUES (?1, ?2, ?3, ?4, ?5)";
    let mut insert = state.prepare_cached(sql)?;
    for (place, ServedEntry { path, blob, why }) in (0_i64..).zip(entries) {
        insert.execute(params![id, place, path, blob, why])?;
    }
    let most = i64::try_from(limits.most).unwrap_or(i64::MAX);
    forget(state, before + count - most, (limits.oldest, time + AHEAD))
}

/// Forget the first calls: those before which there were fewer entries than `before`, or with a time out of bounds.
fn forget(state: &Connection, before: i64, (oldest, latest): (i64, i64)) -> rusqlite::Result<()> {
    let first = "SELECT id, before, time FROM served_calls ORDER BY id LIMIT 1";
    let mut first = state.prepare_cached(first)?;
    loop {
        let row = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?));
        let found: Option<(i64, i64, i64)> = first.query_row([], row).optional()?;
        let is_over =
            |(_, earlier, time): &(i64, i64, i64)| *earlier < before || !(oldest..=latest).contains(time);
        let Some((id, ..)) = found.filter(is_over) else { return Ok(()) };
        state.prepare_cached("DELETE FROM served WHERE call = ?1")?.execute([id])?;
        state.prepare_cached("DELETE FROM served_calls WHERE id = ?1")?.execute([id])?;
    }
}

impl State {
    /// The newest receipts, newest first; those of a call in the order of its answer.
    pub fn served(&self, filter: &ServedFilter) -> Result<Vec<StoredReceipt>, Error> {
        read(&self.connection, filter).map_err(|error| self.failed(error))
    }
}

fn read(state: &Connection, filter: &ServedFilter) -> rusqlite::Result<Vec<StoredReceipt>> {
    // the order of a cross join is kept: an entry has few receipts, and is found by the index
    let tables = match filter.path {
        Some(_) => "served CROSS JOIN served_calls ON id = call",
        None => "served_calls CROSS JOIN served ON call = id",
    };
    let (mut conditions, mut values) = (vec!["1"], Vec::<rusqlite::types::Value>::new());
    if let Some(path) = &filter.path {
        conditions.push("(path = ? OR path >= ? AND path < ?)");
        values.extend([path.clone().into(), format!("{path}/").into(), format!("{path}0").into()]);
    }
    if let Some(session) = &filter.session {
        conditions.push("session = ?");
        values.push(session.clone().into());
    }
    if let Some(since) = filter.since {
        conditions.push("time >= ?");
        values.push(since.into());
    }
    values.push(i64::try_from(filter.limit).unwrap_or(i64::MAX).into());
    let sql = format!(
        "SELECT time, session, actor, door, command, asked, path, blob, why FROM {tables}
         WHERE {} ORDER BY served_calls.id DESC, place LIMIT ?",
        conditions.join(" AND ")
    );
    state.prepare(&sql)?.query_map(params_from_iter(values), receipt)?.collect()
}

fn receipt(row: &Row<'_>) -> rusqlite::Result<StoredReceipt> {
    Ok(StoredReceipt {
        call: ServedCall {
            time: row.get(0)?,
            session: row.get(1)?,
            actor: row.get(2)?,
            door: row.get(3)?,
            command: row.get(4)?,
            asked: row.get(5)?,
        },
        entry: ServedEntry { path: row.get(6)?, blob: row.get(7)?, why: row.get(8)? },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::open::state::schema;

    fn state() -> Connection {
        let mut state = Connection::open_in_memory().unwrap();
        let change = state.transaction().unwrap();
        schema::migrate(&change).unwrap();
        change.commit().unwrap();
        state
    }

    fn entries(names: &str) -> Vec<ServedEntry> {
        let one = |name: &str| ServedEntry { path: name.into(), blob: "b".into(), why: "w".into() };
        names.split(' ').map(one).collect()
    }

    fn give(state: &Connection, time: i64, names: &str, most: usize) {
        let call = ServedCall { time, session: Some(format!("s{}", time % 2)), ..ServedCall::default() };
        add(state, &call, &entries(names), ServedLimits { oldest: time - 90, most }).unwrap();
    }

    fn paths(state: &Connection, filter: &ServedFilter) -> String {
        let paths: Vec<String> = read(state, filter).unwrap().into_iter().map(|one| one.entry.path).collect();
        paths.join(" ")
    }

    const ALL: ServedFilter = ServedFilter { session: None, path: None, since: None, limit: 50 };

    #[test]
    fn no_more_than_the_cap_is_kept_and_the_oldest_calls_go_first() {
        let state = state();
        for (time, names, expected) in [
            (1, "a b", "a b"),
            (2, "c d", "c d a b"),
            (3, "e", "e c d a b"),
            (4, "f", "f e c d"),
            (5, "g h i j k", "g h i j k"),
            (6, "l", "l"),
        ] {
            give(&state, time, names, 5);
            assert_eq!(paths(&state, &ALL), expected);
        }
        let calls: i64 = state.query_row("SELECT count(*) FROM served_calls", [], |row| row.get(0)).unwrap();
        assert_eq!(calls, 1);
    }

    #[test]
    fn what_is_too_old_or_dated_ahead_is_forgotten() {
        let state = state();
        give(&state, 10, "a b", 100);
        give(&state, 11, "c", 100);
        give(&state, 100, "d", 100);
        assert_eq!(paths(&state, &ALL), "d c a b");
        give(&state, 101, "e", 100);
        assert_eq!(paths(&state, &ALL), "e d c");
        give(&state, 400_000, "f", 100);
        give(&state, 102, "g", 100);
        assert_eq!(paths(&state, &ALL), "g", "the clock was ahead");
    }

    #[test]
    fn receipts_are_found_by_session_entry_folder_and_time() {
        let state = state();
        give(&state, 1, "a/x.md a/y.md", 100);
        give(&state, 2, "a0.md a/x.md b.md", 100);
        give(&state, 3, "a/x.md ab/c.md", 100);
        let with = |path: Option<&str>, session: Option<&str>, since: Option<i64>| {
            let (path, session) = (path.map(str::to_owned), session.map(str::to_owned));
            paths(&state, &ServedFilter { path, session, since, limit: 50 })
        };
        assert_eq!(with(Some("a/x.md"), None, None), "a/x.md a/x.md a/x.md");
        assert_eq!(with(Some("a"), None, None), "a/x.md a/x.md a/x.md a/y.md");
        assert_eq!(with(Some("a"), Some("s1"), Some(2)), "a/x.md");
        assert_eq!(with(None, Some("s0"), None), "a0.md a/x.md b.md");
        assert_eq!(with(None, None, Some(3)), "a/x.md ab/c.md");
        assert_eq!(paths(&state, &ServedFilter { limit: 3, ..ALL }), "a/x.md ab/c.md a0.md");
    }
}
