//! Stubs and full copies of archived entries, made again from the records in the `context.md` files.
//!
//! A stub is brv's by its stamp. A full copy has none, since it has the bytes of the entry: it is brv's if its blob is
//! the one of a record, or if it fits the stub beside it. Files of other tools below `_archived/` are left alone.

use super::ledger::Ledger;
use super::outline::{Folder, Outline};
use super::records::{Archive, Archived, Files, Records, live};
use super::sources::Curated;
use super::{Extent, ForeignFile, Outcome, Why};
use crate::Stop;
use crate::derive::own_files::{not_ours, our_side};
use brv_base::content::ContentId;
use brv_base::fs::{self, Durability};
use brv_base::parallel;
use brv_base::path::{
    ARCHIVE, ArchivePaths, Derived, PathKind, TreePath, archived_original, is_archive_file,
};
use brv_git::{Scope, store, trees};
use brv_text::derive::stamp::{self, Stamp};
use brv_text::derive::{self, Input};
use brv_text::doc::{self, ArchiveRecord, Document};
use bstr::ByteSlice as _;
use std::collections::{BTreeSet, HashSet};
use std::path::Path;

/// The records that count among these curated files, read from their `context.md` files.
pub fn records(root: &Path, curated: &[Curated]) -> Result<Records, fs::Error> {
    let paths: HashSet<&str> = curated.iter().map(|file| file.path.as_str()).collect();
    let overviews: Vec<&Curated> =
        curated.iter().filter(|file| file.path.kind() == PathKind::NodeOverview).collect();
    let found = parallel::try_map(
        &overviews,
        || (),
        |(), file| {
            let bytes = match &file.ours {
                Some(ours) => Some(ours.clone()),
                None => fs::read_below(root, &file.path.on_disk(root))?,
            };
            let Some(bytes) = bytes.filter(|bytes| doc::may_archive(bytes)) else { return Ok(Vec::new()) };
            let items = Document::parse(our_side(bytes)).meta().archived;
            let folder = file.path.folder();
            let is_there = |name: &str| paths.contains(super::outline::join(folder, name).as_str());
            Ok::<_, fs::Error>(live(folder, &items, is_there))
        },
    )?;
    Ok(found.into_iter().flatten().collect())
}

/// The records of the folders that a refresh looks at.
#[derive(Default)]
pub(super) struct FolderRecords<'a> {
    folders: HashSet<&'a str>,
    records: Records,
}

impl<'a> FolderRecords<'a> {
    /// Add the records of a folder, as the digest of its `context.md` has them.
    pub fn add(&mut self, path: &'a str, folder: &Folder<'_>, items: &[String]) {
        self.folders.insert(path);
        self.records.extend(live(path, items, |name| folder.files.contains_key(name)));
    }
}

/// Where the files are written, and where the contents are.
pub(super) struct ArchiveWriteContext<'a> {
    pub root: &'a Path,
    pub scope: &'a Scope,
    pub on_disk: &'a BTreeSet<TreePath>,
    pub extent: Extent,
}

/// Whether content that was missing is here now.
pub(super) fn has_come(ledger: &Ledger, scope: &Scope) -> bool {
    let mut missing = ledger.archive.values().filter(|known| known.files == Files::Missing);
    missing.any(|known| store::holds(scope, known.record.blob))
}

