//! Prints changed entries by meaning: a file for each format.
//!
//! Knows the model of [`brv_text::diff::knowledge`], not what was compared.

mod summary;
mod text;

pub use summary::{MOST_LINES, account};
pub use text::text;
