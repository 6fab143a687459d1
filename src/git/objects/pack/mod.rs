//! Packs: many objects in one file or stream, as described in git's `gitformat-pack` (version 2).
//!
//! Encodes objects; does not choose them.

mod entries;
mod file;
mod index;
mod limits;
pub(crate) mod progress;
mod receive;

pub(crate) use entries::Error as PackError;
pub(crate) use file::{PackFile, read_only_temporary};
pub(crate) use receive::{Arrived, ReceiveError, receive};

use super::object::Kind;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use gix::ObjectId;
use gix::odb::pack::data::entry::Header;
use std::io::{self, Write as _};

/// An encoded object: header and compressed content.
#[derive(Debug)]
pub(crate) struct Entry {
    pub id: ObjectId,
    pub bytes: Vec<u8>,
}

impl Entry {
    pub fn whole(id: ObjectId, kind: Kind, content: &[u8], level: Compression) -> Self {
        let bytes = encoded(header_of(kind), content, level);
        Self { id, bytes: bytes.expect("writing to memory does not fail") }
    }
}

const fn header_of(kind: Kind) -> Header {
    match kind {
        Kind::Blob => Header::Blob,
        Kind::Tree => Header::Tree,
        Kind::Commit => Header::Commit,
        Kind::Tag => Header::Tag,
    }
}

pub(crate) fn encoded(header: Header, content: &[u8], level: Compression) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(content.len() / 2 + 32);
    header.write_to(content.len() as u64, &mut bytes)?;
    deflate(bytes, content, level)
}

/// Appends `content`, zlib-compressed, to `bytes`.
pub(crate) fn deflate(bytes: Vec<u8>, content: &[u8], level: Compression) -> io::Result<Vec<u8>> {
    let mut encoder = ZlibEncoder::new(bytes, level);
    encoder.write_all(content)?;
    encoder.finish()
}
