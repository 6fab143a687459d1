//! `brv stale`: entries that the code has moved on from.

pub mod confirm;
pub mod list;
