//! Hints for the errors of single commands.
//!
//! Each command's error becomes a [`Failure`] by `From`, so that every surface prints the same with `?`. No hint prints
//! a complete command that destroys something: callers paste what they read.

mod commit;
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

use super::Failure;

/// Commands whose errors have no hint of their own.
macro_rules! without_hints {
    ($($error:ty),* $(,)?) => {$(
        impl From<$error> for Failure {
            fn from(error: $error) -> Self {
                Self::of(error.kind(), &error)
            }
        }
    )*};
}

without_hints!(brv_commands::vc::add::Error);
