//! Collects the broken refs that a command passes over, so that it can warn about them.
//!
//! Does not find them.

use bstr::{BStr, BString};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// What is wrong with a ref.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// Its file names neither an object nor a ref.
    Content,
    /// Its object does not exist.
    Missing,
    /// git does not allow the name.
    Name,
}

/// The broken refs that a command has passed over, by full name. Clones share them.
#[derive(Debug, Clone, Default)]
pub struct BrokenRefs(Arc<Mutex<BTreeMap<BString, Fault>>>);

impl BrokenRefs {
    /// All of them, sorted by name.
    #[must_use]
    pub fn all(&self) -> Vec<(BString, Fault)> {
        let found = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        found.iter().map(|(name, fault)| (name.clone(), *fault)).collect()
    }

    pub(in crate::git) fn note(&self, name: &BStr, fault: Fault) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(name.to_owned(), fault);
    }
}
