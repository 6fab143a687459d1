//! What dreams remember on this machine: files that no plan has shown yet, decisions that change no file, and entries that
//! were kept.

use super::{Error, State};
use rusqlite::params;
use std::collections::{BTreeMap, HashSet};

/// An entry that a dream kept.
#[derive(Debug, Clone, PartialEq)]
pub struct KeptEntry {
    /// The blob id of the entry.
    pub blob: String,
    /// Its importance at that time, 0 to 100.
    pub importance: f64,
}

/// Why a file is still to be decided about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Open {
    /// No plan has shown it.
    Unseen,
    /// It was shown, and nobody decided.
    Undecided,
}

/// A merge that a dream suggests to the next one.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SuggestedMerge {
    pub source: String,
    pub target: String,
    /// The name of the dream.
    pub dream: String,
}

/// What a dream leaves to the next ones.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DreamHandover {
    /// Its name.
    pub dream: String,
    /// Entries that were kept, by their paths.
    pub kept: BTreeMap<String, KeptEntry>,
    /// Pairs of blob ids that were decided about.
    pub decided: Vec<[String; 2]>,
    /// Files that are still to be decided about; they replace those before.
    pub open: BTreeMap<String, Open>,
}

impl State {
    /// Remember what a dream leaves.
    pub fn note_dream(&mut self, leaving: &DreamHandover) -> Result<(), Error> {
        self.in_transaction(|change| {
            let sql =
                "INSERT OR REPLACE INTO dream_kept (path, blob, importance, dream) VALUES (?1, ?2, ?3, ?4)";
            for (path, kept) in &leaving.kept {
                change.prepare_cached(sql)?.execute(params![
                    path,
                    kept.blob,
                    kept.importance,
                    leaving.dream
                ])?;
            }
            for [one, other] in &leaving.decided {
                let (first, second) = if one <= other { (one, other) } else { (other, one) };
                let sql = "INSERT OR REPLACE INTO dream_decided (one, other, dream) VALUES (?1, ?2, ?3)";
                change.prepare_cached(sql)?.execute(params![first, second, leaving.dream])?;
            }
            change.execute("DELETE FROM dream_open", [])?;
            for (path, open) in &leaving.open {
                let sql = "INSERT INTO dream_open (path, shown) VALUES (?1, ?2)";
                change.prepare_cached(sql)?.execute(params![path, *open == Open::Undecided])?;
            }
            Ok(())
        })
    }

    /// Forget what a dream that changed no file decided.
    pub fn forget_dream(&mut self, dream: &str) -> Result<(), Error> {
        self.in_transaction(|change| {
            change.execute("DELETE FROM dream_kept WHERE dream = ?1", [dream])?;
            change.execute("DELETE FROM dream_decided WHERE dream = ?1", [dream]).map(drop)
        })
    }

    /// The entries that dreams kept, by their paths.
    pub fn kept_entries(&self) -> Result<BTreeMap<String, KeptEntry>, Error> {
        let read = || -> rusqlite::Result<BTreeMap<String, KeptEntry>> {
            let mut statement =
                self.connection.prepare_cached("SELECT path, blob, importance FROM dream_kept")?;
            let kept = |row: &rusqlite::Row<'_>| {
                Ok((row.get(0)?, KeptEntry { blob: row.get(1)?, importance: row.get(2)? }))
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

    /// Remember merges that a dream of this clone suggests.
    pub fn note_merges(&mut self, merges: &[SuggestedMerge]) -> Result<(), Error> {
        self.in_transaction(|change| {
            for SuggestedMerge { source, target, dream } in merges {
                let sql = "INSERT OR REPLACE INTO dream_merges (source, target, dream) VALUES (?1, ?2, ?3)";
                change.prepare_cached(sql)?.execute(params![source, target, dream])?;
            }
            Ok(())
        })
    }

    /// The merges that dreams of this clone suggested, taken up or not.
    pub fn suggested_merges(&self) -> Result<HashSet<SuggestedMerge>, Error> {
        let read = || -> rusqlite::Result<HashSet<SuggestedMerge>> {
            let mut statement =
                self.connection.prepare_cached("SELECT source, target, dream FROM dream_merges")?;
            let merge = |row: &rusqlite::Row<'_>| {
                Ok(SuggestedMerge { source: row.get(0)?, target: row.get(1)?, dream: row.get(2)? })
            };
            statement.query_map([], merge)?.collect()
        };
        read().map_err(|error| self.failed(error))
    }

    /// The files that are still to be decided about.
    pub fn open_files(&self) -> Result<BTreeMap<String, Open>, Error> {
        let read = || -> rusqlite::Result<BTreeMap<String, Open>> {
            let mut statement = self.connection.prepare_cached("SELECT path, shown FROM dream_open")?;
            let open = |row: &rusqlite::Row<'_>| {
                Ok((row.get(0)?, if row.get(1)? { Open::Undecided } else { Open::Unseen }))
            };
            statement.query_map([], open)?.collect()
        };
        read().map_err(|error| self.failed(error))
    }
}
