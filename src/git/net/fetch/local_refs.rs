//! Looks up refs of this repository: one by one for few, all at once for many.
//!
//! Reads only.

use crate::git::error::{During, Error};
use crate::git::refs::listing;
use bstr::{BStr, BString};
use gix::{ObjectId, Repository};
use std::collections::HashMap;

/// From this many lookups on, all refs are read at once.
const MANY: usize = 64;

pub(super) struct LocalRefs<'a> {
    repo: &'a Repository,
    all: Option<HashMap<BString, ObjectId>>,
}

impl<'a> LocalRefs<'a> {
    /// For about this many lookups.
    pub fn read(repo: &'a Repository, lookups: usize) -> Result<Self, Error> {
        if lookups < MANY {
            return Ok(Self { repo, all: None });
        }
        let mut all = HashMap::new();
        for mut reference in listing::all(repo, "list refs")? {
            let name = reference.name().as_bstr().to_owned();
            if let Ok(id) = reference.follow_to_object() {
                all.insert(name, id.detach());
            }
        }
        Ok(Self { repo, all: Some(all) })
    }

    /// The object that a ref names, not peeled; `None`: no such ref.
    pub fn get(&self, name: &BStr) -> Result<Option<ObjectId>, Error> {
        if let Some(all) = &self.all {
            return Ok(all.get(name).copied());
        }
        let act = || format!("read the ref `{name}`");
        let found = self.repo.try_find_reference(name).during(act())?;
        found.map(|mut found| Ok(found.follow_to_object().during(act())?.detach())).transpose()
    }
}
