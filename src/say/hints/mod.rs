//! Hints for the errors of single commands.
//!
//! Each command's error becomes a [`super::Failure`] by `From`, so that every surface prints the same with `?`. No hint prints
//! a complete command that destroys something: callers paste what they read.

mod tree;
mod undo;

pub use brv_engine::outcome::in_progress::{WAITING, unfinished};
