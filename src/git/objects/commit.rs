//! Commit objects: reads and writes them. Moves no reference.

use super::headers::Headers;
use super::object::{NewObject, ObjectKind};
use super::signing::{Signer, SigningError};
use super::store;
use crate::Scope;
use crate::error::{During, Error};
use crate::id::{CommitId, TreeId};
use crate::signature::Signature;
use bstr::{BStr, BString, ByteSlice};
use gix::objs::WriteTo as _;

#[derive(Debug, Clone)]
pub struct Commit {
    pub id: CommitId,
    pub tree: TreeId,
    /// In order; the first is the branch that it was made on.
    pub parents: Vec<CommitId>,
    /// Who wrote the change.
    pub author: Signature,
    pub committer: Signature,
    /// The whole message, with its trailing newline if any.
    pub message: BString,
}

#[derive(Debug, Clone)]
pub struct NewCommit {
    pub tree: TreeId,
    pub parents: Vec<CommitId>,
    /// Who wrote the change.
    pub author: Signature,
    pub committer: Signature,
    pub message: BString,
}

impl Commit {
    /// The first line of the message.
    pub fn subject(&self) -> &BStr {
        self.message.lines().next().unwrap_or_default().as_bstr()
    }
}

/// Stores a commit durably. Moves no reference.
pub fn write(scope: &Scope, commit: &NewCommit) -> Result<CommitId, Error> {
    store(scope, commit.tree, encode(commit, None)?)
}

/// As [`write()`], signed if there is a signer. If signing fails, nothing is stored.
pub fn write_signed(
    scope: &Scope,
    commit: &NewCommit,
    signer: Option<&Signer>,
) -> Result<CommitId, SigningError> {
    let plain = encode(commit, None)?;
    let bytes = match signer {
        Some(signer) => encode(commit, Some(signer.sign(&plain)?))?,
        None => plain,
    };
    Ok(store(scope, commit.tree, bytes)?)
}

/// Adds the signature as git does: in the last header.
fn encode(commit: &NewCommit, signature: Option<BString>) -> Result<Vec<u8>, Error> {
    let object = gix::objs::Commit {
        tree: commit.tree.0,
        parents: commit.parents.iter().map(|parent| parent.0).collect(),
        author: commit.author.to_gix(),
        committer: commit.committer.to_gix(),
        encoding: None,
        message: commit.message.clone(),
        extra_headers: signature.map(|signature| ("gpgsig".into(), signature)).into_iter().collect(),
    };
    let mut bytes = Vec::new();
    object.write_to(&mut bytes).during("write a commit")?;
    Ok(bytes)
}

fn store(scope: &Scope, tree: TreeId, bytes: Vec<u8>) -> Result<CommitId, Error> {
    let commit_object = NewObject { kind: ObjectKind::Commit, bytes: bytes.into() };
    // readers have the empty tree built in, but `git fsck` needs it stored
    let empty_tree = || NewObject { kind: ObjectKind::Tree, bytes: Vec::new().into() };
    let ids = if tree == TreeId::empty() {
        store::write_objects(scope, &[empty_tree(), commit_object])?
    } else {
        store::write_objects(scope, &[commit_object])?
    };
    Ok(CommitId(ids[ids.len() - 1].0))
}

/// Read a commit.
///
/// # Errors
/// An object that is missing or no commit.
pub fn read(scope: &Scope, id: CommitId) -> Result<Commit, Error> {
    let object = scope.repo.find_commit(id.0).during(|| format!("read commit {id}"))?;
    decode(id, &object.data)
}

fn decode(id: CommitId, bytes: &[u8]) -> Result<Commit, Error> {
    let headers = Headers::of(id.0, bytes)?;
    Ok(Commit {
        id,
        tree: TreeId(headers.tree),
        author: headers.author(),
        committer: headers.committer(),
        message: headers.message(),
        parents: headers.parents.into_iter().map(CommitId).collect(),
    })
}

/// The parts of a commit that a walk needs; the rest is parsed on demand.
pub(crate) struct Undecoded {
    pub id: CommitId,
    pub tree: TreeId,
    pub parents: Vec<CommitId>,
    /// The committer time in seconds since 1970.
    pub seconds: i64,
    bytes: Vec<u8>,
}

impl Undecoded {
    /// Parses all of it.
    ///
    /// # Errors
    /// A malformed commit.
    pub fn decode(&self) -> Result<Commit, Error> {
        decode(self.id, &self.bytes)
    }
}

/// Reads the parts of a commit that a walk needs. The buffer is only for reuse.
///
/// # Errors
/// An object that is missing or no commit.
pub(crate) fn read_undecoded(scope: &Scope, id: CommitId, buffer: &mut Vec<u8>) -> Result<Undecoded, Error> {
    let headers = Headers::find(&scope.repo.objects, id.0, buffer)?;
    let (tree, seconds) = (TreeId(headers.tree), headers.seconds());
    let parents = headers.parents.into_iter().map(CommitId).collect();
    Ok(Undecoded { id, tree, parents, seconds, bytes: buffer.clone() })
}
