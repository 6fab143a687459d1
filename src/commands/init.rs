//! `brv init`: create the tree of a project, set up an existing one, or adopt one that another tool made.

use crate::connectors::changes::Changes;
use crate::hooks::changes::ChangedHook;
use brv_base::environment::Environment;
use brv_base::fs;
use brv_base::fs::Listing;
use brv_base::path::TreePath;
use brv_base::process;
use brv_engine::journal::Recovered;
use brv_engine::merge::unstaged_merge;
use brv_engine::open::context::{Context, Opened};
use brv_engine::open::hosting::Host;
use brv_engine::open::survey;
use brv_engine::open::tree::{self, Places};
use brv_engine::outcome::bytes::Bytes;
use brv_engine::vc::remotes::host::{self, Exclusion};
use brv_engine::vc::work_tree::adoption;
use brv_engine::write::operation::{Derived, Writing, index_only};
use brv_engine::write::written::WrittenEffects;
use brv_engine::{OrStop, Stop, derive};
use brv_git as git;
use brv_git::{Scope, merge_state};
use schemars::JsonSchema;
use serde::Serialize;
use std::path::{Path, PathBuf};

pub use brv_engine::vc::work_tree::adoption::Adopted;

/// How the tree is made.
#[derive(Debug, Clone)]
pub struct Options {
    pub initial_branch: String,
    /// How the host repository is made to ignore `.brv/`.
    pub host: HostRule,
    /// Where a new tree is kept.
    pub home: TreeHome,
}

/// Where a new tree is kept.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum TreeHome {
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

/// `brv.init/1`
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "Init")]
pub struct Outcome {
    /// The folder of the tree, absolute.
    pub tree: String,
    /// The current branch.
    pub branch: Option<String>,
    /// What existed before: `new` (nothing), `files` or `repository`.
    #[schemars(with = "&str")]
    pub origin: InitOrigin,
    /// The work tree of the project's repository, if that tracks the tree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// The file that now makes the project's repository ignore `.brv/`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub excluded_in: Option<String>,
    /// Files taken over from another tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub adopted: Option<Adopted>,
    /// Derived files of another tool, left alone until the merge, rebase or cherry-pick in progress is done.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub waiting: Vec<TreePath>,
    /// During a merge, rebase or cherry-pick: archived files of another tool, left alone.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub archived: Vec<TreePath>,
    /// Files that another tool had merged only on disk; they are staged now.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub staged: Vec<Bytes>,
    /// The git hooks, with `--hooks`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hooks: Vec<ChangedHook>,
    /// The coding agents that are found here, with `--agents`: what was written, or would be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agents: Option<Changes>,
    /// A branch at the remote of the code, such as `brv/main`, that has knowledge which this tree does not follow yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shared: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    derived: Option<derive::Outcome>,
    /// An interrupted command that was recovered first.
    #[serde(skip_serializing_if = "Option::is_none")]
    recovered: Option<Recovered>,
    /// How many of the last commits of the code there are to learn from, the first parents from `HEAD` on, up to [`RECENT`].
    #[serde(skip)]
    pub recent: usize,
    /// The folder that the command was called in, for the text.
    #[serde(skip)]
    pub cwd: PathBuf,
    /// Other effects on files; printed as warnings.
    #[serde(skip)]
    pub written: WrittenEffects,
}

/// How many commits of the code are a good beginning.
pub const RECENT: usize = 20;

/// What existed before `init`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum InitOrigin {
    /// Nothing.
    New,
    /// Files without a repository.
    Files,
    /// A repository.
    Repository,
}

