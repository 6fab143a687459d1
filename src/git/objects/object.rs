//! An object before it is stored or sent: its kind and bytes.

use crate::error::{During, Error};
use gix::ObjectId;
use std::borrow::Cow;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ObjectKind {
    Blob,
    Tree,
    Commit,
    Tag,
}

impl ObjectKind {
    /// git's word for it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Blob => "blob",
            Self::Tree => "tree",
            Self::Commit => "commit",
            Self::Tag => "tag",
        }
    }
}

/// An object that the store may not have yet: its kind and the bytes that git hashes after the header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewObject<'a> {
    pub kind: ObjectKind,
    /// Its content, owned or borrowed.
    pub bytes: Cow<'a, [u8]>,
}

impl ObjectKind {
    pub(crate) const fn to_gix(self) -> gix::object::Kind {
        match self {
            Self::Blob => gix::object::Kind::Blob,
            Self::Tree => gix::object::Kind::Tree,
            Self::Commit => gix::object::Kind::Commit,
            Self::Tag => gix::object::Kind::Tag,
        }
    }

    pub(crate) const fn from_gix(kind: gix::object::Kind) -> Self {
        match kind {
            gix::object::Kind::Blob => Self::Blob,
            gix::object::Kind::Tree => Self::Tree,
            gix::object::Kind::Commit => Self::Commit,
            gix::object::Kind::Tag => Self::Tag,
        }
    }
}

impl<'a> NewObject<'a> {
    pub fn blob(bytes: impl Into<Cow<'a, [u8]>>) -> Self {
        Self { kind: ObjectKind::Blob, bytes: bytes.into() }
    }

    /// The id that git gives it. Fails only for bytes of a known SHA-1 collision attack.
    pub(crate) fn id(&self) -> Result<ObjectId, Error> {
        gix::objs::compute_hash(gix::hash::Kind::Sha1, self.kind.to_gix(), &self.bytes)
            .during("hash an object")
    }
}
