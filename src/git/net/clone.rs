//! Cloning: creates a repository with its remote, fetches, and sets up the initial branch.
//!
//! Writes no file of the work tree: the caller does that as a switch from the empty tree.

use super::fetch::{self, ConnectivityTrust, Prune, Tags};
use super::local::{self, LocalRemote};
use super::network::Network;
use super::transport;
use crate::error::{During, Error as GitError};
use crate::history::shallow::{Depth, Roots};
use crate::id::CommitId;
use crate::mode::Mode;
use crate::objects::object_files;
use crate::refs;
use crate::repository::scope::{Scope, open};
use crate::settings::remotes::{self, RemoteName, Target};
use crate::settings::url::RemoteUrl;
use crate::setup::init::{InitError, init, is_branch_name};
use bstr::{BStr, BString, ByteSlice as _};
use gix::ObjectId;
use gix::refs::transaction::{Change, LogChange, PreviousValue, RefEdit, RefLog};
use gix::refs::{FullName, Target as RefTarget};
use gix::remote::Direction;
use gix::url::Scheme;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

#[derive(Debug, Clone)]
pub struct Options {
    pub url: RemoteUrl,
    /// The target folder: absent, or empty.
    pub work_tree: PathBuf,
    pub remote: RemoteName,
    /// The initial branch (without `refs/heads/`). `None`: the one that the remote's `HEAD` names.
    pub branch: Option<String>,
    /// How much history: [`Depth::Unchanged`] for all that the remote has.
    pub depth: Depth,
    /// Which branches are fetched, now and later.
    pub branches: Branches,
    /// [`Tags::Configured`]: with all branches all tags, with one branch the tags in its history. [`Tags::None`] is
    /// kept for later fetches.
    pub tags: Tags,
}

/// Which branches of the remote are fetched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Branches {
    #[default]
    All,
    /// Only the initial branch.
    One,
}

pub struct Outcome {
    /// The new repository, with nothing checked out.
    pub scope: Scope,
    /// The full name of the branch that `HEAD` names.
    pub branch: BString,
    /// Its commit; `None` when the remote has none.
    pub commit: Option<CommitId>,
    /// How many objects were received.
    pub objects: usize,
    /// To be dropped once the files are written.
    pub unfinished: CloneMark,
}