/// Make or set up the tree. Running it again changes nothing.
pub fn run(cx: &Context<'_>, options: &Options) -> Result<Outcome, Stop> {
    let places = match tree::discover(&cx.cwd, &cx.environment) {
        Err(OrStop::This(_)) => tree::at(&cx.cwd, &cx.environment)?,
        found => found?,
    };
    let in_host = host(&places, options.home, &cx.environment)?;
    let origin = match &in_host {
        Some(scope) if git::in_repo::is_kept(scope)? => InitOrigin::Repository,
        _ => origin(&places),
    };
    let scope = match &in_host {
        Some(scope) => in_repo(scope, &places)?,
        None => git::init(&places.tree(), &options.initial_branch, &cx.environment)?,
    };
    git::merge_driver::register(&scope, process::lasting_program(&cx.environment).as_deref())?;
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
    let branch = survey.head.short_branch();
    let (excluded_in, shared) = match &in_host {
        Some(_) => (None, None),
        None => (tell_host(&places.project, options.host)?, shared(&opened, &cx.cwd, branch.as_deref())),
    };
    let written = writing.finish(Derived::Anyway);
    Ok(Outcome {
        tree: lossy(&places.tree()),
        cwd: cx.cwd.clone(),
        branch,
        origin,
        adopted,
        staged,
        shared,
        hooks: Vec::new(),
        agents: None,
        host: in_host.map(|scope| lossy(scope.work_tree())),
        excluded_in: excluded_in.as_deref().map(lossy),
        waiting: waiting.replaced,
        archived: waiting.archived,
        recent: recent(&opened, &cx.cwd).unwrap_or_default(),
        derived: written.refreshed().cloned(),
        recovered: written.recovered.clone(),
        written: WrittenEffects::from(&written),
    })
}

/// The branch of a tree at the remote of the code, which this clone of the code has seen and the tree does not follow yet.
/// `None` if that cannot be read: `brv init` goes on without it.
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
fn stage_merged(writing: &mut Writing<'_>) -> Result<Vec<Bytes>, Stop> {
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
    Ok(found.iter().map(|file| Bytes::from(&file.path)).collect())
}

fn lossy(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

fn origin(places: &Places) -> InitOrigin {
    if places.has_own_repository() {
        return InitOrigin::Repository;
    }
    let is_empty = std::fs::read_dir(places.tree()).map_or(true, |mut entries| entries.next().is_none());
    if is_empty { InitOrigin::New } else { InitOrigin::Files }
}

/// The host repository that the tree is to be part of, or already is; `None` for a tree with its own repository.
fn host(places: &Places, home: TreeHome, environment: &Environment) -> Result<Option<Scope>, Stop> {
    if places.has_own_repository() {
        return match home {
            TreeHome::Own => Ok(None),
            TreeHome::Host => {
                let tree = places.tree();
                let stop = Stop::refused(format!(
                    "the tree in `{}` already has a repository of its own",
                    tree.display()
                ));
                Err(stop.hint("nothing was changed; share it with `brv vc push`, move it elsewhere, run `brv init --in-repo`, then copy its files back"))
            }
        };
    }
    let Some((work_tree, prefix)) = places.in_host() else {
        return match home {
            TreeHome::Own => Ok(None),
            TreeHome::Host => {
                let project = places.project.display();
                let stop =
                    Stop::usage(format!("`{project}` is not in a git repository that could track the tree"));
                Err(stop.hint("create one with `git init`; or leave out `--in-repo`, and the tree gets its own repository"))
            }
        };
    };
    // a host repository that cannot be opened does not prevent a tree with a repository of its own
    let opened = match (git::open(&work_tree, &prefix, environment), home) {
        (Err(_), TreeHome::Own) => return Ok(None),
        (opened, _) => opened?,
    };
    if home == TreeHome::Own && !git::in_repo::is_kept(&opened)? {
        return Ok(None);
    }
    git::in_repo::refuse_link(&opened)?;
    Ok(Some(opened))
}

/// Let the host repository track the tree. If this is refused, nothing has changed.
fn in_repo(scope: &Scope, places: &Places) -> Result<Scope, Stop> {
    let exclude = tree::host_exclude(&places.project)?;
    let before = exclude.as_ref().map(|file| host::include(file)).transpose()?;
    let index = git::index::read(scope)?;
    let sample = "context.md".into();
    if git::status::ignored(scope, &index, &[sample])? == [true] {
        if let (Some(file), Some(before)) = (&exclude, before) {
            fs::replace(file, &before, fs::Durability::Now)?;
        }
        let stop = Stop::refused(format!("the host repository ignores `{}`", places.tree().display()));
        return Err(stop
            .hint("nothing was changed; `git check-ignore -v .brv/context-tree/context.md` shows the rule"));
    }
    git::set_up(scope)?;
    fs::create_folder(&places.tree())?;
    Ok(git::open(scope.work_tree(), scope.prefix(), scope.environment())?)
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
