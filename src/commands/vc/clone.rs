//! `brv vc clone`: create a project whose tree comes from a remote.

use brv_base::fs::{self, Listing};
use brv_base::process;
use brv_engine::derive;
use brv_engine::journal::{self, OperationKind, RefMove, Side, Transition};
use brv_engine::open::context::{Context, Opened};
use brv_engine::open::naming::branches;
use brv_engine::open::survey;
use brv_engine::open::tree::{self, Places};
use brv_engine::vc::remotes::remote_choice::named;
use brv_engine::write::operation::{self, Derived, Purpose, Work, WriteOutcome, Writing};
use brv_engine::write::written::{WithheldFile, WrittenEffects, withheld};
use brv_engine::{FailureKind, Stop};
use brv_git as git;
use brv_git::clone;
use brv_git::remotes::RemoteName;
use brv_git::{CommitId, RemoteUrl, Scope, Signature, TreeId};
use bstr::{BString, ByteSlice};
use schemars::JsonSchema;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

pub use brv_engine::merge::integrate::Derive;
pub use brv_git::Depth;
pub use brv_git::clone::Branches;
pub use brv_git::fetch::Tags;

#[derive(Debug, Clone)]
pub struct Options {
    pub url: String,
    /// The project folder for the tree; `None`: the current folder.
    pub folder: Option<PathBuf>,
    /// The branch to check out; `None`: the remote's `HEAD`.
    pub branch: Option<String>,
    pub remote: String,
    /// How much history; [`Depth::Unchanged`] for the full history.
    pub depth: Depth,
    /// Which branches to fetch, now and later.
    pub branches: Branches,
    /// [`Tags::Configured`]: all tags with all branches, only the tags on its commits with a single branch.
    pub tags: Tags,
    /// Whether to generate derived files.
    pub derive: Derive,
}

/// `brv.vc.clone/1`
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "Clone")]
pub struct Outcome {
    /// The folder of the tree, absolute.
    pub tree: String,
    /// The same, relative to the caller's folder if it is below.
    #[serde(skip)]
    pub place: String,
    source: String,
    /// The current branch.
    pub branch: String,
    /// The commit that was checked out; `null` if the remote has no commits.
    pub commit: Option<String>,
    objects: usize,
    /// Whether the history is shallow (`--depth`).
    shallow: bool,
    /// Number of files that were written.
    pub files: usize,
    /// Files that are in the commit, but were not written.
    withheld: Vec<WithheldFile>,
    #[serde(skip_serializing_if = "Option::is_none")]
    operation: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    derived: Option<derive::Outcome>,
    /// Other effects on files; printed as warnings.
    #[serde(skip)]
    pub written: WrittenEffects,
}

/// Clone, write the files, generate the derived files.
pub fn run(cx: &Context<'_>, options: &Options) -> Result<Outcome, Stop> {
    let project = options.folder.as_ref().map_or_else(|| cx.cwd.clone(), |folder| cx.cwd.join(folder));
    let places = tree::at(&project, &cx.environment)?;
    let wanted = clone::Options {
        url: RemoteUrl::parse(&options.url, &cx.cwd)?,
        work_tree: places.tree(),
        remote: RemoteName::parse(&options.remote).map_err(named)?,
        branch: options.branch.clone(),
        depth: options.depth,
        branches: options.branches,
        tags: options.tags,
    };
    let config = cx.config.clone().with_project(&places.config())?;
    let new = NewFolder::below(&project);
    finish_interrupted(cx, &places);
    let cloned = clone::clone(&wanted, &cx.network())?;
    let unfinished = cloned.unfinished;
    let opened = Opened { config, places, scope: cloned.scope };
    let (shallow, (files, mut written)) =
        match settle(cx, &opened, (&cloned.branch, cloned.commit), &wanted.url.to_string()) {
            Ok(settled) => settled,
            Err(error) => {
                drop((opened, unfinished));
                new.remove();
                return Err(error);
            }
        };
    drop(unfinished);
    if let Some(exclude) = brv_engine::open::tree::host_exclude(&project)? {
        brv_engine::vc::remotes::host::exclude(&exclude)?;
    }
    if options.derive == Derive::Now {
        written = written.deriving(&cx.parts(&opened), Derived::Anyway);
    }
    let tree = opened.places.tree();
    Ok(Outcome {
        place: tree.strip_prefix(&cx.cwd).unwrap_or(&tree).display().to_string(),
        tree: tree.to_string_lossy().into_owned(),
        source: wanted.url.to_string(),
        branch: branches::short(cloned.branch.as_bstr()),
        commit: cloned.commit.map(|id| id.to_string()),
        objects: cloned.objects,
        shallow,
        files,
        withheld: withheld(&written.withheld),
        operation: written.operation.as_ref().map(ToString::to_string),
        derived: written.refreshed().cloned(),
        written: WrittenEffects::from(&written),
    })
}

