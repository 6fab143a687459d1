//! Content ids: the id that git gives a blob with these bytes.
//!
//! The index, the derived files and the journal share this one id, so that nothing is hashed twice. Knows no
//! repository.

use std::fmt;

/// The 64-bit FNV-1a hash (Fowler, Noll, Vo): the same on every machine. Not for identity.
pub fn fnv(bytes: impl IntoIterator<Item = u8>) -> u64 {
    bytes.into_iter().fold(FNV_START, fnv_step)
}

/// The hash of no bytes.
pub const FNV_START: u64 = 0xcbf2_9ce4_8422_2325;

/// The hash with one more byte.
#[inline]
pub const fn fnv_step(hash: u64, byte: u8) -> u64 {
    (hash ^ byte as u64).wrapping_mul(0x0100_0000_01b3)
}

/// The SHA-1 id of a git blob.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContentId([u8; 20]);

impl ContentId {
    /// The id that git gives a blob with these bytes.
    ///
    /// # Panics
    /// Never in practice: SHA-1 refuses only bytes made to collide with others, which [`ContentId::try_of`] reports.
    pub fn of(bytes: &[u8]) -> Self {
        Self::try_of(bytes).unwrap_or(Self([0; 20]))
    }

    /// As [`ContentId::of`], but `None` if the bytes are half of a known SHA-1 collision attack.
    pub fn try_of(bytes: &[u8]) -> Option<Self> {
        gix_object::compute_hash(gix_hash::Kind::Sha1, gix_object::Kind::Blob, bytes)
            .ok()
            .map(|id| Self::from_bytes(id.as_bytes()))
    }

    /// From the 20 bytes that git stores.
    ///
    /// # Panics
    /// If `bytes` is not 20 bytes long.
    pub fn from_bytes(bytes: &[u8]) -> Self {
        Self(bytes.try_into().expect("a SHA-1 id has 20 bytes"))
    }

    /// From 40 hexadecimal digits.
    pub fn from_hex(hex: &str) -> Option<Self> {
        gix_hash::ObjectId::from_hex(hex.as_bytes()).ok().map(|id| Self::from_bytes(id.as_bytes()))
    }

    /// The 20 bytes.
    pub const fn as_bytes(&self) -> &[u8; 20] {
        &self.0
    }

    /// The 40 hexadecimal digits, in ASCII.
    pub fn hex(&self) -> [u8; 40] {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let mut hex = [0; 40];
        for (pair, byte) in hex.chunks_exact_mut(2).zip(self.0) {
            pair.copy_from_slice(&[DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]);
        }
        hex
    }

    /// The first 16 hexadecimal digits, used in derived files: 64 bits are enough against accidental collisions.
    pub fn short(&self) -> String {
        let mut hex = self.to_string();
        hex.truncate(16);
        hex
    }
}

impl fmt::Display for ContentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(std::str::from_utf8(&self.hex()).expect("digits are ASCII"))
    }
}

impl fmt::Debug for ContentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

crate::json_text!(ContentId);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_fixed() {
        assert_eq!(fnv(*b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv(*b"a"), 0xaf63_dc4c_8601_ec8c);
    }

    #[test]
    fn the_id_is_the_one_git_gives() {
        assert_eq!(ContentId::of(b"hello\n").to_string(), "ce013625030ba8dba906f756967f9e9ca394464a");
        assert_eq!(
            ContentId::from_hex("ce013625030ba8dba906f756967f9e9ca394464a"),
            Some(ContentId::of(b"hello\n"))
        );
    }
}
