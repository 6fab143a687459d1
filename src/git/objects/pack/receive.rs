//! Stores a received pack as a file with an index, in a folder of its own.
//!
//! Limits are checked before deltas are applied. The caller checks whether it is complete, and moves it.

use super::entries::{Arrival, Error, ReceivedEntry};
use super::file::{read_only_temporary, sum_with_count};
use super::limits::LARGEST_OBJECT;
use super::progress::{BYTES, RECEIVED};
use super::{PackEntry, header_of};
use crate::error::{During, Error as GitError};
use crate::objects::object::ObjectKind;
use brv_base::messages::printable;
use flate2::Compression;
use gix::odb::pack::data::entry::Header;
use gix::odb::pack::{data, index};
use gix::prelude::Find as _;
use gix::progress::DynNestedProgress;
use gix::{Count as _, ObjectId, OdbHandle, Progress as _};
use std::collections::BTreeSet;
use std::io::{self, BufRead, BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use tempfile::NamedTempFile;

/// A pack and its index, durable, under git's names for them.
#[derive(Debug)]
pub(crate) struct Arrived {
    /// The pack; its index is beside it, with the extension `idx`.
    pub pack: PathBuf,
    /// How many objects were sent.
    pub objects: usize,
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum ReceiveError {
    #[error(transparent)]
    Pack(#[from] Error),
    #[error("the pack cannot be unpacked: {0}")]
    Unpack(String),
    #[error(transparent)]
    Git(#[from] GitError),
}

/// Reads a pack and stores it in `folder`. Missing bases are taken from `store`. `None`: it has no objects.
pub(crate) fn receive(
    reader: &mut dyn BufRead,
    folder: &Path,
    store: &OdbHandle,
    progress: &mut dyn DynNestedProgress,
    interrupt: &AtomicBool,
) -> Result<Option<Arrived>, ReceiveError> {
    let file = BufWriter::with_capacity(1 << 16, read_only_temporary(folder, "tmp_pack_")?);
    let bytes = progress.add_child_with_id("bytes".into(), BYTES).counter();
    let mut arrival = Arrival::new(reader, file, bytes, interrupt);
    let count = arrival.begin()?;
    let mut counter = progress.add_child_with_id("receive".into(), RECEIVED);
    counter.init(Some(count as usize), None);
    let is_here = |id: &gix::oid| gix::objs::Exists::exists(store, id);
    let mut entries: Vec<ReceivedEntry> = Vec::new();
    for _ in 0..count {
        let entry = arrival.entry(&entries, &is_here)?;
        entries.push(entry);
        counter.inc();
    }
    let mut checksum = arrival.finish()?;
    let threads = arrival.account.threads(brv_base::parallel::workers(entries.len())).map_err(Error::from)?;
    let end = arrival.offset;
    let file = arrival.out.into_inner().map_err(io::IntoInnerError::into_error);
    let mut file = file.during(STORE)?;
    if count == 0 {
        return Ok(None);
    }
    if add_bases(&mut file, &mut entries, end, store)? {
        let count = u32::try_from(entries.len()).during("count the objects of a pack")?;
        checksum = sum_with_count(file.as_file_mut(), count).during(STORE)?;
    }
    file.write_all(checksum.as_bytes()).and_then(|()| file.as_file().sync_all()).during(STORE)?;
    let index = write_index(file.path(), folder, &entries, (checksum, threads), progress, interrupt)?;
    let path = |extension: &str| folder.join(format!("pack-{checksum}.{extension}"));
    file.persist(path("pack")).during(STORE)?;
    index.persist(path("idx")).during(STORE)?;
    Ok(Some(Arrived { pack: path("pack"), objects: count as usize }))
}

const STORE: &str = "store the received objects";

/// Appends the bases that the pack lacks and the store has: a pack on disk must be self-contained.
fn add_bases(
    file: &mut NamedTempFile,
    entries: &mut Vec<ReceivedEntry>,
    mut offset: u64,
    store: &OdbHandle,
) -> Result<bool, GitError> {
    let bases: BTreeSet<ObjectId> = entries
        .iter()
        .filter_map(|entry| match entry.header {
            Header::RefDelta { base_id } => Some(base_id),
            _ => None,
        })
        .collect();
    let before = entries.len();
    let mut buffer = Vec::new();
    for id in bases {
        let Some(object) = store.try_find(&id, &mut buffer).during(STORE)? else { continue };
        let kind = ObjectKind::from_gix(object.kind);
        let entry = PackEntry::whole(id, kind, object.data, Compression::default());
        file.write_all(&entry.bytes).during(STORE)?;
        let size = object.data.len() as u64;
        let header = header_of(kind);
        let header_size = u16::try_from(header.size(size)).expect("a header is short");
        let length = entry.bytes.len() as u64;
        let crc = crc32fast::hash(&entry.bytes);
        let compressed = length - u64::from(header_size);
        entries.push(ReceivedEntry { offset, header, header_size, compressed, size, crc });
        offset += length;
    }
    Ok(entries.len() > before)
}

/// Computes the ids of all objects, on `threads` threads.
fn write_index(
    pack: &Path,
    folder: &Path,
    entries: &[ReceivedEntry],
    (checksum, threads): (ObjectId, usize),
    progress: &mut dyn DynNestedProgress,
    interrupt: &AtomicBool,
) -> Result<NamedTempFile, ReceiveError> {
    let file = Watched { file: read_only_temporary(folder, "tmp_idx_")?, fault: None };
    let mut out = BufWriter::with_capacity(1 << 16, file);
    let last = entries.len() - 1;
    let mut all = entries.iter().enumerate().map(|(number, entry)| {
        Ok(data::input::Entry {
            header: entry.header,
            header_size: entry.header_size,
            pack_offset: entry.offset,
            compressed: None,
            compressed_size: entry.compressed,
            crc32: Some(entry.crc),
            decompressed_size: entry.size,
            trailer: (number == last).then_some(checksum),
        })
    });
    let open = || {
        let map = data::File::at(pack, gix::hash::Kind::Sha1).map_err(io::Error::other)?;
        Ok((part_of, map))
    };
    index::write_data_iter_to_stream(
        index::Version::V2,
        open,
        &mut all,
        Some(threads),
        progress,
        &mut out,
        interrupt,
        gix::hash::Kind::Sha1,
        usize::try_from(LARGEST_OBJECT).ok(),
        data::Version::V2,
    )
    .map_err(|error| match (interrupt.load(Ordering::Relaxed), out.get_mut().fault.take()) {
        (true, _) => Error::Interrupted.into(),
        (false, Some(fault)) => Error::Write(fault).into(),
        (false, None) => ReceiveError::Unpack(printable(error.to_string().as_bytes())),
    })?;
    let out = out.into_inner().map_err(io::IntoInnerError::into_error).during(STORE)?.file;
    out.as_file().sync_all().during(STORE)?;
    Ok(out)
}

/// A file that keeps its write error: gitoxide would report a damaged pack.
struct Watched {
    file: NamedTempFile,
    fault: Option<io::Error>,
}

impl Watched {
    fn noting<T>(&mut self, done: io::Result<T>) -> io::Result<T> {
        done.map_err(|error| {
            let told = error.kind().into();
            self.fault = Some(error);
            told
        })
    }
}

impl io::Write for Watched {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let done = self.file.write(bytes);
        self.noting(done)
    }

    fn flush(&mut self) -> io::Result<()> {
        let done = self.file.flush();
        self.noting(done)
    }
}

fn part_of(range: data::EntryRange, pack: &data::File) -> Option<&[u8]> {
    pack.entry_slice(range)
}
