//! The file of one hook: what is there, and why brv may leave it alone.

use super::script;
use brv_base::fs::{self, FileKind};
use std::fmt;
use std::path::{Path, PathBuf};

/// A hook's file as it is on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookFile {
    pub path: PathBuf,
    /// Its bytes; `None` if there is no file, or something else in its place.
    pub text: Option<Vec<u8>>,
    /// Why brv adds nothing to it.
    pub obstacle: Option<Obstacle>,
}

/// Why brv adds no line to a hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Obstacle {
    Symlink,
    /// A folder, a device, a pipe.
    NotAFile,
    Binary,
    /// The `#!` line ends in a carriage return: the system looks for a program with that in its name.
    CarriageReturn,
    /// A script of this program.
    OtherLanguage(String),
    /// git does not run it, and brv must not switch it on.
    NotExecutable,
    /// brv's opening line without its closing one.
    Unclosed,
    /// It calls brv for a tree in another folder.
    OtherProject,
}

impl fmt::Display for Obstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Symlink => f.write_str("it is a symbolic link"),
            Self::NotAFile => f.write_str("it is not a regular file"),
            Self::Binary => f.write_str("it is a binary"),
            Self::CarriageReturn => f.write_str(
                "its first line ends in a carriage return, so the system finds no program to run it",
            ),
            Self::OtherLanguage(program) => {
                write!(f, "it is a script for `{program}`, not for a POSIX shell")
            }
            Self::NotExecutable => f.write_str("it is not executable, so git does not run it"),
            Self::Unclosed => f.write_str("the line `# <<< brv` is missing"),
            Self::OtherProject => f.write_str("it calls brv for a tree in another folder"),
        }
    }
}

impl HookFile {
    /// Look at a file, which need not exist.
    pub fn read(path: PathBuf) -> Result<Self, fs::Error> {
        let none = |path, obstacle| Ok(Self { path, text: None, obstacle });
        match fs::stat(&path)?.map(|stat| stat.kind) {
            None => none(path, None),
            Some(FileKind::Symlink) => none(path, Some(Obstacle::Symlink)),
            Some(FileKind::Folder | FileKind::Special) => none(path, Some(Obstacle::NotAFile)),
            Some(FileKind::Regular) => {
                let text = fs::read(&path)?;
                let obstacle = obstacle(&path, &text);
                Ok(Self { path, text: Some(text), obstacle })
            }
        }
    }

    /// Whether git runs what is there, which is `text`; at the end of a link, too.
    pub fn is_run(&self, text: &[u8]) -> bool {
        is_executable(&self.path) && !is_unstartable(text)
    }
}

fn obstacle(path: &Path, text: &[u8]) -> Option<Obstacle> {
    if text.contains(&0) {
        return Some(Obstacle::Binary);
    }
    if is_unstartable(text) {
        return Some(Obstacle::CarriageReturn);
    }
    if let Some(program) = script::interpreter(text).filter(|program| !script::is_shell(program)) {
        return Some(Obstacle::OtherLanguage(program));
    }
    if !is_executable(path) {
        return Some(Obstacle::NotExecutable);
    }
    script::without(text).is_err().then_some(Obstacle::Unclosed)
}

/// On Windows git itself reads the line, and takes the carriage return for a blank.
fn is_unstartable(text: &[u8]) -> bool {
    cfg!(unix) && script::shebang(text).is_some_and(|line| line.ends_with(b"\r\n") || line.ends_with(b"\r"))
}

#[cfg(unix)]
fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    path.metadata().is_ok_and(|found| found.permissions().mode() & 0o111 != 0)
}

/// There is no such permission; git looks at the `#!` line only.
#[cfg(not(unix))]
fn is_executable(_path: &Path) -> bool {
    true
}
