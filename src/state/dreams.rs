//! What dreams remember on this machine: plans that wait for decisions, files that no plan has shown yet, decisions that
//! change no file, and entries that were kept.

use super::{Error, State};
use rusqlite::{OptionalExtension as _, params};
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// How many plans are kept; an older one is forgotten.
const PLANS: i64 = 20;

/// An entry that a dream kept.
#[derive(Debug, Clone, PartialEq)]
pub struct Kept {
    /// The blob id of the entry.
    pub blob: String,
    /// Its importance at that time, 0 to 100.
    pub importance: f64,
}

/// What a dream leaves to the next ones.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Leaving {
    /// Entries that were kept, by their paths.
    pub kept: BTreeMap<String, Kept>,
    /// Pairs of blob ids that were decided about.
    pub decided: Vec<[String; 2]>,
    /// Files that are still to be shown; they replace those before.
    pub unseen: BTreeSet<String>,
}

impl State {
    /// Keep a plan until decisions about it arrive.
    pub fn keep_plan(&mut self, id: &str, plan: &str, now: i64) -> Result<(), Error> {
        self.in_transaction(|change| {
            let sql = "INSERT OR REPLACE INTO dream_plans (id, plan, at) VALUES (?1, ?2, ?3)";
            change.execute(sql, params![id, plan, now])?;
            let sql = "DELETE FROM dream_plans WHERE rowid NOT IN (SELECT rowid FROM dream_plans ORDER BY rowid DESC LIMIT ?1)";
            change.execute(sql, [PLANS]).map(drop)
        })
    }

    /// The plan with this id, if it is still kept.
    pub fn plan(&self, id: &str) -> Result<Option<String>, Error> {
        let sql = "SELECT plan FROM dream_plans WHERE id = ?1";
        let read = || self.connection.prepare_cached(sql)?.query_row([id], |row| row.get(0)).optional();
        read().map_err(|error| self.failed(error))
    }

    /// Remember what a dream leaves.
    pub fn note_dream(&mut self, leaving: &Leaving, now: i64) -> Result<(), Error> {
        self.in_transaction(|change| {
            let sql = "INSERT OR REPLACE INTO dream_kept (path, blob, importance, at) VALUES (?1, ?2, ?3, ?4)";
            for (path, kept) in &leaving.kept {
                change.prepare_cached(sql)?.execute(params![path, kept.blob, kept.importance, now])?;
            }
            for [one, other] in &leaving.decided {
                let (first, second) = if one <= other { (one, other) } else { (other, one) };
                let sql = "INSERT OR REPLACE INTO dream_decided (one, other, at) VALUES (?1, ?2, ?3)";
                change.prepare_cached(sql)?.execute(params![first, second, now])?;
            }
            change.execute("DELETE FROM dream_unseen", [])?;
            for path in &leaving.unseen {
                change.prepare_cached("INSERT INTO dream_unseen (path) VALUES (?1)")?.execute([path])?;
            }
            Ok(())
        })
    }

    /// The entries that dreams kept, by their paths.
    pub fn kept_entries(&self) -> Result<BTreeMap<String, Kept>, Error> {
        let read = || -> rusqlite::Result<BTreeMap<String, Kept>> {
            let mut statement = self.connection.prepare_cached("SELECT path, blob, importance FROM dream_kept")?;
            let kept = |row: &rusqlite::Row<'_>| {
                Ok((row.get(0)?, Kept { blob: row.get(1)?, importance: row.get(2)? }))
            };
            statement.query_map([], kept)?.collect()
        };
        read().map_err(|error| self.failed(error))
    }

    /// The pairs of blob ids, each in order, that dreams decided about.
    pub fn decided_pairs(&self) -> Result<HashSet<[String; 2]>, Error> {
        let read = || -> rusqlite::Result<HashSet<[String; 2]>> {
            let mut statement = self.connection.prepare_cached("SELECT one, other FROM dream_decided")?;
            statement.query_map([], |row| Ok([row.get(0)?, row.get(1)?]))?.collect()
        };
        read().map_err(|error| self.failed(error))
    }

    /// The files that no plan has shown yet.
    pub fn unseen_files(&self) -> Result<BTreeSet<String>, Error> {
        let read = || -> rusqlite::Result<BTreeSet<String>> {
            self.connection.prepare_cached("SELECT path FROM dream_unseen")?.query_map([], |row| row.get(0))?.collect()
        };
        read().map_err(|error| self.failed(error))
    }
}
