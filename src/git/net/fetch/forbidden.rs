//! What no ref here may name: what leads to where the history of the remote ends, and may not end here.
//!
//! Moves no ref, and does not change where the history ends.

use super::GitError;
use crate::git::error::During;
use crate::git::history::ancestry;
use crate::git::history::shallow::Boundary;
use gix::objs::Kind;
use gix::{ObjectId, Repository};

/// Where the remote's history ends and the one here must not; empty: everything may be named.
#[derive(Debug, Default)]
pub(super) struct Forbidden {
    pub roots: Boundary,
}

impl Forbidden {
    /// Whether no ref may name the object: it leads to one of the roots, or did not come because of them.
    pub fn covers(&self, repo: &Repository, id: ObjectId) -> Result<bool, GitError> {
        if self.roots.is_empty() {
            return Ok(false);
        }
        let mut target = id;
        let kind = loop {
            let act = || format!("read object {target}");
            let Some(object) = repo.try_find_object(target).during(act())? else { return Ok(true) };
            match object.kind {
                Kind::Tag => target = object.into_tag().target_id().during(act())?.detach(),
                kind => break kind,
            }
        };
        if kind != Kind::Commit {
            return Ok(false);
        }
        let reached = ancestry::all(repo, &[target], &self.roots)?;
        Ok(self.roots.iter().any(|root| reached.contains(root)))
    }
}
