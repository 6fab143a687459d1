//! Finds the tracking refs of a remote's refs.
//!
//! Reads the settings of the remote once; does not talk to it.

use super::map::mapped;
use crate::error::{During, Error as GitError};
use crate::settings::remotes::Target;
use bstr::{BStr, BString};
use gix::ObjectId;
use gix::protocol::handshake::Ref;
use gix::refspec::RefSpec;

/// The fetch refspecs of a remote; none for a URL.
pub(crate) struct Tracked {
    refspecs: Vec<RefSpec>,
}

impl Tracked {
    pub fn of(repo: &gix::Repository, target: &Target) -> Result<Self, GitError> {
        let Target::Named(name) = target else { return Ok(Self { refspecs: Vec::new() }) };
        let remote = repo.find_remote(name.as_str()).during(|| format!("read the settings of `{name}`"))?;
        Ok(Self { refspecs: remote.refspecs(gix::remote::Direction::Fetch).to_vec() })
    }

    /// The tracking ref of the remote's ref `name` (full).
    pub fn name(&self, name: &BStr) -> Result<Option<BString>, GitError> {
        let offered =
            Ref::Direct { full_ref_name: name.to_owned(), object: ObjectId::null(gix::hash::Kind::Sha1) };
        let mapped = mapped(&self.refspecs, &[offered])?;
        Ok(mapped.into_iter().find_map(|one| one.local))
    }
}
