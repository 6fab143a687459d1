//! Paths of the context tree: a type that is portable by construction, and the kind of file each path names.
//!
//! Knows no disks, repositories or documents: everything here is decided from the path's bytes alone.

mod archive;
mod kind;
mod portable;

pub use archive::{ARCHIVE, ArchivePaths, archived_original, is_archive_file};
pub use kind::{Derived, PathKind, kind_of};
pub use portable::{MAX_PATH_BYTES, Unportable, check};

use std::fmt;
use std::path::{Path, PathBuf};

/// A portable path inside the context tree: `/`-separated, relative, NFC, safe on every platform.
///
/// The only way to get one is [`TreePath::parse`], so code that holds one need not check again.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TreePath(Box<str>);

impl TreePath {
    /// Parse a path as git stores it.
    ///
    /// # Errors
    /// The first rule of [`Unportable`] that the path breaks.
    pub fn parse(path: &[u8]) -> Result<Self, Unportable> {
        check(path).map(|path| Self(path.into()))
    }

    /// The path with `/` between its parts.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }

    pub fn file_name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or(&self.0)
    }

    /// The folder that holds the file: `""` for the root, else without a trailing slash.
    pub fn folder(&self) -> &str {
        self.0.rsplit_once('/').map_or("", |(folder, _)| folder)
    }

    pub fn kind(&self) -> PathKind {
        kind_of(&self.0)
    }

    /// The path on this machine's disk, below `root`.
    pub fn on_disk(&self, root: &Path) -> PathBuf {
        let mut path = root.to_path_buf();
        path.extend(self.0.split('/'));
        path
    }
}

impl fmt::Display for TreePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for TreePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl AsRef<str> for TreePath {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl std::borrow::Borrow<str> for TreePath {
    fn borrow(&self) -> &str {
        &self.0
    }
}

crate::json_text!(TreePath);
