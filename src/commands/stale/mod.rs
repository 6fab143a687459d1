//! `brv stale`: entries that the code has moved on from.

pub mod confirm;
mod findings;
pub mod from_json;
pub mod left;
pub mod list;
