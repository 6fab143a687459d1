//! The only user of gitoxide's repository, with what gitoxide lacks: switching trees, pushing, writing packs.
//!
//! A part of `brv`, without promises.
//!
//! Handles bytes, ids, refs and trees, and must never know markdown: a merge of entries comes in as a finished tree.
//! Everything takes a [`Scope`]: a repository and a prefix in it, so that a tree may be a repository of its own or a folder
//! of a bigger one.
//!
//! Imports run one way, each folder uses those above it:
//!
//! | folder | contents |
//! |---|---|
//! | the files here | errors, ids of objects, versions of files, signatures, dry runs, server messages made safe for terminals, Ctrl-C |
//! | `repository` | opening one for a tree, owner, `config` file, locks, linked work trees, a merge in progress |
//! | `objects` | encoding and storing them: loose, packed, as deltas; entries of folders; commits and how they are signed |
//! | [`index`] | reading, editing, locking and writing it |
//! | [`trees`] | comparing two, detecting renames, drafts of trees that are not stored yet |
//! | [`history`] | walking commits, resolving revisions, blame, patch ids, shallow boundaries |
//! | [`refs`] | reading and moving them, packed refs, reflogs, tags, rescue refs |
//! | [`settings`] | settings of remotes, branches and users; their URLs |
//! | `work_tree` | status, switching, pathspecs |
//! | [`hooks`] | git's hooks, and brv's line in them |
//! | `setup` | creating a repository, or setting one up for a tree |
//! | `net` | talking to remotes: transports, credentials, timeouts; fetch, push, clone |
//! | [`gc`] | garbage collection |

mod error;
pub mod gc;
pub mod history;
pub mod hooks;
pub mod http;
mod id;
pub mod index;
mod interrupt;
mod mode;
mod net;
mod objects;
mod prompt;
pub mod refs;
mod repository;
pub mod settings;
mod setup;
mod signature;
pub mod trees;
mod version;
mod work_tree;

pub use history::{blame, lineage, mailmap, patch_id, revision, topology};
pub use net::{clone, fetch, network, offered, push};
pub use objects::{commit, signing, store};
pub use refs::{reflog, rescue, tags};
pub use repository::{in_progress, merge_state, trust, worktrees};
pub use settings::{branch_settings, host_remote, identity, remotes, settings_moves};
pub use setup::{in_repo, merge_driver};
pub use work_tree::{apply, held, pathspec, status, switch};

pub use brv_base::messages::printable;
pub use error::{Error, ErrorClass, FailedAction};
pub use history::shallow::{Depth, End, Roots, is_shallow};
pub use id::{BlobId, CommitId, ObjectName, PatchId, TreeId};
pub use index::{Edit, Edits, Hiding, Index, LockedIndex, NewIndex, Presence, SparseCheckout};
pub use interrupt::{Interrupt, heard_interrupt, interrupt};
pub use mode::Mode;
pub use net::timeouts::Limits;
pub use objects::convert::Converter;
pub use objects::object::{NewObject, ObjectKind};
pub use repository::broken_refs::{BrokenRef, BrokenRefs, RefFault};
pub use repository::reader::ObjectReader;
pub use repository::scope::{Head, OpenError, Scope, SharedScope, open, open_bare};
pub use settings::forward::{Door, Forward, forward};
pub use settings::remotes::Target;
pub use settings::url::{RemoteUrl, UrlError, is_loopback, redacted};
pub use settings::user_settings::user_setting;
pub use setup::init::{InitError, exclude_derived, init, init_bare, is_branch_name, is_set_up, set_up};
pub use signature::Signature;
pub use trees::drafts::{Drafts, tree_of, tree_with};
pub use trees::similarity;
pub use version::{FileMode, Version};
pub use work_tree::abandoned_locks::drop_abandoned;

#[cfg(test)]
#[path = "../../tests/cases.rs"]
mod cases;