/// Why a clone failed. Nothing is left behind.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("`{}` exists and is not an empty folder", .0.display())]
    NotEmpty(PathBuf),
    #[error("the remote has no branch `{0}`")]
    NoBranch(String),
    #[error(transparent)]
    Init(#[from] InitError),
    #[error(transparent)]
    Remote(#[from] remotes::Error),
    #[error(transparent)]
    Fetch(#[from] fetch::Error),
    #[error(transparent)]
    Git(#[from] GitError),
}

/// The initial branch if the remote names none.
const FALLBACK: &str = "refs/heads/main";

/// Clones without checking out: `HEAD` names the branch, which is unborn until the caller has written its files. So an
/// interrupted clone never looks like one whose files were deleted.
///
/// # Errors
/// [`Error`]; then nothing is left behind.
pub fn clone(options: &Options, network: &Network<'_>) -> Result<Outcome, Error> {
    // the remote is set before anything is received, so that an interrupted clone can be finished; but it is not yet
    // known to be valid
    let network = &Network { credentials: network.credentials.before_configuration(), ..*network };
    let traces = CloneCleanup::of(&options.work_tree)?;
    if let Some(branch) = options.branch.as_ref().filter(|branch| !is_branch_name(branch)) {
        return Err(Error::NoBranch(crate::printable(branch.as_bytes())));
    }
    let scope = init(&options.work_tree, "main", network.environment)?;
    let kept = options.url.without_password();
    remotes::add(&scope, &options.remote, &kept)?;
    // all branches would be more than was requested
    let whole = options.depth == Depth::Unchanged;
    let brought = whole.then(|| bring_objects(&scope, options)).flatten();
    let (brought, presence) = brought
        .map_or((0, ConnectivityTrust::Checked), |(objects, tips)| (objects, ConnectivityTrust::Whole(tips)));
    let fetched = receive(&scope, options, presence, network)?;
    let (branch, commit) = choose(options, &fetched)?;
    let short = branch.strip_prefix(b"refs/heads/").unwrap_or(&branch).as_bstr().to_str_lossy();
    set_branch(&scope, options, branch.as_bstr(), commit, fetched.default_branch.as_ref())?;
    remotes::set_upstream(&scope, &short, &options.remote, branch.as_bstr())?;
    let scope = open(&options.work_tree, "", network.environment).map_err(InitError::from)?;
    let unfinished = traces.keep();
    Ok(Outcome { scope, commit, objects: brought + fetched.objects, branch: branch.clone(), unfinished })
}

/// Copies the objects of a repository on this machine, without making a pack and unpacking it. If this does not work,
/// the protocol fetches them, and reports what is wrong. Returns how many were copied, and the refs before that.
fn bring_objects(scope: &Scope, options: &Options) -> Option<(usize, HashSet<ObjectId>)> {
    let target = Target::Url(options.url.clone());
    let url = transport::endpoint(&scope.repo, &target, Direction::Fetch, scope.environment()).ok()?.url;
    // as in git, `file://` asks for the protocol
    let is_path = url.scheme == Scheme::File && url.serialize_alternative_form;
    let git_dir = is_path.then(|| transport::local_path(&url)).flatten()?;
    // a hard link to a file of another user could still be changed by that user, trusted or not
    let is_own =
        gix::sec::Trust::from_path_ownership(&git_dir).is_ok_and(|trust| trust == gix::sec::Trust::Full);
    if !is_own {
        return None;
    }
    // objects pushed there from now on may be incomplete
    let source = LocalRemote::open(&git_dir, &options.url.to_string(), scope.environment()).ok()?;
    let tips = local::tips(&source.repo).ok()?;
    let objects =
        object_files::bring(&git_dir.join("objects"), scope.repo.objects.store_ref().path()).ok()??;
    Some((objects, tips.into_iter().collect()))
}

fn receive(
    scope: &Scope,
    options: &Options,
    presence: ConnectivityTrust,
    network: &Network<'_>,
) -> Result<fetch::Outcome, Error> {
    let (all, following) = match options.branches {
        Branches::All => (true, Tags::All),
        Branches::One => (false, Tags::Following),
    };
    let fetching = fetch::Options {
        // the password is used this once, and is not in the settings
        target: Target::Url(options.url.clone()),
        refspecs: vec![refspec(&options.remote, "*")],
        prune: Prune::Keep,
        tags: if options.tags == Tags::Configured { following } else { options.tags },
        depth: options.depth,
        roots: Roots::Accept,
        presence,
        record: fetch::FetchRecord::Nothing,
        mode: Mode::Write,
    };
    let mut only = None;
    let choose = |offer: &fetch::FetchOffer<'_>| {
        let default = offer.default_branch().and_then(|name| name.strip_prefix("refs/heads/"));
        let one = options.branch.as_deref().or(default).filter(|one| !all && offer.has_branch(one));
        only = one.map(|one| refspec(&options.remote, one));
        only.clone().map_or_else(|| fetching.refspecs.clone(), |only| vec![only])
    };
    let fetched = fetch::fetch_choosing(scope, &fetching, network, choose)?;
    let none = (options.tags == Tags::None).then_some("--no-tags");
    if only.is_some() || none.is_some() {
        let refspec = only.unwrap_or_else(|| refspec(&options.remote, "*"));
        remotes::limit(scope, &options.remote, &[refspec], none)?;
    }
    Ok(fetched)
}

fn refspec(remote: &RemoteName, branch: &str) -> String {
    format!("+refs/heads/{branch}:refs/remotes/{remote}/{branch}")
}

fn choose(options: &Options, fetched: &fetch::Outcome) -> Result<(BString, Option<CommitId>), Error> {
    let commit_of = |name: &BStr| {
        let update = fetched.updates.iter().find(|update| update.remote == name)?;
        update.after.map(|id| CommitId(id.0))
    };
    let branches = || fetched.updates.iter().filter(|update| update.remote.starts_with(b"refs/heads/"));
    if let Some(branch) = &options.branch {
        let name = BString::from(format!("refs/heads/{branch}"));
        let commit = commit_of(name.as_bstr()).ok_or_else(|| Error::NoBranch(branch.clone()))?;
        return Ok((name, Some(commit)));
    }
    if let Some(branch) = &fetched.default_branch {
        let is_branch = branch.strip_prefix(b"refs/heads/").and_then(|name| name.to_str().ok());
        let commit = commit_of(branch.as_bstr());
        if is_branch.is_some_and(is_branch_name) && (commit.is_some() || branches().next().is_none()) {
            return Ok((branch.clone(), commit));
        }
    }
    // the remote's HEAD is detached, or names a branch that was never pushed: any other branch is better than none
    let first = branches().find(|update| update.remote == FALLBACK).or_else(|| branches().next());
    let name = first.map_or_else(|| FALLBACK.into(), |update| update.remote.clone());
    Ok((name.clone(), commit_of(name.as_bstr())))
}

fn set_branch(
    scope: &Scope,
    options: &Options,
    branch: &BStr,
    commit: Option<CommitId>,
    default: Option<&BString>,
) -> Result<(), GitError> {
    let mut repo = scope.repo.clone();
    repo.committer_or_set_generic_fallback().during("prepare the reflog")?;
    let full = |name: &BStr| FullName::try_from(name).during(format!("use `{name}` as the name of a ref"));
    let message = format!("clone: from {}", options.url);
    let symbolic = |name: FullName, target: FullName| RefEdit {
        change: Change::Update {
            log: LogChange {
                mode: RefLog::AndReference,
                force_create_reflog: false,
                message: message.as_str().into(),
            },
            expected: PreviousValue::Any,
            new: RefTarget::Symbolic(target),
        },
        name,
        deref: false,
    };
    let mut edits = vec![symbolic(full("HEAD".into())?, full(branch)?)];
    if commit.is_some() {
        let remembered = branch.strip_prefix(b"refs/heads/").unwrap_or(branch).as_bstr();
        let remote = &options.remote;
        let target = BString::from(format!("refs/remotes/{remote}/{remembered}"));
        let head = BString::from(format!("refs/remotes/{remote}/HEAD"));
        if default.is_some_and(|default| default == branch)
            && scope.repo.find_reference(target.as_bstr()).is_ok()
        {
            edits.push(symbolic(full(head.as_bstr())?, full(target.as_bstr())?));
        }
    }
    refs::edit_few(&repo, edits)
}

/// Marks a clone in progress: a file with the operating system's lock on it. A mark without a lock was left by a killed
/// clone, whose other files may be removed if no user's file is among them.
#[derive(Debug)]
pub struct CloneMark {
    path: PathBuf,
    _file: std::fs::File,
}

impl CloneMark {
    fn path(work_tree: &Path) -> PathBuf {
        work_tree.join(format!("{}clone", brv_base::fs::TEMPORARY_PREFIX))
    }

    /// The mark of a new clone. `None`: another one is in progress.
    fn mark(work_tree: &Path) -> Result<Option<Self>, GitError> {
        let act = || format!("clone into `{}`", work_tree.display());
        brv_base::fs::create_folder(work_tree).during(act())?;
        let path = Self::path(work_tree);
        let file =
            std::fs::OpenOptions::new().create(true).truncate(false).write(true).open(&path).during(act())?;
        Ok(file.try_lock().is_ok().then_some(Self { path, _file: file }))
    }
}

impl Drop for CloneMark {
    fn drop(&mut self) {
        // a mark that stays is told apart by its lock, and is removed with other temporary files
        let _ = brv_base::fs::remove_file(&self.path);
    }
}

/// The content of a folder: whether a clone may begin there.
#[derive(PartialEq, Eq)]
enum CloneFolderState {
    Free,
    /// The repository of a killed clone, and no other file.
    LeftOver,
    Taken,
}

impl CloneFolderState {
    fn of(work_tree: &Path) -> std::io::Result<Self> {
        let entries = match std::fs::read_dir(work_tree) {
            Ok(entries) => entries,
            Err(error) if brv_base::fs::is_absence(&error) => {
                // a file, or a broken link
                let is_there = work_tree.symlink_metadata().is_ok();
                return Ok(if is_there { Self::Taken } else { Self::Free });
            }
            Err(error) => return Err(error),
        };
        let names: Vec<_> =
            entries.map(|entry| entry.map(|entry| entry.file_name())).collect::<std::io::Result<_>>()?;
        let is_way = |name: &std::ffi::OsString| {
            name == ".git" || name.to_string_lossy().starts_with(brv_base::fs::TEMPORARY_PREFIX)
        };
        let is_marked = CloneMark::path(work_tree).is_file();
        Ok(match names.is_empty() {
            true => Self::Free,
            false if is_marked && names.iter().all(is_way) => Self::LeftOver,
            false => Self::Taken,
        })
    }
}

/// Everything to remove again unless the clone succeeds.
struct CloneCleanup<'a> {
    work_tree: &'a Path,
    mark: Option<CloneMark>,
    /// The topmost folder that did not exist.
    made: Option<PathBuf>,
    kept: bool,
}

impl<'a> CloneCleanup<'a> {
    fn of(work_tree: &'a Path) -> Result<Self, Error> {
        let room = CloneFolderState::of(work_tree).during(format!("read `{}`", work_tree.display()))?;
        if room == CloneFolderState::Taken {
            return Err(Error::NotEmpty(work_tree.to_path_buf()));
        }
        let absent = work_tree
            .ancestors()
            .take_while(|folder| !folder.as_os_str().is_empty() && folder.symlink_metadata().is_err());
        let made = absent.last().map(Path::to_path_buf);
        let Some(mark) = CloneMark::mark(work_tree)? else {
            return Err(Error::NotEmpty(work_tree.to_path_buf()));
        };
        if room == CloneFolderState::LeftOver {
            remove_left_over(work_tree).during(format!("clone into `{}`", work_tree.display()))?;
        }
        Ok(Self { work_tree, mark: Some(mark), made, kept: false })
    }

    fn keep(mut self) -> CloneMark {
        self.kept = true;
        self.mark.take().expect("it is taken once, here")
    }
}

impl Drop for CloneCleanup<'_> {
    fn drop(&mut self) {
        if self.kept {
            return;
        }
        // whatever cannot be removed was reported by the error that led here, or will be found by the next clone
        let _ = brv_base::fs::remove_folder(&self.work_tree.join(".git"));
        drop(self.mark.take());
        // the network takes its time: files that others put into the new folders meanwhile are kept
        if let Some(above) = self.made.as_ref().and_then(|made| made.parent()) {
            brv_base::fs::prune_empty_folders(self.work_tree, above);
        }
    }
}

