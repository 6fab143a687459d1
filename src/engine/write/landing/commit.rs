//! Make a commit of exactly some paths on top of `HEAD`: what else is staged is not in it.

use super::Error;
use crate::open::context::Parts;
use crate::{Fails, FailureKind};
use brv_git as git;
use brv_git::identity::Identity;
use brv_git::signing::{self, SigningError, Wish};
use brv_git::trees::Change;
use brv_git::{CommitId, Head, TreeId, tree_with};
use bstr::BString;

#[derive(Debug, thiserror::Error)]
pub enum CommitError {
    #[error(transparent)]
    Git(#[from] git::Error),
    #[error(transparent)]
    Signing(#[from] SigningError),
}

impl Fails for CommitError {
    fn kind(&self) -> FailureKind {
        match self {
            Self::Git(error) => error.kind(),
            Self::Signing(error) => error.kind(),
        }
    }
}

impl From<CommitError> for Error {
    fn from(error: CommitError) -> Self {
        match error {
            CommitError::Git(error) => error.into(),
            CommitError::Signing(error) => Self::Signing(error),
        }
    }
}

/// Write the commit, with its tree. No reference moves.
pub fn write_commit<'f>(
    parts: &Parts<'_>,
    (head, tree): (&Head, TreeId),
    files: impl IntoIterator<Item = &'f Change>,
    identity: &Identity,
    message: BString,
) -> Result<(CommitId, TreeId), CommitError> {
    let scope = parts.scope();
    let (paths, versions): (Vec<BString>, Vec<_>) = files
        .into_iter()
        .map(|file| (scope.full(&file.path), file.after.map(|version| (version.mode, version.id))))
        .unzip();
    let tree = tree_with(scope, tree, paths.iter().zip(versions))?;
    let new = git::commit::NewCommit {
        tree,
        parents: head.commit().into_iter().collect(),
        author: identity.author.clone(),
        committer: identity.committer.clone(),
        message,
    };
    let signer = signing::signer(scope, &Wish::Settings, &new.committer, parts.prompt)?;
    Ok((git::commit::write_signed(scope, &new, signer.as_ref())?, tree))
}
