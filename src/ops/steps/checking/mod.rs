//! Check content by the rules of [`crate::lint`]: files on disk, files that a commit brings, every content of a range of
//! commits, a whole state of the tree. The one engine of `add`, `commit`, `push`, `sync` and `check`.
//!
//! Finds; refuses nothing, and writes nothing.

pub mod changed;
pub mod entries;
pub mod files;
mod found;
pub mod links;
pub mod paths;
pub mod range;
pub mod standards;
pub mod state;
pub mod tree_wide;

pub use found::{Found, Standing};

use crate::doc::Document;
use crate::lint::{self, Fault};

/// What must not be shared, in the bytes of an entry: conflict markers, invalid frontmatter, secrets.
#[must_use]
pub fn blocking(bytes: Vec<u8>) -> Vec<Fault> {
    lint::blocking(&Document::parse(bytes))
}
