//! A repository with a path prefix: the argument of every function in this crate.

use super::alternates;
use super::broken_refs::BrokenRefs;
use super::format;
use super::trust::{self, TrustError};
use crate::error::{During, Error};
use crate::id::{CommitId, TreeId};
use brv_base::environment::Environment;
use bstr::{BStr, BString, ByteSlice};
use std::borrow::Cow;
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The tree's repository, and the folder in it that holds the tree (`""`: all of it).
#[derive(Clone)]
pub struct Scope {
    pub(crate) repo: gix::Repository,
    prefix: String,
    environment: Environment,
    /// Whether this process has changed the settings since gitoxide read them.
    settings_changed: Arc<AtomicBool>,
    broken_refs: BrokenRefs,
}

#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error("there is no git repository at `{}`", .0.display())]
    Absent(PathBuf),
    #[error("the repository at `{}` uses {format}, which brv does not support", path.display())]
    Unsupported {
        path: PathBuf,
        /// In words: `the reftable ref format`, `SHA-256 object ids`, …
        format: Cow<'static, str>,
    },
    #[error(transparent)]
    Foreign(trust::ForeignRepository),
    #[error("the repository at `{}` is bare: brv needs a work tree", .0.display())]
    Bare(PathBuf),
    /// The tree is a folder of it that git does not reach.
    #[error("the path to `{}` passes through a symlink, which git does not follow", .0.display())]
    BehindLink(PathBuf),
    #[error(transparent)]
    Git(#[from] Error),
}

impl From<TrustError> for OpenError {
    fn from(error: TrustError) -> Self {
        match error {
            TrustError::Foreign(foreign) => Self::Foreign(foreign),
            TrustError::Git(error) => Self::Git(error),
        }
    }
}

/// The value of `HEAD`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Head {
    /// A branch (full name) with commits.
    Branch {
        /// `refs/heads/main`
        name: BString,
        commit: CommitId,
    },
    /// A branch without commits.
    Unborn {
        /// `refs/heads/main`
        name: BString,
    },
    /// A detached `HEAD`.
    Detached { commit: CommitId },
}

impl Head {
    /// The commit, if there is one.
    pub const fn commit(&self) -> Option<CommitId> {
        match self {
            Self::Branch { commit, .. } | Self::Detached { commit } => Some(*commit),
            Self::Unborn { .. } => None,
        }
    }

    /// The full name of the branch, if on one.
    pub fn branch(&self) -> Option<&BStr> {
        match self {
            Self::Branch { name, .. } | Self::Unborn { name } => Some(name.as_bstr()),
            Self::Detached { .. } => None,
        }
    }

    /// The name of the branch without `refs/heads/`, if on one.
    pub fn short_branch(&self) -> Option<String> {
        self.branch().map(|name| {
            let name = name.strip_prefix(b"refs/heads/".as_slice()).unwrap_or(name);
            name.to_str_lossy().into_owned()
        })
    }
}

const OBJECTS_BYTES: usize = 8 << 20;
/// The size of the cache of delta bases (git's `core.deltaBaseCacheLimit` is 96 MiB).
const DELTA_BASES_BYTES: usize = 32 << 20;

/// Open the repository whose work tree is `work_tree`, with the tree at `prefix` in it.
///
/// # Errors
/// [`OpenError`]; formats that gitoxide cannot read are named.
pub fn open(work_tree: &Path, prefix: &str, environment: &Environment) -> Result<Scope, OpenError> {
    if work_tree.join(".git").symlink_metadata().is_err() {
        return Err(OpenError::Absent(work_tree.to_path_buf()));
    }
    let common = trust::check_work_tree(work_tree, environment)?;
    if let Some(format) = format::unsupported(&common) {
        return Err(OpenError::Unsupported { path: work_tree.to_path_buf(), format });
    }
    alternates::check(&work_tree.join(".git/objects"))
        .during(|| format!("open the repository at `{}`", work_tree.display()))?;
    let mut repo = gix::open_opts(work_tree, options())
        .during(|| format!("open the repository at `{}`", work_tree.display()))?;
    if repo.workdir().is_none() {
        return Err(OpenError::Bare(work_tree.to_path_buf()));
    }
    set_caches(&mut repo);
    Ok(Scope::of(repo, prefix, environment))
}

