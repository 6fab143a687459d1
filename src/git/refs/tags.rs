//! Tags: reads and writes annotated tag objects, and lists tags. Moves no reference.

use crate::Scope;
use crate::error::{During, Error};
use crate::id::{CommitId, ObjectName};
use crate::objects::object::{NewObject, ObjectKind};
use crate::objects::signing::{Signer, SigningError};
use crate::objects::store;
use crate::refs::{self, rescue};
use crate::signature::Signature;
use bstr::{BStr, BString, ByteSlice as _};

pub const TAGS: &str = "refs/tags/";

#[derive(Debug, Clone)]
pub struct NewTag {
    pub target: ObjectName,
    /// Its name, without `refs/tags/`.
    pub name: String,
    pub tagger: Signature,
    pub message: BString,
}

#[derive(Debug, Clone)]
pub struct Tag {
    /// `refs/tags/v1`
    pub full: BString,
    /// The object of the reference: the tag object if it is annotated.
    pub id: ObjectName,
    /// The tagged object, through tags of tags.
    pub target: ObjectName,
    pub kind: ObjectKind,
    /// The annotation; for a tag of a tag, the outer one.
    pub annotation: Option<Annotation>,
}

#[derive(Debug, Clone)]
pub struct Annotation {
    /// Who made it; absent in very old tags.
    pub tagger: Option<Signature>,
    pub message: BString,
}

impl Tag {
    /// The tagged commit, if it is one.
    pub fn commit(&self) -> Option<CommitId> {
        (self.kind == ObjectKind::Commit).then(|| self.target.assumed_commit())
    }
}

/// Stores an annotated tag object durably, signed at its end if there is a signer.
///
/// # Errors
/// [`SigningError`]; then nothing is stored.
pub fn write(scope: &Scope, tag: &NewTag, signer: Option<&Signer>) -> Result<ObjectName, SigningError> {
    let act = || format!("write the tag {}", tag.name);
    let kind = scope.repo.find_header(tag.target.0).during(act)?.kind();
    let mut bytes = format!("object {}\ntype {kind}\ntag {}\ntagger ", tag.target, tag.name).into_bytes();
    tag.tagger.to_gix().write_to(&mut bytes).during(act)?;
    bytes.extend_from_slice(b"\n\n");
    bytes.extend_from_slice(&tag.message);
    if let Some(signer) = signer {
        let mut signature = signer.sign(&bytes)?;
        if !signature.ends_with(b"\n") {
            signature.push(b'\n');
        }
        bytes.extend_from_slice(&signature);
    }
    let ids = store::write_objects(scope, &[NewObject { kind: ObjectKind::Tag, bytes: bytes.into() }])?;
    Ok(ids[0])
}

/// All tags, ordered by name. A tag of a missing object is left out.
pub fn list(scope: &Scope) -> Result<Vec<Tag>, Error> {
    refs::list(scope, TAGS)?.into_iter().filter_map(|(full, id)| read(scope, full, id).transpose()).collect()
}

fn read(scope: &Scope, full: BString, id: ObjectName) -> Result<Option<Tag>, Error> {
    let act = || format!("read {full}");
    let Some(mut object) = scope.repo.try_find_object(id.0).during(act)? else { return Ok(None) };
    let mut annotation = None;
    while object.kind == gix::object::Kind::Tag {
        let (tagger, bytes) = split_tagger(&object.data);
        let tag = gix::objs::TagRef::from_bytes(&bytes, gix::hash::Kind::Sha1).during(act)?;
        if annotation.is_none() {
            annotation = Some(Annotation { tagger, message: tag.message.to_owned() });
        }
        let Some(next) = scope.repo.try_find_object(tag.target()).during(act)? else { return Ok(None) };
        object = next;
    }
    let (target, kind) = (ObjectName(object.id), ObjectKind::from_gix(object.kind));
    Ok(Some(Tag { full, id, target, kind, annotation }))
}

/// The tagger, and the tag without that line: gitoxide rejects a tag if it cannot parse it.
fn split_tagger(bytes: &[u8]) -> (Option<Signature>, Vec<u8>) {
    let (headers, message) = bytes.split_at(bytes.find("\n\n").map_or(bytes.len(), |at| at + 1));
    let is_tagger = |line: &&[u8]| line.starts_with(b"tagger ");
    let tagger = headers.lines().find(is_tagger).map(|line| Signature::parse(&line[b"tagger ".len()..]));
    let rest = headers.lines_with_terminator().filter(|line| !is_tagger(line));
    (tagger, rest.chain([message]).collect::<Vec<_>>().concat())
}

/// The commit that an object peels to, if it exists here.
pub fn commit_of(scope: &Scope, id: impl Into<ObjectName>) -> Option<CommitId> {
    rescue::commit_of(&scope.repo, id.into().0).map(CommitId)
}

pub fn is_annotated(scope: &Scope, id: ObjectName) -> bool {
    scope.repo.find_header(id.0).is_ok_and(|header| header.kind() == gix::object::Kind::Tag)
}

/// `v1` of `refs/tags/v1`.
pub fn short(full: &BStr) -> String {
    full.strip_prefix(TAGS.as_bytes()).unwrap_or(full).to_str_lossy().into_owned()
}
