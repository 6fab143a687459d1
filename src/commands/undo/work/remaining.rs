//! Check whether anything is left to undo of an operation that only staged files.
//!
//! Staged changes that were committed, or staged again, cannot be undone: a bare undo looks for an earlier operation.

use super::Error;
use super::layers::{Around, DraftState};
use super::way;
use brv_engine::journal::{self, OperationKind, Record};
use brv_git as git;
use brv_git::{Index, Scope, TreeId};
use std::collections::BTreeMap;

/// The current index to compare with, read on first use.
pub struct PresentIndex<'a> {
    scope: &'a Scope,
    index: std::cell::OnceCell<Index>,
}

impl<'a> PresentIndex<'a> {
    pub const fn of(scope: &'a Scope) -> Self {
        Self { scope, index: std::cell::OnceCell::new() }
    }

    /// Whether anything is left to undo. An operation that did more than stage files always counts: the undo itself
    /// reports what it finds.
    pub fn has(&self, record: &Record) -> Result<bool, Error> {
        if record.kind != OperationKind::Add {
            return Ok(true);
        }
        let index = match self.index.get() {
            Some(index) => index,
            None => {
                let index = git::index::read(self.scope)?;
                self.index.get_or_init(|| index)
            }
        };
        let then = way::head_before(self.scope, record)?;
        let head_then = then.map_or(Ok(TreeId::empty()), |commit| self.scope.tree_of(commit))?;
        let (entries, head) = (BTreeMap::new(), self.scope.head_tree()?);
        let around = Around { scope: self.scope, index, entries: &entries, head, head_then };
        let recorded = journal::transition(self.scope, record)?.index;
        Ok(!around.entries(&recorded, &[], DraftState::Staged)?.is_empty()
            || !around.recorded_anew(&recorded)?.is_empty())
    }
}
