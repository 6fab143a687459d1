//! Finds files in the way of references to be moved, or of their logs, before anything has moved: gitoxide finds them
//! only halfway through.

use super::{Move, base};
use crate::error::{During as _, Error};
use brv_base::fs;
use bstr::{BStr, ByteSlice as _};
use gix::Repository;
use gix::refs::store::WriteReflog;
use std::path::{Path, PathBuf};

/// A file where a folder is needed, or a file below a path that must become one.
#[derive(Debug, thiserror::Error)]
#[error("`{}` is in the way", .0.display())]
struct RefObstacle(PathBuf);

/// The file of a reference, or of its log.
struct RefFile {
    base: PathBuf,
    file: PathBuf,
}

/// Fails if files are in the way that are not removed by the same moves. Removes empty folders.
///
/// # Errors
/// The reference and the first such file.
pub(super) fn refuse_hindered(repo: &Repository, moves: &[Move]) -> Result<(), Error> {
    let goes = |one: &&Move| one.target.is_none();
    let going = moves.iter().filter(goes).filter_map(|one| both(repo, one.name.as_bstr())).flatten();
    let going: Vec<PathBuf> = going.map(|place| place.file).collect();
    for one in moves {
        let Some([reference, log]) = both(repo, one.name.as_bstr()) else { continue };
        // whether logs are enabled or not, the log of a deleted reference is removed
        let has_log = goes(&one) || repo.refs.write_reflog != WriteReflog::Disable;
        for place in [Some(reference), Some(log).filter(|_| has_log)].into_iter().flatten() {
            let act = || format!("update {}", one.name);
            if let Some(file) = place.hindrance(&going).during(act)? {
                return Err(Error::new(act(), RefObstacle(file)));
            }
        }
    }
    Ok(())
}

/// The files of the reference and its log.
fn both(repo: &Repository, name: &BStr) -> Option<[RefFile; 2]> {
    let relative = gix::path::from_bstr(name).ok()?;
    let base = base(repo, name);
    let place = |base: PathBuf| RefFile { file: base.join(&relative), base };
    Some([place(base.to_path_buf()), place(base.join("logs"))])
}

impl RefFile {
    /// The first file in the way, except those in `going`.
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
