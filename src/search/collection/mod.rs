//! Rank files of a larger collection, all trees of an organisation, that an outside engine found.
//!
//! The engine indexes the terms of each file ([`indexed`]) and is asked for those that a question needs ([`Probe`]). Of what
//! it finds, the texts are analysed anew and ranked by the same code as a local index, with the figures of the whole
//! [`Collection`]: the order and the relevance are those of one index of all trees, each of them a folder, as long as the
//! engine gave every file that has a term. Of more files than are looked at, frequencies are estimated from the engine's.
//!
//! Pure. Must never know the engine: who calls brings what it said.

mod indexed;
mod probe;
mod ranking;

#[cfg(test)]
mod tests;

pub use indexed::{IndexedFile, TOKENS_VERSION, indexed};
pub use probe::{Probe, SoughtTerms, SoughtWord};
pub use ranking::{CollectionQuery, CollectionResults, CollectionSnapshot, FileBeside, FoundFile};
