//! Opens a repository of this machine for a tree: ownership, its `config` file, locks, linked work trees, and
//! unfinished commands.

pub(crate) mod alternates;
pub(crate) mod broken_refs;
pub(crate) mod config_file;
pub(crate) mod format;
pub mod in_progress;
pub(crate) mod locks;
pub mod merge_state;
pub(crate) mod reader;
pub(crate) mod scope;
pub mod trust;
pub mod worktrees;
