//! The `.mtimes` file beside a cruft pack, which holds when each object was last needed (`gitformat-pack`, "`.mtimes`
//! files").

use gix::ObjectId;
use gix::hash::hasher;

/// Signature, version 1, SHA-1.
const HEADER: &[u8; 12] = b"MTME\0\0\0\x01\0\0\0\x01";
/// The checksums of the pack and of this file.
const TRAILER: usize = 40;

/// The file is not what it should be.
#[derive(Debug, thiserror::Error)]
#[error("its `.mtimes` file is damaged")]
pub(super) struct DamagedAges;

/// The bytes of the file; `ages` in the order of the index, in seconds since 1970.
pub(super) fn encode(ages: impl Iterator<Item = u32>, pack: &ObjectId) -> Vec<u8> {
    let mut bytes = HEADER.to_vec();
    for age in ages {
        bytes.extend_from_slice(&age.to_be_bytes());
    }
    bytes.extend_from_slice(pack.as_bytes());
    let mut hash = hasher(gix::hash::Kind::Sha1);
    hash.update(&bytes);
    if let Ok(checksum) = hash.try_finalize() {
        bytes.extend_from_slice(checksum.as_bytes());
    }
    bytes
}

/// The ages in the order of the index.
pub(super) fn decode(bytes: &[u8], objects: usize) -> Result<Vec<u32>, DamagedAges> {
    let table = bytes.strip_prefix(HEADER).ok_or(DamagedAges)?;
    if table.len() != objects * 4 + TRAILER {
        return Err(DamagedAges);
    }
    let ages = table[..objects * 4].chunks_exact(4);
    Ok(ages.map(|age| u32::from_be_bytes([age[0], age[1], age[2], age[3]])).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again_and_a_file_of_another_length_is_not() {
        let bytes = encode([7, 1_700_000_000].into_iter(), &ObjectId::null(gix::hash::Kind::Sha1));
        assert_eq!(decode(&bytes, 2).unwrap(), [7, 1_700_000_000]);
        assert!(decode(&bytes, 3).is_err());
        assert!(decode(&bytes[1..], 2).is_err());
    }
}
