//! Links between entries: finding them, and keeping them right when entries move.

pub mod pointing;
pub mod references;
pub mod repointing;