/// Open a bare repository by its folder, with the tree at `prefix` in its commits: a mirror, from which is only read.
///
/// # Errors
/// [`OpenError`].
pub fn open_bare(git_dir: &Path, prefix: &str, environment: &Environment) -> Result<Scope, OpenError> {
    if !git_dir.join("HEAD").is_file() {
        return Err(OpenError::Absent(git_dir.to_path_buf()));
    }
    trust::check_git_dir(git_dir, environment)?;
    let act = || format!("open the repository at `{}`", git_dir.display());
    alternates::check(&git_dir.join("objects")).during(act)?;
    let mut repo = gix::open_opts(git_dir, options().open_path_as_is(true)).during(act)?;
    set_caches(&mut repo);
    Ok(Scope::of(repo, prefix, environment))
}

/// The options for opening repositories. gitoxide limits the number of packs when it opens a repository, by default to
/// one in ten more than there are: too few for a sync that fetches again and again while others are faster.
pub(crate) fn options() -> gix::open::Options {
    let slots = gix::odb::store::init::Slots::AsNeededByDiskState { multiplier: 2.0, minimum: 1024 };
    gix::open::Options::default().object_store_slots(slots).with(gix::sec::Trust::Full)
}

/// The repository without replacements (`refs/replace`).
pub(crate) fn without_replacements(repo: &gix::Repository) -> gix::Repository {
    let mut repo = repo.clone();
    repo.objects.ignore_replacements = true;
    repo
}

pub(crate) fn set_caches(repo: &mut gix::Repository) {
    repo.object_cache_size_if_unset(OBJECTS_BYTES);
    // gitoxide's own cache keeps 64 objects and scans them: too few for the trees of a long history
    repo.objects
        .set_pack_cache(|| Box::new(gix::odb::pack::cache::lru::MemoryCappedHashmap::new(DELTA_BASES_BYTES)));
}

impl Scope {
    fn of(repo: gix::Repository, prefix: &str, environment: &Environment) -> Self {
        Self {
            repo,
            prefix: prefix.trim_matches('/').into(),
            environment: environment.clone(),
            settings_changed: Arc::default(),
            broken_refs: BrokenRefs::default(),
        }
    }

    /// Keep the object store until the process ends: it has a thousand slots for packs, and freeing them is a tenth of the
    /// work of `log -n 10`. Only the first store of a process is kept, so that a worker or a watcher does not collect them.
    pub fn keep_to_the_end(&self) {
        static IS_KEPT: AtomicBool = AtomicBool::new(false);
        if !IS_KEPT.swap(true, Ordering::Relaxed) {
            let _store = ManuallyDrop::new(self.repo.objects.store());
        }
    }

    /// The work tree; the folder of a bare repository, which has none.
    pub fn work_tree(&self) -> &Path {
        self.repo.workdir().unwrap_or_else(|| self.repo.git_dir())
    }

    /// The folder of the tree on disk: the work tree and the prefix.
    pub fn root(&self) -> PathBuf {
        self.prefix
            .split('/')
            .filter(|part| !part.is_empty())
            .fold(self.work_tree().to_path_buf(), |path, part| path.join(part))
    }

    /// The repository's private folder (of this work tree).
    pub fn git_dir(&self) -> &Path {
        self.repo.git_dir()
    }

    pub fn index_file(&self) -> PathBuf {
        self.repo.index_path()
    }

    /// The folder shared by all work trees of the repository.
    pub fn common_dir(&self) -> &Path {
        self.repo.common_dir()
    }

    /// The prefix, without slashes at its ends; empty when the tree is the repository.
    pub fn prefix(&self) -> &str {
        &self.prefix
    }

    pub const fn environment(&self) -> &Environment {
        &self.environment
    }

    /// The broken refs that were passed over so far.
    pub const fn broken_refs(&self) -> &BrokenRefs {
        &self.broken_refs
    }

    /// The same repository, with broken refs collected here.
    pub fn noting(self, broken_refs: &BrokenRefs) -> Self {
        Self { broken_refs: broken_refs.clone(), ..self }
    }

