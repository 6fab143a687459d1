//! The SHA-1 at the end of git's own files and streams: the index, packs, indices of packs.
//!
//! It finds accidents, and is no name of anything. So it does without the collision detection that the ids of objects
//! need, which takes ten times as long.

use gix::ObjectId;
use sha1::{Digest as _, Sha1};

/// A checksum in the making.
#[derive(Debug, Clone, Default)]
pub(in crate::git) struct Checksum(Sha1);

impl Checksum {
    /// Of these bytes.
    pub fn of(bytes: &[u8]) -> ObjectId {
        let mut checksum = Self::default();
        checksum.update(bytes);
        checksum.finish()
    }

    /// Take in more bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// The checksum of all of them.
    pub fn finish(self) -> ObjectId {
        ObjectId::from_bytes_or_panic(&self.0.finalize())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_sum_that_git_writes() {
        // FIPS 180-1, appendix A
        assert_eq!(Checksum::of(b"abc").to_string(), "a9993e364706816aba3e25717850c26c9cd0d89d");
    }
}
