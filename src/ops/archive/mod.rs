//! The archive: entries that left the tree, with their bytes kept by a record in the `context.md` of their folder.

pub mod list;
pub mod restore;
pub mod run;
pub mod show;
