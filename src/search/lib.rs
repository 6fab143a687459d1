//! The search index of a context tree, and search in it.
//!
//! A part of `brv`, without promises.
//!
//! What is found are pieces of entries, overviews and archive stubs: sections and single facts ([`Passage`]), folders by their
//! names, and each item of Highlights and Rules as if it were a file ([`Each::Highlight`]). [`Index`] keeps the index on disk as parts that never change; [`Pending`] holds changes that are not
//! in it yet, which are searched from memory with the same statistics, so that results are those of an index built anew.
//! Ranking gives each question a *relevance* on a calibrated scale, on which [`COVERS`], [`DIRECT`], [`GAP`]
//! and [`SURE`] have a meaning.
//!
//! ```text
//! let index = Index::open(&folder)?;                  // or build it, under the lock
//! let pending = Pending::of(changes);                 // what changed since, with its bytes
//! let found = index.snapshot(&pending).search(&request)?;
//! ```
//!
//! [`CollectionSnapshot`] ranks what an outside engine found among all trees of an organisation as a local index of them all
//! would: [`indexed`] is what that engine indexes, [`Probe`] what it is asked, [`Collection`] what it counted.
//!
//! Must never know the tree on disk, git, the state or freshness: who calls brings paths, bytes and standings.
//! Nothing outside this crate uses tantivy.

mod anchors;
mod collection;
pub mod constants;
mod disk;
mod figures;
mod hits;
mod index;
mod item;
mod longer;
mod missing;
mod pieces;
mod question;
mod rank;
mod snapshot;
mod text;
mod view;
mod weights;

#[cfg(test)]
mod laws;
#[cfg(test)]
mod reference;

pub use anchors::has_identifiers;
pub use collection::{
    CollectionQuery, CollectionResults, CollectionSnapshot, FileBeside, FoundFile, IndexedFile, Probe,
    SoughtTerms, SoughtWord, TOKENS_VERSION, indexed,
};
pub use constants::{COVERS, DIRECT, GAP, NEAR, SURE};
pub use disk::table::Passage;
pub use figures::{Collection, FileFigures};
pub use index::{Changes, Error, Index, Pending, TreeFileReader, discard, folder, generation, lock};
pub use item::Searched;
pub use rank::order::Each;
pub use rank::relevance::Features;
pub use request::{Damaged, EntryStanding, Hit, HitKind, SearchQuery, SearchResults};
pub use snapshot::Snapshot;
pub use text::asking::asks_a_measure;
pub use weights::{Weights, WordCounter};

mod request;

#[cfg(test)]
#[path = "../../tests/cases.rs"]
mod cases;
