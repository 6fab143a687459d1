//! JSON of `brv op`: a file for each command.

mod diff;
mod log;
mod prune;
mod show;

pub use diff::OpDiff;
pub use log::{Known as KnownOperation, OpLog, Operation};
pub use prune::OpPrune;
pub use show::{Foreign, OpShow};
