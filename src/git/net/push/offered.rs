//! The refs that a remote offers, by name, and which of their objects exist here.
//!
//! Built once for a conversation: ten thousand refs are nothing special.

use super::refspec::readings;
use crate::error::Error as GitError;
use bstr::{BStr, BString};
use gix::ObjectId;
use gix::hashtable::HashSet;
use gix::protocol::handshake::Ref;
use std::collections::HashMap;

pub(super) struct Offered {
    /// In the remote's order, with nameless ones of other repositories (`.have`).
    refs: Vec<Ref>,
    by_name: HashMap<BString, ObjectId>,
}

/// How many refs a short name may mean.
pub(super) enum RefMatch<T> {
    None,
    One(T),
    Several,
}

impl Offered {
    pub fn new(refs: Vec<Ref>) -> Self {
        let named = refs.iter().filter_map(|reference| {
            let (name, id, _) = reference.unpack();
            Some((name.to_owned(), id?.to_owned()))
        });
        let by_name = named.filter(|(name, _)| name.starts_with(b"refs/")).collect();
        Self { refs, by_name }
    }

    /// The value of a ref (full name).
    pub fn get(&self, name: &BStr) -> Option<ObjectId> {
        self.by_name.get(name).copied()
    }

    /// Resolves a name on the remote.
    pub fn meant(&self, name: &BStr) -> RefMatch<BString> {
        meant(name, |full| Ok::<_, GitError>(self.by_name.contains_key(full).then(|| full.to_owned())))
            .unwrap_or(RefMatch::None)
    }

    /// The refs that the remote names, with their objects; those of other repositories are called `.have`.
    pub fn named(&self) -> impl Iterator<Item = (&BStr, ObjectId)> {
        self.refs.iter().filter_map(|reference| {
            let (name, id, _) = reference.unpack();
            Some((name, id?.to_owned()))
        })
    }

    /// Every object that the remote names and that exists here, once.
    pub fn known(&self, repo: &gix::Repository) -> Vec<ObjectId> {
        let mut repo = repo.clone();
        // looking for new packs for each of thousands of objects that were never fetched would take seconds
        repo.objects.refresh_never();
        let mut seen = HashSet::default();
        let ids = self.refs.iter().filter_map(|reference| reference.unpack().1.map(ToOwned::to_owned));
        ids.filter(|id| seen.insert(*id) && repo.has_object(id)).collect()
    }
}

/// Resolves a name; `find` looks up full names. The first round with any match must have only one.
pub(super) fn meant<T>(
    name: &BStr,
    mut find: impl FnMut(&BStr) -> Result<Option<T>, GitError>,
) -> Result<RefMatch<T>, GitError> {
    for round in readings(name) {
        let mut only = None;
        for full in round {
            let found = find(full.as_ref())?;
            if only.is_some() && found.is_some() {
                return Ok(RefMatch::Several);
            }
            only = only.or(found);
        }
        if let Some(only) = only {
            return Ok(RefMatch::One(only));
        }
    }
    Ok(RefMatch::None)
}
