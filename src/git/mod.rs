//! The only user of gitoxide, and the little that gitoxide lacks: switching trees, pushing, writing packs.
//!
//! Speaks bytes, ids, refs and trees. Knows nothing of markdown. Everything takes a [`Scope`]: a repository and a
//! prefix in it, so that a tree may be a repository of its own or a folder of a bigger one.

pub mod commit;
mod error;
pub mod history;
mod id;
pub mod index;
pub mod merge;
pub mod merge_state;
mod object;
mod pack;
pub mod refs;
mod renames;
pub mod revision;
mod scope;
mod signature;
pub mod status;
pub mod store;
pub mod switch;
pub mod trees;

pub use error::{Act, Cause, Error};
pub use id::{BlobId, CommitId, ObjectName, TreeId};
pub use index::{Edit, Edits, FileMode, Index, LockedIndex, Presence, Version};
pub use object::{Kind, NewObject};
pub use scope::{Head, OpenError, Scope, open};
pub use signature::Signature;
