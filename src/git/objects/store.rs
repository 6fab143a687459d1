//! Stores new objects, in parallel and durably: a few as loose files, many as one pack. gitoxide writes one object
//! after the other and syncs none. "Durable" covers only what is written here: existing objects are left as they are,
//! and git run by hand may not have synced them.
//!
//! Knows nothing of refs or the index.

use super::object::{NewObject, ObjectKind};
use super::pack::{self, PackEntry, PackFile, read_only_temporary};
use crate::error::{During, Error};
use crate::id::{BlobId, ObjectName, blob_id};
use crate::repository::scope::Scope;
use brv_base::fs;
use brv_base::parallel::workers;
use flate2::Compression;
use gix::ObjectId;
use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// From this many new objects on, they are packed (measured: loose files cost a sync each).
const PACK_FROM: usize = 100;
/// … or from this many bytes on, to bound memory.
const PACK_FROM_BYTES: usize = 16 << 20;
/// How many objects a worker takes at a time.
const RUN: usize = 16;
/// Speed matters here, not size: `git gc` compresses again.
const LEVEL: Compression = Compression::fast();

/// Stores `blobs`, skipping existing ones. Returns the ids in their order. Durable on return.
pub fn write_blobs(scope: &Scope, blobs: &[Vec<u8>]) -> Result<Vec<BlobId>, Error> {
    write_blobs_from(scope, blobs.len(), |at| Ok::<_, Error>(Cow::Borrowed(blobs[at].as_slice())))
}

/// Stores `count` blobs that `read` makes, each on demand, on several threads: memory use is bounded. Returns the ids
/// in their order. Durable on return; after an error some objects may be stored, each of them complete.
///
/// # Errors
/// The first error of `read`, or when the store cannot be written.
pub fn write_blobs_from<'a, E: From<Error> + Send>(
    scope: &Scope,
    count: usize,
    read: impl Fn(usize) -> Result<Cow<'a, [u8]>, E> + Sync,
) -> Result<Vec<BlobId>, E> {
    let ids = write_from::<E, _>(scope, count, |at| read(at).map(NewObject::blob))?;
    Ok(ids.iter().map(|id| blob_id(id)).collect())
}

/// Whether the repository has this object, reachable or not.
pub fn holds(scope: &Scope, id: impl Into<ObjectName>) -> bool {
    scope.repo.has_object(id.into().0)
}

/// Stores objects of any kind, skipping existing ones. Returns the ids in their order. Durable on return.
pub fn write_objects(scope: &Scope, objects: &[NewObject<'_>]) -> Result<Vec<ObjectName>, Error> {
    let ids = write_from(scope, objects.len(), |at| {
        Ok::<_, Error>(NewObject { kind: objects[at].kind, bytes: Cow::Borrowed(&objects[at].bytes) })
    })?;
    Ok(ids.into_iter().map(ObjectName).collect())
}

/// Lets `work` write objects through gitoxide into memory, then stores them all, durably and at once.
///
/// # Errors
/// The errors of `work`, or one of the store.
pub(crate) fn through_memory<T, E: From<Error>>(
    scope: &Scope,
    work: impl FnOnce(&gix::Repository) -> Result<T, E>,
) -> Result<T, E> {
    let repo = scope.repo.clone().with_object_memory();
    let result = work(&repo)?;
    let memory = repo.objects.reset_object_memory().unwrap_or_default();
    let objects: Vec<_> = memory
        .iter()
        .map(|(_, (kind, bytes))| NewObject {
            kind: ObjectKind::from_gix(*kind),
            bytes: Cow::Borrowed(bytes),
        })
        .collect();
    write_objects(scope, &objects)?;
    Ok(result)
}

fn sync_folders(objects: &Path, folders: BTreeSet<PathBuf>) -> Result<(), Error> {
    if folders.is_empty() {
        return Ok(());
    }
    folders
        .iter()
        .try_for_each(|folder| fs::sync_folder(folder))
        .and_then(|()| fs::sync_folder(objects))
        .during("sync the object store")
}

pub(crate) fn loose_path(objects: &Path, id: &ObjectId) -> PathBuf {
    let hex = id.to_string();
    objects.join(&hex[..2]).join(&hex[2..])
}

/// A loose object, when there are few.
type Few = (ObjectId, ObjectKind, Vec<u8>);

/// New objects, until it is known whether they are few.
struct Fresh {
    known: HashSet<ObjectId>,
    few: Vec<Few>,
    few_bytes: usize,
    pack: Option<PackFile>,
}

struct StoreJob<'r, R> {
    objects: PathBuf,
    read: &'r R,
    count: usize,
    next: AtomicUsize,
    fresh: Mutex<Fresh>,
}

