//! The walk relative to open folders, so that no path is resolved twice and no symlink is followed on the way.

use super::{BStr, ByteSlice, Error, FileKind, FileStat, Path, PathBuf};
use rustix::fs::{AtFlags, Mode, OFlags};
use std::os::fd::OwnedFd;

pub struct WalkRoot {
    fd: OwnedFd,
    path: PathBuf,
}

pub struct WalkFolder<'a> {
    fd: OwnedFd,
    root: &'a Path,
    path: &'a BStr,
}

const FLAGS: OFlags = OFlags::DIRECTORY.union(OFlags::RDONLY).union(OFlags::CLOEXEC);

impl WalkRoot {
    pub fn open(path: &Path) -> Result<Self, Error> {
        let fd = rustix::fs::open(path, FLAGS, Mode::empty())
            .map_err(|error| Error::during("list", path)(error.into()))?;
        Ok(Self { fd, path: path.to_path_buf() })
    }

    /// `None` if there is no folder with this name (a symlink to one does not count).
    pub fn folder<'a>(&'a self, path: &'a BStr) -> Result<Option<WalkFolder<'a>>, Error> {
        let name: &[u8] = if path.is_empty() { b"." } else { path.as_bytes() };
        match rustix::fs::openat(&self.fd, name, FLAGS | OFlags::NOFOLLOW, Mode::empty()) {
            Ok(fd) => Ok(Some(WalkFolder { fd, root: &self.path, path })),
            Err(rustix::io::Errno::NOENT | rustix::io::Errno::NOTDIR | rustix::io::Errno::LOOP) => Ok(None),
            Err(error) => Err(fault(&self.path, path, error)),
        }
    }
}

fn fault(root: &Path, folder: &BStr, error: rustix::io::Errno) -> Error {
    use std::os::unix::ffi::OsStrExt as _;
    Error::during("list", root.join(std::ffi::OsStr::from_bytes(folder)))(error.into())
}

impl WalkFolder<'_> {
    pub fn stat(&self, name: &BStr) -> Option<FileStat> {
        let stat = rustix::fs::statat(&self.fd, name.as_bytes(), AtFlags::SYMLINK_NOFOLLOW).ok()?;
        Some(from_stat(&stat))
    }

    pub fn own_stat(&self) -> Option<FileStat> {
        rustix::fs::fstat(&self.fd).ok().map(|stat| from_stat(&stat))
    }

    /// Every name in it. Call this once only.
    #[cfg(target_os = "linux")]
    pub fn each(&self, mut visit: impl FnMut(&BStr, FileKind)) -> Result<(), Error> {
        // the standard library would open the folder a second time
        let mut buffer = [std::mem::MaybeUninit::uninit(); 1 << 14];
        let mut entries = rustix::fs::RawDir::new(&self.fd, &mut buffer);
        while let Some(entry) = entries.next() {
            let entry = entry.map_err(|error| fault(self.root, self.path, error))?;
            self.visit(entry.file_name().to_bytes().as_bstr(), entry.file_type(), &mut visit);
        }
        Ok(())
    }

    #[cfg(not(target_os = "linux"))]
    pub fn each(&self, mut visit: impl FnMut(&BStr, FileKind)) -> Result<(), Error> {
        let fail = |error: rustix::io::Errno| fault(self.root, self.path, error);
        for entry in rustix::fs::Dir::read_from(&self.fd).map_err(fail)? {
            let entry = entry.map_err(fail)?;
            self.visit(entry.file_name().to_bytes().as_bstr(), entry.file_type(), &mut visit);
        }
        Ok(())
    }

    fn visit(&self, name: &BStr, kind: rustix::fs::FileType, visit: &mut impl FnMut(&BStr, FileKind)) {
        if name == "." || name == ".." {
            return;
        }
        visit(
            name,
            match kind {
                rustix::fs::FileType::Unknown => self.stat(name).map_or(FileKind::Special, |stat| stat.kind),
                known => kind_of(known),
            },
        );
    }
}

fn kind_of(kind: rustix::fs::FileType) -> FileKind {
    match kind {
        rustix::fs::FileType::RegularFile => FileKind::Regular,
        rustix::fs::FileType::Directory => FileKind::Folder,
        rustix::fs::FileType::Symlink => FileKind::Symlink,
        _ => FileKind::Special,
    }
}

#[allow(
    clippy::cast_sign_loss,
    clippy::cast_possible_truncation,
    clippy::unnecessary_cast,
    clippy::useless_conversion,
    reason = "the widths of stat's fields differ between platforms"
)]
fn from_stat(stat: &rustix::fs::Stat) -> FileStat {
    FileStat {
        kind: kind_of(rustix::fs::FileType::from_raw_mode(stat.st_mode)),
        size: stat.st_size as u64,
        modified: (stat.st_mtime as i64, stat.st_mtime_nsec as u32),
        changed: (stat.st_ctime as i64, stat.st_ctime_nsec as u32),
        device: stat.st_dev as u64,
        inode: stat.st_ino as u64,
        user: stat.st_uid,
        group: stat.st_gid,
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "nanoseconds are below 2^30")]
pub fn details(metadata: &std::fs::Metadata, kind: FileKind) -> FileStat {
    use std::os::unix::fs::MetadataExt as _;
    FileStat {
        kind,
        size: metadata.size(),
        modified: (metadata.mtime(), metadata.mtime_nsec() as u32),
        changed: (metadata.ctime(), metadata.ctime_nsec() as u32),
        device: metadata.dev(),
        inode: metadata.ino(),
        user: metadata.uid(),
        group: metadata.gid(),
    }
}
