//! Looks up refs of this repository: one by one for few, all at once for many.
//!
//! Reads only.

use crate::error::{During, Error};
use crate::refs::{broken, listing};
use crate::repository::broken_refs::{BrokenRefs, RefFault};
use bstr::{BStr, BString, ByteSlice as _};
use gix::{ObjectId, Repository};
use std::collections::HashMap;

/// From this many lookups on, all refs are read at once.
const MANY: usize = 64;

pub(super) struct LocalRefs<'a> {
    repo: &'a Repository,
    /// Collects those with broken content.
    broken: &'a BrokenRefs,
    all: Option<HashMap<BString, ObjectId>>,
}

impl<'a> LocalRefs<'a> {
    /// For about this many lookups.
    pub fn read(repo: &'a Repository, broken: &'a BrokenRefs, lookups: usize) -> Result<Self, Error> {
        if lookups < MANY {
            return Ok(Self { repo, broken, all: None });
        }
        let mut all = HashMap::new();
        let listed = listing::listed(repo, None, "list refs")?;
        listed.broken.iter().for_each(|name| broken.note(name.as_bstr(), RefFault::Content));
        for mut reference in listed.found {
            let name = reference.name().as_bstr().to_owned();
            if let Ok(id) = reference.follow_to_object() {
                all.insert(name, id.detach());
            }
        }
        Ok(Self { repo, broken, all: Some(all) })
    }

    /// The object that a ref names, not peeled; `None`: no such ref, or a broken one, which a fetch repairs.
    pub fn get(&self, name: &BStr) -> Result<Option<ObjectId>, Error> {
        if let Some(all) = &self.all {
            return Ok(all.get(name).copied());
        }
        let act = || format!("read the ref `{name}`");
        let found = match self.repo.try_find_reference(name) {
            Err(error) if broken::undecodable(&error).is_some() => {
                self.broken.note(name, RefFault::Content);
                None
            }
            found => found.during(act())?,
        };
        found.map(|mut found| Ok(found.follow_to_object().during(act())?.detach())).transpose()
    }
}
