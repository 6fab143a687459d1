//! The only user of gitoxide, and the little that gitoxide lacks: switching trees, pushing, writing packs.
//!
//! Speaks bytes, ids, refs and trees. Knows nothing of markdown. Everything takes a [`Scope`]: a repository and a
//! prefix in it, so that a tree may be a repository of its own or a folder of a bigger one.

mod alternates;
mod ancestry;
mod checksum;
pub mod clone;
pub mod commit;
mod config_file;
mod credentials;
mod delta;
mod error;
pub mod fetch;
pub mod history;
mod http;
mod id;
pub mod identity;
pub mod index;
mod init;
mod interrupt;
mod local;
pub mod merge;
pub mod merge_state;
mod messages;
pub mod network;
mod object;
mod object_files;
mod pack;
mod packed_refs;
mod path_history;
pub mod pathspec;
pub mod push;
mod received;
pub mod refs;
pub mod remotes;
mod renames;
pub mod revision;
mod scope;
mod select;
pub mod settings;
mod shallow;
mod signature;
mod spawn;
pub mod status;
pub mod store;
pub mod switch;
mod transport;
pub mod trees;
mod url;

pub use error::{Act, Cause, Error};
pub use id::{BlobId, CommitId, ObjectName, TreeId};
pub use index::{Edit, Edits, FileMode, Index, LockedIndex, Presence, Version};
pub use init::{InitError, exclude_derived, init, init_bare, is_branch_name, set_up};
pub use interrupt::interrupt;
pub use messages::printable;
pub use object::{Kind, NewObject};
pub use scope::{Head, OpenError, Scope, SharedScope, open};
pub use shallow::{Depth, Roots, is_shallow};
pub use signature::Signature;
pub use transport::Target;
pub use url::{RemoteUrl, UrlError, is_loopback, redacted};
