//! Object ids, one type per kind, so that a tree is never taken for a commit.

use brv_base::content::ContentId;
use gix::ObjectId;
use std::fmt;

macro_rules! object_name {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub(super) ObjectId);

        impl $name {
            /// The first `length` hexadecimal digits.
            pub fn prefix(&self, length: usize) -> String {
                self.0.to_hex_with_len(length).to_string()
            }

            /// Parses 40 hexadecimal digits.
            pub fn from_hex(hex: &str) -> Option<Self> {
                ObjectId::from_hex(hex.as_bytes()).ok().map(Self)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(&self.0, f)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(&self.0, f)
            }
        }
    };
}

object_name!(CommitId);
object_name!(TreeId);
object_name!(
    /// The id of an object of any kind.
    ObjectName
);
object_name!(
    /// The name of what a commit changes; see [`patch_id`](super::patch_id).
    PatchId
);

/// The id of a blob, computed from its bytes.
pub type BlobId = ContentId;

impl From<CommitId> for ObjectName {
    fn from(id: CommitId) -> Self {
        Self(id.0)
    }
}

impl ObjectName {
    /// The id as that of a commit, if the object is known to be one.
    pub const fn assumed_commit(self) -> CommitId {
        CommitId(self.0)
    }
}

impl TreeId {
    pub fn empty() -> Self {
        Self(ObjectId::empty_tree(gix::hash::Kind::Sha1))
    }
}

pub(super) fn blob_id(id: &gix::oid) -> BlobId {
    ContentId::from_bytes(id.as_bytes())
}

pub(super) fn object_id(id: BlobId) -> ObjectId {
    ObjectId::from_bytes_or_panic(id.as_bytes())
}

brv_base::json_text!(CommitId);
