//! Merge another history into the current branch: the merge itself, its guards and the open decisions.

pub mod abort;
pub mod decisions;
pub mod discarded;
pub mod disputes;
mod emptied;
pub mod guards;
pub mod integrate;
pub mod reconcile;
pub mod unstaged_merge;
