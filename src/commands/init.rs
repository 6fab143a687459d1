//! `brv init`: create the tree of a project, set up an existing one, or adopt one that another tool made.

use brv_base::environment::Environment;
use brv_base::fs;
use brv_base::fs::Listing;
use brv_base::process;
use brv_engine::FailureKind;
use brv_engine::merge::unstaged_merge;
use brv_engine::open::context::{Context, OpenError, Opened};
use brv_engine::open::hosting::Host;
use brv_engine::open::survey;
use brv_engine::open::tree::{self, DiscoverError, Places};
use brv_engine::outcome::cause::{Cause, caused};
use brv_engine::vc::remotes::host::{self, Exclusion};
use brv_engine::vc::work_tree::adoption::{self, Adopted};
use brv_engine::write::operation::{Derived, WriteOutcome, Writing, index_only};
use brv_git as git;
use brv_git::{InitError, Scope, merge_state};
use bstr::BString;
use std::path::{Path, PathBuf};

/// How the tree is made.
#[derive(Debug, Clone)]
pub struct Options {
    pub initial_branch: String,
    /// How the host repository is made to ignore `.brv/`.
    pub host: HostRule,
    /// Where a new tree is kept.
    pub home: Home,
}

/// Where a new tree is kept.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Home {
    /// In a repository of its own, unless the host tracks one already.
    #[default]
    Own,
    /// Among the files that the host repository tracks (`--in-repo`).
    Host,
}

/// How the host repository is made to ignore `.brv/`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HostRule {
    /// In its `info/exclude`, which is local to this clone.
    Exclude,
    /// In the project's `.gitignore` (`--gitignore`), which the team shares.
    Gitignore,
}

#[derive(Debug)]
pub struct Outcome {
    pub tree: PathBuf,
    pub branch: Option<String>,
    pub origin: Origin,
    /// The work tree of the host repository, if the tree has no repository of its own.
    pub host: Option<PathBuf>,
    /// How many of the last commits of the code there are to learn from, the first parents from `HEAD` on, up to [`RECENT`].
    pub recent: usize,
    /// The branch at the remote of the code in which there is knowledge already: `brv/main`.
    pub shared: Option<String>,
    /// The file in which the host repository now ignores `.brv/`, if a line was added.
    pub excluded_in: Option<PathBuf>,
    pub adopted: Option<Adopted>,
    /// Files of another tool that are left unchanged until the merge, rebase or pick in progress has ended.
    pub waiting: Adopted,
    /// Files that another tool had merged only on disk, now staged for the commit of its merge.
    pub staged: Vec<BString>,
    /// What else was written: operation and derived files.
    pub written: WriteOutcome,
}

/// How many commits of the code are a good beginning.
pub const RECENT: usize = 20;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    New,
    /// Files without a repository.
    Files,
    Repository,
}

#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is a tree with a repository of its own.
    #[error("the tree in `{}` already has a repository of its own", .0.display())]
    Nested(PathBuf),
    #[error("`{}` is not in a git repository that could track the tree", .0.display())]
    NoHost(PathBuf),
    #[error("the host repository ignores `{}`", .0.display())]
    Ignored(PathBuf),
    #[error(transparent)]
    Init(#[from] InitError),
    #[error(transparent)]
    Cause(Cause),
}

impl Error {
    pub fn kind(&self) -> FailureKind {
        match self {
            Self::Nested(_) | Self::Ignored(_) => FailureKind::Refused,
            Self::NoHost(_) => FailureKind::Usage,
            Self::Init(error) => match error {
                InitError::BranchName(_) => FailureKind::Usage,
                InitError::Open(error) => FailureKind::of_open(error),
                InitError::Git(error) => FailureKind::of_git(error),
            },
            Self::Cause(cause) => cause.kind(),
        }
    }
}

caused!(Error);

/// Make or set up the tree. Running it again changes nothing.
pub fn run(cx: &Context<'_>, options: &Options) -> Result<Outcome, Error> {
    let places = match tree::discover(&cx.cwd, &cx.environment) {
        Ok(places) => places,
        Err(DiscoverError::Absent(_)) => tree::at(&cx.cwd, &cx.environment).map_err(OpenError::from)?,
        Err(error) => return Err(OpenError::from(error).into()),
    };
    let in_host = host(&places, options.home, &cx.environment)?;
    let origin = match &in_host {
        Some(scope) if git::in_repo::is_kept(scope)? => Origin::Repository,
        _ => origin(&places),
    };
    let scope = match &in_host {
        Some(scope) => in_repo(scope, &places)?,
        None => git::init(&places.tree(), &options.initial_branch, &cx.environment)?,
    };
    git::merge_driver::register(&scope, process::own_program().as_deref()).map_err(InitError::from)?;
    let opened = cx.open()?;
    let mut writing = Writing::begin(cx.parts(&opened))?;
    let survey = survey::survey(&opened.scope, git::index::read(&opened.scope)?, Listing::Everything)?;
    let (mut adopted, mut waiting, mut staged) = (None, Adopted::default(), Vec::new());
    if merge_state::is_under_way(&opened.scope) {
        // adoption would stage changes into the commit that git, or another tool, is about to make
        waiting = adoption::waiting(&opened.scope, &survey)?;
        staged = stage_merged(&mut writing)?;
    } else {
        adopted = adoption::adopt(&mut writing, &survey)?;
    }
    let excluded_in = match &in_host {
        Some(_) => None,
        None => tell_host(&places.project, options.host)?,
    };
    Ok(Outcome {
        tree: places.tree(),
        branch: survey.head.short_branch(),
        origin,
        recent: recent(&opened, &cx.cwd).unwrap_or_default(),
        shared: if in_host.is_none() {
            shared(&opened, &cx.cwd, survey.head.short_branch().as_deref())
        } else {
            None
        },
        host: in_host.map(|scope| scope.work_tree().to_path_buf()),
        excluded_in,
        adopted,
        waiting,
        staged,
        written: writing.finish(Derived::Anyway),
    })
}

