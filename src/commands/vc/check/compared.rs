//! What is compared: the two states that the arguments mean, their files, and the commits between them.

use super::{CheckScope, Options};
use brv_base::content::ContentId;
use brv_base::fs::Listing;
use brv_base::sorting;
use brv_engine::Stop;
use brv_engine::open::naming::revisions::{Arguments, Revision};
use brv_engine::open::naming::upstream;
use brv_engine::open::survey::{self, Class, Survey};
use brv_engine::read::history::changes::{Contents, Detail};
use brv_engine::read::history::knowledge::{self, ChangeReport};
use brv_engine::read::history::states::{Names, TreeState};
use brv_engine::vc::check::state::CheckedTree as Files;
use brv_engine::vc::work_tree::on_disk;
use brv_git as git;
use brv_git::pathspec::Pathspecs;
use brv_git::trees::{self, Change, Renames};
use brv_git::{CommitId, FileMode, Head, Scope, TreeId, Version, history};
use brv_text::lint::secrets;
use bstr::{BStr, BString, ByteSlice as _};
use std::borrow::Cow;

/// Both states of a check.
pub struct CheckStates {
    pub before: TreeState,
    pub after: TreeState,
    /// Their names, as typed.
    pub names: Names,
    /// The commit that the change is made from; `None` if there is none.
    pub from: Option<CommitId>,
    /// The commit whose policy and baseline hold; `None` if there is none.
    pub base: Option<CommitId>,
    pub files: Files,
    /// The changes between the two, with renames.
    pub changes: Vec<Change>,
    /// The newest commit of the range, and those that the range leaves out; `None` where no commits are checked.
    pub range: Option<(CommitId, Vec<CommitId>)>,
    /// The full name of the branch whose push would bring the range, if it is checked out.
    pub branch: Option<BString>,
    pub unmerged: Vec<BString>,
    /// Disk, for a state that is there.
    survey: Option<Survey>,
}

impl CheckStates {
    pub fn of(scope: &Scope, options: &Options, arguments: &Arguments) -> Result<Self, Stop> {
        let head = scope.head()?;
        let compared = match (options.what, arguments.revisions.as_slice()) {
            (CheckScope::Range, []) => Self::outgoing(scope, &head)?,
            (CheckScope::Range, [revision]) => {
                let typed = Self::typed(scope, revision, arguments)?;
                let is_here = typed.after == TreeState::Commit(head.commit());
                Self { branch: head.branch().filter(|_| is_here).map(ToOwned::to_owned), ..typed }
            }
            (CheckScope::Range, _) => return Err(several()),
            (CheckScope::Staged | CheckScope::Everything, [_, ..]) => {
                return Err(Stop::usage("`--staged` and `--all` take no revision"));
            }
            (CheckScope::Staged, []) => Self::staged(scope, &head)?,
            (CheckScope::Everything, []) => Self::on_disk(scope, &head)?,
        };
        let index = git::index::read(scope)?;
        let unmerged = index.unmerged();
        let unmerged = unmerged.iter().filter_map(|path| Some(scope.strip(path.as_bstr())?.to_owned()));
        Ok(Self { unmerged: unmerged.collect(), ..compared })
    }

