//! The documents of an index, with their versions: what is written, and what a search already sees of it.

use super::Family;
use super::mapping::{Fields, Mapping};
use super::refusal::Refusal;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A document as it is kept.
#[derive(Debug)]
pub struct Stored {
    pub id: String,
    pub version: u64,
    /// Rises with each write of the index.
    pub number: u64,
    /// As it was sent.
    pub sent: Value,
    /// Without what the mapping excludes.
    pub source: Value,
    pub fields: Fields,
}

/// What must hold before a document is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Condition {
    Nothing,
    /// It is not there.
    Absent,
    /// Its version is lower, or the same where that is allowed.
    External {
        version: u64,
        or_same: bool,
    },
    /// It is at this sequence number.
    Sequence {
        number: u64,
        term: u64,
    },
}

#[derive(Debug)]
pub struct Index {
    pub mapping: Mapping,
    live: BTreeMap<String, Arc<Stored>>,
    /// The versions of what was deleted: engines remember them for a minute, this one for ever.
    deleted: BTreeMap<String, u64>,
    /// What a search sees, in the order of writing.
    visible: Vec<Arc<Stored>>,
    writes: u64,
}

impl Index {
    pub fn new(mapping: Mapping) -> Self {
        let (live, deleted) = (BTreeMap::new(), BTreeMap::new());
        Self { mapping, live, deleted, visible: Vec::new(), writes: 0 }
    }

    pub fn get(&self, id: &str) -> Option<&Arc<Stored>> {
        self.live.get(id)
    }

    pub fn visible(&self) -> &[Arc<Stored>] {
        &self.visible
    }

    /// What was written, seen or not, in the order of ids.
    pub fn live(&self) -> impl Iterator<Item = &Arc<Stored>> {
        self.live.values()
    }

    /// Let searches see all that was written.
    pub fn refresh(&mut self) {
        self.visible = self.live.values().cloned().collect();
        self.visible.sort_by_key(|document| document.number);
    }

    /// Write a document. Returns it, and whether it is new.
    ///
    /// # Errors
    /// The condition does not hold, or the document is not of the mapping.
    pub fn write(
        &mut self,
        family: Family,
        id: &str,
        source: &Value,
        condition: Condition,
    ) -> Result<(Arc<Stored>, bool), Refusal> {
        if id.len() > 512 {
            return Err(Refusal::argument(format!(
                "id [{id}] is too long, must be no longer than 512 bytes but was: {}",
                id.len()
            )));
        }
        let fields = self.mapping.index(family, source)?;
        let version = self.next_version(id, condition)?;
        let stored = Stored {
            id: id.into(),
            version,
            number: self.writes,
            sent: source.clone(),
            source: self.mapping.stored(source),
            fields,
        };
        self.writes += 1;
        self.deleted.remove(id);
        let stored = Arc::new(stored);
        let before = self.live.insert(id.into(), Arc::clone(&stored));
        Ok((stored, before.is_none()))
    }

    /// Delete a document. Returns its version, and whether it was there.
    ///
    /// # Errors
    /// The condition does not hold.
    pub fn delete(&mut self, id: &str, condition: Condition) -> Result<(u64, bool), Refusal> {
        let version = self.next_version(id, condition)?;
        self.writes += 1;
        self.deleted.insert(id.into(), version);
        Ok((version, self.live.remove(id).is_some()))
    }

    /// The version of the next write, if its condition holds.
    fn next_version(&self, id: &str, condition: Condition) -> Result<u64, Refusal> {
        let conflict = |reason: String| {
            Err(Refusal::new(
                409,
                "version_conflict_engine_exception",
                format!("[{id}]: version conflict, {reason}"),
            ))
        };
        let current = self.live.get(id);
        let known = current.map(|document| document.version).or_else(|| self.deleted.get(id).copied());
        match (condition, current) {
            (Condition::Absent, Some(document)) => {
                conflict(format!("document already exists (current version [{}])", document.version))
            }
            (Condition::External { version, or_same }, _) => match known {
                Some(known) if known > version || (known == version && !or_same) => {
                    let or_equal = if or_same { "" } else { " or equal to" };
                    conflict(format!(
                        "current version [{known}] is higher than{or_equal} the one provided [{version}]"
                    ))
                }
                _ => Ok(version),
            },
            (Condition::Sequence { number, term }, None) => conflict(format!(
                "required seqNo [{number}], primary term [{term}]. but no document was found"
            )),
            (Condition::Sequence { number, term }, Some(document))
                if (document.number, 1) != (number, term) =>
            {
                let current = document.number;
                conflict(format!(
                    "required seqNo [{number}], primary term [{term}]. current document has seqNo [{current}] and primary term [1]"
                ))
            }
            _ => Ok(known.unwrap_or(0) + 1),
        }
    }
}
