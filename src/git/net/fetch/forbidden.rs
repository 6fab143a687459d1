//! Finds refs that must not be updated because they would make the repository shallow: they reach the remote's own
//! boundary.
//!
//! Moves no ref, and does not change the boundary.

use super::GitError;
use crate::error::During;
use crate::history::ancestry;
use crate::history::shallow::Boundary;
use gix::objs::Kind;
use gix::{ObjectId, Repository};

/// The remote's boundary that must not become one here; empty: every ref may be updated.
#[derive(Debug, Default)]
pub(super) struct Forbidden {
    pub roots: Boundary,
}

impl Forbidden {
    /// Whether no ref may name the object: it reaches one of the roots, or was not received because of them.
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
