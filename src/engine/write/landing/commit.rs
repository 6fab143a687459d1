//! Make a commit of exactly some paths on top of `HEAD`: what else is staged is not in it.

use crate::Stop;
use crate::open::context::Parts;
use brv_git as git;
use brv_git::identity::Identity;
use brv_git::signing::{self, Wish};
use brv_git::trees::Change;
use brv_git::{CommitId, Head, TreeId, tree_with};
use bstr::BString;

/// Write the commit, with its tree. No reference moves.
pub fn write_commit<'f>(
    parts: &Parts<'_>,
    (head, tree): (&Head, TreeId),
    files: impl IntoIterator<Item = &'f Change>,
    identity: &Identity,
    message: BString,
) -> Result<(CommitId, TreeId), Stop> {
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
