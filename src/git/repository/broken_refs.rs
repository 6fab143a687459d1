//! Collects the broken refs that a command passes over or moves aside, so that it can warn about them.
//!
//! Does not find them.

use bstr::{BStr, BString};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefFault {
    /// Its file names neither an object nor a ref.
    Content,
    /// Its object does not exist.
    Missing,
    /// git does not allow the name.
    Name,
    Kind,
    /// It was moved aside earlier.
    Aside,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrokenRef {
    pub fault: RefFault,
    /// Where it was moved: another ref, or a file in git's folder. `None`: it was left where it is.
    pub moved_to: Option<BString>,
}

/// The broken refs that a command has passed over or moved aside, by full name. Clones share them.
#[derive(Debug, Clone, Default)]
pub struct BrokenRefs(Arc<Mutex<BTreeMap<BString, BrokenRef>>>);

impl BrokenRefs {
    /// All of them, sorted by name.
    pub fn all(&self) -> Vec<(BString, BrokenRef)> {
        let found = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        found.iter().map(|(name, broken)| (name.clone(), broken.clone())).collect()
    }

    /// Add a ref that is passed over.
    pub fn note(&self, name: &BStr, fault: RefFault) {
        self.insert(name, BrokenRef { fault, moved_to: None });
    }

    pub(crate) fn note_moved(&self, name: &BStr, fault: RefFault, to: &BStr) {
        self.insert(name, BrokenRef { fault, moved_to: Some(to.to_owned()) });
    }

    fn insert(&self, name: &BStr, broken: BrokenRef) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(name.to_owned(), broken);
    }
}
