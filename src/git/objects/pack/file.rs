//! Writes a pack with its index into the object store, entry by entry: visible only when complete and durable.

use super::PackEntry;
use super::index::{self, PackIndexEntry};
use crate::error::{During, Error};
use crate::objects::checksum::Checksum;
use brv_base::fs;
use gix::ObjectId;
use gix::odb::pack::data::{self, Version};
use std::fs::File;
use std::io::{BufWriter, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// A pack being written. If dropped unfinished, it leaves nothing behind.
pub struct PackFile {
    folder: PathBuf,
    out: BufWriter<NamedTempFile>,
    offset: u64,
    records: Vec<PackIndexEntry>,
}

impl PackFile {
    /// Starts a pack in the store with this `objects` folder.
    pub fn begin(objects: &Path) -> Result<Self, Error> {
        let folder = objects.join("pack");
        fs::create_folder(&folder).during("create the folder of packs")?;
        let mut out = BufWriter::with_capacity(1 << 16, read_only_temporary(&folder, "tmp_pack_")?);
        // the number of objects is not known yet: it is filled in at the end
        let header = data::header::encode(Version::V2, 0);
        out.write_all(&header).during("write a pack")?;
        Ok(Self { folder, out, offset: header.len() as u64, records: Vec::new() })
    }

    /// Adds an object that the pack does not hold yet.
    pub fn add(&mut self, entry: &PackEntry) -> Result<(), Error> {
        self.out.write_all(&entry.bytes).during("write a pack")?;
        self.records.push(PackIndexEntry {
            id: entry.id,
            crc: crc32fast::hash(&entry.bytes),
            offset: self.offset,
        });
        self.offset += entry.bytes.len() as u64;
        Ok(())
    }

    pub const fn offset(&self) -> u64 {
        self.offset
    }

    /// Completes the pack, writes its index, and makes both durable, then visible.
    pub fn finish(self) -> Result<(), Error> {
        self.finish_beside(|_, _| None).map(|_| ())
    }

    /// As [`Self::finish`], with one more file beside the pack: its extension, and its bytes, made from the ids in
    /// index order and the pack's checksum. Returns the checksum, which is part of the file names.
    pub fn finish_beside(
        self,
        beside: impl FnOnce(&[ObjectId], &ObjectId) -> Option<(&'static str, Vec<u8>)>,
    ) -> Result<ObjectId, Error> {
        let Self { folder, out, mut records, .. } = self;
        let mut file =
            out.into_inner().map_err(std::io::IntoInnerError::into_error).during("write a pack")?;
        let count = u32::try_from(records.len()).during("count the objects of a pack")?;
        let checksum = sum_with_count(file.as_file_mut(), count).during("write a pack")?;
        file.write_all(checksum.as_bytes())
            .and_then(|()| file.as_file().sync_all())
            .during("write a pack")?;
        let index = index::encode(&mut records, &checksum);
        let ids: Vec<_> = records.iter().map(|record| record.id).collect();
        let mut files: Vec<_> = beside(&ids, &checksum).into_iter().collect();
        // readers look for the index: it comes last
        files.push(("idx", index));
        let files: Vec<_> = files
            .into_iter()
            .map(|(extension, bytes)| Ok((extension, synced(&folder, extension, &bytes)?)))
            .collect::<Result<_, Error>>()?;
        let name = |extension: &str| folder.join(format!("pack-{checksum}.{extension}"));
        file.persist(name("pack")).during("store a pack")?;
        for (extension, file) in files {
            file.persist(name(extension)).during("store the index of a pack")?;
        }
        fs::sync_folder(&folder).during("store a pack")?;
        Ok(checksum)
    }
}

fn synced(folder: &Path, extension: &str, bytes: &[u8]) -> Result<NamedTempFile, Error> {
    let mut file = read_only_temporary(folder, &format!("tmp_{extension}_"))?;
    file.write_all(bytes).and_then(|()| file.as_file().sync_all()).during("write the index of a pack")?;
    Ok(file)
}

/// Writes the number of objects into the header and hashes the file; leaves it at its end.
pub(super) fn sum_with_count(file: &mut File, count: u32) -> std::io::Result<ObjectId> {
    file.seek(SeekFrom::Start(0))?;
    file.write_all(&data::header::encode(Version::V2, count))?;
    file.seek(SeekFrom::Start(0))?;
    let mut checksum = Checksum::default();
    let mut buffer = vec![0; 1 << 16];
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(checksum.finish()),
            read => checksum.update(&buffer[..read]),
        }
    }
}

/// A temporary file that `git prune` removes after a crash (`tmp_*`), and that is read-only.
pub(crate) fn read_only_temporary(folder: &Path, prefix: &str) -> Result<NamedTempFile, Error> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(prefix);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        builder.permissions(std::fs::Permissions::from_mode(0o444));
    }
    builder.tempfile_in(folder).during(format!("write in `{}`", folder.display()))
}
