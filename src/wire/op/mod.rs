//! JSON of `brv op`: a file for each command.

mod show;

pub use show::{Foreign, OpShow};
