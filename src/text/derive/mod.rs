//! Derived files, which can be regenerated from curated files: abstracts, overviews, folder indices, the manifest,
//! stubs of archived entries.
//!
//! Pure functions from bytes to bytes. Knows no disk, no git, no clock; `brv_engine::derive` decides what to write where,
//! and what is out of date.
//!
//! # From files to the root
//!
//! ```text
//! Input ── digest_of ──► Digest ── abstract_of ──► <name>.abstract.md
//! (a curated file)         │  └──── overview_of ──► <name>.overview.md
//!                          ▼
//! Folder { own digests, condensates of child folders } ── index_of ──► _index.md
//!                          ▲                                  └──────► Condensate, for the folder above
//!                          └─────────────────────────────────────────────┘
//! ```
//!
//! A [`Digest`] is everything kept of a file, a [`Condensate`] everything a folder passes to its parent: so a changed
//! entry costs one digest and the indices of at most four folders above it, and nothing else is read again. Keys
//! ([`Key`]) identify the inputs of a file, stamps ([`stamp`]) show that brv wrote it.
//!
//! # How statements are chosen
//!
//! Statements (rules, facts, highlights, sentences) are chosen by budgeted submodular maximisation (Lin and Bilmes
//! 2011, see `salience`) over tf·idf vectors. In a file the weights come from its own statements; in a folder from its
//! items, so that terms common to all siblings weigh little and terms particular to one weigh much. The worth of a
//! statement on its own follows H. P. Edmundson, "New Methods in Automatic Extracting", JACM 16(2), 1969: its place and
//! heading (location), the words it shares with title, summary and headings (title), and words such as "must" and
//! "never" (cue).
//!
//! An index first lists names: below each folder the titles of its entries by folder, in fair shares if not all fit
//! (`outline`). Then come statements; from deeper folders only those that can be understood alone
//! (`self_contained`). An index is shorter than its sources, with one exception: its heading, the counts and the linked
//! titles are always included up to 300 tokens, however short the sources.
//!
//! Everything is deterministic to the byte on every machine: fixed hashes, fixed orders, and no floating-point
//! operation that IEEE 754 leaves open.

mod abstract_;
mod condensate;
mod digest;
mod index;
mod inline;
mod key;
#[cfg(test)]
mod laws;
mod layout;
mod manifest;
mod measures;
mod outline;
mod overview;
mod page;
mod reading;
mod roles;
mod salience;
mod self_contained;
mod sentences;
mod shares;
pub mod stamp;
mod stub;
mod tokens;

pub use abstract_::{abstract_key, abstract_of};
pub use condensate::{Condensate, CondensatePart, Gem};
pub use digest::{Digest, Point, digest_of, digest_of_document};
pub use index::{Folder, Index, condensation_order, index_key, index_of};
pub use key::{Key, children_hash};
pub use manifest::{
    Importance, Lanes, ManifestContext, ManifestStub, ManifestSummary, is_made_for, manifest_of,
};
pub use overview::{overview_key, overview_of};
pub use roles::Role;
pub use stub::{ArchivedEntry, stub_key, stub_of};
pub use tokens::{CHARS_PER_TOKEN, tokens_of, tokens_of_bytes, tokens_of_chars, tokens_of_file};

use brv_base::content::ContentId;
use brv_base::path::TreePath;

/// The format version of all derived files: part of every key, so that a new format regenerates everything.
pub const FORMAT: u32 = 2;

/// How many characters of a file are read, up to the last whole line; the rest is not summarised.
pub const SOURCE_CHARS: usize = 20_000;

#[derive(Debug, Clone, Copy)]
pub struct Input<'a> {
    /// Its path: only decides whether it is an entry or a node overview.
    pub path: &'a TreePath,
    /// The identity of `bytes`.
    pub id: ContentId,
    pub bytes: &'a [u8],
}

/// A derived file, ready to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Made {
    /// The hash of its inputs; also in its stamp.
    pub key: Key,
    pub text: String,
    /// The tokens of its text, without its frontmatter.
    pub tokens: u64,
}
