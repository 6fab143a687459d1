//! Reading: what changed and who changed it, archived entries, links, entries about code that has changed.

pub mod archive;
pub mod history;
pub mod links;
pub mod stale;
