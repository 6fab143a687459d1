//! Set a damaged file aside, so that the state can begin anew.

use super::place::StatePlace;
use super::{Missing, State};
use crate::Stop;
use brv_base::fs::{self, WriteGuard};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Move the file and its side files away, unless another process has done so meanwhile. Returns where the file is now.
pub(super) fn set_aside(place: &StatePlace, patience: Duration) -> Result<Option<PathBuf>, Stop> {
    let path = &place.file;
    let _guard = WriteGuard::acquire(&with_suffix(path, "-guard"), patience)?;
    if is_sound(place, patience) {
        return Ok(None);
    }
    let aside = free_name(path);
    std::fs::rename(path, &aside).map_err(fs::Error::during("move", path))?;
    // what the log holds belongs to the damaged file, and the index of the log to nobody
    let (log, index) = (with_suffix(path, "-wal"), with_suffix(path, "-shm"));
    match std::fs::rename(&log, with_suffix(&aside, "-wal")) {
        Err(error) if !fs::is_absence(&error) => return Err(fs::Error::during("move", &log)(error).into()),
        _ => {}
    }
    fs::remove_file(&index)?;
    Ok(Some(aside))
}

/// Whether the file can be opened and read to its end.
fn is_sound(place: &StatePlace, patience: Duration) -> bool {
    let Ok(Some(state)) = State::open(place, Missing::Leave, patience) else { return false };
    let whole = state.connection.pragma_query_value(None, "quick_check", |row| row.get::<_, String>(0));
    whole.is_ok_and(|word| word == "ok") && state.has_tables()
}

pub(super) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

fn free_name(path: &Path) -> PathBuf {
    let name = |number: usize| with_suffix(path, &format!(".damaged-{number}"));
    let is_free = |path: &PathBuf| std::fs::symlink_metadata(path).is_err();
    (1..).map(name).find(is_free).expect("there are more numbers than files")
}
