//! Objects: encodes and stores them, loose, packed and as deltas; the entries of a folder; commits and
//! their signatures.
//!
//! Does not know which objects belong together: that is up to the code that walks trees and histories.

pub(crate) mod checksum;
pub mod commit;
pub(crate) mod convert;
pub(crate) mod delta;
mod encoding;
pub(crate) mod folder;
pub(crate) mod headers;
pub(crate) mod object;
pub(crate) mod object_files;
pub(crate) mod pack;
pub mod signing;
pub mod store;
