//! The commits of a remote in the user's cache, bare and shallow: what is sent is read from there.
//!
//! A mirror can be deleted at any time. It keeps no history: two commits are compared by their trees.

use crate::{FailureKind, Stop};
use brv_base::config;
use brv_base::content::ContentId;
use brv_base::environment::Environment;
use brv_base::fs::{self, WriteGuard};
use brv_git as git;
use brv_git::fetch::{ConnectivityTrust, FetchRecord, Options, Prune, Tags};
use brv_git::network::Network;
use brv_git::{BlobId, CommitId, Depth, Mode, RemoteUrl, Roots, Scope, Target, trees};
use bstr::{BStr, BString, ByteSlice as _};
use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// How large all mirrors may be together, in bytes. The ones used least recently go first.
const MOST_BYTES: u64 = 2 << 30;

/// A mirror with more packs is made anew: each fetch adds one.
const MOST_PACKS: usize = 50;

/// How long to wait for another push that uses the same mirror.
const PATIENCE: Duration = Duration::from_secs(120);

/// The mirror of one remote, held by this process.
pub struct Mirror {
    scope: Scope,
    url: RemoteUrl,
    /// Whether it is as an earlier push left it.
    pub is_used: bool,
    _lock: WriteGuard,
}

/// The folder of the mirrors.
///
/// # Errors
/// The user has no cache folder.
pub fn folder(environment: &Environment) -> Result<PathBuf, Stop> {
    let cache = config::user_cache(environment);
    cache
        .map(|cache| cache.join("mirrors-1"))
        .ok_or_else(|| Stop::failed("there is no folder for caches: HOME is not set"))
}

/// A bare repository without commits, for conversations that fetch nothing.
///
/// # Errors
/// It cannot be made.
pub fn desk(environment: &Environment) -> Result<Scope, Stop> {
    let folder = folder(environment)?;
    let _lock = WriteGuard::acquire(&folder.join("desk.lock"), PATIENCE)?;
    opened(&folder.join("desk.git"), environment)
}

fn opened(path: &Path, environment: &Environment) -> Result<Scope, Stop> {
    if let Ok(scope) = git::open_bare(path, "", environment) {
        return Ok(scope);
    }
    // one that was interrupted while it was made
    if path.exists() {
        fs::remove_folder(path)?;
    }
    fs::create_folder(path)?;
    git::init_bare(path, "main")?;
    Ok(git::open_bare(path, "", environment)?)
}

impl Mirror {
    /// The mirror of the remote that is known by `name`, made if it is not there.
    ///
    /// # Errors
    /// Another process holds it for too long; the disk.
    pub fn open(name: &str, url: &RemoteUrl, environment: &Environment) -> Result<Self, Stop> {
        let folder = folder(environment)?;
        let key = ContentId::of(name.as_bytes()).to_string();
        let lock = WriteGuard::acquire(&folder.join(format!("{key}.lock")), PATIENCE)?;
        let path = folder.join(format!("{key}.git"));
        let packs = fs::names(&path.join("objects/pack")).unwrap_or_default();
        if packs.iter().filter(|name| name.ends_with(".pack")).count() > MOST_PACKS && path.exists() {
            fs::remove_folder(&path)?;
        }
        let is_used = path.exists();
        let scope = opened(&path, environment)?;
        // when it was used last
        fs::touch(&path.join("HEAD"))?;
        Ok(Self { scope, url: url.clone(), is_used, _lock: lock })
    }

    /// Fetch a branch as it is now, without its history. Returns its commit.
    ///
    /// # Errors
    /// The remote; it has no such branch any more.
    pub fn fetch(&self, branch: &str, network: &Network<'_>) -> Result<CommitId, Stop> {
        let name = format!("refs/heads/{branch}");
        // not below `refs/heads`, where the branch of `HEAD` stays as it is
        let outcome = self.fetch_refspec(&format!("+{name}:refs/remotes/mirror/{branch}"), network)?;
        let found =
            outcome.updates.iter().find(|update| update.remote == name).and_then(|update| update.after);
        let gone =
            || Stop::new(FailureKind::Remote, format!("`{}` has no branch `{branch}` any more", self.url));
        found.and_then(|id| CommitId::from_hex(&id.to_string())).ok_or_else(gone)
    }

    /// Make sure that a commit is here that a branch had before; whether it is.
    pub fn bring(&self, commit: CommitId, network: &Network<'_>) -> bool {
        // servers need not give what no branch has
        self.has(commit) || (self.fetch_refspec(&commit.to_string(), network).is_ok() && self.has(commit))
    }

    fn fetch_refspec(
        &self,
        refspec: &str,
        network: &Network<'_>,
    ) -> Result<git::fetch::Outcome, git::fetch::Error> {
        let shallow = Options {
            target: Target::Url(self.url.clone()),
            refspecs: vec![refspec.to_owned()],
            prune: Prune::Keep,
            tags: Tags::None,
            depth: Depth::Of(NonZeroU32::MIN),
            roots: Roots::Accept,
            presence: ConnectivityTrust::Checked,
            record: FetchRecord::Nothing,
            mode: Mode::Write,
        };
        match git::fetch::fetch(&self.scope, &shallow, network) {
            // a server without shallow repositories gives all of the history
            Err(git::fetch::Error::Incapable { .. }) => {
                git::fetch::fetch(&self.scope, &Options { depth: Depth::Unchanged, ..shallow }, network)
            }
            done => done,
        }
    }

