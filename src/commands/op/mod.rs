//! The operation log: what was done, by whom, why, and what became of it.

pub mod diff;
pub mod log;
pub mod prune;
pub mod show;
