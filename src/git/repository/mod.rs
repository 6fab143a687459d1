//! A repository on this machine: opening it for a tree, whose it is, its `config` file, its locks, its other work trees,
//! and what git is in the middle of.

pub(in crate::git) mod alternates;
pub(in crate::git) mod config_file;
pub mod in_progress;
pub(in crate::git) mod locks;
pub mod merge_state;
pub(in crate::git) mod scope;
pub mod trust;
pub mod worktrees;
