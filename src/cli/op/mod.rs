//! `brv op`: the operations on record.

pub mod diff;
pub mod log;
pub mod prune;
pub mod show;
