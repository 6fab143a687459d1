//! Links between entries: find them, and keep them valid when entries move.

pub mod known;
pub mod pointing;
pub mod present;
pub mod references;
pub mod repointing;
