//! Resolves revisions as users write them: branches, tags, short ids, `HEAD~1`, `A..B`, `REV:PATH`.

use crate::git::error::{During, Error};
use crate::git::id::{CommitId, ObjectName, TreeId, blob_id};
use crate::git::{Head, Scope, trees};
use bstr::{BString, ByteSlice};

/// Why a revision was not resolved.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages describe the variants")]
pub enum RevisionError {
    #[error("unknown revision `{0}`")]
    Unknown(String),
    #[error("the branch `{0}` has no commits yet")]
    Unborn(String),
    #[error("`{0}` is not a commit")]
    NotACommit(String),
    #[error("`{path}` does not exist in `{revision}`")]
    NoSuchPath { revision: String, path: String },
    #[error(transparent)]
    Git(#[from] Error),
}

/// The commit that a revision names.
///
/// # Errors
/// [`RevisionError::Unknown`] or [`RevisionError::NotACommit`].
pub fn commit(scope: &Scope, name: &str) -> Result<CommitId, RevisionError> {
    let object = object(scope, name)?;
    let found = scope.repo.find_object(object.0).during(format!("read {name}"))?;
    let commit = found.peel_to_commit().map_err(|_| RevisionError::NotACommit(name.to_owned()))?;
    Ok(CommitId(commit.id))
}

/// The object that a revision names, tags not peeled.
///
/// # Errors
/// [`RevisionError::Unknown`].
pub fn object(scope: &Scope, name: &str) -> Result<ObjectName, RevisionError> {
    let name = if name == "@" { "HEAD" } else { name };
    scope.repo.rev_parse_single(name).map(|id| ObjectName(id.detach())).map_err(|_| match scope.head() {
        Ok(head @ Head::Unborn { .. }) if is_about_head(name) => {
            RevisionError::Unborn(head.short_branch().unwrap_or_default())
        }
        _ => RevisionError::Unknown(name.to_owned()),
    })
}

/// `HEAD`, `HEAD~1`, `HEAD^{tree}`
fn is_about_head(name: &str) -> bool {
    name.strip_prefix("HEAD").is_some_and(|rest| rest.is_empty() || rest.starts_with(['~', '^', '@']))
}

/// Whether a revision names anything.
#[must_use]
pub fn exists(scope: &Scope, name: &str) -> bool {
    !name.is_empty() && object(scope, name).is_ok()
}

/// Resolves `REV:PATH`, with the path relative to the tree.
///
/// # Errors
/// [`RevisionError`], also [`RevisionError::NoSuchPath`].
pub fn path_in(scope: &Scope, revision: &str, path: &str) -> Result<trees::Found, RevisionError> {
    let name = if revision.is_empty() { "HEAD" } else { revision };
    let tree = tree(scope, name)?;
    let clean = path.trim_start_matches("./").trim_end_matches('/');
    trees::find(scope, tree, clean.as_bytes().as_bstr())?
        .ok_or_else(|| RevisionError::NoSuchPath { revision: name.to_owned(), path: path.to_owned() })
}

/// The tree of the commit that a revision names.
///
/// # Errors
/// As [`commit`].
pub fn tree(scope: &Scope, name: &str) -> Result<TreeId, RevisionError> {
    let id = commit(scope, name)?;
    Ok(scope.tree_of(id)?)
}

/// The shortest prefix of the id, at least seven digits, that is unique.
///
/// # Errors
/// When the store cannot be read.
pub fn shorten(scope: &Scope, id: impl Into<ObjectName>) -> Result<String, Error> {
    shortener(scope)(id.into())
}

/// [`shorten`] for many ids.
pub fn shortener(scope: &Scope) -> impl Fn(ObjectName) -> Result<String, Error> {
    use gix::prelude::ObjectIdExt as _;
    let mut repo = scope.repo.clone();
    // mostly no other object has the prefix, and gitoxide would look for new packs each time
    repo.objects.refresh_never();
    move |id| {
        let short = id.0.attach(&repo).shorten().during(|| format!("shorten {id}"))?;
        let text = short.to_string();
        Ok(if text.len() < 7 { id.prefix(7) } else { text })
    }
}

/// The full name of the reference that a short name means: branch before tag before remote branch, as in git.
#[must_use]
pub fn full_reference(scope: &Scope, name: &str) -> Option<BString> {
    let reference = scope.repo.try_find_reference(name).ok()??;
    Some(reference.name().as_bstr().to_owned())
}

/// The kind of an object, in one word, and its bytes, for showing tags.
///
/// # Errors
/// An object that is missing.
pub fn describe(scope: &Scope, id: ObjectName) -> Result<Described, Error> {
    let object = scope.repo.find_object(id.0).during(format!("read {id}"))?;
    Ok(match object.kind {
        gix::object::Kind::Commit => Described::Commit(CommitId(object.id)),
        gix::object::Kind::Tree => Described::Folder(TreeId(object.id)),
        gix::object::Kind::Blob => Described::File(blob_id(&object.id)),
        gix::object::Kind::Tag => {
            let target = gix::objs::TagRefIter::from_bytes(&object.data, gix::hash::Kind::Sha1)
                .target_id()
                .during(format!("read tag {id}"))?;
            Described::Tag { bytes: object.data.clone().into(), target: ObjectName(target) }
        }
    })
}

/// An object by kind.
#[derive(Debug, Clone)]
pub enum Described {
    /// A commit.
    Commit(CommitId),
    /// A tree.
    Folder(TreeId),
    /// A blob.
    File(crate::content::ContentId),
    /// An annotated tag: its text and what it tags.
    Tag {
        /// Headers and message.
        bytes: BString,
        /// The tagged object.
        target: ObjectName,
    },
}
