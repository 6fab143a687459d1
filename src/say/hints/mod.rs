//! What may help after an error of a command, beside the hint for its kind.
//!
//! Each command's error becomes a [`Failure`] by `From`, so that every surface says the same with `?`. No hint prints a
//! complete command that destroys something: callers paste what they read.

mod commit;
mod history;
mod merging;
mod remotes;
mod settings;
mod tree;
mod work_tree;

pub use history::named;
pub use merging::{WAITING, continuing, integrate, under_way, unfinished, waiting};
pub use remotes::{which, write};
pub use work_tree::{branch, skipped};

use super::Failure;
use crate::ops;

/// Commands whose errors need no hint but that of their kind.
macro_rules! without_hints {
    ($($error:ty),* $(,)?) => {$(
        impl From<$error> for Failure {
            fn from(error: $error) -> Self {
                Self::of(error.kind(), &error)
            }
        }
    )*};
}

without_hints!(
    ops::op::log::Error,
    ops::read::Error,
    ops::status::Error,
    ops::vc::config::Error,
    ops::vc::repair::Error,
    ops::vc::status::Error,
);