/// The branch of a tree at the remote of the code, which this clone of the code has seen and the tree does not follow yet.
/// That this cannot be known stops nothing.
fn shared(opened: &Opened, cwd: &Path, own: Option<&str>) -> Option<String> {
    if !git::remotes::list(&opened.scope).ok()?.is_empty() {
        return None;
    }
    let host = Host::of(opened, cwd).ok().flatten()?;
    let names = git::refs::names(&host.scope, "refs/remotes/origin/brv/").ok()?;
    let branches = names.iter().filter_map(|name| name.strip_prefix(b"refs/remotes/origin/"));
    let branches: Vec<String> = branches.map(|name| String::from_utf8_lossy(name).into_owned()).collect();
    let named = |wanted: &str| branches.iter().find(|name| name.strip_prefix("brv/") == Some(wanted));
    own.and_then(named).or_else(|| named("main")).or(branches.first()).cloned()
}

/// How many commits can be taken in: none of a code without any, or of a shallow one. That this cannot be known stops nothing.
fn recent(opened: &Opened, cwd: &Path) -> Option<usize> {
    let host = Host::of(opened, cwd).ok().flatten()?;
    let mut next =
        host.scope.head().ok()?.commit().filter(|_| matches!(git::is_shallow(&host.scope), Ok(false)));
    let mut count = 0;
    while let Some(id) = next.filter(|_| count < RECENT) {
        count += 1;
        next = git::history::read(&host.scope, id).ok()?.parents.first().copied();
    }
    Some(count)
}

/// Stage what another tool's merge in progress has only on disk; otherwise its commit would drop it.
fn stage_merged(writing: &mut Writing<'_>) -> Result<Vec<BString>, Error> {
    let scope = writing.scope();
    let (Some(merge), Some(ours)) = (merge_state::read(scope)?, scope.head()?.commit()) else {
        return Ok(Vec::new());
    };
    let index = writing.index()?;
    let found = unstaged_merge::find(scope, &index, ours, &merge)?;
    if found.is_empty() {
        return Ok(Vec::new());
    }
    let survey = survey::survey(scope, index, Listing::Nothing)?;
    let edits = unstaged_merge::staging(scope, &found)?;
    index_only::stage(writing, survey, &edits, |reason| reason)?;
    Ok(found.into_iter().map(|file| file.path).collect())
}

fn origin(places: &Places) -> Origin {
    if places.has_own_repository() {
        return Origin::Repository;
    }
    let is_empty = std::fs::read_dir(places.tree()).map_or(true, |mut entries| entries.next().is_none());
    if is_empty { Origin::New } else { Origin::Files }
}

/// The host repository that the tree is to be part of, or already is; `None` for a tree with its own repository.
fn host(places: &Places, home: Home, environment: &Environment) -> Result<Option<Scope>, Error> {
    if places.has_own_repository() {
        return match home {
            Home::Own => Ok(None),
            Home::Host => Err(Error::Nested(places.tree())),
        };
    }
    let Some((work_tree, prefix)) = places.in_host() else {
        return match home {
            Home::Own => Ok(None),
            Home::Host => Err(Error::NoHost(places.project.clone())),
        };
    };
    // a host repository that cannot be opened does not prevent a tree with a repository of its own
    let opened = match (git::open(&work_tree, &prefix, environment), home) {
        (Err(_), Home::Own) => return Ok(None),
        (opened, _) => opened.map_err(InitError::from)?,
    };
    if home == Home::Own && !git::in_repo::is_kept(&opened)? {
        return Ok(None);
    }
    git::in_repo::refuse_link(&opened).map_err(InitError::from)?;
    Ok(Some(opened))
}

/// Let the host repository track the tree. If this is refused, nothing has changed.
fn in_repo(scope: &Scope, places: &Places) -> Result<Scope, Error> {
    let exclude = tree::host_exclude(&places.project)?;
    let before = exclude.as_ref().map(|file| host::include(file)).transpose()?;
    let index = git::index::read(scope)?;
    let sample = "context.md".into();
    if git::status::ignored(scope, &index, &[sample])? == [true] {
        if let (Some(file), Some(before)) = (&exclude, before) {
            fs::replace(file, &before, fs::Durability::Now)?;
        }
        return Err(Error::Ignored(places.tree()));
    }
    git::set_up(scope)?;
    fs::create_folder(&places.tree())?;
    Ok(git::open(scope.work_tree(), scope.prefix(), scope.environment()).map_err(InitError::from)?)
}

/// Add the line `.brv/` where it is missing. Returns the file if it was changed.
fn tell_host(project: &Path, rule: HostRule) -> Result<Option<PathBuf>, fs::Error> {
    let Some(exclude) = tree::host_exclude(project)? else { return Ok(None) };
    let file = match rule {
        HostRule::Exclude => exclude,
        HostRule::Gitignore => project.join(".gitignore"),
    };
    Ok((host::exclude(&file)? == Exclusion::Added).then_some(file))
}