    /// Whether a commit is here.
    pub fn has(&self, commit: CommitId) -> bool {
        self.scope.tree_of(commit).is_ok()
    }

    /// The name of the author of a commit.
    ///
    /// # Errors
    /// The commit cannot be read.
    pub fn author(&self, commit: CommitId) -> Result<String, Stop> {
        Ok(git::history::read(&self.scope, commit)?.author.name.to_str_lossy().into_owned())
    }

    /// The files of a commit in a folder, by their paths from there. `None` if it has no such folder.
    ///
    /// # Errors
    /// The commit cannot be read.
    pub fn files(&self, commit: CommitId, prefix: &str) -> Result<Option<BTreeMap<BString, BlobId>>, Stop> {
        let whole = self.scope.tree_of(commit)?;
        let tree = match prefix.is_empty() {
            true => whole,
            false => match trees::find(&self.scope, whole, BStr::new(prefix))? {
                Some(trees::TreeItem::Folder(tree)) => tree,
                _ => return Ok(None),
            },
        };
        let files = trees::list(&self.scope, tree)?.into_iter();
        let regular = files.filter(|(_, version)| {
            matches!(version.mode, git::FileMode::Regular | git::FileMode::Executable)
        });
        Ok(Some(regular.map(|(path, version)| (path, version.id)).collect()))
    }

    /// The bytes of files, read on all cores; `None` of those with more than `most`.
    ///
    /// # Errors
    /// One cannot be read.
    pub fn blobs(&self, ids: &[BlobId], most: u64) -> Result<Vec<Option<Vec<u8>>>, Stop> {
        let shared = self.scope.to_shared();
        let read = |scope: &mut Scope, id: &BlobId| match trees::blob_size(scope, *id)? > most {
            true => Ok(None),
            false => trees::blob(scope, *id).map(Some),
        };
        Ok(brv_base::parallel::try_map(ids, || shared.to_local(), read)?)
    }
}

/// Remove the mirror of a remote: what it has cannot be read.
///
/// # Errors
/// Another process holds it for too long; the disk.
pub fn forget(name: &str, environment: &Environment) -> Result<(), Stop> {
    let folder = folder(environment)?;
    let key = ContentId::of(name.as_bytes()).to_string();
    let _lock = WriteGuard::acquire(&folder.join(format!("{key}.lock")), PATIENCE)?;
    Ok(fs::remove_folder(&folder.join(format!("{key}.git")))?)
}

/// Remove the mirrors used least recently until all are within the limit. One that is in use stays.
pub fn limit(environment: &Environment) {
    if let Ok(folder) = folder(environment) {
        limit_to(&folder, MOST_BYTES);
    }
}

fn limit_to(folder: &Path, most: u64) {
    let names = fs::names(folder).unwrap_or_default();
    let mut mirrors: Vec<(SystemTime, u64, String)> = names
        .into_iter()
        .filter_map(|name| {
            let path =
                folder.join(name.strip_suffix(".git").filter(|name| *name != "desk")?).with_extension("git");
            let used = std::fs::metadata(path.join("HEAD")).and_then(|found| found.modified()).ok()?;
            Some((used, size(&path), name))
        })
        .collect();
    mirrors.sort_unstable();
    let mut all: u64 = mirrors.iter().map(|(_, size, _)| size).sum();
    for (_, size, name) in mirrors {
        if all <= most {
            return;
        }
        let lock = folder.join(&name).with_extension("lock");
        let Ok(_lock) = WriteGuard::acquire(&lock, Duration::ZERO) else { continue };
        if fs::remove_folder(&folder.join(&name)).is_ok() {
            all = all.saturating_sub(size);
        }
    }
}

/// The bytes of the packs of a repository, and of its loose objects if there are any.
fn size(repository: &Path) -> u64 {
    let objects = repository.join("objects");
    let folders = fs::names(&objects).unwrap_or_default();
    let files = |folder: &String| fs::inside(&objects.join(folder)).unwrap_or_default();
    let length = |file: fs::FolderFile| std::fs::metadata(file.file).map_or(0, |found| found.len());
    folders.iter().flat_map(files).map(length).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mirrors_used_least_recently_go_first_and_one_in_use_stays() {
        let cache = tempfile::tempdir().unwrap();
        for (age, name) in [(4, "held"), (3, "old"), (1, "new"), (2, "middle"), (9, "desk")] {
            let mirror = cache.path().join(format!("{name}.git"));
            fs::create_folder(&mirror.join("objects/pack")).unwrap();
            fs::replace(&mirror.join("objects/pack/a.pack"), &[0; 1000], fs::Durability::Later).unwrap();
            fs::replace(&mirror.join("HEAD"), b"", fs::Durability::Later).unwrap();
            let used = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000 - age * 60);
            std::fs::File::options()
                .write(true)
                .open(mirror.join("HEAD"))
                .unwrap()
                .set_modified(used)
                .unwrap();
        }
        let left = |most| {
            limit_to(cache.path(), most);
            let mut names = fs::names(cache.path()).unwrap();
            names.retain(|name| name.ends_with(".git") && name != "desk.git");
            names.sort_unstable();
            names
        };
        let held = WriteGuard::acquire(&cache.path().join("held.lock"), Duration::ZERO).unwrap();
        assert_eq!(left(4000), ["held.git", "middle.git", "new.git", "old.git"]);
        assert_eq!(left(3999), ["held.git", "middle.git", "new.git"]);
        assert_eq!(left(2000), ["held.git", "new.git"]);
        drop(held);
        assert_eq!(left(1500), ["new.git"]);
    }
}
