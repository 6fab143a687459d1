//! Reads a pack stream: checks and measures each entry, and writes it to a file.
//!
//! Keeps no content; deltas are not applied here.

use super::limits::{Account, Base, Excess, LARGEST_OBJECT, MOST_OBJECTS};
use crate::objects::checksum::Checksum;
use flate2::{Decompress, FlushDecompress, Status};
use gix::ObjectId;
use gix::odb::pack::data::entry::Header;
use gix::odb::pack::data::{Version, header};
use gix::progress::StepShared;
use std::io::{self, BufRead, Write};
use std::sync::atomic::{AtomicBool, Ordering};

#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// It is not a pack, is cut off, or is damaged.
    #[error("the pack {0}")]
    Broken(&'static str),
    #[error(transparent)]
    Excess(#[from] Excess),
    #[error(transparent)]
    Read(io::Error),
    #[error("could not store the received objects")]
    Write(#[source] io::Error),
    #[error("interrupted")]
    Interrupted,
}

/// An entry of the pack, with the data that an index needs.
#[derive(Debug, Clone)]
pub(super) struct ReceivedEntry {
    pub offset: u64,
    /// Its kind; for a delta, its base.
    pub header: Header,
    pub header_size: u16,
    pub compressed: u64,
    /// The unpacked size: of the object, or of the delta.
    pub size: u64,
    /// The CRC-32 of header and data.
    pub crc: u32,
}

/// How many bytes are unpacked at a time.
const PIECE: usize = 1 << 15;
/// The two sizes at the start of a delta, of 10 bytes each at most.
const DELTA_HEAD: usize = 20;
/// The most bytes by which compressed data may be longer than the object (stored blocks, and what some writers add):
/// otherwise a stream of empty blocks would never end.
const SLACK: u64 = 1 << 16;

/// A pack being copied from `reader` to `out`.
pub(super) struct Arrival<'a, W> {
    reader: &'a mut dyn BufRead,
    interrupt: &'a AtomicBool,
    pub out: W,
    checksum: Checksum,
    crc: crc32fast::Hasher,
    pub offset: u64,
    /// The same, for the progress.
    watched: StepShared,
    inflate: Decompress,
    piece: Vec<u8>,
    pub account: Account,
}

impl<'a, W: Write> Arrival<'a, W> {
    pub fn new(reader: &'a mut dyn BufRead, out: W, watched: StepShared, interrupt: &'a AtomicBool) -> Self {
        Self {
            reader,
            interrupt,
            out,
            checksum: Checksum::default(),
            crc: crc32fast::Hasher::new(),
            offset: 0,
            watched,
            inflate: Decompress::new(true),
            piece: vec![0; PIECE],
            account: Account::default(),
        }
    }

    /// Reads the header; returns the number of objects.
    pub fn begin(&mut self) -> Result<u32, Error> {
        let mut bytes = [0; 12];
        self.exact(&mut bytes)?;
        let (version, count) = header::decode(&bytes).map_err(|_| Error::Broken("is not a pack"))?;
        if version != Version::V2 {
            return Err(Error::Broken("has an unsupported version"));
        }
        if count > MOST_OBJECTS {
            return Err(Excess::objects(count).into());
        }
        Ok(count)
    }

    /// Reads the next entry. `before` are the previous ones; `is_here` tells whether an object existed before.
    pub fn entry(
        &mut self,
        before: &[ReceivedEntry],
        is_here: &dyn Fn(&gix::oid) -> bool,
    ) -> Result<ReceivedEntry, Error> {
        let offset = self.offset;
        self.crc = crc32fast::Hasher::new();
        let (kind, size) = self.kind_and_size()?;
        if size > LARGEST_OBJECT {
            return Err(Excess::object(size).into());
        }
        let header = self.header(kind, offset)?;
        let data = self.offset;
        let head = self.inflate(size)?;
        let declared = match header {
            Header::OfsDelta { .. } | Header::RefDelta { .. } => Some(delta_sizes(&head)?),
            _ => None,
        };
        let base = match header {
            Header::OfsDelta { base_distance } => {
                let at = before.binary_search_by_key(&(offset - base_distance), |entry| entry.offset);
                let at = at.map_err(|_| Error::Broken("has a delta with an invalid base"))?;
                Base::Entry(u32::try_from(at).expect("there are fewer objects"))
            }
            // an existing base is whole, so the chain starts here
            Header::RefDelta { base_id } if !is_here(&base_id) => Base::Name(base_id),
            _ => Base::None,
        };
        let (base_size, object, delta) = match declared {
            Some((base_size, object)) => (base_size, object, size),
            None => (0, size, 0),
        };
        self.account.add(base, object, delta, base_size, self.offset)?;
        let header_size = u16::try_from(data - offset).expect("a header is short");
        let crc = std::mem::take(&mut self.crc).finalize();
        Ok(ReceivedEntry { offset, header, header_size, compressed: self.offset - data, size, crc })
    }

    /// Reads and compares the checksum that ends the pack. It is not written.
    pub fn finish(&mut self) -> Result<ObjectId, Error> {
        let found = std::mem::take(&mut self.checksum).finish();
        let mut said = [0; 20];
        self.read_exact(&mut said)?;
        if found.as_bytes() != said {
            return Err(Error::Broken("is damaged: its checksum does not match"));
        }
        self.out.flush().map_err(Error::Write)?;
        Ok(found)
    }

    fn kind_and_size(&mut self) -> Result<(u8, u64), Error> {
        let mut byte = self.byte()?;
        let kind = byte >> 4 & 7;
        let mut size = u64::from(byte & 15);
        let mut shift = 4;
        while byte & 0x80 != 0 {
            byte = self.byte()?;
            let part = u64::from(byte & 0x7f);
            if shift > 63 || part << shift >> shift != part {
                return Err(Excess::object(u64::MAX).into());
            }
            size |= part << shift;
            shift += 7;
        }
        Ok((kind, size))
    }

    fn header(&mut self, kind: u8, offset: u64) -> Result<Header, Error> {
        Ok(match kind {
            1 => Header::Commit,
            2 => Header::Tree,
            3 => Header::Blob,
            4 => Header::Tag,
            6 => {
                let mut byte = self.byte()?;
                let mut base_distance = u64::from(byte & 0x7f);
                while byte & 0x80 != 0 {
                    byte = self.byte()?;
                    if base_distance > offset {
                        break;
                    }
                    base_distance = ((base_distance + 1) << 7) | u64::from(byte & 0x7f);
                }
                if base_distance == 0 || base_distance >= offset {
                    return Err(Error::Broken("has a delta whose base is not in it"));
                }
                Header::OfsDelta { base_distance }
            }
            7 => {
                let mut id = [0; 20];
                self.exact(&mut id)?;
                Header::RefDelta { base_id: ObjectId::from_bytes_or_panic(&id) }
            }
            _ => return Err(Error::Broken("has an object of an unknown kind")),
        })
    }

    /// Copies one compressed stream, which must unpack to `size` bytes; returns the first of these.
    fn inflate(&mut self, size: u64) -> Result<Vec<u8>, Error> {
        let longest = size + size / 4 + SLACK;
        self.inflate.reset(true);
        let mut head = Vec::new();
        loop {
            if self.interrupt.load(Ordering::Relaxed) {
                return Err(Error::Interrupted);
            }
            let input = self.reader.fill_buf().map_err(Error::Read)?;
            if input.is_empty() {
                return Err(Error::Broken("is truncated"));
            }
            let (taken, made) = (self.inflate.total_in(), self.inflate.total_out());
            let status = self.inflate.decompress(input, &mut self.piece, FlushDecompress::None);
            let status = status.map_err(|_| Error::Broken("has an object that cannot be unpacked"))?;
            let taken = usize::try_from(self.inflate.total_in() - taken).expect("it is a part of the input");
            let made = usize::try_from(self.inflate.total_out() - made).expect("it is a part of the piece");
            pass(&input[..taken], &mut self.checksum, &mut self.crc, &mut self.out)?;
            self.reader.consume(taken);
            self.came(taken);
            if head.len() < DELTA_HEAD {
                head.extend_from_slice(&self.piece[..made.min(DELTA_HEAD - head.len())]);
            }
            let over = self.inflate.total_out() > size || self.inflate.total_in() > longest;
            match status {
                Status::StreamEnd if self.inflate.total_out() == size => return Ok(head),
                Status::StreamEnd => {
                    return Err(Error::Broken("has an object whose size does not match its header"));
                }
                _ if over => return Err(Error::Broken("has an object longer than its header says")),
                _ if taken == 0 && made == 0 => {
                    return Err(Error::Broken("has an object that cannot be unpacked"));
                }
                _ => {}
            }
        }
    }

    fn byte(&mut self) -> Result<u8, Error> {
        let mut byte = [0];
        self.exact(&mut byte)?;
        Ok(byte[0])
    }

    fn exact(&mut self, bytes: &mut [u8]) -> Result<(), Error> {
        self.read_exact(bytes)?;
        self.came(bytes.len());
        pass(bytes, &mut self.checksum, &mut self.crc, &mut self.out)
    }

    fn came(&mut self, bytes: usize) {
        self.offset += bytes as u64;
        self.watched.fetch_add(bytes, Ordering::Relaxed);
    }

    fn read_exact(&mut self, bytes: &mut [u8]) -> Result<(), Error> {
        self.reader.read_exact(bytes).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => Error::Broken("is truncated"),
            _ => Error::Read(error),
        })
    }
}

fn pass(
    bytes: &[u8],
    checksum: &mut Checksum,
    crc: &mut crc32fast::Hasher,
    out: &mut impl Write,
) -> Result<(), Error> {
    checksum.update(bytes);
    crc.update(bytes);
    out.write_all(bytes).map_err(Error::Write)
}

/// The sizes of base and result at the start of a delta.
fn delta_sizes(head: &[u8]) -> Result<(u64, u64), Error> {
    let mut bytes = head.iter();
    let mut size = || {
        let (mut size, mut shift) = (0u64, 0);
        for byte in bytes.by_ref() {
            let part = u64::from(byte & 0x7f);
            if shift > 63 || part << shift >> shift != part {
                return Err(Error::Excess(Excess::object(u64::MAX)));
            }
            size |= part << shift;
            shift += 7;
            if byte & 0x80 == 0 {
                return Ok(size);
            }
        }
        Err(Error::Broken("has a delta that is truncated"))
    };
    Ok((size()?, size()?))
}
