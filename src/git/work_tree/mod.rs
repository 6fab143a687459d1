//! The work tree: what differs from the index, and going from one tree to another without losing edits.

pub(in crate::git) mod abandoned_locks;
pub mod pathspec;
pub mod status;
pub mod switch;
