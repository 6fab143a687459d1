//! The commits of the host that a command names, and which of them are known.

use crate::commits::sources::TreeSources;
use brv_engine::jobs::{Store, Verdict};
use brv_engine::open::context::{Context, Opened};
use brv_engine::open::hosting::Host;
use brv_engine::{FailureKind, Stop};
use brv_git as git;
use brv_git::history::{self, Range};
use brv_git::{CommitId, Scope, refs, revision};
use brv_text::commits::RULES_VERSION;
use std::collections::HashSet;

/// Commits of the host, the oldest first.
pub struct HostHistory {
    pub host: Host,
    pub commits: Vec<CommitId>,
    /// The branch that they are on, as far as the range, or `HEAD`, tells.
    pub branch: Option<String>,
}

/// The commits that `range` names: `A..B`, or one commit.
///
/// # Errors
/// A name that is not a commit; no host, one without commits, or one with a part of its history only.
pub fn of(cx: &Context<'_>, opened: &Opened, range: &str) -> Result<HostHistory, Stop> {
    let host = host(cx, opened)?;
    let commits = commits(&host.scope, range)?;
    let branch = branch(&host.scope, range)?;
    Ok(HostHistory { host, commits, branch })
}

/// The history that `HEAD` has, without a commit of it.
///
/// # Errors
/// As [`of`].
pub fn whole(cx: &Context<'_>, opened: &Opened) -> Result<HostHistory, Stop> {
    let host = host(cx, opened)?;
    let branch = host.scope.head()?.short_branch();
    Ok(HostHistory { host, commits: Vec::new(), branch })
}

/// These commits, in the order in which they were made.
pub fn ordered(scope: &Scope, commits: &HashSet<CommitId>) -> Result<Vec<CommitId>, Stop> {
    let range = Range { tips: commits.iter().copied().collect(), ..Range::default() };
    let all = history::list(scope, &range)?.into_iter().map(|commit| commit.id);
    let mut found: Vec<CommitId> = all.filter(|id| commits.contains(id)).collect();
    found.reverse();
    Ok(found)
}

/// The repository of the code, with a whole history.
fn host(cx: &Context<'_>, opened: &Opened) -> Result<Host, Stop> {
    let refused = |message: &str| Stop::new(FailureKind::Refused, message);
    let host = Host::of(opened, &cx.cwd)?;
    let host =
        host.ok_or_else(|| refused("the project is in no git repository: there is no history to take in"))?;
    if host.scope.head()?.commit().is_none() {
        return Err(refused("the repository of the code has no commits yet"));
    }
    if git::is_shallow(&host.scope)? {
        let stop = refused("the repository of the code is shallow: a part of its history is not here");
        return Err(stop.hint("`git fetch --unshallow` brings the rest"));
    }
    Ok(host)
}

/// The branch that a range ends at: by its name, or that of `HEAD` if this is where it ends.
fn branch(scope: &Scope, range: &str) -> Result<Option<String>, Stop> {
    let to = range.split_once("..").map_or(range, |(_, to)| to);
    let to = if to.is_empty() { "HEAD" } else { to };
    let is_branch = git::is_branch_name(to);
    if is_branch && refs::find(scope, format!("refs/heads/{to}").as_str().into())?.is_some() {
        return Ok(Some(to.to_owned()));
    }
    let head = scope.head()?;
    let is_head = head.commit() == Some(commit(scope, to)?);
    Ok(head.short_branch().filter(|_| is_head))
}

fn commits(scope: &Scope, range: &str) -> Result<Vec<CommitId>, Stop> {
    let Some((from, to)) = range.split_once("..") else { return Ok(vec![commit(scope, range)?]) };
    if to.starts_with('.') {
        return Err(Stop::usage(format!("`{range}` is not a range: give A..B")));
    }
    let [from, to] = [from, to].map(|name| if name.is_empty() { "HEAD" } else { name });
    let (from, to) = (commit(scope, from)?, commit(scope, to)?);
    let range = Range { tips: vec![to], hidden: vec![from], ..Range::default() };
    let mut found: Vec<CommitId> =
        history::list(scope, &range)?.into_iter().map(|commit| commit.id).collect();
    found.reverse();
    Ok(found)
}

fn commit(scope: &Scope, name: &str) -> Result<CommitId, Stop> {
    if name.starts_with('-') {
        return Err(Stop::usage(format!("`{name}` is not a commit of the code")));
    }
    revision::commit(scope, name).map_err(|error| {
        let why = brv_engine::outcome::stop::message(&error);
        Stop::usage(format!("`{name}` is not a commit of the code: {why}"))
    })
}

/// Which commits need not be looked at again.
pub struct CuratedCommits<'a> {
    store: &'a Store,
    in_tree: TreeSources,
}

impl<'a> CuratedCommits<'a> {
    pub fn of(opened: &Opened, store: &'a Store) -> Result<Self, Stop> {
        Ok(Self { store, in_tree: TreeSources::of(opened)? })
    }

    /// Whether a commit was curated or replaced, or declined by these rules.
    pub fn has(&self, commit: CommitId) -> Result<bool, Stop> {
        if self.in_tree.has(commit) {
            return Ok(true);
        }
        let job = self.store.read(|state| state.job_of(&commit.to_string()))?;
        let Some(job) = job else { return Ok(false) };
        Ok(match Verdict::of(&job) {
            Some(Verdict::Curated | Verdict::Replaced) => {
                !job.end.operation.is_some_and(|id| self.in_tree.is_undone(&id))
            }
            Some(Verdict::Declined) => job.end.rules == RULES_VERSION,
            _ => false,
        })
    }
}
