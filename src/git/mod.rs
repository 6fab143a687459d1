//! The only user of gitoxide, and the little that gitoxide lacks: switching trees, pushing, writing packs.
//!
//! Speaks bytes, ids, refs and trees. Knows nothing of markdown. Everything takes a [`Scope`]: a repository and a
//! prefix in it, so that a tree may be a repository of its own or a folder of a bigger one.

pub mod clone;
mod config_file;
mod credentials;
mod delta;
mod error;
pub mod fetch;
mod http;
mod id;
pub mod identity;
mod init;
mod local;
mod messages;
pub mod network;
mod object;
mod pack;
pub mod push;
mod received;
pub mod remotes;
mod scope;
mod select;
pub mod settings;
mod spawn;
pub mod store;
mod transport;
mod url;

pub use error::{Act, Cause, Error};
pub use id::{BlobId, CommitId, ObjectName, TreeId};
pub use init::{InitError, init, is_branch_name, set_up};
pub use messages::printable;
pub use object::{Kind, NewObject};
pub use scope::{Head, OpenError, Scope, open};
pub use transport::Target;
pub use url::{RemoteUrl, UrlError, is_loopback, redacted};
