//! Check content by the rules of [`crate::lint`]: files that a commit brings, every content of a range of commits and
//! what names it, what a push would send, a whole state of the tree. The one engine of `add`, `commit`, `push`, `sync`
//! and `check`.
//!
//! Finds; refuses nothing, and writes nothing.

pub mod changed;
pub mod entries;
pub mod files;
mod found;
pub mod gate;
pub mod links;
pub mod names;
pub mod nearby;
pub mod paths;
pub mod range;
mod reported;
pub mod standards;
pub mod state;
pub mod tree_wide;

pub use found::{Found, Standing};
pub use reported::Reported;

use crate::doc::Document;
use crate::lint::{self, Fault, secrets};
use crate::path::TreePath;
use bstr::BStr;

/// Which rules a file is judged by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Content {
    /// A file that brv manages: all rules.
    Curated,
    /// Any other file: it may have a secret, and nothing else is brv's concern.
    Other,
}

impl Content {
    /// Of the file at a path of the tree.
    pub fn at(path: &BStr) -> Self {
        match TreePath::parse(path).is_ok_and(|path| path.kind().is_curated()) {
            true => Self::Curated,
            false => Self::Other,
        }
    }
}

/// What must not be shared: secrets, and in a curated file conflict markers and invalid frontmatter.
pub fn blocking(content: Content, bytes: Vec<u8>) -> Vec<Fault> {
    judged(content, bytes).1
}

/// As [`blocking`], with the bytes handed back.
pub fn judged(content: Content, bytes: Vec<u8>) -> (Vec<u8>, Vec<Fault>) {
    match content {
        Content::Curated => {
            let document = Document::parse(bytes);
            let faults = lint::blocking(&document);
            (document.into_bytes(), faults)
        }
        Content::Other => {
            let faults = secrets::faults(&bytes);
            (bytes, faults)
        }
    }
}
