//! Rewrites by a decider: what of the entries they do not say, and what they say that no entry does.

mod changes;
mod clauses;
mod cutting;
mod doubts;
mod grounds;
mod lacking;
mod numbered;
mod opposites;
pub(super) mod pieces;
mod placing;
pub(super) mod saying;
pub(super) mod statements;
pub(super) mod stemmed;
mod turned;

pub use doubts::{Doubt, Doubtful, doubts};
pub use lacking::{lacking, unknown_names};
pub use placing::below_title;
