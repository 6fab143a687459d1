//! Opens a repository of this machine for a tree: ownership, its `config` file, locks, linked work trees, and
//! unfinished commands.

pub(in crate::git) mod alternates;
pub(in crate::git) mod broken_refs;
pub(in crate::git) mod config_file;
pub(in crate::git) mod format;
pub mod in_progress;
pub(in crate::git) mod locks;
pub mod merge_state;
pub(in crate::git) mod scope;
pub mod trust;
pub mod worktrees;
