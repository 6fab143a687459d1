//! `brv archive`: entries that left the tree.

pub mod list;
pub mod restore;
pub mod run;
pub mod show;
