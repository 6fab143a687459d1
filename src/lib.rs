//! stub

/// One document: envelope, frontmatter, blocks, facts, links, edits.
pub mod doc;