    /// What the next push would bring: what no branch of the remote has that is known here. Before the first push there
    /// is no base.
    fn outgoing(scope: &Scope, head: &Head) -> Result<Self, Stop> {
        let tip = head.commit().ok_or_else(|| {
            let stop = Stop::failed("the branch has no commits yet");
            stop.hint("check the files before the first commit with `--staged` or `--all`")
        })?;
        let upstream = upstream::of(scope, head)?.ok_or_else(|| {
            let stop = Stop::usage("the branch has no upstream, so there is nothing to compare with");
            stop.hint("name what to compare with, as in `brv vc check origin/main...HEAD`, or check the whole tree with `--all`")
        })?;
        let tracking = upstream.tracking.as_ref().map(|name| git::refs::commit(scope, name.as_ref()));
        let base = tracking.transpose()?.flatten();
        let names = Names { before: Some(upstream.name), after: Some("HEAD".to_owned()) };
        let from = base.map(|base| merge_base(scope, base, tip)).transpose()?;
        let compared = Self::commits(scope, from, base, tip, names)?;
        let known = git::refs::commits(scope, &remote_of(upstream.tracking.as_ref()))?;
        let known: Vec<CommitId> = known.into_iter().map(|(_, commit)| commit).collect();
        whole(scope, tip, &known)?;
        Ok(Self { range: Some((tip, known)), branch: head.branch().map(ToOwned::to_owned), ..compared })
    }

    fn typed(scope: &Scope, revision: &Revision, arguments: &Arguments) -> Result<Self, Stop> {
        let names = Names::of(&arguments.typed);
        match *revision {
            Revision::Range(before, after) => {
                whole(scope, after, &[before])?;
                Self::commits(scope, Some(before), Some(before), after, names)
            }
            Revision::Symmetric(base, after) => {
                let from = merge_base(scope, base, after)?;
                whole(scope, after, &[base])?;
                Self::commits(scope, Some(from), Some(base), after, names)
            }
            Revision::Single(after) => {
                let parent = history::read(scope, after)?.parents.first().copied();
                // on the boundary of a shallow history a commit looks like a first one
                if parent.is_none() && git::is_shallow(scope)? {
                    return Err(shallow());
                }
                whole(scope, after, parent.as_slice())?;
                Self::commits(scope, parent, parent, after, Names { before: None, after: names.before })
            }
            Revision::Without(_) => Err(several()),
        }
    }

    fn commits(
        scope: &Scope,
        from: Option<CommitId>,
        base: Option<CommitId>,
        after: CommitId,
        names: Names,
    ) -> Result<Self, Stop> {
        let before = from.map_or(Ok(TreeId::empty()), |commit| scope.tree_of(commit))?;
        Ok(Self {
            before: TreeState::Commit(from),
            after: TreeState::Commit(Some(after)),
            names,
            from,
            base,
            files: Files::of_commit(scope, Some(after))?,
            changes: trees::diff(scope, before, scope.tree_of(after)?, Renames::Detect)?,
            range: Some((after, base.into_iter().collect())),
            branch: None,
            unmerged: Vec::new(),
            survey: None,
        })
    }

    fn staged(scope: &Scope, head: &Head) -> Result<Self, Stop> {
        let index = git::index::read(scope)?;
        let from = head.commit();
        let before = from.map_or(Ok(TreeId::empty()), |commit| scope.tree_of(commit))?;
        Ok(Self {
            before: TreeState::Commit(from),
            after: TreeState::Index,
            names: Names::default(),
            from,
            base: from,
            files: Files::of_index(scope, &index),
            changes: trees::diff_index(scope, before, &index, Renames::Detect)?,
            range: None,
            branch: None,
            unmerged: Vec::new(),
            survey: None,
        })
    }

    fn on_disk(scope: &Scope, head: &Head) -> Result<Self, Stop> {
        let survey = survey::survey(scope, git::index::read(scope)?, Listing::Everything)?;
        let files = Files::on_disk(scope, &survey)?;
        let mut changes = match head.commit() {
            Some(commit) => on_disk::changes(scope, Some(commit), &survey)?,
            None => trees::diff_index(scope, TreeId::empty(), &survey.index, Renames::Ignore)?,
        };
        changes.extend(untracked(scope, &survey, &files)?);
        sorting::sort_by(&mut changes, |one, other| one.path.cmp(&other.path));
        Ok(Self {
            before: TreeState::Commit(head.commit()),
            after: TreeState::WorkTree,
            names: Names::default(),
            from: head.commit(),
            base: head.commit(),
            files,
            changes,
            range: None,
            branch: None,
            unmerged: Vec::new(),
            survey: Some(survey),
        })
    }

