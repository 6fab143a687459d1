//! Edits the repository's own `config` file under git's lock: keeps comments and order, and readers see the old file or
//! the new one.
//!
//! Knows nothing of what the settings mean.

use super::locks;
use super::scope::Scope;
use crate::error::{During, Error};
use brv_base::fs;
use gix::config::File;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long to wait for another writer of the file.
const PATIENCE: Duration = Duration::from_secs(2);

const CHANGE: &str = "change the repository's settings";

/// The settings file of the whole repository.
pub(crate) fn path(scope: &Scope) -> PathBuf {
    scope.common_dir().join("config")
}

/// The current settings of the repository alone.
pub(crate) fn read(scope: &Scope) -> Result<File, Error> {
    let bytes = fs::read_if_there(&path(scope)).during("read the repository's settings")?;
    parse(&bytes.unwrap_or_default())
}

/// Changes the settings under git's own lock. Writes nothing if `change` fails or changes nothing.
pub(crate) fn edit<T, E: From<Error>>(
    scope: &Scope,
    change: impl FnOnce(&mut File) -> Result<T, E>,
) -> Result<T, E> {
    let result = edit_at(&path(scope), change)?;
    scope.note_changed_settings();
    Ok(result)
}

/// Waits until no other process is changing the settings.
pub(crate) fn wait_until_free(scope: &Scope) -> Result<(), Error> {
    locks::wait_until_free(scope.common_dir(), &path(scope), PATIENCE, CHANGE)
}

/// As [`edit`], for a repository that is still being created.
pub(crate) fn edit_at<T, E: From<Error>>(
    path: &Path,
    change: impl FnOnce(&mut File) -> Result<T, E>,
) -> Result<T, E> {
    let folder = path.parent().expect("the file stands in the repository");
    let (_notice, lock) = locks::take(folder, path, PATIENCE, CHANGE)?;
    let before = fs::read_if_there(path).during("read the repository's settings")?.unwrap_or_default();
    let mut file = parse(&before)?;
    let result = change(&mut file)?;
    let after = file.to_bstring();
    if after != before {
        locks::replace(lock, path, &after)?;
    }
    Ok(result)
}

fn parse(bytes: &[u8]) -> Result<File, Error> {
    File::from_bytes_no_includes(
        bytes,
        gix::config::file::Metadata::from(gix::config::Source::Local),
        gix::config::file::init::Options::default(),
    )
    .during("parse the repository's settings")
}

/// The repository with its current settings: gitoxide read them when it opened the repository, and this process may
/// have changed them since. (Changes by other processes take effect with the next command, as in git.)
pub(crate) fn reloaded(scope: &Scope) -> Result<gix::Repository, Error> {
    let mut repo = scope.repo.clone();
    if !scope.has_changed_settings() {
        return Ok(repo);
    }
    repo.reload().during("read the settings again")?;
    Ok(repo)
}
