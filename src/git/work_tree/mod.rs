//! The work tree: status against the index, and switching from one tree to another without losing edits.

pub(crate) mod abandoned_locks;
pub mod apply;
pub mod held;
pub mod pathspec;
pub mod status;
pub mod switch;
