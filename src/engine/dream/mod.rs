//! The dreams of a tree: which there were and which stand, by journal and history; their files in `.brv/`; and the gates
//! that one must pass.
//!
//! Nothing is counted up: how many dreams there were, which are undone and how much was curated since is computed, so
//! that an undo, a pull and another clone say the same. The files repeat it for people and programs that read files.

mod files;
mod gates;
mod list;
mod lock;
mod removals;
mod settling;

pub use files::{DreamState, Log, PendingMerge, Trigger, logs, read_log, read_state, write_log, write_state};
pub use gates::{Closed, Gate, of_time, pass};
pub use list::{Dream, Dreams};
pub use lock::Lock;
pub use removals::DreamRemovals;
pub use settling::{follow, mark_undone, settle};
