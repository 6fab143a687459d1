//! Files of `cache/freshness/`, which may be deleted at any time. What cannot be read or written only costs time.

use crate::open::context::Opened;
use crate::open::sweep::{OldCaches, sweep};
use brv_base::content::ContentId;
use brv_base::fs::{self, Durability, Form};
use brv_base::path::TreePath;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::path::{Path, PathBuf};

/// Changes when the files have another form.
const VERSION: &str = "3";

fn folder(opened: &Opened) -> PathBuf {
    opened.places.cache().join("freshness").join(VERSION)
}

/// Remove what other versions of brv left, once they have not touched it for a while.
pub fn sweep_others(opened: &Opened) {
    let is_other = |name: &str| name != VERSION && name.bytes().all(|byte| byte.is_ascii_digit());
    sweep(&opened.places.cache().join("freshness"), OldCaches::Folders, is_other);
}

/// The file about an entry.
pub fn file_of(opened: &Opened, path: &TreePath) -> PathBuf {
    let name = ContentId::of(path.as_bytes()).to_string();
    folder(opened).join(&name[..2]).join(&name[2..])
}

/// The file about the code.
pub fn file_of_code(opened: &Opened) -> PathBuf {
    folder(opened).join("code")
}

/// The file with the paths that the code has ever had.
pub fn file_of_paths(opened: &Opened) -> PathBuf {
    folder(opened).join("paths")
}

/// The file with the words that stand in many files of the code.
pub fn file_of_words(opened: &Opened) -> PathBuf {
    folder(opened).join("words")
}

pub fn read<T: DeserializeOwned>(file: &Path) -> Option<T> {
    serde_json::from_slice(&fs::read_shipped(file, Form::Json).ok()??).ok()
}

pub fn write<T: Serialize>(file: &Path, known: &T) {
    if let Ok(bytes) = serde_json::to_vec(known) {
        let _ = fs::replace(file, &bytes, Durability::Later);
    }
}
