//! A version of a file in a tree or in the index: its mode and the id of its bytes.

use super::id::BlobId;
use gix::index::entry::Mode;

/// The mode of a file. Folders have none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FileMode {
    /// 100644
    Regular,
    /// 100755, read as regular.
    Executable,
    /// 120000
    Symlink,
    /// 160000: a submodule.
    Gitlink,
}

/// A version of a file: its mode and the id of its bytes (of a commit for [`FileMode::Gitlink`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Version {
    pub mode: FileMode,
    pub id: BlobId,
}

impl FileMode {
    pub(super) const fn to_index(self) -> Mode {
        match self {
            Self::Regular => Mode::FILE,
            Self::Executable => Mode::FILE_EXECUTABLE,
            Self::Symlink => Mode::SYMLINK,
            Self::Gitlink => Mode::COMMIT,
        }
    }

    pub(super) const fn from_index(mode: Mode) -> Self {
        match mode {
            Mode::FILE_EXECUTABLE => Self::Executable,
            Mode::SYMLINK => Self::Symlink,
            Mode::COMMIT => Self::Gitlink,
            _ => Self::Regular,
        }
    }

    /// Whether both are files, or both links, or both submodules.
    pub fn is_of_same_type(self, other: Self) -> bool {
        self == other || self.is_file() && other.is_file()
    }

    /// Whether it is a file, executable or not.
    pub const fn is_file(self) -> bool {
        matches!(self, Self::Regular | Self::Executable)
    }

    /// The mode as git prints it: `100644`.
    pub const fn octal(self) -> &'static str {
        match self {
            Self::Regular => "100644",
            Self::Executable => "100755",
            Self::Symlink => "120000",
            Self::Gitlink => "160000",
        }
    }
}
