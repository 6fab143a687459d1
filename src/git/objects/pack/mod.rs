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

use super::object::ObjectKind;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use gix::ObjectId;
use gix::odb::pack::data::entry::Header;
use std::io::{self, Write as _};

/// An encoded object: header and compressed content.
#[derive(Debug)]
pub(crate) struct PackEntry {
    pub id: ObjectId,
    pub bytes: Vec<u8>,
}

impl PackEntry {
    pub fn whole(id: ObjectId, kind: ObjectKind, content: &[u8], level: Compression) -> Self {
        let bytes = encoded(header_of(kind), content, level);
        Self { id, bytes: bytes.expect("writing to memory does not fail") }
    }
}

const fn header_of(kind: ObjectKind) -> Header {
    match kind {
        ObjectKind::Blob => Header::Blob,
        ObjectKind::Tree => Header::Tree,
        ObjectKind::Commit => Header::Commit,
        ObjectKind::Tag => Header::Tag,
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
