//! The upstream of a branch, and how far the two have diverged (ahead, behind).

use brv_base::messages::without_passwords;
use brv_git as git;
use brv_git::history;
use brv_git::{CommitId, Head, Scope, remotes};
use bstr::{BString, ByteSlice};
use schemars::JsonSchema;
use serde::Serialize;

/// The upstream of a branch.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
pub struct Upstream {
    /// Its name: `origin/main`
    pub name: String,
    /// The remote-tracking ref (full name), if there is to be one.
    #[serde(skip)]
    pub tracking: Option<BString>,
    /// Number of commits of the branch that the upstream lacks; absent if the upstream does not exist here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ahead: Option<usize>,
    /// Number of commits of the upstream that the branch lacks; absent if the upstream does not exist here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub behind: Option<usize>,
}

/// The upstream of the current branch in `head`; `None` if detached or if none is set.
pub fn of(scope: &Scope, head: &Head) -> Result<Option<Upstream>, remotes::Error> {
    match head.short_branch() {
        Some(branch) => of_branch(scope, &branch, head.commit()),
        None => Ok(None),
    }
}

/// The upstream of a branch (without `refs/heads/`) at this commit.
pub fn of_branch(
    scope: &Scope,
    branch: &str,
    commit: Option<CommitId>,
) -> Result<Option<Upstream>, remotes::Error> {
    let Some(upstream) = remotes::upstream(scope, branch)? else { return Ok(None) };
    let short = upstream.merge.strip_prefix(b"refs/heads/").unwrap_or(&upstream.merge).to_str_lossy();
    let name = match &upstream.tracking {
        Some(tracking) => {
            let known = ["refs/remotes/", "refs/heads/"];
            let short = known.iter().find_map(|known| tracking.strip_prefix(known.as_bytes()));
            short.unwrap_or(tracking).to_str_lossy().into_owned()
        }
        // a branch may track an address
        None => without_passwords(&format!("{}/{short}", upstream.remote)),
    };
    let theirs = match &upstream.tracking {
        Some(tracking) => git::refs::commit(scope, tracking.as_ref())?,
        None => None,
    };
    let distance = match (commit, theirs) {
        (Some(ours), Some(theirs)) => Some(history::ahead_behind(scope, ours, theirs)?),
        _ => None,
    };
    let (ahead, behind) = distance.map(|distance| (distance.ahead, distance.behind)).unzip();
    Ok(Some(Upstream { name, tracking: upstream.tracking, ahead, behind }))
}
