//! Making a repository for a tree, and setting up one that exists.

pub mod in_repo;
pub(in crate::git) mod init;
pub mod merge_driver;
