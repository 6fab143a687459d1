//! JSON of `brv op`: a file for each command.

mod diff;
mod show;

pub use diff::OpDiff;
pub use show::{Foreign, OpShow};
