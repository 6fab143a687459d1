//! Check content by the rules of [`crate::lint`]: files on disk, files that a commit brings, every content of a range of
//! commits. The one engine of `add`, `commit`, `push`, `sync` and `check`.
//!
//! Finds; refuses nothing.

pub mod files;
mod found;
pub mod range;

pub use found::{Found, Standing};

use crate::doc::Document;
use crate::lint::{self, Fault};

/// What must not be shared, in the bytes of an entry: conflict markers, invalid frontmatter, secrets.
#[must_use]
pub fn blocking(bytes: Vec<u8>) -> Vec<Fault> {
    lint::blocking(&Document::parse(bytes))
}
