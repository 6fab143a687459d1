//! JSON of `brv op`: a file for each command.

mod diff;
mod log;
mod prune;
mod show;

pub use diff::OpDiff;
pub use log::{Known as KnownOperation, Move, OpLog, Operation, Settings};
pub use prune::OpPrune;
pub use show::{Foreign, OpShow};
