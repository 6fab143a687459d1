//! Links between entries: find them, and keep them valid when entries move.

mod link;
pub mod link_graph;
pub mod linking;
pub mod pointing;
pub mod present;
pub mod references;
pub mod repointing;

pub use link::{Link, LinkTargetState};
