//! Lists the packs and loose objects of the repository's own store, with their ages.
//!
//! Alternates are not touched. Reads only; does not know what is reachable.

use crate::error::{During, Error};
use crate::gc::ages;
use brv_base::fs;
use gix::ObjectId;
use gix::odb::pack::Bundle;
use gix::odb::pack::data::Offset;
use std::path::{Path, PathBuf};

/// A file time: seconds since 1970, and nanoseconds.
pub(super) type FileTime = (i64, u32);

/// The content of the store when it was listed.
pub(super) struct Stock {
    /// The `objects` folder.
    pub objects: PathBuf,
    /// The packs, in no order.
    pub packs: Vec<Pack>,
    /// The loose objects, in no order.
    pub loose: Vec<Loose>,
    /// Unfinished files, with when they were last written.
    pub left_overs: Vec<(PathBuf, FileTime)>,
}

pub(super) struct Pack {
    pub bundle: Bundle,
    /// Each entry's offset with its place in the index, by offset.
    by_offset: Vec<(Offset, u32)>,
    pub standing: PackKind,
    /// When it was written, or last marked as needed.
    pub modified: FileTime,
    /// The total size of its files.
    pub bytes: u64,
}

/// What may be done with a pack.
pub(super) enum PackKind {
    /// Nothing: it has a `.keep`, or a remote promised the objects that it lacks (`.promisor`).
    Kept,
    /// It may be replaced by a better one.
    Plain,
    /// It may be replaced, and it is a cruft pack: when each object was last needed, in the order of the index.
    Cruft(Vec<u32>),
}

pub(super) struct Loose {
    pub id: ObjectId,
    /// When it was written, or last marked as needed.
    pub modified: FileTime,
    pub bytes: u64,
}

/// The files that may exist beside a `.pack`; the one that readers look for comes first.
pub(super) const PACK_FILES: [&str; 6] = ["idx", "rev", "bitmap", "mtimes", "promisor", "pack"];

impl Stock {
    /// Lists the store with this `objects` folder.
    pub fn of(objects: &Path) -> Result<Self, Error> {
        let mut stock =
            Self { objects: objects.into(), packs: Vec::new(), loose: Vec::new(), left_overs: Vec::new() };
        for path in listed(&objects.join("pack"))? {
            stock.take_pack_file(&path)?;
        }
        for first in 0..=u8::MAX {
            let name = format!("{first:02x}");
            for path in listed(&objects.join(&name))? {
                stock.take_loose(&name, &path)?;
            }
        }
        Ok(stock)
    }

    fn take_pack_file(&mut self, path: &Path) -> Result<(), Error> {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let extension = path.extension().unwrap_or_default().to_string_lossy().into_owned();
        if name.starts_with("pack-") && extension == "idx" && path.with_extension("pack").is_file() {
            self.packs.push(Pack::open(path)?);
            return Ok(());
        }
        let orphan = name.starts_with("pack-")
            && PACK_FILES.contains(&extension.as_str())
            && !path.with_extension("idx").is_file();
        if (orphan || name.starts_with("tmp_"))
            && let Some(stat) = fs::stat(path).during("read the pack folder")?
        {
            self.left_overs.push((path.to_path_buf(), stat.modified));
        }
        Ok(())
    }

    fn take_loose(&mut self, folder: &str, path: &Path) -> Result<(), Error> {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        // a file that another process removed meanwhile is not counted
        let Some(stat) = fs::stat(path).during("read the loose objects")? else { return Ok(()) };
        if let Ok(id) = ObjectId::from_hex(format!("{folder}{name}").as_bytes()) {
            self.loose.push(Loose { id, modified: stat.modified, bytes: stat.size });
        } else if name.starts_with("tmp_obj_") {
            self.left_overs.push((path.to_path_buf(), stat.modified));
        }
        Ok(())
    }

    pub fn bytes(&self) -> u64 {
        let packs: u64 = self.packs.iter().map(|pack| pack.bytes).sum();
        packs + self.loose.iter().map(|loose| loose.bytes).sum::<u64>()
    }
}

/// The paths in a folder; none if it does not exist.
fn listed(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if fs::is_absence(&error) => return Ok(Vec::new()),
        Err(error) => return Err(error).during(format!("list `{}`", folder.display())),
    };
    entries
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()
        .during(format!("list `{}`", folder.display()))
}

impl Pack {
    fn open(index: &Path) -> Result<Self, Error> {
        let act = || format!("open the pack `{}`", index.display());
        let bundle = Bundle::at(index, gix::hash::Kind::Sha1).during(act)?;
        let mut by_offset: Vec<_> =
            (0..bundle.index.num_objects()).map(|at| (bundle.index.pack_offset_at_index(at), at)).collect();
        by_offset.sort_unstable();
        let mut bytes = 0;
        for extension in PACK_FILES {
            bytes += fs::stat(&index.with_extension(extension)).during(act)?.map_or(0, |stat| stat.size);
        }
        let modified = fs::stat(&index.with_extension("pack")).during(act)?.map(|stat| stat.modified);
        let standing = if ["keep", "promisor"].iter().any(|name| index.with_extension(name).exists()) {
            PackKind::Kept
        } else {
            match fs::read_if_there(&index.with_extension("mtimes")).during(act)? {
                Some(bytes) => PackKind::Cruft(ages::decode(&bytes, by_offset.len()).during(act)?),
                None => PackKind::Plain,
            }
        };
        Ok(Self { bundle, by_offset, standing, modified: modified.unwrap_or_default(), bytes })
    }

    pub fn path(&self, extension: &str) -> PathBuf {
        self.bundle.index.path().with_extension(extension)
    }

    /// Whether it must be kept in any case.
    pub const fn is_kept(&self) -> bool {
        matches!(self.standing, PackKind::Kept)
    }

    /// How many objects it has.
    pub fn len(&self) -> usize {
        self.by_offset.len()
    }

    /// The object at a position in the index.
    pub fn id_at(&self, place: u32) -> ObjectId {
        self.bundle.index.oid_at_index(place).to_owned()
    }

    /// When the object at a position in the index was last needed.
    pub fn age_at(&self, place: u32) -> i64 {
        match &self.standing {
            PackKind::Cruft(ages) => i64::from(ages[place as usize]),
            _ => self.modified.0,
        }
    }

    /// The object whose entry begins at `offset`.
    pub fn id_of_entry(&self, offset: Offset) -> Option<ObjectId> {
        let at = self.by_offset.binary_search_by_key(&offset, |(offset, _)| *offset).ok()?;
        Some(self.id_at(self.by_offset[at].1))
    }

    /// The bytes of the entry that begins at `offset`, if they are unchanged since the pack was written.
    pub fn checked_entry(&self, offset: Offset) -> Option<&[u8]> {
        let at = self.by_offset.binary_search_by_key(&offset, |(offset, _)| *offset).ok()?;
        let end = self.by_offset.get(at + 1).map_or(self.bundle.pack.pack_end() as Offset, |next| next.0);
        let bytes = self.bundle.pack.entry_slice(offset..end)?;
        let expected = self.bundle.index.crc32_at_index(self.by_offset[at].1)?;
        (crc32fast::hash(bytes) == expected).then_some(bytes)
    }
}
