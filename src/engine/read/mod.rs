//! Read what the tree holds: its history and provenance, archived entries, links, and whether cited code has changed.
//!
//! Writes nothing but caches, and takes no lock. Does not search; that is [`crate::query`].
//!
//! | room | contents |
//! |---|---|
//! | [`history`] | changes by meaning and by line, commits, facts over time, the provenance of a change |
//! | [`archive`] | archived entries, brv's own and those of other tools |
//! | [`analysis`] | what is kept of texts by their blobs, so that they are not read again |
//! | [`links`] | links between entries, and edits that keep them valid when entries move |
//! | [`stale`] | whether the code that entries cite is as it was when they were written |

pub mod analysis;
pub mod archive;
pub mod history;
pub mod links;
pub mod stale;
