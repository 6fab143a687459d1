//! `brv op`: the operations on record.

pub mod log;
