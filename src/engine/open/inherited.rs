//! Take over the state that an earlier brv kept in `.brv/`, when the tree is opened next: what of it is believed.

use super::state::{self, Grounds, Inherited, StatePlace};
use super::tree::{Places, host_work_tree};
use crate::journal;
use brv_base::fs;
use brv_git as git;
use brv_git::reflog::{self, Line};
use brv_git::{CommitId, Scope};
use bstr::{BString, ByteSlice as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Take it over, if one waits. Where it cannot be, it waits on, and what needs the state says so.
pub fn inherit(places: &Places, scope: &Scope, patience: Duration) -> Option<Inherited> {
    let place = StatePlace::of(places, scope.environment()).ok()?;
    if !place.waits() {
        return None;
    }
    let host = host_around(places, scope);
    let grounds = Grounds {
        is_own: &|file| is_own(scope, host.as_ref(), file).unwrap_or(false),
        is_here: &|commit| {
            let commit = CommitId::from_hex(commit);
            host.as_ref().zip(commit).is_some_and(|(host, commit)| git::store::holds(host, commit))
        },
    };
    state::inherit(&place, &grounds, patience).ok()?
}

/// The repository around the project, at its main work tree.
fn host_around(places: &Places, scope: &Scope) -> Option<Scope> {
    if !scope.prefix().is_empty() {
        return Some(scope.whole());
    }
    git::open(host_work_tree(&places.project)?, "", scope.environment()).ok()
}

/// Whether this clone wrote the file: git does not track it, and something was done here before the file was changed last,
/// or arrived. The time of an inode cannot be brought along by an archive, as that of a content can.
fn is_own(scope: &Scope, host: Option<&Scope>, file: &Path) -> Option<bool> {
    let side = |suffix: &str| PathBuf::from(format!("{}{suffix}", file.display()));
    let log = side("-wal");
    // a submodule has files that the repository around it does not name
    if file.parent()?.join(".git").symlink_metadata().is_ok() {
        return Some(false);
    }
    if let Some(host) = host {
        for one in [file, &log, &side("-journal"), &side("-shm")] {
            if is_tracked(host, one)? {
                return Some(false);
            }
        }
    }
    let arrived = arrived(file).max(arrived(&log))?;
    let is_before = |seconds: i64| seconds > 0 && seconds < arrived;
    let listed = journal::list(scope).ok()?;
    let operated = listed.iter().filter_map(|one| one.record.as_ref().ok()).any(|one| is_before(one.seconds));
    let scopes = [Some(scope), host];
    Some(operated || scopes.into_iter().flatten().any(|scope| is_logged(scope, &is_before)))
}

/// When a file was changed last, or arrived, in seconds since 1970.
fn arrived(file: &Path) -> Option<i64> {
    let stat = fs::stat(file).ok()??;
    Some(if stat.changed.0 == 0 { stat.modified.0 } else { stat.changed.0 })
}

/// Whether `HEAD` or the index has the file. `None` if that cannot be said.
fn is_tracked(host: &Scope, file: &Path) -> Option<bool> {
    let work_tree = host.work_tree().canonicalize().ok()?;
    let file = file.parent()?.canonicalize().ok()?.join(file.file_name()?);
    let path: BString = file.strip_prefix(work_tree).ok()?.to_str()?.replace('\\', "/").into();
    if git::index::read(host).ok()?.names_something(path.as_bstr()) {
        return Some(true);
    }
    let Some(head) = host.head().ok()?.commit() else { return Some(false) };
    let tree = git::commit::read(host, head).ok()?.tree;
    Some(git::trees::find(host, tree, path.as_bstr()).ok()?.is_some())
}

fn is_logged(scope: &Scope, is_before: &dyn Fn(i64) -> bool) -> bool {
    let logs = reflog::of_heads(scope).unwrap_or_default();
    logs.iter().any(|log| {
        let text = fs::read_if_there(&log.file).ok().flatten().unwrap_or_default();
        text.lines().filter_map(Line::parse).any(|line| is_before(line.seconds))
    })
}
