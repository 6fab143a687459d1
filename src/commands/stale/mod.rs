//! `brv stale`: entries that the code has moved on from.

pub mod confirm;
mod findings;
pub mod list;
pub mod told;
