//! Carries out a plan: removes and writes its files, all or none.
//!
//! If another program has saved one of the files since the plan was made, all are put back as they were.

use super::held::{ApplyError, Held, Seen};
use super::switch::{Admission, Admit, Before, Content, Obstacles, Plan, Write, WriteStrategy, clear_folder};
use crate::Scope;
use crate::error::Error;
use crate::index::{Edit, Edits, Presence, index_stat};
use crate::objects::convert::Converter;
use crate::trees;
use brv_base::content::ContentId;
use brv_base::fs::{self, FileKind, NewFiles};
use brv_base::parallel;
use brv_base::progress::{Progress, Stage};
use bstr::{BStr, BString, ByteSlice};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

#[derive(Debug)]
pub struct SwitchOutcome {
    /// The new index entries, by full path.
    pub edits: Edits,
    /// Files that stay in the commit, with the reason; includes those of the plan.
    pub withheld: Vec<(BString, &'static str)>,
    /// Files of a new tree that came while it was written: they are kept as they are, with the new index.
    pub left_alone: Vec<BString>,
    /// Files that were not written because of an obstacle, where the plan reports them.
    pub blocked: Vec<BString>,
    /// What stood in the places of the files. The caller releases it, or puts it back.
    pub held: Held,
}

/// Why a plan was not completed. The files are as they were, or the error is in [`SwitchFailure::unfinished`].
#[derive(Debug)]
pub struct SwitchFailure {
    pub error: ApplyError,
    /// Why not all files could be put back.
    pub unfinished: Option<ApplyError>,
}

/// Removes and writes the files of a plan, durably. The caller holds the lock, writes the index and moves the branch,
/// and then releases what is held.
///
/// # Errors
/// [`SwitchFailure`]: a file was saved meanwhile or cannot be written, or an object cannot be read.
pub fn apply(
    scope: &Scope,
    plan: Plan,
    admit: &Admit<'_>,
    progress: &dyn Progress,
) -> Result<SwitchOutcome, SwitchFailure> {
    let mut switched = SwitchOutcome {
        edits: Edits::new(),
        withheld: Vec::new(),
        left_alone: Vec::new(),
        blocked: Vec::new(),
        held: Held::new(scope.root(), Converter::of(scope)),
    };
    match fill(scope, plan, admit, progress, &mut switched) {
        Ok(()) => Ok(switched),
        Err(error) => Err(SwitchFailure { error, unfinished: switched.held.put_back().err() }),
    }
}

/// Remove a file that is as it was seen. Returns its path if another program changed it.
fn removed(
    scope: &Scope,
    converter: &Converter,
    (path, before): (&BString, Before),
    switched: &mut SwitchOutcome,
) -> Result<Option<BString>, ApplyError> {
    let root = scope.root();
    let file = fs::below(&root, path.as_bstr())?;
    let is_gone = match look(&root, (path.as_bstr(), &file), before, converter)? {
        // there is no such file
        Look::Nothing | Look::Obstacle => true,
        Look::Same(seen) => switched.held.remove((path.as_bstr(), &file), seen)?,
        Look::Changed => false,
    };
    if is_gone {
        fs::prune_empty_folders(file.parent().unwrap_or(&root), &root);
    }
    switched.edits.entry(scope.full(path)).or_insert(Edit::Remove);
    Ok((!is_gone).then(|| path.clone()))
}

/// The places of files that are written, as a disk may compare them.
struct WritePlaces(BTreeSet<Vec<u8>>);

impl WritePlaces {
    fn of(writes: &[Write]) -> Self {
        Self(writes.iter().map(|write| write.path.to_ascii_lowercase()).collect())
    }

