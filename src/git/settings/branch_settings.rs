//! Settings about upstreams of branches.
//!
//! Branches are named without `refs/heads/`.

use crate::error::Error;
use crate::repository::config_file;
use crate::{Scope, refs};
use bstr::{BStr, BString, ByteSlice as _};

/// A possible upstream: a branch of a remote, or (`.`) one of this repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Followed {
    /// `origin`, or `.`
    pub remote: String,
    /// The full name of the branch there.
    pub merge: BString,
}

impl std::fmt::Display for Followed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let branch = self.merge.strip_prefix(b"refs/heads/").unwrap_or(&self.merge).to_str_lossy();
        if self.remote == "." { f.write_str(&branch) } else { write!(f, "{}/{branch}", self.remote) }
    }
}

/// Which new branches track their start point: `branch.autoSetupMerge`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AutoSetup {
    Never,
    /// Those that start from a branch of a remote.
    Remote,
    /// Those that start from a branch of a remote that has their own name.
    SameName,
    /// Those that start from any branch.
    Always,
    /// They get the upstream of the branch that they start from.
    Inherit,
}

/// The value of the setting; unknown values count as git's default.
pub fn auto_setup(scope: &Scope) -> Result<AutoSetup, Error> {
    let repo = config_file::reloaded(scope)?;
    let config = repo.config_snapshot();
    let Some(value) = config.string("branch.autoSetupMerge") else { return Ok(AutoSetup::Remote) };
    Ok(match value.to_ascii_lowercase().as_slice() {
        b"always" => AutoSetup::Always,
        b"inherit" => AutoSetup::Inherit,
        b"simple" => AutoSetup::SameName,
        _ => match config.try_boolean("branch.autoSetupMerge") {
            Ok(Some(false)) => AutoSetup::Never,
            _ => AutoSetup::Remote,
        },
    })
}

/// The remote branch of a tracking ref (`refs/remotes/origin/main`), by the refspecs of the remotes; `None` if no
/// remote, or more than one, has such a refspec.
pub fn remembered(scope: &Scope, tracking: &BStr) -> Result<Option<Followed>, Error> {
    let repo = config_file::reloaded(scope)?;
    let Ok(name) = gix::refs::FullName::try_from(tracking.to_owned()) else { return Ok(None) };
    let found = repo.upstream_branch_and_remote_for_tracking_branch(name.as_ref());
    Ok(found.ok().flatten().and_then(|(branch, remote)| {
        let remote = remote.name()?.as_bstr().to_str().ok()?.to_owned();
        Some(Followed { remote, merge: branch.as_bstr().to_owned() })
    }))
}

/// The tracking refs for a branch of this name, each with its remote branch.
pub fn namesakes(scope: &Scope, branch: &str) -> Result<Vec<(BString, Followed)>, Error> {
    let (end, merge) = (format!("/{branch}"), format!("refs/heads/{branch}"));
    let mut found = Vec::new();
    for name in refs::names(scope, "refs/remotes/")? {
        if name.ends_with(end.as_bytes())
            && let Some(followed) = remembered(scope, name.as_bstr())?
            && followed.merge == merge.as_str()
        {
            found.push((name, followed));
        }
    }
    Ok(found)
}

/// The remote that is preferred when several have a branch of the same name: `checkout.defaultRemote`.
pub fn default_remote(scope: &Scope) -> Result<Option<String>, Error> {
    let repo = config_file::reloaded(scope)?;
    let value = repo.config_snapshot().string("checkout.defaultRemote");
    Ok(value.map(|value| value.to_str_lossy().into_owned()))
}
