//! The upstream branch that the current branch is integrated with, and its fetched state: the code that `pull` and
//! `sync` share before a merge.
//!
//! Connects to the remote, and holds no lock meanwhile. Does not touch files.

use super::fetch_options::FetchOptions;
use super::remote_choice;
use crate::merge::guards::{self, RemoteRewrite};
use crate::outcome::in_progress::WAITING;
use crate::vc::work_tree::ongoing;
use crate::{OrStop, Stop};
use brv_git::host_remote::Naming;
use brv_git::network::Network;
use brv_git::{CommitId, Head, ObjectName, Scope, Target, fetch};
use brv_git::{merge_state, push};
use bstr::{BStr, BString, ByteSlice as _};
use std::path::Path;

/// The remote branch and the local branch.
#[derive(Debug, Clone)]
pub struct FollowedBranch {
    pub target: Target,
    /// The naming of the tree's branches on the remote.
    pub naming: Naming,
    /// The full name of the remote branch.
    pub branch: BString,
    /// The full name of the local branch; `None` if detached.
    pub into: Option<BString>,
}

/// The state of the remote branch after a fetch.
#[derive(Debug)]
pub struct FetchedBranch {
    pub fetched: fetch::Outcome,
    /// The commit of the remote branch; `None`: the branch does not exist.
    pub tip: Option<CommitId>,
    pub tracking: Option<BString>,
    /// The commits that the branch dropped since it was last integrated, if its history was rewritten. A ref keeps
    /// them.
    pub rewrite: Option<RemoteRewrite>,
}

const ON_A_BRANCH: &str = "switch to a branch with `git switch NAME` in the tree; or name what to pull: `brv vc pull REMOTE BRANCH`";

const SHALLOW_REMOTE: &str = "accept the shallow history of the remote with `brv vc fetch --update-shallow`";

/// The default if no branch was named and the current one has no upstream.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Unfollowed {
    /// No branch, unless a remote was named.
    #[default]
    Refuse,
    /// The branch with the same name.
    Namesake,
}

/// This branch has no upstream.
#[derive(Debug)]
pub struct NoUpstream(String);

impl From<NoUpstream> for Stop {
    fn from(NoUpstream(branch): NoUpstream) -> Self {
        Self::usage(format!("the branch `{branch}` has no upstream branch"))
            .hint("name remote and branch; `brv vc push -u REMOTE BRANCH` also sets the upstream")
    }
}

/// Choose the remote branch: the one typed, else the upstream of the current branch.
pub fn choose(
    scope: &Scope,
    cwd: &Path,
    (remote, branch): (Option<&str>, Option<&str>),
    unfollowed: Unfollowed,
) -> Result<FollowedBranch, OrStop<NoUpstream>> {
    let head = scope.head()?;
    let target = remote_choice::target(scope, cwd, &head, remote)?;
    let into = head.branch().map(ToOwned::to_owned);
    let naming = Naming::of(scope, &target)?;
    if let Some(branch) = branch {
        let branch = naming.branch(branch);
        naming.check(branch.as_bstr())?;
        return Ok(FollowedBranch { target, naming, branch, into });
    }
    let current = head.short_branch().ok_or_else(|| remote_choice::detached().hint(ON_A_BRANCH))?;
    let followed = remote_choice::followed_branch(scope, &head, &target)?;
    let branch = match followed {
        Some(branch) => branch,
        None if remote.is_some() || unfollowed == Unfollowed::Namesake => naming.branch(&current),
        None => return Err(OrStop::This(NoUpstream(current))),
    };
    Ok(FollowedBranch { target, naming, branch, into })
}

impl FollowedBranch {
    /// Fetch, and find the commit of the branch.
    ///
    /// # Errors
    /// Then no ref was moved.
    pub fn fetch(
        &self,
        scope: &Scope,
        manner: FetchOptions,
        network: &Network<'_>,
    ) -> Result<FetchedBranch, OrStop<fetch::Error>> {
        let refspecs = match &self.target {
            Target::Named(_) => Vec::new(),
            Target::Url(_) => vec![self.branch.to_str_lossy().into_owned()],
        };
        let options =
            fetch::Options { refspecs, ..manner.of(self.naming)?.options(scope, self.target.clone())? };
        let fetched = fetch::fetch(scope, &options, network).map_err(OrStop::This)?;
        let update = fetched.updates.iter().find(|update| update.remote == self.branch);
        if update.is_some_and(|update| {
            update.kind == fetch::FetchUpdateKind::Refused(fetch::FetchRefusal::ShallowRemote)
        }) {
            let message = format!("`{}` is shallow, and the history it lacks is not here", self.target);
            return Err(Stop::refused(message).hint(SHALLOW_REMOTE).into());
        }
        let commit = |id: Option<ObjectName>| id.and_then(|id| CommitId::from_hex(&id.to_string()));
        let tip = commit(update.and_then(|update| update.after));
        let before = commit(update.and_then(|update| update.before));
        let tracking = update.and_then(|update| update.local.clone());
        let rewrite = match (&tracking, tip) {
            (Some(tracking), Some(tip)) => guards::rewritten(scope, tracking.as_bstr(), before, tip)?,
            _ => None,
        };
        Ok(FetchedBranch { fetched, tip, tracking, rewrite })
    }

    /// The current `HEAD`, if a merge may start.
    pub fn head(&self, scope: &Scope) -> Result<Head, Stop> {
        if merge_state::read(scope)?.is_some() {
            return Err(Stop::conflict("a merge is still in progress").hint(WAITING));
        }
        ongoing::refuse(scope)?;
        let head = scope.head()?;
        let is_of = head.branch() == self.into.as_ref().map(|name| name.as_bstr());
        if is_of {
            return Ok(head);
        }
        // somebody switched to another branch meanwhile
        Err(Stop::refused("HEAD moved to another branch while the remote was being contacted"))
    }

    /// The name of the remote branch without `refs/heads/`.
    pub fn short_branch(&self) -> String {
        self.naming.short(self.branch.as_bstr())
    }

    /// `origin/main`
    pub fn name(&self) -> String {
        format!("{}/{}", self.target, self.short_branch())
    }

    /// The name of a merge of the branch, in git's words.
    pub fn described(&self) -> String {
        match &self.target {
            Target::Named(_) => format!("remote-tracking branch '{}'", self.name()),
            Target::Url(url) => format!("branch '{}' of {url}", self.short_branch()),
        }
    }

    /// The ref updates that push `commit` to the branch.
    pub fn update(&self, commit: CommitId) -> push::RefUpdate {
        push::RefUpdate {
            source: Some(commit.into()),
            destination: BStr::new(&self.branch).to_owned(),
            force: push::Force::No,
        }
    }
}
