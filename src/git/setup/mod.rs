//! Creates a repository for a tree, or sets up an existing one.

pub mod in_repo;
pub(crate) mod init;
pub mod merge_driver;
