//! What a remote says that it has, by name, and how much of it is here.
//!
//! Made once for a conversation: ten thousand refs are nothing special.

use super::refspec::readings;
use crate::git::error::Error as GitError;
use bstr::{BStr, BString};
use gix::ObjectId;
use gix::hashtable::HashSet;
use gix::protocol::handshake::Ref;
use std::collections::HashMap;

/// The refs of a remote.
pub(super) struct Offered {
    /// As the remote lists them, also nameless ones of other repositories (`.have`).
    refs: Vec<Ref>,
    by_name: HashMap<BString, ObjectId>,
}

/// How many refs a name that is not full may mean.
pub(super) enum Meant<T> {
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

    /// Where a ref (full name) is.
    pub fn get(&self, name: &BStr) -> Option<ObjectId> {
        self.by_name.get(name).copied()
    }

    /// The ref that a name means there.
    pub fn meant(&self, name: &BStr) -> Meant<BString> {
        meant(name, |full| Ok::<_, GitError>(self.by_name.contains_key(full).then(|| full.to_owned())))
            .unwrap_or(Meant::None)
    }

    /// Every object that the remote names and that is here, once.
    pub fn known(&self, repo: &gix::Repository) -> Vec<ObjectId> {
        let mut repo = repo.clone();
        // looking for new packs for each of thousands of objects that were never fetched would take seconds
        repo.objects.refresh_never();
        let mut seen = HashSet::default();
        let ids = self.refs.iter().filter_map(|reference| reference.unpack().1.map(ToOwned::to_owned));
        ids.filter(|id| seen.insert(*id) && repo.has_object(id)).collect()
    }
}

/// What a name stands for, where `find` knows what is there: the only one that the first round with any finds.
pub(super) fn meant<T>(
    name: &BStr,
    mut find: impl FnMut(&BStr) -> Result<Option<T>, GitError>,
) -> Result<Meant<T>, GitError> {
    for round in readings(name) {
        let mut only = None;
        for full in round {
            let found = find(full.as_ref())?;
            if only.is_some() && found.is_some() {
                return Ok(Meant::Several);
            }
            only = only.or(found);
        }
        if let Some(only) = only {
            return Ok(Meant::One(only));
        }
    }
    Ok(Meant::None)
}