    /// Keep only the changes of these paths.
    pub fn select(&mut self, paths: &Pathspecs<'_>) {
        if !paths.is_empty() {
            let is_selected = |path: &BString| paths.matches(path.as_bstr());
            self.changes.retain(|change| {
                is_selected(&change.path) || change.renamed_from.as_ref().is_some_and(is_selected)
            });
        }
    }

    /// The changes by meaning, without the value of any secret.
    pub fn tell(&self, scope: &Scope) -> Result<ChangeReport, git::Error> {
        let mut told = self.told(scope)?;
        for place in told.entries.iter_mut().flat_map(|entry| [&mut entry.before, &mut entry.after]).flatten()
        {
            mask(&mut place.path);
        }
        told.files.iter_mut().for_each(|file| mask(&mut file.path));
        Ok(told)
    }

    fn told(&self, scope: &Scope) -> Result<ChangeReport, git::Error> {
        let detail = Detail::Meaning { context: brv_text::diff::CONTEXT };
        let Some(survey) = &self.survey else {
            return knowledge::tell(scope, &self.changes, detail, &Contents::default().masked());
        };
        let changed = on_disk::reader(scope, survey);
        let read = |change: &Change| {
            let is_new = change.before.is_none() && change.after.is_some();
            let new = || self.files.read_on_disk(change.path.as_ref());
            changed(change).or_else(|| is_new.then(new).flatten())
        };
        knowledge::tell(scope, &self.changes, detail, &Contents::with_disk(&read).masked())
    }
}

fn mask(path: &mut BString) {
    if let Cow::Owned(masked) = secrets::masked(&path.to_str_lossy()) {
        *path = masked.into();
    }
}

/// The folder of the references that track the same remote: `refs/remotes/origin/`.
fn remote_of(tracking: Option<&BString>) -> String {
    let name = tracking.map(|name| name.to_str_lossy()).unwrap_or_default();
    let remote = name.strip_prefix("refs/remotes/").and_then(|rest| rest.split('/').next());
    remote.map_or_else(|| "refs/remotes/".to_owned(), |remote| format!("refs/remotes/{remote}/"))
}

fn several() -> Stop {
    Stop::usage("a check takes one revision or one range").hint("write two revisions as `A..B`")
}

fn shallow() -> Stop {
    Stop::failed("the history here is shallow and ends before the base of the change").hint(
        "fetch the whole history with `brv vc fetch --unshallow`, in a plain clone with `git fetch --unshallow`",
    )
}

/// Refuses a range whose commits are not all here.
fn whole(scope: &Scope, tip: CommitId, known: &[CommitId]) -> Result<(), Stop> {
    if history::ends_inside(scope, &[tip], known)? { Err(shallow()) } else { Ok(()) }
}

/// Where two branches parted.
fn merge_base(scope: &Scope, base: CommitId, tip: CommitId) -> Result<CommitId, Stop> {
    match history::merge_bases(scope, base, tip)?.first() {
        Some(found) => Ok(*found),
        None if git::is_shallow(scope)? => Err(shallow()),
        None => Err(Stop::failed("the two revisions have no common ancestor")),
    }
}

/// Entries on disk that are not tracked, as additions.
fn untracked(scope: &Scope, survey: &Survey, files: &Files) -> Result<Vec<Change>, Stop> {
    let found = survey.unrecorded(scope)?.into_iter().filter(|file| file.class == Class::Untracked);
    let added = found.filter_map(|file| {
        let path: &BStr = file.path.as_ref();
        let bytes = files.read_on_disk(path)?;
        let version = Version { mode: FileMode::Regular, id: ContentId::of(&bytes) };
        Some(Change { path: file.path, renamed_from: None, before: None, after: Some(version) })
    });
    Ok(added.collect())
}
