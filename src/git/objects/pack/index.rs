//! Encodes the index of a pack, version 2: the offset of each object.
//!
//! Pure: entries in, bytes out.

use crate::objects::checksum::Checksum;
use gix::ObjectId;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PackIndexEntry {
    pub id: ObjectId,
    /// CRC-32 of its bytes in the pack.
    pub crc: u32,
    pub offset: u64,
}

/// Offsets from here on are in a table of 64-bit numbers.
const LARGE: u64 = 0x8000_0000;

/// The bytes of the `.idx` file. Sorts `records`; each id must be there once.
pub(super) fn encode(records: &mut [PackIndexEntry], pack: &ObjectId) -> Vec<u8> {
    records.sort_unstable_by_key(|record| record.id);
    let mut bytes = Vec::with_capacity(1072 + records.len() * 28);
    bytes.extend_from_slice(b"\xfftOc\0\0\0\x02");
    let mut position = 0;
    for first in 0..=u8::MAX {
        position += records[position..].partition_point(|record| record.id.as_bytes()[0] <= first);
        push(&mut bytes, position as u64);
    }
    for record in &*records {
        bytes.extend_from_slice(record.id.as_bytes());
    }
    for record in &*records {
        bytes.extend_from_slice(&record.crc.to_be_bytes());
    }
    let mut large = Vec::new();
    for record in &*records {
        if record.offset < LARGE {
            push(&mut bytes, record.offset);
        } else {
            push(&mut bytes, LARGE | (large.len() as u64 / 8));
            large.extend_from_slice(&record.offset.to_be_bytes());
        }
    }
    bytes.append(&mut large);
    bytes.extend_from_slice(pack.as_bytes());
    let checksum = Checksum::of(&bytes);
    bytes.extend_from_slice(checksum.as_bytes());
    bytes
}

fn push(bytes: &mut Vec<u8>, number: u64) {
    let number = u32::try_from(number).expect("a pack holds less than 2^32 objects");
    bytes.extend_from_slice(&number.to_be_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_behind_two_gigabytes_are_found_again() {
        let id = |first: u8| ObjectId::from_bytes_or_panic(&[first; 20]);
        let mut records = [
            PackIndexEntry { id: id(9), crc: 3, offset: 12 },
            PackIndexEntry { id: id(1), crc: 4, offset: 0x1_2345_6789 },
            PackIndexEntry { id: id(200), crc: 5, offset: LARGE },
        ];
        let bytes = encode(&mut records, &id(7));
        let path = std::path::PathBuf::from("pack.idx");
        let index = gix::odb::pack::index::File::from_data(bytes, path, gix::hash::Kind::Sha1).unwrap();
        assert_eq!(index.num_objects(), 3);
        assert_eq!(index.pack_checksum(), id(7));
        for record in records {
            let at = index.lookup(record.id).unwrap();
            assert_eq!(index.pack_offset_at_index(at), record.offset);
            assert_eq!(index.crc32_at_index(at), Some(record.crc));
        }
    }
}