    /// A path of the repository as seen from the tree, `None` outside of it.
    pub fn strip<'a>(&self, path: &'a BStr) -> Option<&'a BStr> {
        if self.prefix.is_empty() {
            return Some(path);
        }
        path.strip_prefix(self.prefix.as_bytes())?.strip_prefix(b"/").map(ByteSlice::as_bstr)
    }

    /// A path of the tree as the repository knows it.
    pub fn full(&self, path: &[u8]) -> BString {
        if self.prefix.is_empty() {
            return path.into();
        }
        let mut full = BString::from(self.prefix.as_str());
        if !path.is_empty() {
            full.push(b'/');
            full.extend_from_slice(path);
        }
        full
    }

    /// Where `HEAD` points now (read from disk, not from a cache).
    ///
    /// # Errors
    /// When `HEAD` cannot be read.
    pub fn head(&self) -> Result<Head, Error> {
        let head = self.repo.head().during("read HEAD")?;
        Ok(match head.kind {
            gix::head::Kind::Unborn(name) => Head::Unborn { name: name.as_bstr().to_owned() },
            gix::head::Kind::Detached { target, .. } => Head::Detached { commit: CommitId(target) },
            gix::head::Kind::Symbolic(ref reference) => {
                let name = reference.name.as_bstr().to_owned();
                let commit = self.repo.head_id().during("read HEAD")?.detach();
                Head::Branch { name, commit: CommitId(commit) }
            }
        })
    }

    /// The tree of a commit (of the whole repository, not only of the prefix).
    pub fn tree_of(&self, commit: CommitId) -> Result<TreeId, Error> {
        let commit = self.repo.find_commit(commit.0).during(|| format!("read commit {commit}"))?;
        Ok(TreeId(commit.tree_id().during("read the commit's tree")?.detach()))
    }

    /// The tree of `HEAD`, or the empty one on an unborn branch.
    ///
    /// # Errors
    /// When `HEAD` or its commit cannot be read.
    pub fn head_tree(&self) -> Result<TreeId, Error> {
        self.head()?.commit().map_or(Ok(TreeId::empty()), |commit| self.tree_of(commit))
    }
}

impl Scope {
    /// Settings are read again from now on.
    pub(super) fn note_changed_settings(&self) {
        self.settings_changed.store(true, Ordering::Release);
    }

    /// Whether the settings on disk have changed since gitoxide read them.
    pub(super) fn has_changed_settings(&self) -> bool {
        self.settings_changed.load(Ordering::Acquire)
    }

    /// The same repository without a prefix: a merge covers all its files.
    pub fn whole(&self) -> Self {
        Self { prefix: String::new(), ..self.clone() }
    }

    /// The same for work that reads no object twice, so that caching is useless.
    pub(crate) fn without_object_cache(&self) -> Self {
        let mut scope = self.clone();
        scope.repo.objects.unset_object_cache();
        scope
    }
}

/// A scope that can be sent to other threads.
#[derive(Clone)]
pub struct SharedScope {
    repo: gix::ThreadSafeRepository,
    /// Objects that are not stored yet ([`crate::Drafts`]).
    drafts: Option<Arc<gix::odb::memory::Storage>>,
    prefix: String,
    environment: Environment,
    settings_changed: Arc<AtomicBool>,
    broken_refs: BrokenRefs,
}

impl Scope {
    pub fn to_shared(&self) -> SharedScope {
        let settings_changed = Arc::clone(&self.settings_changed);
        let mut repo = self.repo.clone();
        let drafts = repo.objects.take_object_memory().filter(|drafts| !drafts.is_empty()).map(Arc::new);
        SharedScope {
            repo: repo.into_sync(),
            drafts,
            prefix: self.prefix.clone(),
            environment: self.environment.clone(),
            settings_changed,
            broken_refs: self.broken_refs.clone(),
        }
    }
}

impl SharedScope {
    pub fn to_local(&self) -> Scope {
        let mut repo = self.repo.to_thread_local();
        set_caches(&mut repo);
        if let Some(drafts) = &self.drafts {
            repo.objects.set_object_memory(drafts.as_ref().clone());
        }
        let settings_changed = Arc::clone(&self.settings_changed);
        Scope {
            repo,
            prefix: self.prefix.clone(),
            environment: self.environment.clone(),
            settings_changed,
            broken_refs: self.broken_refs.clone(),
        }
    }
}
