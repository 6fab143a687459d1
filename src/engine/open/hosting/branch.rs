//! What a branch of the host changes as a whole, by which a squash of it is recognised when the branch is gone.

use super::Host;
use crate::open::state::BranchChange;
use brv_git as git;
use brv_git::history;
use brv_git::refs::{self, Target};
use brv_git::{CommitId, patch_id, remotes, user_setting};
use bstr::{BString, ByteSlice as _};
use std::collections::BTreeSet;

/// The most commits of a branch that its change is noted for.
const MOST_COMMITS: usize = 2_000;

/// Branches that others start from, where no remote says which one it is.
const DEFAULTS: [&str; 3] = ["main", "master", "trunk"];

const BRANCHES: &str = "refs/heads/";
const ORIGIN: &str = "refs/remotes/origin/";
const REMOTES: &str = "refs/remotes/";

/// The change of a branch at `tip` since it left the default branch, or the branch that it tracks under another name,
/// whichever is nearer; and its commits since then, newest first. `None` for the default branch itself, where there is
/// none, and where nothing differs.
pub fn branch_change(
    host: &Host,
    tip: CommitId,
    branch: Option<&str>,
) -> Result<Option<(BranchChange, Vec<CommitId>)>, git::Error> {
    let scope = &host.scope;
    let branch = branch.map(|name| name.strip_prefix(BRANCHES).unwrap_or(name));
    let Some(default) = default_branch(host)? else { return Ok(None) };
    if branch == Some(default.as_str()) {
        return Ok(None);
    }
    let mut others = vec![format!("{ORIGIN}{default}").into(), format!("{BRANCHES}{default}").into()];
    others.extend(branch.map(|branch| tracked(host, branch)).transpose()?.flatten());
    let Some(base) = nearest_base(host, tip, &others)? else { return Ok(None) };
    let (before, after) = (scope.tree_of(base)?, scope.tree_of(tip)?);
    let Some(patch) = patch_id::between(scope, before, after)? else { return Ok(None) };
    let mut commits = history::between(scope, &[tip], &[base])?;
    commits.truncate(MOST_COMMITS);
    Ok(Some((BranchChange { patch: patch.to_string() }, commits)))
}

/// Where a commit left the default branch that others see, that of `origin` or of another remote, else the branch that this
/// one tracks, else the local one. `None`: there is no such branch, or the two have nothing in common.
///
/// # Errors
/// A history that cannot be read.
pub fn fork(host: &Host, commit: CommitId) -> Result<Option<CommitId>, git::Error> {
    let scope = &host.scope;
    let Some(tip) = upstream_tip(host)? else { return Ok(None) };
    Ok(history::merge_bases(scope, commit, tip)?.first().copied())
}

/// The tip of that branch.
fn upstream_tip(host: &Host) -> Result<Option<CommitId>, git::Error> {
    let scope = &host.scope;
    if let Some(tip) = default_of(host, "origin")? {
        return Ok(Some(tip));
    }
    let mut remotes = BTreeSet::new();
    for name in refs::names(scope, REMOTES)? {
        let name = name.to_str_lossy();
        remotes.extend(name.strip_prefix(REMOTES).and_then(|rest| Some(rest.split_once('/')?.0.to_owned())));
    }
    for remote in remotes {
        if let Some(tip) = default_of(host, &remote)? {
            return Ok(Some(tip));
        }
    }
    if let Some(branch) = scope.head()?.short_branch()
        && let Some(name) = remotes::upstream(scope, &branch).ok().flatten().and_then(|found| found.tracking)
        && let Some(tip) = refs::commit(scope, name.as_bstr())?
    {
        return Ok(Some(tip));
    }
    let Some(default) = default_branch(host)? else { return Ok(None) };
    refs::commit(scope, format!("{BRANCHES}{default}").as_str().into())
}

/// The tip of the default branch of a remote, as far as it is known here.
fn default_of(host: &Host, remote: &str) -> Result<Option<CommitId>, git::Error> {
    for branch in std::iter::once("HEAD").chain(DEFAULTS) {
        if let Some(tip) = refs::commit(&host.scope, format!("{REMOTES}{remote}/{branch}").as_str().into())? {
            return Ok(Some(tip));
        }
    }
    Ok(None)
}

/// The branch that others start from: the one that `origin` names, else a local one with a usual name.
fn default_branch(host: &Host) -> Result<Option<String>, git::Error> {
    let scope = &host.scope;
    let head = refs::target(scope, format!("{ORIGIN}HEAD").as_str().into())?;
    if let Some(Target::Symbolic(name)) = head
        && let Some(name) = name.strip_prefix(ORIGIN.as_bytes())
    {
        return Ok(Some(name.to_str_lossy().into_owned()));
    }
    let setting = user_setting("init.defaultBranch", scope.environment());
    let usual = DEFAULTS.map(str::to_owned).into_iter();
    for name in usual.chain(setting.map(|name| name.to_string())) {
        if refs::find(scope, format!("{BRANCHES}{name}").as_str().into())?.is_some() {
            return Ok(Some(name));
        }
    }
    Ok(None)
}

/// The ref of the branch that this one tracks, if that one has another name.
fn tracked(host: &Host, branch: &str) -> Result<Option<BString>, git::Error> {
    let upstream = match remotes::upstream(&host.scope, branch) {
        Ok(upstream) => upstream,
        Err(remotes::Error::Git(error)) => return Err(error),
        Err(_) => None,
    };
    let other = upstream.filter(|upstream| upstream.merge != format!("{BRANCHES}{branch}"));
    Ok(other.and_then(|upstream| upstream.tracking))
}

/// The merge base with one of these branches that all other such merge bases are behind. A branch that has `tip` itself
/// says nothing of it.
fn nearest_base(host: &Host, tip: CommitId, others: &[BString]) -> Result<Option<CommitId>, git::Error> {
    let scope = &host.scope;
    let mut nearest: Option<CommitId> = None;
    for name in others {
        let Some(other) = refs::commit(scope, name.as_bstr())? else { continue };
        let bases = history::merge_bases(scope, tip, other)?;
        let Some(base) = bases.first().copied().filter(|base| *base != tip) else { continue };
        let is_nearer = match nearest {
            Some(nearest) => history::is_ancestor(scope, nearest, base)?,
            None => true,
        };
        nearest = if is_nearer { Some(base) } else { nearest };
    }
    Ok(nearest)
}
