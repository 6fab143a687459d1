//! What agents got through their host's hooks: a row for each event of each agent, so that a hook that is registered
//! twice speaks once.

use super::{Error, State};
use rusqlite::{Connection, OptionalExtension as _, params};

/// An event of an agent; both are names of any length that the caller made short.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookKey {
    pub agent: String,
    pub event: String,
}

/// What an agent got at an event.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HookCall {
    /// When, in seconds since 1970.
    pub at: i64,
    /// What, as its teller knows it again.
    pub said: String,
}

/// What becomes of the row of an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HookRow {
    Keep,
    Put(HookCall),
    /// Put it, after all rows of the agent are forgotten.
    Restart(HookCall),
}

impl State {
    /// What the agent got last at this event.
    pub fn hook_call(&self, key: &HookKey) -> Result<Option<HookCall>, Error> {
        read(&self.connection, key).map_err(|error| self.failed(error))
    }

    /// Decide about the rows of events, each from what it is, in one transaction, so that of several processes one decides.
    /// Rows from before `oldest` are forgotten on the way. Returns whether a row was put.
    pub fn decide_hook_calls(
        &mut self,
        keys: &[HookKey],
        oldest: i64,
        decide: &dyn Fn(Option<HookCall>) -> HookRow,
    ) -> Result<bool, Error> {
        self.in_transaction(|change| {
            let mut is_put = false;
            for key in keys {
                let put = match decide(read(change, key)?) {
                    HookRow::Keep => continue,
                    HookRow::Put(call) => call,
                    HookRow::Restart(call) => {
                        change.execute("DELETE FROM hook_calls WHERE agent = ?1", [&key.agent])?;
                        call
                    }
                };
                let sql =
                    "INSERT OR REPLACE INTO hook_calls (agent, event, at, said) VALUES (?1, ?2, ?3, ?4)";
                change.execute(sql, params![key.agent, key.event, put.at, put.said])?;
                is_put = true;
            }
            if is_put {
                change.execute("DELETE FROM hook_calls WHERE at < ?1", [oldest])?;
            }
            Ok(is_put)
        })
    }
}

fn read(connection: &Connection, key: &HookKey) -> rusqlite::Result<Option<HookCall>> {
    let sql = "SELECT at, said FROM hook_calls WHERE agent = ?1 AND event = ?2";
    let call = |row: &rusqlite::Row<'_>| Ok(HookCall { at: row.get(0)?, said: row.get(1)? });
    connection.prepare_cached(sql)?.query_row([&key.agent, &key.event], call).optional()
}
