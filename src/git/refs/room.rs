//! Whether there is room on disk for references that move, and for their logs. What stands in the way is met before
//! anything has moved: gitoxide meets it in the midst.

use super::{Move, base};
use crate::fs;
use crate::git::error::{During as _, Error};
use bstr::{BStr, ByteSlice as _};
use gix::Repository;
use gix::refs::store::WriteReflog;
use std::path::{Path, PathBuf};

/// A file where a folder must be, or a file below what must be one itself.
#[derive(Debug, thiserror::Error)]
#[error("`{}` is in the way", .0.display())]
struct InTheWay(PathBuf);

/// Where a reference, or its log, has its file.
struct Place {
    base: PathBuf,
    file: PathBuf,
}

/// Refuse where files are in the way that do not go with the same moves. Empty folders are removed.
///
/// # Errors
/// With the reference and the first such file.
pub(super) fn refuse_hindered(repo: &Repository, moves: &[Move]) -> Result<(), Error> {
    let goes = |one: &&Move| one.target.is_none();
    let going = moves.iter().filter(goes).filter_map(|one| both(repo, one.name.as_bstr())).flatten();
    let going: Vec<PathBuf> = going.map(|place| place.file).collect();
    for one in moves {
        let Some([reference, log]) = both(repo, one.name.as_bstr()) else { continue };
        // whether anybody wants a log or not, that of a reference which goes is removed
        let has_log = goes(&one) || repo.refs.write_reflog != WriteReflog::Disable;
        for place in [Some(reference), Some(log).filter(|_| has_log)].into_iter().flatten() {
            let act = || format!("update {}", one.name);
            if let Some(file) = place.hindrance(&going).during(act)? {
                return Err(Error::new(act(), InTheWay(file)));
            }
        }
    }
    Ok(())
}

/// Those of the reference and of its log.
fn both(repo: &Repository, name: &BStr) -> Option<[Place; 2]> {
    let relative = gix::path::from_bstr(name).ok()?;
    let base = base(repo, name);
    let place = |base: PathBuf| Place { file: base.join(&relative), base };
    Some([place(base.to_path_buf()), place(base.join("logs"))])
}

impl Place {
    /// The first file in the way that is none of `going`.
    fn hindrance(&self, going: &[PathBuf]) -> Result<Option<PathBuf>, fs::Error> {
        let stays = |file: &Path| !going.iter().any(|one| one == file);
        for above in self.file.ancestors().skip(1).take_while(|above| **above != *self.base) {
            match above.metadata() {
                Ok(found) if found.is_dir() => break,
                Ok(_) if stays(above) => return Ok(Some(above.to_path_buf())),
                Ok(_) | Err(_) => {}
            }
        }
        if !self.file.is_dir() {
            return Ok(None);
        }
        fs::remove_empty_folders(&self.file);
        if !self.file.is_dir() {
            return Ok(None);
        }
        Ok(fs::inside(&self.file)?.into_iter().map(|inside| inside.file).find(|file| stays(file)))
    }
}
