//! Which files of a commit are written to the disk, which are kept in the commit alone, and which are refused.

pub mod case_collisions;
pub mod incoming;
pub mod own_files;
