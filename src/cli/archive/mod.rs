//! `brv archive`: entries that left the tree.

pub mod list;
pub mod show;