/// Bring the files of archived entries in line with the records of the folders that were looked at, and with contents
/// that have come. Must precede the manifest, which lists the stubs.
pub(super) fn bring_up(
    room: &ArchiveWriteContext<'_>,
    wanted: FolderRecords<'_>,
    outline: &Outline<'_>,
    ledger: &mut Ledger,
    outcome: &mut Outcome,
) -> Result<(), Stop> {
    let folder = |path: &str| path.rsplit_once('/').map_or(String::new(), |(folder, _)| folder.to_owned());
    let is_looked_at = |path: &str| {
        let folder = folder(path);
        wanted.folders.contains(folder.as_str()) || outline.is_gone(&folder)
    };
    let mut before: Archive = ledger.archive.extract_if(.., |path, _| is_looked_at(path)).collect();
    let has_come =
        |known: &Archived| known.files == Files::Missing && store::holds(room.scope, known.record.blob);
    let come: Archive = ledger.archive.extract_if(.., |_, known| has_come(known)).collect();
    let mut todo: Vec<(String, ArchiveRecord, Option<Archived>)> =
        come.into_iter().map(|(path, known)| (path, known.record.clone(), Some(known))).collect();
    for (path, record) in wanted.records {
        let known = before.remove(&path);
        match known {
            Some(known)
                if room.extent == Extent::Changed && known.record == record && known.is_settled(room) =>
            {
                ledger.archive.insert(path, known);
            }
            known => todo.push((path, record, known)),
        }
    }
    for (path, known) in before {
        room.remove(&path, &known.record, outcome)?;
    }
    let shared = room.scope.to_shared();
    let maker = Maker { root: room.root, extent: room.extent };
    let made = parallel::try_map(
        &todo,
        || shared.to_local(),
        |scope, (path, record, known)| maker.make(scope, path, record, known.as_ref()),
    )?;
    for ((path, record, _), (files, done)) in todo.into_iter().zip(made) {
        outcome.absorb(done);
        if files == Files::Missing {
            outcome.missing.extend(TreePath::parse(path.as_bytes()));
        }
        ledger.archive.insert(path, Archived { record, files });
    }
    if room.extent != Extent::Changed || ledger.fingerprint.is_none() {
        room.sweep(&ledger.archive, outcome)?;
    }
    Ok(())
}

impl Archived {
    /// Whether nothing has to be tried again.
    fn is_settled(&self, room: &ArchiveWriteContext<'_>) -> bool {
        self.files != Files::Missing || !store::holds(room.scope, self.record.blob)
    }
}

impl ArchiveWriteContext<'_> {
    /// Remove the files of a record that no longer counts.
    fn remove(&self, path: &str, record: &ArchiveRecord, outcome: &mut Outcome) -> Result<(), Stop> {
        let Some(paths) = ArchivePaths::of(path) else { return Ok(()) };
        let full = read(self.root, &paths.full)?;
        if full.is_some_and(|bytes| {
            ContentId::of(&bytes) == record.blob && store::holds(self.scope, record.blob)
        }) {
            self.take_away(&paths.full, outcome)?;
        }
        match read(self.root, &paths.stub)?.map(|bytes| not_ours(&bytes)) {
            Some(None) => self.take_away(&paths.stub, outcome)?,
            Some(Some(Why::Altered)) => {
                outcome.kept.push(ForeignFile { path: paths.stub, why: Why::Altered })
            }
            _ => {}
        }
        Ok(())
    }

    /// Remove stubs of brv that have no record, with the copies that fit them.
    fn sweep(&self, archive: &Archive, outcome: &mut Outcome) -> Result<(), Stop> {
        let is_stub = |path: &&TreePath| path.kind() == PathKind::Derived(Derived::Stub);
        for stub in self.on_disk.iter().filter(is_stub) {
            let Some(original) = archived_original(stub.as_str()) else { continue };
            let Some(bytes) = read(self.root, stub)?.filter(|_| !archive.contains_key(&original)) else {
                continue;
            };
            if !matches!(stamp::read(&bytes), Stamp::Ours { .. }) {
                continue;
            }
            if let Some(paths) = ArchivePaths::of(&original)
                && let Some(full) = read(self.root, &paths.full)?
                && fits_stub(&bytes, &original, ContentId::of(&full))
                && store::holds(self.scope, ContentId::of(&full))
            {
                self.take_away(&paths.full, outcome)?;
            }
            self.take_away(stub, outcome)?;
        }
        Ok(())
    }

    fn take_away(&self, path: &TreePath, outcome: &mut Outcome) -> Result<(), Stop> {
        let file = path.on_disk(self.root);
        fs::remove_file(&file)?;
        fs::prune_empty_folders(file.parent().unwrap_or(self.root), self.root);
        outcome.removed.push(path.clone());
        Ok(())
    }
}

/// Makes files, on any thread.
struct Maker<'a> {
    root: &'a Path,
    extent: Extent,
}

