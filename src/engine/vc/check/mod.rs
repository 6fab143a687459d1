//! Check content by the rules of [`brv_text::lint`]: files that a commit brings, every content of a range of commits and
//! what names it, what a push would send, a whole state of the tree. The one engine of `add`, `commit`, `push`, `sync`
//! and `check`.
//!
//! Finds; refuses nothing, and writes nothing.

pub mod changed;
pub mod entries;
pub mod files;
mod finding;
pub mod gate;
pub mod likeness;
pub mod links;
pub mod names;
pub mod nearby;
pub mod paths;
pub mod range;
mod reported;
pub mod standards;
pub mod state;
pub mod tree_wide;

pub use finding::{CheckFinding, FindingStanding};
pub use reported::Reported;

use brv_base::path::{PathKind, TreePath, is_archive_file};
use brv_text::derive::stamp::{self, Stamp};
use brv_text::doc::Document;
use brv_text::lint::{self, Fault, SupportFileKind, secrets};
use bstr::BStr;

/// Which rules a file is judged by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CheckedContent {
    /// A file that brv manages: all rules.
    Curated,
    /// A file that stands beside the entries for a purpose, like `README.md` or `brv.yaml`: it may have a secret, and text
    /// that steers an agent.
    Support(SupportFileKind),
    /// A file with the name of a derived one. If it is not as brv wrote it, somebody else wrote what agents read in it, else it
    /// only repeats what entries say.
    Derived,
    /// Any other file: it may have a secret, and nothing else is brv's concern.
    Other,
}

impl CheckedContent {
    /// The content of the file at a path of the tree.
    pub fn at(path: &BStr) -> Self {
        let Ok(path) = TreePath::parse(path) else { return Self::Other };
        let is_markdown = path.as_str().ends_with(".md");
        match path.kind() {
            PathKind::Entry | PathKind::NodeOverview => Self::Curated,
            PathKind::Support => {
                Self::Support(if is_markdown { SupportFileKind::Markdown } else { SupportFileKind::Lines })
            }
            PathKind::Derived(_) if is_markdown && !is_archive_file(&path) => Self::Derived,
            PathKind::Derived(_) | PathKind::Foreign => Self::Other,
        }
    }

    /// What is wrong inside a file of this kind; a curated one has at most `max_bytes` bytes.
    pub fn faults(self, bytes: Vec<u8>, max_bytes: usize) -> Vec<Fault> {
        match self {
            Self::Curated => lint::faults(&Document::parse(bytes), max_bytes),
            Self::Support(written) => lint::support_faults(&bytes, written),
            Self::Derived if !matches!(stamp::read(&bytes), Stamp::Ours { .. }) => {
                lint::support_faults(&bytes, SupportFileKind::Markdown)
            }
            Self::Derived | Self::Other => secrets::faults(&bytes),
        }
    }
}

/// What must not be shared: secrets, and in a curated file conflict markers and invalid frontmatter.
pub fn blocking(content: CheckedContent, bytes: Vec<u8>) -> Vec<Fault> {
    judged(content, bytes).1
}

/// As [`blocking`], with the bytes handed back.
pub fn judged(content: CheckedContent, bytes: Vec<u8>) -> (Vec<u8>, Vec<Fault>) {
    match content {
        CheckedContent::Curated => {
            let document = Document::parse(bytes);
            let faults = lint::blocking(&document);
            (document.into_bytes(), faults)
        }
        CheckedContent::Support(_) | CheckedContent::Derived | CheckedContent::Other => {
            let faults = secrets::faults(&bytes);
            (bytes, faults)
        }
    }
}