    /// Whether a file may be in the way of one that is written: at its place, above it or below it. Of names beyond ASCII
    /// a disk may have its own opinion.
    fn may_meet(&self, path: &BString) -> bool {
        let name = path.to_ascii_lowercase();
        let above = (0..name.len()).filter(|at| name[*at] == b'/').any(|at| self.0.contains(&name[..at]));
        let inside = [&name[..], b"/"].concat();
        let below = || self.0.range(inside.clone()..).next().is_some_and(|first| first.starts_with(&inside));
        !path.is_ascii() || self.0.contains(&name) || above || below()
    }
}

fn fill(
    scope: &Scope,
    mut plan: Plan,
    admit: &Admit<'_>,
    progress: &dyn Progress,
    switched: &mut SwitchOutcome,
) -> Result<(), ApplyError> {
    let (root, converter) = (scope.root(), Converter::of(scope));
    switched.edits = std::mem::take(&mut plan.settled);
    switched.withheld = std::mem::take(&mut plan.withheld);
    let mut changed = Vec::new();
    // whoever reads meanwhile finds what takes a file over before that file is gone
    let places = WritePlaces::of(&plan.writes);
    let (first, last): (Vec<_>, Vec<_>) = plan.removes.iter().partition(|(path, _)| places.may_meet(path));
    let mut remove = |switched: &mut SwitchOutcome, files: Vec<&(BString, Before)>| {
        for (path, before) in files {
            changed.extend(removed(scope, &converter, (path, *before), switched)?);
        }
        Ok::<_, ApplyError>(())
    };
    remove(switched, first)?;
    let disk = WriteContext { root: &root, converter: &converter, held: &switched.held };
    let outcomes = write_files(scope, &disk, &plan, admit, progress)?;
    remove(switched, last)?;
    for (Write { path, version, .. }, outcome) in plan.writes.iter().zip(outcomes) {
        let presence = match outcome {
            FileOutcome::OnDisk(stat) => Presence::OnDisk(stat),
            FileOutcome::Withheld(reason) => {
                switched.withheld.extend(reason.map(|reason| (path.clone(), reason)));
                Presence::Withheld
            }
            FileOutcome::Changed if plan.ground == WriteStrategy::New => {
                switched.left_alone.push(path.clone());
                Presence::Unknown
            }
            FileOutcome::Obstacle if plan.obstacles == Obstacles::Report => {
                switched.blocked.push(path.clone());
                Presence::Unknown
            }
            FileOutcome::Changed | FileOutcome::Obstacle => {
                changed.push(path.clone());
                continue;
            }
        };
        switched.edits.insert(scope.full(path), Edit::Put(*version, presence));
    }
    if !changed.is_empty() {
        changed.sort();
        return Err(ApplyError::Changed(changed));
    }
    let touched: Vec<_> = plan
        .writes
        .iter()
        .map(|write| &write.path)
        .chain(plan.removes.iter().map(|(path, _)| path))
        .map(|path| fs::below(&root, path.as_bstr()))
        .collect::<Result<_, _>>()?;
    fs::sync_work_tree(&root, touched.iter().map(std::path::PathBuf::as_path))?;
    switched.withheld.sort();
    Ok(())
}

enum FileOutcome {
    OnDisk(fs::FileStat),
    /// With the reason, if the user must know it.
    Withheld(Option<&'static str>),
    /// Another program has saved the file.
    Changed,
    Obstacle,
}

/// What writing files needs to know of the disk.
struct WriteContext<'a> {
    root: &'a Path,
    converter: &'a Converter,
    held: &'a Held,
}

/// What is at the place of a file, compared with what the plan was made for.
enum Look {
    Nothing,
    /// A folder with files has the name of the file, or what is above it is not a folder.
    Obstacle,
    Same(Seen),
    Changed,
}

fn look(
    root: &Path,
    (path, file): (&BStr, &Path),
    before: Before,
    converter: &Converter,
) -> Result<Look, ApplyError> {
    if !fs::is_reached_by_folders(root, file)? {
        return Ok(Look::Obstacle);
    }
    let Some(stat) = fs::stat(file)? else { return Ok(Look::Nothing) };
    if stat.kind == FileKind::Folder {
        // an empty folder is removed, as in git
        fs::remove_empty_folders(file);
        return Ok(if fs::stat(file)?.is_none() { Look::Nothing } else { Look::Obstacle });
    }
    Ok(match before {
        _ if stat.kind != FileKind::Regular => Look::Changed,
        Before::Nothing => Look::Changed,
        Before::Recorded(id, recorded) if index_stat(&stat) == recorded => Look::Same(Seen::now(stat, id)),
        Before::Recorded(id, _) => match fs::read_if_there(file)? {
            Some(bytes) if converter.id(path, &bytes)? == id => Look::Same(Seen::now(stat, id)),
            Some(_) => Look::Changed,
            None => Look::Nothing,
        },
    })
}

fn write_files(
    scope: &Scope,
    disk: &WriteContext<'_>,
    plan: &Plan,
    admit: &Admit<'_>,
    progress: &dyn Progress,
) -> Result<Vec<FileOutcome>, ApplyError> {
    let shared = scope.to_shared();
    let done = AtomicU64::new(0);
    let files = &plan.writes;
    fs::sync_behind(disk.root, &done, || {
        parallel::try_map(
            files,
            || (shared.to_local(), NewFiles::below(disk.root)),
            |(scope, new), write| {
                let count = done.fetch_add(1, Ordering::Relaxed);
                if count.is_multiple_of(256) {
                    progress.update(Stage::Checkout, count, Some(files.len() as u64));
                }
                match plan.ground {
                    WriteStrategy::New => write_new(scope, (disk.root, new), write, admit),
                    WriteStrategy::Lived => write_one(scope, disk, write, admit),
                }
            },
        )
    })
}

fn write_new(
    scope: &Scope,
    (root, new): (&Path, &mut NewFiles),
    Write { path, version, .. }: &Write,
    admit: &Admit<'_>,
) -> Result<FileOutcome, ApplyError> {
    let bytes = trees::blob(scope, version.id)?;
    // its object may have been copied as a file from another repository, without a check
    if ContentId::of(&bytes) != version.id {
        return Err(
            Error::new(format!("write `{path}`"), format!("the blob {} is damaged", version.id)).into()
        );
    }
    if let Some(reason) = admit(path.as_bstr(), Content::Bytes(&bytes)).refusal() {
        return Ok(FileOutcome::Withheld(reason));
    }
    Ok(match new.create(path.as_bstr(), &bytes)? {
        Some(stat) => FileOutcome::OnDisk(stat),
        None => {
            let here = fs::stat(&fs::below(root, path.as_bstr())?)?;
            let is_file = here.is_some_and(|stat| stat.kind != FileKind::Folder);
            if is_file { FileOutcome::Changed } else { FileOutcome::Obstacle }
        }
    })
}

fn write_one(
    scope: &Scope,
    WriteContext { root, converter, held }: &WriteContext<'_>,
    Write { path, version, before }: &Write,
    admit: &Admit<'_>,
) -> Result<FileOutcome, ApplyError> {
    let path = path.as_bstr();
    let bytes = trees::blob(scope, version.id)?;
    let file = fs::below(root, path)?;
    clear_folder(&file, path, admit)?;
    let seen = match look(root, (path, &file), *before, converter)? {
        Look::Nothing => None,
        Look::Same(seen) => Some(seen),
        Look::Obstacle => return Ok(FileOutcome::Obstacle),
        Look::Changed if matches!(before, Before::Nothing) && !fs::is_named_so(&file) => {
            let why = "a file has that name in other case, and this system takes both for one";
            return Err(fs::Error::during("write", file)(std::io::Error::other(why)).into());
        }
        Look::Changed => return Ok(FileOutcome::Changed),
    };
    let judged = admit(path, Content::Bytes(&bytes));
    // a file outside of a sparse checkout that is there may have edits: it is updated like any other
    let is_there = judged == Admission::LeftOut && seen.is_some();
    if let Some(reason) = judged.refusal().filter(|_| !is_there) {
        let is_gone = seen.map_or(Ok(true), |seen| held.remove((path, &file), seen))?;
        return Ok(if is_gone { FileOutcome::Withheld(reason) } else { FileOutcome::Changed });
    }
    let written = held.write((path, &file), (version.id, &converter.to_disk(path, bytes)?), seen)?;
    Ok(written.map_or(FileOutcome::Changed, FileOutcome::OnDisk))
}

#[cfg(test)]
mod tests {
    use super::*;
    use brv_base::fs::Durability;
    use gix::index::entry::Stat;

    #[test]
    fn a_file_saved_since_the_plan_was_made_is_seen_as_changed() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.md");
        let old = ContentId::of(b"old");
        let scope =
            crate::init(folder.path(), "main", &brv_base::environment::Environment::default()).unwrap();
        let converter = Converter::of(&scope);
        let look = |before| look(folder.path(), ("a.md".into(), file.as_path()), before, &converter).unwrap();
        assert!(matches!(look(Before::Nothing), Look::Nothing));
        fs::replace(&file, b"old", Durability::Later).unwrap();
        assert!(matches!(look(Before::Nothing), Look::Changed), "it came meanwhile");
        let recorded = index_stat(&fs::stat(&file).unwrap().unwrap());
        assert!(matches!(look(Before::Recorded(old, recorded)), Look::Same(_)));
        assert!(
            matches!(look(Before::Recorded(old, Stat::default())), Look::Same(_)),
            "touched, not changed"
        );
        fs::replace(&file, b"newer", Durability::Later).unwrap();
        assert!(matches!(look(Before::Recorded(old, recorded)), Look::Changed));
    }
}
