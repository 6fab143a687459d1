//! The walk with full paths, using only the standard library.

use super::{BStr, ByteSlice, Error, FileKind, FileStat, Path, PathBuf, from_metadata};

pub struct WalkRoot(PathBuf);

pub struct WalkFolder<'a> {
    path: PathBuf,
    root: std::marker::PhantomData<&'a WalkRoot>,
}

impl WalkRoot {
    pub fn open(path: &Path) -> Result<Self, Error> {
        Ok(Self(path.to_path_buf()))
    }

    pub fn folder(&self, folder: &BStr) -> Result<Option<WalkFolder<'_>>, Error> {
        let mut path = self.0.clone();
        path.extend(folder.to_str_lossy().split('/').filter(|part| !part.is_empty()));
        match path.symlink_metadata() {
            Ok(metadata) if metadata.is_dir() => {
                Ok(Some(WalkFolder { path, root: std::marker::PhantomData }))
            }
            Ok(_) => Ok(None),
            Err(error) if crate::fs::is_absence(&error) => Ok(None),
            Err(error) => Err(Error::during("list", path)(error)),
        }
    }
}

impl WalkFolder<'_> {
    pub fn stat(&self, name: &BStr) -> Option<FileStat> {
        let path = self.path.join(name.to_str().ok()?);
        path.symlink_metadata().ok().map(|metadata| from_metadata(&metadata))
    }

    /// The stat of the folder itself: always `None`, so that every folder is listed. WalkFolder times are not reliable on
    /// every platform.
    #[expect(clippy::unused_self, reason = "other platforms return a value")]
    pub fn own_stat(&self) -> Option<FileStat> {
        None
    }

    pub fn each(&self, mut visit: impl FnMut(&BStr, FileKind)) -> Result<(), Error> {
        for entry in std::fs::read_dir(&self.path).map_err(Error::during("list", &self.path))? {
            let entry = entry.map_err(Error::during("list", &self.path))?;
            let kind = match entry.file_type() {
                Ok(kind) if kind.is_file() => FileKind::Regular,
                Ok(kind) if kind.is_dir() => FileKind::Folder,
                Ok(kind) if kind.is_symlink() => FileKind::Symlink,
                _ => FileKind::Special,
            };
            visit(entry.file_name().to_string_lossy().as_bytes().as_bstr(), kind);
        }
        Ok(())
    }
}

pub fn details(metadata: &std::fs::Metadata, kind: FileKind) -> FileStat {
    let since = |time: std::io::Result<std::time::SystemTime>| {
        time.ok()
            .and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok())
            .map_or((0, 0), |time| (i64::try_from(time.as_secs()).unwrap_or(0), time.subsec_nanos()))
    };
    FileStat {
        kind,
        size: metadata.len(),
        modified: since(metadata.modified()),
        changed: since(metadata.created()),
        device: 0,
        inode: 0,
        user: 0,
        group: 0,
    }
}