fn write_from<'a, E, R>(scope: &Scope, count: usize, read: R) -> Result<Vec<ObjectId>, E>
where
    E: From<Error> + Send,
    R: Fn(usize) -> Result<NewObject<'a>, E> + Sync,
{
    // each miss makes gitoxide look for new packs; once is enough
    scope.repo.has_object(ObjectId::null(gix::hash::Kind::Sha1));
    let fresh = Fresh { known: HashSet::new(), few: Vec::new(), few_bytes: 0, pack: None };
    let job = StoreJob {
        objects: scope.repo.objects.store_ref().path().to_path_buf(),
        read: &read,
        count,
        next: AtomicUsize::new(0),
        fresh: Mutex::new(fresh),
    };
    let mut ids = vec![ObjectId::null(gix::hash::Kind::Sha1); count];
    std::thread::scope(|threads| {
        // one worker is this thread: a few objects are not worth another
        let workers: Vec<_> = (1..workers(count))
            .map(|_| {
                let store = scope.repo.objects.clone();
                let job = &job;
                threads.spawn(move || job.work(&store))
            })
            .collect();
        let own = job.work(&scope.repo.objects);
        let others = workers.into_iter().map(|worker| worker.join().expect("a worker does not panic"));
        for result in others.chain([own]).collect::<Vec<_>>() {
            for (at, id) in result? {
                ids[at] = id;
            }
        }
        Ok::<_, E>(())
    })?;
    let fresh = job.fresh.into_inner().unwrap_or_else(PoisonError::into_inner);
    match fresh.pack {
        Some(pack) => pack.finish()?,
        None => write_loose(&job.objects, &fresh.few)?,
    }
    Ok(ids)
}

