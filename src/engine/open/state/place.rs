//! Where the state of a project is: in its git folder. An earlier brv kept it in `.brv/`, where a clone can bring one.
//!
//! There a file stands in for it that an earlier brv refuses as written by a newer one, so that two versions never keep two
//! states.

use crate::Stop;
use crate::open::tree::Places;
use brv_base::environment::Environment;
use brv_base::fs::{self, FileKind};
use rusqlite::Connection;
use std::path::{Path, PathBuf};

/// The name of the file.
const FILE: &str = "state.db";

/// The version that the file in `.brv/` says it has: above that of every brv that looks for its state there.
const STAND_IN: i64 = 1_000_000;

/// Where SQLite's file format has the 4 bytes of `user_version`, big-endian (<https://www.sqlite.org/fileformat.html>, 1.3).
const VERSION_AT: usize = 60;

/// How much of an old state was taken over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// All.
    Whole,
    /// What is not about trust, and rejections: a clone may have brought the file.
    Untrusted,
    /// Nothing: it cannot be read.
    Nothing,
}

/// The place of a state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatePlace {
    /// `state.db` in the git folder.
    pub file: PathBuf,
    /// Where an earlier brv kept it, unless brv may use nothing there.
    pub(super) old: Option<PathBuf>,
}

impl StatePlace {
    /// A state in this file, with nothing to take over.
    pub fn at(file: PathBuf) -> Self {
        Self { file, old: None }
    }

    /// The place of a project's state, which need not be there.
    ///
    /// # Errors
    /// As [`Places::private`].
    pub fn of(places: &Places, environment: &Environment) -> Result<Self, Stop> {
        let file = places.private()?.join(FILE);
        Ok(Self { file, old: places.shared(FILE, environment).ok() })
    }

    /// The folder of the state, for what else belongs to it.
    pub fn folder(&self) -> &Path {
        self.file.parent().expect("the file has a name")
    }

    /// Whether the state of an earlier brv, or what was made of it, waits to be taken over.
    pub fn waits(&self) -> bool {
        if self.file.exists() {
            return false;
        }
        self.next().is_some() || self.holds_old()
    }

    /// Whether there is a state of an earlier brv.
    pub(super) fn holds_old(&self) -> bool {
        let Some(old) = &self.old else { return false };
        let is_file = fs::stat(old).is_ok_and(|stat| stat.is_some_and(|stat| stat.kind == FileKind::Regular));
        is_file && !is_stand_in(old)
    }

    /// What was made of the old state, until it has the name of the new one.
    pub(super) fn next(&self) -> Option<(Extent, PathBuf)> {
        let all = [Extent::Whole, Extent::Untrusted].map(|extent| (extent, self.next_of(extent)));
        all.into_iter().find(|(_, file)| file.exists())
    }

    pub(super) fn next_of(&self, extent: Extent) -> PathBuf {
        self.file.with_extension(if extent == Extent::Whole { "db.next" } else { "db.next-part" })
    }

    /// Let a file stand in for the old state. An earlier brv may then begin none there; that it cannot be written changes
    /// nothing.
    pub(super) fn stand_in(&self) {
        let Some(old) = self.old.as_deref().filter(|old| !old.exists()) else { return };
        let Some(folder) = old.parent().filter(|folder| folder.is_dir()) else { return };
        let draft = folder.join(format!("{}{FILE}", fs::TEMPORARY_PREFIX));
        let write = || {
            let _ = std::fs::remove_file(&draft);
            let connection = Connection::open(&draft)?;
            connection.pragma_update(None, "user_version", STAND_IN)
        };
        if write().is_ok() && std::fs::hard_link(&draft, old).is_err() && !old.exists() {
            let _ = std::fs::rename(&draft, old);
        }
        let _ = std::fs::remove_file(&draft);
    }
}

/// Whether a file only stands in for a state.
fn is_stand_in(file: &Path) -> bool {
    let Ok(start) = fs::read_start(file, 100) else { return false };
    let version = start.get(VERSION_AT..VERSION_AT + 4).and_then(|bytes| bytes.try_into().ok());
    start.starts_with(b"SQLite format 3\0") && version.map(u32::from_be_bytes) == Some(STAND_IN as u32)
}
