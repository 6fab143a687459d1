//! What commands share. Steps take parts, never the context.

pub mod cause;
pub mod links;
pub mod merging;
pub mod naming;
pub mod refresh;
pub mod remotes;
pub mod telling;
pub mod undoing;
pub mod work_tree;
pub mod writing;