/// The repository of a killed clone, complete or not; the mark stays.
fn remove_left_over(work_tree: &Path) -> std::io::Result<()> {
    for entry in std::fs::read_dir(work_tree)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            brv_base::fs::remove_folder(&entry.path()).map_err(|error| error.source)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_killed_clone_makes_room_for_the_next_and_nothing_else_does() {
        let folder = tempfile::tempdir().unwrap();
        let work_tree = folder.path().join("tree");
        let write = |name: &str| {
            brv_base::fs::replace(&work_tree.join(name), b"x", brv_base::fs::Durability::Later).unwrap();
        };
        write(".git/HEAD");
        assert!(matches!(CloneCleanup::of(&work_tree), Err(Error::NotEmpty(_))), "somebody's repository");
        write(".brv-tmp-clone");
        write(".brv-tmp-x/.git/HEAD");
        let traces = CloneCleanup::of(&work_tree).unwrap();
        assert!(!work_tree.join(".git").exists() && !work_tree.join(".brv-tmp-x").exists());
        write(".git/HEAD");
        assert!(matches!(CloneCleanup::of(&work_tree), Err(Error::NotEmpty(_))), "another clone is at it");
        let unfinished = traces.keep();
        assert!(work_tree.join(".git/HEAD").exists());
        drop(unfinished);
        assert!(!work_tree.join(".brv-tmp-clone").exists());
        write(".brv-tmp-clone");
        write("mine.md");
        assert!(matches!(CloneCleanup::of(&work_tree), Err(Error::NotEmpty(_))), "somebody's file");
        assert!(work_tree.join(".git/HEAD").exists() && work_tree.join("mine.md").exists());
    }

    #[test]
    fn a_clone_that_fails_takes_its_folders_along_but_no_file_of_others() {
        let folder = tempfile::tempdir().unwrap();
        for others in [None, Some("new/mine.txt"), Some("new/tree/mine.txt")] {
            let work_tree = folder.path().join("new/tree");
            let traces = CloneCleanup::of(&work_tree).unwrap();
            let write = |path: &Path| {
                brv_base::fs::replace(path, b"x", brv_base::fs::Durability::Later).unwrap();
            };
            write(&work_tree.join(".git/HEAD"));
            if let Some(others) = others {
                write(&folder.path().join(others));
            }
            drop(traces);
            assert!(!work_tree.join(".git").exists());
            let stays = others.map(|others| folder.path().join(others));
            assert!(stays.as_ref().is_none_or(|stays| stays.is_file()));
            assert_eq!(folder.path().join("new").exists(), stays.is_some());
            stays.into_iter().for_each(|stays| drop(std::fs::remove_file(stays)));
            brv_base::fs::remove_empty_folders(&folder.path().join("new"));
        }
    }
}
