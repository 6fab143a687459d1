//! `brv op`: the operation log.

pub mod diff;
pub mod log;
pub mod prune;
pub mod show;
