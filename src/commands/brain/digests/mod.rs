//! The digests of all curated files as they are now, for the brain. They are kept between calls: only files that changed
//! are read again.
//!
//! Each state of the files that was found has a [`Version`]. What changed between two versions is kept, too
//! (`changes`), so that a caller learns what is new since an earlier answer.

mod changes;
mod seen;

pub use brv_engine::derive::brain::Version;
pub use changes::{DigestChange, EpochChanges};

use brv_base::clock::Clock;
use brv_base::content::ContentId;
use brv_base::fs::{self, WriteGuard};
use brv_base::parallel;
use brv_base::path::TreePath;
use brv_engine::derive::{self, Curated, brain};
use brv_engine::open::context::Opened;
use brv_git as git;
use brv_git::status::StatusError;
use brv_git::trees;
use brv_text::brain::Digest;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How many files are read before the time is looked at.
const AT_ONCE: usize = 200;

/// How long a call waits for one that writes. After a small change that is done by then; a longer one is not waited for:
/// the call makes what it needs and keeps nothing.
const PATIENCE: Duration = Duration::from_millis(50);

/// What is left of a call's time for all that comes after the digests.
const RESERVE: Duration = Duration::from_millis(600);

/// The digests, sorted by path.
pub struct CurrentDigests {
    pub digests: Vec<Digest>,
    /// `None` if they could not be kept.
    pub version: Option<Version>,
}

/// The folder of everything that is kept for the brain.
pub fn folder(opened: &Opened) -> PathBuf {
    brain::folder(&opened.places.cache())
}

/// Keep other processes from the folder; `None` if one has it for longer than [`PATIENCE`], or it cannot be written.
pub fn lock(opened: &Opened) -> Option<WriteGuard> {
    brain::lock(&opened.places.cache(), PATIENCE.min(opened.config.lock_timeout.value))
}

/// The version of the files, if it is known without a walk that they are as they were: brv and git changed nothing since,
/// and the last walk is younger than `search.freshness`.
pub fn version(opened: &Opened) -> Option<Version> {
    seen::load(opened)
}

/// Where the digests are kept.
fn home(opened: &Opened) -> brain::BrainHome {
    brain::BrainHome::of(&opened.scope, &opened.places.cache())
}

/// Find out how all curated files are now.
pub fn current(opened: &Opened) -> Result<CurrentDigests, StatusError> {
    Ok(current_by(opened, None)?.expect("a call without an end has the time"))
}

/// The same for a call that ends at a time. `None`: there are more new files than are read till then; what was read is
/// kept, and the next call goes on from there.
pub fn current_by(opened: &Opened, end: Option<Instant>) -> Result<Option<CurrentDigests>, StatusError> {
    let home = home(opened);
    if let Some(kept) = kept(opened, &home) {
        return Ok(Some(kept));
    }
    let guard = lock(opened);
    // another process may have made them meanwhile
    if let Some(kept) = kept(opened, &home) {
        return Ok(Some(kept));
    }
    // before the walk: what changes meanwhile is found by the next one
    let moment = seen::DigestMoment::now(opened);
    let kept = brain::read(&home);
    let was_kept = kept.is_some();
    let epoch = Clock::from_environment(opened.scope.environment()).now().timestamp_millis();
    let (mut version, old) = kept.unwrap_or((Version { epoch, generation: 0 }, Vec::new()));
    let compared = match compared(opened, old, end)? {
        Ok(compared) => compared,
        Err(made) => {
            if let Some(guard) = &guard {
                brain::keep_ahead(&home, made, guard);
            }
            return Ok(None);
        }
    };
    let ComparedDigests { digests, changed, is_same } = compared;
    let is_known = is_same && was_kept;
    let mut is_saved = guard.is_some();
    if !is_known {
        let before = version;
        version.generation += 1;
        // before the digests: reporting a change twice does no harm
        if is_saved && was_kept {
            is_saved = EpochChanges::read(opened, before).add(opened, version, changed);
        }
        is_saved =
            is_saved && guard.as_ref().is_some_and(|guard| brain::write(&home, version, &digests, guard));
    }
    if is_saved {
        seen::save(opened, &moment, version);
    }
    Ok(Some(CurrentDigests { digests, version: (is_known || is_saved).then_some(version) }))
}

/// Those that are kept, if they are of the files as they are now.
fn kept(opened: &Opened, home: &brain::BrainHome) -> Option<CurrentDigests> {
    let seen = seen::load(opened)?;
    let (version, digests) = brain::read(home)?;
    (version == seen).then_some(CurrentDigests { digests, version: Some(version) })
}