impl<'a, E, R> StoreJob<'_, R>
where
    E: From<Error>,
    R: Fn(usize) -> Result<NewObject<'a>, E> + Sync,
{
    fn work(&self, store: &gix::OdbHandle) -> Result<Vec<(usize, ObjectId)>, E> {
        let mut ids = Vec::new();
        loop {
            let first = self.next.fetch_add(RUN, Ordering::Relaxed);
            if first >= self.count {
                return Ok(ids);
            }
            for at in first..(first + RUN).min(self.count) {
                // an error elsewhere ends all: the other workers stop at their next run
                let result = (self.read)(at).and_then(|object| Ok(self.take(store, object)?));
                ids.push((at, result.inspect_err(|_| self.next.store(self.count, Ordering::Relaxed))?));
            }
        }
    }

    fn take(&self, store: &gix::OdbHandle, object: NewObject<'_>) -> Result<ObjectId, Error> {
        let id = object.id()?;
        if store.exists_without_refresh(&id) {
            // as in git: the new time shows a running gc that an old object is needed again. Objects in packs or
            // alternates are left as they are
            let _ = fs::touch(&loose_path(&self.objects, &id));
            return Ok(id);
        }
        {
            let mut fresh = self.lock();
            if !fresh.known.insert(id) {
                return Ok(id);
            }
            if fresh.pack.is_none() {
                fresh.keep(id, object, &self.objects)?;
                return Ok(id);
            }
        }
        let entry = PackEntry::whole(id, object.kind, &object.bytes, LEVEL);
        if let Some(pack) = &mut self.lock().pack {
            pack.add(&entry)?;
        }
        Ok(id)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Fresh> {
        self.fresh.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Fresh {
    /// Keeps an object in memory; when there are many, starts a pack with them.
    fn keep(&mut self, id: ObjectId, object: NewObject<'_>, objects: &Path) -> Result<(), Error> {
        self.few_bytes += object.bytes.len();
        self.few.push((id, object.kind, object.bytes.into_owned()));
        if self.few.len() >= PACK_FROM || self.few_bytes >= PACK_FROM_BYTES {
            let mut pack = PackFile::begin(objects)?;
            for (id, kind, bytes) in self.few.drain(..) {
                pack.add(&PackEntry::whole(id, kind, &bytes, LEVEL))?;
            }
            self.pack = Some(pack);
        }
        Ok(())
    }
}

fn write_loose(objects: &Path, few: &[Few]) -> Result<(), Error> {
    by_level(few).iter().try_for_each(|level| write_level(objects, level))
}

/// Orders the objects so that each level needs only those before it: a crash leaves no dangling references.
fn by_level(few: &[Few]) -> Vec<Vec<&Few>> {
    let places: HashMap<ObjectId, usize> = few.iter().enumerate().map(|(at, (id, ..))| (*id, at)).collect();
    let needs: Vec<Vec<usize>> = few
        .iter()
        .map(|(_, kind, bytes)| {
            needed(*kind, bytes).iter().filter_map(|id| places.get(id).copied()).collect()
        })
        .collect();
    let mut levels = vec![0; few.len()];
    let mut is_stable = false;
    while !is_stable {
        is_stable = true;
        for at in 0..few.len() {
            let level = needs[at].iter().map(|need| levels[*need] + 1).max().unwrap_or(0);
            is_stable &= level == levels[at];
            levels[at] = level;
        }
    }
    let mut ordered = vec![Vec::new(); levels.iter().max().map_or(0, |most| most + 1)];
    for (object, level) in few.iter().zip(levels) {
        ordered[level].push(object);
    }
    ordered
}

/// The objects that an object refers to; none if it cannot be read.
fn needed(kind: ObjectKind, bytes: &[u8]) -> Vec<ObjectId> {
    let sha1 = gix::hash::Kind::Sha1;
    match kind {
        ObjectKind::Blob => Vec::new(),
        ObjectKind::Tree => {
            let entries = gix::objs::TreeRefIter::from_bytes(bytes, sha1);
            entries.flatten().map(|entry| entry.oid.to_owned()).collect()
        }
        ObjectKind::Commit => {
            let mut commit = gix::objs::CommitRefIter::from_bytes(bytes, sha1);
            commit.tree_id().into_iter().chain(commit.parent_ids()).collect()
        }
        ObjectKind::Tag => gix::objs::TagRefIter::from_bytes(bytes, sha1).target_id().into_iter().collect(),
    }
}

fn write_level(objects: &Path, few: &[&Few]) -> Result<(), Error> {
    let share = few.len().div_ceil(workers(few.len())).max(1);
    let write = |share: &[&Few]| {
        let written = share.iter().map(|(id, kind, bytes)| write_one(objects, id, *kind, bytes));
        written.collect::<Result<Vec<_>, Error>>()
    };
    let (own, others) = few.split_at(share.min(few.len()));
    let folders = std::thread::scope(|threads| {
        let workers: Vec<_> = others.chunks(share).map(|share| threads.spawn(move || write(share))).collect();
        let mut folders: BTreeSet<PathBuf> = write(own)?.into_iter().collect();
        for worker in workers {
            folders.extend(worker.join().expect("a worker does not panic")?);
        }
        Ok::<_, Error>(folders)
    })?;
    sync_folders(objects, folders)
}

/// Writes one loose object; returns its folder.
fn write_one(objects: &Path, id: &ObjectId, kind: ObjectKind, bytes: &[u8]) -> Result<PathBuf, Error> {
    let path = loose_path(objects, id);
    let folder = path.parent().expect("a loose object stands in a folder").to_path_buf();
    fs::create_folder(&folder).during("store an object")?;
    let mut content = gix::objs::encode::loose_header(kind.to_gix(), bytes.len() as u64).to_vec();
    content.extend_from_slice(bytes);
    let mut file = read_only_temporary(&folder, "tmp_obj_")?;
    pack::deflate(Vec::new(), &content, LEVEL)
        .and_then(|compressed| file.write_all(&compressed))
        .and_then(|()| file.as_file().sync_all())
        .during("store an object")?;
    file.persist(&path).during("store an object")?;
    Ok(folder)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::open;

    fn scope() -> (tempfile::TempDir, Scope) {
        let folder = tempfile::tempdir().unwrap();
        gix::init(folder.path()).unwrap();
        let scope = open(folder.path(), "", &brv_base::environment::Environment::default()).unwrap();
        (folder, scope)
    }

    fn files_below(folder: &Path) -> Vec<PathBuf> {
        let mut files = Vec::new();
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { files.extend(files_below(&path)) } else { files.push(path) }
        }
        files
    }

    fn blobs(count: usize) -> Vec<Vec<u8>> {
        (0..count).map(|at| format!("# entry {at}\n{}", "text ".repeat(at % 50)).into_bytes()).collect()
    }

    fn stored_and_read_back(count: usize) -> (tempfile::TempDir, Scope, Vec<PathBuf>) {
        let (folder, scope) = scope();
        let blobs = blobs(count);
        let ids = write_blobs(&scope, &blobs).unwrap();
        let reader = open(folder.path(), "", &brv_base::environment::Environment::default()).unwrap();
        for (id, blob) in ids.iter().zip(&blobs) {
            assert_eq!(*id, BlobId::of(blob));
            let object = reader.repo.find_object(crate::id::object_id(*id)).unwrap();
            assert_eq!((object.kind, object.data.as_slice()), (gix::object::Kind::Blob, blob.as_slice()));
        }
        let files = files_below(&folder.path().join(".git/objects"));
        (folder, scope, files)
    }

    #[test]
    fn few_objects_are_loose_and_many_are_one_pack() {
        let (_folder, _scope, files) = stored_and_read_back(99);
        assert_eq!(files.len(), 99);
        let (_folder, scope, files) = stored_and_read_back(1000);
        assert_eq!(files.len(), 2, "{files:?}");
        // the writer itself sees them too
        assert!(scope.repo.has_object(crate::id::object_id(BlobId::of(&blobs(1)[0]))));
    }

    #[test]
    fn what_is_there_or_given_twice_is_written_once() {
        let (folder, scope, _) = stored_and_read_back(150);
        let mut again = blobs(160);
        again.extend(blobs(160));
        write_blobs(&scope, &again).unwrap();
        let loose = files_below(&folder.path().join(".git/objects"));
        assert_eq!(loose.len(), 2 + 10, "{loose:?}");
    }

    #[cfg(unix)]
    #[test]
    fn stored_files_are_read_only_for_all() {
        use std::os::unix::fs::PermissionsExt as _;
        for count in [3, 200] {
            let (_folder, _scope, files) = stored_and_read_back(count);
            for file in files {
                let mode = file.metadata().unwrap().permissions().mode();
                assert_eq!(mode & 0o777, 0o444, "{}", file.display());
            }
        }
    }

    #[test]
    fn an_error_of_the_reader_ends_the_work_and_leaves_no_file() {
        let (folder, scope) = scope();
        let result = write_blobs_from(&scope, 500, |at| {
            if at == 300 {
                return Err(Error::new("read", std::io::Error::other("gone")));
            }
            Ok(Cow::Owned(format!("{at}").into_bytes()))
        });
        assert!(result.is_err());
        assert_eq!(files_below(&folder.path().join(".git/objects")), Vec::<PathBuf>::new());
    }

    #[test]
    fn objects_made_in_memory_are_stored_afterwards() {
        let (folder, scope) = scope();
        let id = through_memory(&scope, |repo| repo.write_blob(b"x").map(gix::Id::detach).during("write"))
            .unwrap();
        assert!(
            open(folder.path(), "", &brv_base::environment::Environment::default())
                .unwrap()
                .repo
                .has_object(id)
        );
    }
}
