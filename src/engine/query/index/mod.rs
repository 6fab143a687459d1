//! The index that a search engine keeps of many trees: OpenSearch or Elasticsearch, by the part of REST that both have.
//!
//! From the bottom:
//!
//! | file | knows |
//! |---|---|
//! | [`engine`] | one request to the engine: key, retries, and what its refusals mean |
//! | [`schema`] | the fields of a document, and whether an index is ours |
//! | [`remote_list`] | the remotes that are indexed, and what their trees are called |
//! | [`mark`] | what is noted of each tree, changed only by who has read it |
//! | [`mirror`] | the commits of a remote, in the user's cache |
//! | [`document`] | an entry as the engine gets it, or why it does not |
//! | [`bulk`] | sending documents, in parts that the engine takes |
//! | [`listing`] | which entries of a tree the engine has |
//! | [`statistics`] | the figures of the whole index, by which is ranked |
//! | [`asking`] | a question as the engine is asked it, and what comes back |
//! | [`readable`] | which remotes the caller's own credentials can read |
//!
//! Knows no command. What is sent of a tree is decided in [`document`], and by whom it may be read in the engine alone.

pub mod asking;
pub mod bulk;
pub mod document;
pub mod engine;
pub mod listing;
pub mod mark;
pub mod mirror;
pub mod readable;
pub mod remote_list;
pub mod schema;
pub mod statistics;
