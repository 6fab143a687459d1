//! Version control: checks, the work tree, remotes, suggestions for mistyped names.

pub mod check;
pub mod remotes;
pub mod suggest;
pub mod work_tree;
