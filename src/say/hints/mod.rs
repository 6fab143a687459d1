//! Hints for the errors of single commands.
//!
//! Each command's error becomes a [`super::Failure`] by `From`, so that every surface prints the same with `?`. No hint prints
//! a complete command that destroys something: callers paste what they read.

mod fetching;
mod history;
mod merging;
mod push;
mod remotes;
mod tree;
mod undo;

pub use brv_engine::outcome::in_progress::{WAITING, unfinished};
use history::named;
pub use merging::under_way;
