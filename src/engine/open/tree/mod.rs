//! The context tree as a folder: where it is, and which content its files may have.
//!
//! Knows the layout of `.brv/` and the rules for curated files, but no repository.

mod fitness;
mod git_folder;
mod layout;
mod recognition;

pub use fitness::{MAX_BYTES, Unfit, check_content};
pub use git_folder::{host_exclude, private_folder};
pub use layout::{BRV_FOLDER, NoTree, Places, TREE_FOLDER, at, discover, host_work_tree};
pub use recognition::is_tree;
