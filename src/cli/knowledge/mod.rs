//! What changed as knowledge, on the screen: a file for each form.
//!
//! Knows the model of [`crate::diff::knowledge`]; what was compared is the commands' matter.

mod summary;
mod text;

pub use summary::{MOST_LINES, account};
pub use text::text;
