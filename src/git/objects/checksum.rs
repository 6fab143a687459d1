//! The SHA-1 trailer of git's own files and streams: the index, packs, pack indexes.
//!
//! It detects accidents and identifies nothing. So it needs no collision detection, unlike object ids, which takes ten
//! times as long.

use gix::ObjectId;
use sha1::{Digest as _, Sha1};

#[derive(Debug, Clone, Default)]
pub(crate) struct Checksum(Sha1);

impl Checksum {
    pub fn of(bytes: &[u8]) -> ObjectId {
        let mut checksum = Self::default();
        checksum.update(bytes);
        checksum.finish()
    }

    pub fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

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
