//! Objects: encodes and stores them, loose, packed and as deltas; the entries of a folder; commits and
//! their signatures.
//!
//! Does not know which objects belong together: that is up to the code that walks trees and histories.

pub(in crate::git) mod checksum;
pub mod commit;
pub(in crate::git) mod convert;
pub(in crate::git) mod delta;
mod encoding;
pub(in crate::git) mod folder;
pub(in crate::git) mod headers;
pub(in crate::git) mod object;
pub(in crate::git) mod object_files;
pub(in crate::git) mod pack;
pub mod signing;
pub mod store;
