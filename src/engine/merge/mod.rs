//! Merge another history into the current branch: the merge itself, its guards and the open decisions.
//!
//! [`reconcile`] merges two histories in memory, [`integrate`] brings the result into branch, index and files. How one
//! document is merged is in [`brv_text::merge`].

pub mod abort;
pub mod decisions;
pub mod discarded;
pub mod disputes;
mod emptied;
pub mod guards;
pub mod integrate;
pub mod reconcile;
pub mod unstaged_merge;