/// Recover an earlier clone that was killed while it wrote its files, as every writing command does; the new clone then
/// fails because the folder is not empty. A recovery that fails is left to the next command.
fn finish_interrupted(cx: &Context<'_>, places: &Places) {
    let scope = git::open(&places.tree(), "", &cx.environment);
    let pending = scope.ok().filter(|scope| journal::pending(scope).is_ok_and(|pending| pending.is_some()));
    let config = cx.config.clone().with_project(&places.config());
    if let (Some(scope), Ok(config)) = (pending, config) {
        let opened = Opened { config, places: places.clone(), scope };
        let _ = operation::recover(cx.parts(&opened));
    }
}

/// The steps after the fetch that may fail; then the clone is removed. Returns whether the history is shallow, and what
/// was written.
fn settle(
    cx: &Context<'_>,
    opened: &Opened,
    (branch, commit): (&BString, Option<CommitId>),
    source: &str,
) -> Result<(bool, (usize, WriteOutcome)), Stop> {
    if git::heard_interrupt().load(Ordering::Relaxed) {
        return Err(Stop::new(FailureKind::Interrupted, "interrupted"));
    }
    git::merge_driver::register(&opened.scope, process::lasting_program(&cx.environment).as_deref())?;
    let shallow = git::is_shallow(&opened.scope)?;
    let written = commit.map(|commit| check_out(cx, opened, branch, commit, source)).transpose()?;
    Ok((shallow, written.unwrap_or_default()))
}

fn check_out(
    cx: &Context<'_>,
    opened: &Opened,
    branch: &BString,
    commit: CommitId,
    source: &str,
) -> Result<(usize, WriteOutcome), Stop> {
    let scope: &Scope = &opened.scope;
    let mut writing = Writing::begin(cx.parts(opened))?;
    let survey = writing.survey(|index| survey::survey(scope, index, Listing::Everything))?;
    let plan = operation::plan(scope, &survey, scope.tree_of(commit)?, &[])?;
    let files = plan.len();
    let moves = vec![RefMove { name: branch.clone(), old: None, new: Some(commit.into()) }];
    let sides = [Side::Snapshot { tree: TreeId::empty(), parents: Vec::new() }, Side::Commit(commit)];
    let work = Work::planned(plan, sides, Transition { moves, ..Transition::default() });
    let purpose = Purpose::new(OperationKind::Clone, format!("clone {source}"))
        .logged(format!("clone: from {source}"))
        .signed(Signature::anonymous(cx.clock.seconds()));
    writing.carry_out(Some(survey.index), work, &purpose)?;
    Ok((files, writing.finish(Derived::Leave)))
}

/// The folders that the clone creates. If it fails, they are removed, beginning with the topmost one that did not exist
/// before.
struct NewFolder {
    places: Places,
    first_new: PathBuf,
}

impl NewFolder {
    fn below(project: &Path) -> Self {
        let places = Places::of(project);
        let mut first_new = places.tree();
        while let Some(parent) =
            first_new.parent().filter(|parent| !parent.as_os_str().is_empty() && !parent.exists())
        {
            first_new = parent.to_path_buf();
        }
        Self { places, first_new }
    }

    /// Remove everything in `.brv/` that is new, and the new folders above it in which no one has put a file since.
    fn remove(self) {
        let brv = self.places.brv();
        let ours = if brv.starts_with(&self.first_new) { brv } else { self.first_new.clone() };
        drop(fs::remove_folder(&ours));
        if let (Some(from), Some(above)) = (ours.parent(), self.first_new.parent()) {
            fs::prune_empty_folders(from, above);
        }
    }
}
