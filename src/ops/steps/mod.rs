//! Building blocks that commands share. A step takes the parts it needs, never the whole context.

pub mod archived;
pub mod checking;
pub mod landing;
pub mod links;
pub mod merging;
pub mod naming;
pub mod overriding;
pub mod policy;
pub mod reconcile;
pub mod refresh;
pub mod remotes;
pub mod searching;
pub mod signals;
pub mod suggestion;
pub mod survey;
pub mod telling;
pub mod undoing;
pub mod work_tree;
pub mod writing;