impl Maker<'_> {
    /// Write the files of a record; `known` is the record that they were last made for.
    fn make(
        &self,
        scope: &Scope,
        path: &str,
        record: &ArchiveRecord,
        known: Option<&Archived>,
    ) -> Result<(Files, Outcome), Stop> {
        let mut outcome = Outcome::default();
        let Some(paths) = ArchivePaths::of(path) else { return Ok((Files::Blocked, outcome)) };
        if !fs::is_reached_by_folders(self.root, &paths.stub.on_disk(self.root))? {
            return Ok((Files::Blocked, outcome));
        }
        let (stub, full) = (read(self.root, &paths.stub)?, read(self.root, &paths.full)?);
        let id = full.as_deref().map(ContentId::of);
        let is_stub =
            stub.as_deref().map(stamp::read) == Some(Stamp::Ours { key: derive::stub_key(path, record) });
        if let (Extent::Missing, true, Some(Files::Written(tokens))) = (
            self.extent,
            is_stub && id == Some(record.blob),
            known.filter(|known| known.record == *record).map(|known| known.files),
        ) {
            return Ok((Files::Written(tokens), outcome));
        }
        let Some(bytes) = content(scope, record.blob, full.as_deref().filter(|_| id == Some(record.blob)))?
        else {
            return Ok((Files::Missing, outcome));
        };
        for (path, why) in [
            (&paths.stub, stub.as_deref().and_then(not_ours)),
            (
                &paths.full,
                full.as_deref().zip(id).and_then(|(bytes, id)| {
                    let is_known = id == record.blob || known.is_some_and(|known| known.record.blob == id);
                    let fits = || stub.as_deref().is_some_and(|stub| fits_stub(stub, path, id));
                    let is_own = is_known || bytes.iter().all(|byte| *byte == 0) || fits();
                    let is_beside_own = || stub.as_deref().is_some_and(|stub| not_ours(stub).is_none());
                    (!is_own).then(|| if is_beside_own() { Why::Altered } else { Why::Foreign })
                }),
            ),
        ] {
            // a file of another tool is an archive of that tool, which `brv archive list` shows
            if let Some(why) = why {
                outcome.kept.extend((why == Why::Altered).then(|| ForeignFile { path: path.clone(), why }));
                return Ok((Files::Blocked, outcome));
            }
        }
        let made = stub_of(path, &paths.full, record, &bytes);
        // the copy first: a copy without its stub is recognised by its record, not the other way round
        self.put(&paths.full, full.as_deref(), &bytes, &mut outcome)?;
        self.put(&paths.stub, stub.as_deref(), made.text.as_bytes(), &mut outcome)?;
        Ok((Files::Written(made.tokens), outcome))
    }

    fn put(
        &self,
        path: &TreePath,
        on_disk: Option<&[u8]>,
        bytes: &[u8],
        outcome: &mut Outcome,
    ) -> Result<(), Stop> {
        if on_disk != Some(bytes) {
            fs::replace(&path.on_disk(self.root), bytes, Durability::Later)?;
            outcome.written.push(path.clone());
        }
        Ok(())
    }
}

/// The stub of a record with this content.
pub fn stub_of(path: &str, full: &TreePath, record: &ArchiveRecord, bytes: &[u8]) -> derive::Made {
    let original = TreePath::parse(path.as_bytes()).expect("only portable paths are archived");
    let digest = derive::digest_of(&Input { path: &original, id: record.blob, bytes });
    derive::stub_of(&derive::ArchivedEntry { original: path, full: full.as_str(), record }, &digest)
}

/// The content of a record: from the repository, else from its full copy.
fn content(scope: &Scope, blob: ContentId, full: Option<&[u8]>) -> Result<Option<Vec<u8>>, Stop> {
    match store::holds(scope, blob) {
        true => Ok(Some(trees::blob(scope, blob)?)),
        false => Ok(full.map(<[u8]>::to_vec)),
    }
}

fn read(root: &Path, path: &TreePath) -> Result<Option<Vec<u8>>, fs::Error> {
    fs::read_below(root, &path.on_disk(root))
}

/// Whether a stub of brv was made from a content with this id: only then its key comes out right.
fn fits_stub(stub: &[u8], original: &str, id: ContentId) -> bool {
    let Stamp::Ours { key } = stamp::read(stub) else { return false };
    let document = Document::parse(stub);
    let text = |name: &str| document.field(name).and_then(|value| value.as_str().map(str::to_owned));
    let name = original.rsplit('/').next().unwrap_or(original);
    let item = |at: String, importance: String| format!("{name} {id} {importance} {at}");
    let record =
        text("evicted_at").zip(text("evicted_importance")).map(|(at, importance)| item(at, importance));
    let record = record.and_then(|item| ArchiveRecord::parse(&item));
    record.is_some_and(|record| derive::stub_key(original, &record) == key)
}

