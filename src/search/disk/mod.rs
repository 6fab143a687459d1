//! The index on disk: parts that never change, and one file that says what of them counts.
//!
//! Everything here is a cache: damage, other versions and missing files read as "there is no index".

pub mod generation;
pub mod part;
pub mod segment;
pub mod table;
pub mod writing;