/// The digests of the files on disk, made from older ones.
struct ComparedDigests {
    digests: Vec<Digest>,
    /// The entries that are different.
    changed: Vec<DigestChange>,
    /// Whether no file is different, nor an overview.
    is_same: bool,
}

/// `Err`: the time is up; the digests that were made till then.
fn compared(
    opened: &Opened,
    old: Vec<Digest>,
    end: Option<Instant>,
) -> Result<Result<ComparedDigests, Vec<Digest>>, StatusError> {
    let scope = &opened.scope;
    let survey = derive::quick_survey(opened, git::index::read(scope)?)?;
    let known = old.iter().map(|digest| (digest.path.as_str(), digest.blob));
    let differences = derive::differences(scope, &survey, known)?;
    if differences.is_empty() {
        return Ok(Ok(ComparedDigests { digests: old, changed: Vec::new(), is_same: true }));
    }
    let found: Vec<(TreePath, Option<Curated>)> = differences.into_iter().collect();
    let made = match made(opened, &found, end) {
        Ok(made) => made,
        Err(made) => return Ok(Err(made)),
    };
    let mut all: BTreeMap<String, Digest> =
        old.into_iter().map(|digest| (digest.path.clone(), digest)).collect();
    let (mut changed, mut is_same) = (Vec::new(), true);
    for ((path, _), made) in found.into_iter().zip(made) {
        let after = made.as_ref().map(|digest| digest.blob);
        let before = match made {
            Some(digest) => all.insert(path.to_string(), digest),
            None => all.remove(path.as_str()),
        };
        let before = before.map(|digest| digest.blob);
        is_same &= before == after;
        if before != after && path.kind() == brv_base::path::PathKind::Entry {
            changed.push(DigestChange::new(path.to_string(), before, after));
        }
    }
    Ok(Ok(ComparedDigests { digests: all.into_values().collect(), changed, is_same }))
}

/// The digests of these files, those that were made ahead among them; `None` of a file that is gone. `Err`: the time is
/// up; those that are new.
fn made(
    opened: &Opened,
    found: &[(TreePath, Option<Curated>)],
    end: Option<Instant>,
) -> Result<Vec<Option<Digest>>, Vec<Digest>> {
    let root = opened.scope.root();
    let mut ahead = brain::ahead(&home(opened));
    let mut made: Vec<Option<Digest>> = found
        .iter()
        .map(|(path, now)| {
            let now = now.as_ref().filter(|now| now.ours.is_none())?;
            ahead.remove(path.as_str()).filter(|digest| digest.blob == now.id && !digest.is_ours)
        })
        .collect();
    let open: Vec<usize> =
        (0..found.len()).filter(|at| made[*at].is_none() && found[*at].1.is_some()).collect();
    let is_late = || end.is_some_and(|end| Instant::now() + RESERVE >= end);
    let mut done = 0;
    for part in open.chunks(AT_ONCE) {
        if done > 0 && is_late() {
            return Err(open[..done].iter().filter_map(|at| made[*at].take()).collect());
        }
        let new = parallel::map(
            part,
            || (),
            |(), at| {
                let (path, now) = &found[*at];
                let now = now.as_ref()?;
                Some(Digest::of(path.as_str(), now.id, now.ours.is_some(), &bytes(&root, path, now)?))
            },
        );
        part.iter().zip(new).for_each(|(at, new)| made[*at] = new);
        done += part.len();
    }
    Ok(made)
}

fn bytes(root: &Path, path: &TreePath, now: &Curated) -> Option<Vec<u8>> {
    match &now.ours {
        Some(ours) => Some(ours.clone()),
        None => on_disk(root, path),
    }
}

fn on_disk(root: &Path, path: &TreePath) -> Option<Vec<u8>> {
    fs::read_below(root, &path.on_disk(root)).ok()?
}

/// The bytes of a file as they count: of one in conflict our side.
pub fn read(opened: &Opened, digest: &Digest) -> Option<(TreePath, Vec<u8>)> {
    let path = TreePath::parse(digest.path.as_bytes()).ok()?;
    let bytes = match digest.is_ours {
        true => trees::blob(&opened.scope, digest.blob).ok()?,
        false => on_disk(&opened.scope.root(), &path)?,
    };
    Some((path, bytes))
}

/// The text of an id, or of none.
fn hex(id: Option<ContentId>) -> Option<String> {
    id.map(|id| id.to_string())
}