/// Whether brv wrote a file below `_archived/` and somebody edited it since. The stub beside it identifies a full copy.
pub(super) fn is_altered(
    root: &Path,
    archive: &Archive,
    path: &TreePath,
    bytes: &[u8],
) -> Result<bool, fs::Error> {
    if path.kind() == PathKind::Derived(Derived::Stub) {
        return Ok(not_ours(bytes) == Some(Why::Altered));
    }
    let original = archived_original(path.as_str());
    let Some(known) = original.as_ref().and_then(|original| archive.get(original)) else { return Ok(false) };
    let paths = original.as_deref().and_then(ArchivePaths::of);
    let Some(stub) = paths.map(|paths| read(root, &paths.stub)).transpose()?.flatten() else {
        return Ok(false);
    };
    Ok(ContentId::of(bytes) != known.record.blob && not_ours(&stub) != Some(Why::Foreign))
}

/// What a refresh would leave in the ledger, without writing.
pub(super) fn measure(root: &Path, scope: &Scope, records: Records) -> Result<Archive, Stop> {
    let (shared, each) = (scope.to_shared(), records.into_iter().collect::<Vec<_>>());
    let measured = parallel::try_map(
        &each,
        || shared.to_local(),
        |scope, (path, record)| {
            let Some(paths) = ArchivePaths::of(path) else { return Ok(Files::Blocked) };
            let full = read(root, &paths.full)?;
            let is_other = |bytes: &[u8]| ContentId::of(bytes) != record.blob;
            let stub = read(root, &paths.stub)?;
            if full.as_deref().is_some_and(is_other)
                || stub.as_deref().is_some_and(|stub| not_ours(stub).is_some())
            {
                return Ok(Files::Blocked);
            }
            Ok::<_, Stop>(match content(scope, record.blob, full.as_deref())? {
                Some(bytes) => Files::Written(stub_of(path, &paths.full, record, &bytes).tokens),
                None => Files::Missing,
            })
        },
    )?;
    let archive = each.into_iter().zip(measured);
    Ok(archive.map(|((path, record), files)| (path, Archived { record, files })).collect())
}

/// The files of archived entries that are not as they should be. Those whose content is not in this clone are not
/// expected.
pub(super) fn judge(
    root: &Path,
    records: &Records,
    on_disk: &BTreeSet<TreePath>,
    holds: &dyn Fn(ContentId) -> bool,
) -> Result<Vec<ForeignFile>, fs::Error> {
    let mut found = Vec::new();
    for (path, record) in records {
        let Some(paths) = ArchivePaths::of(path) else { continue };
        let (stub, full) = (read(root, &paths.stub)?, read(root, &paths.full)?);
        if full.is_none() && !holds(record.blob) {
            continue;
        }
        let why = stub.as_deref().map(|stub| (not_ours(stub), stamp::read(stub)));
        let is_other_tools = matches!(why, Some((Some(Why::Foreign), _)));
        if is_other_tools {
            continue;
        }
        let why_stub = match why {
            None => Some(Why::Missing),
            Some((Some(why), _)) => Some(why),
            Some((None, stamp)) => {
                (stamp != Stamp::Ours { key: derive::stub_key(path, record) }).then_some(Why::Outdated)
            }
        };
        let why_full = match full.as_deref().map(ContentId::of) {
            None => Some(Why::Missing),
            Some(id) if id == record.blob => None,
            Some(id) if stub.as_deref().is_some_and(|stub| fits_stub(stub, path, id)) => Some(Why::Outdated),
            Some(_) if stub.is_none() => continue,
            Some(_) => Some(Why::Altered),
        };
        found.extend(why_stub.map(|why| ForeignFile { path: paths.stub, why }));
        found.extend(why_full.map(|why| ForeignFile { path: paths.full, why }));
    }
    for stub in on_disk.iter().filter(|path| path.kind() == PathKind::Derived(Derived::Stub)) {
        let is_recorded = archived_original(stub.as_str()).is_some_and(|path| records.contains_key(&path));
        let why = if is_recorded { None } else { read(root, stub)?.map(|bytes| not_ours(&bytes)) };
        found.extend(match why {
            Some(None) => Some(ForeignFile { path: stub.clone(), why: Why::Orphaned }),
            Some(Some(Why::Altered)) => Some(ForeignFile { path: stub.clone(), why: Why::Altered }),
            _ => None,
        });
    }
    Ok(found)
}

/// Whether the path is below `_archived/`, where files of other tools are not shown as foreign.
pub(super) fn is_below(path: &TreePath) -> bool {
    is_archive_file(path) && path.as_str().as_bytes().starts_with_str(ARCHIVE)
}
