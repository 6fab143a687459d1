//! What was made before, kept: of this tree in its own cache, of all trees of the user in the user's cache.
//!
//! Either may be deleted or damaged at any time: then it is made again, with the same bytes.

pub mod shard;
pub mod shared;
