//! Find the changes that wait for a person's review, and why.
//!
//! Operations mark risky changes in trailers of their commits, or in their records where they make no commit. What waits
//! is computed from these, never stored, so that an undo, another clone and a pull all say the same: every marked change
//! that no remote has, less what was taken back since, and less what was approved here. [`trust`] decides what is withheld
//! from agents until a person approves it.

mod comments;
mod decisions;
mod flag;
mod gate;
mod history;
mod marks;
mod merged;
mod published;
mod row;
mod settings;
mod squashed;
mod status;
pub mod trust;
mod unanswered;
mod unapproved;

pub use comments::{
    Comment, CommentAnswer, CommentPlace, CommentSpot, CommentState, Comments, LONGEST_COMMENT,
};
pub use decisions::{Decisions, decider, stored};
pub use flag::{Flag, foreign_change};
pub use gate::{Judged, judge};
pub use history::{Rejection, marked};
pub use marks::{Marks, marks};
pub use merged::paths;
pub use row::{ReviewRow, row, steering};
pub use settings::is_enabled;
pub use squashed::{Squashed, squashed};
pub use status::{ReviewExtent, ReviewStanding, Reviewed, read};
pub use unanswered::unanswered;
pub use unapproved::unapproved;

use crate::open::context::Opened;
use std::path::PathBuf;

/// The file with the marks of a search; see [`marks`].
fn marks_file(opened: &Opened) -> PathBuf {
    opened.places.cache().join("review.json")
}
