//! Choose the remote and branch that a command means if little is typed.

use crate::outcome::unknown_name::UnknownName;
use crate::{Fails, FailureKind, Stop};
use brv_git::host_remote::NotOurs;
use brv_git::remotes::{self, RemoteName};
use brv_git::{Head, RemoteUrl, Scope, Target, UrlError};
use bstr::{BString, ByteSlice};
use std::path::Path;

/// Why the remote or branch is unclear.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("no remote is set up")]
    NoRemote,
    /// Several are, none is called `origin`, and the branch follows none.
    #[error("there are several remotes, and the branch tracks none of them")]
    Ambiguous(Vec<RemoteName>),
    /// What was typed is neither a remote nor an address.
    #[error("`{name}` is not a remote, and {reason}")]
    Unknown {
        name: String,
        /// Why it is not a URL either.
        reason: UrlError,
    },
    #[error("the branch `{0}` has no upstream branch")]
    NoUpstream(String),
    #[error("HEAD is not on a branch")]
    Detached,
    #[error(transparent)]
    NotOurs(#[from] NotOurs),
    #[error(transparent)]
    Remotes(#[from] remotes::Error),
}

impl Fails for Error {
    fn kind(&self) -> FailureKind {
        match self {
            Self::Remotes(remotes::Error::Git(error)) => FailureKind::of_git(error),
            Self::NotOurs(_) => FailureKind::Refused,
            Self::NoRemote
            | Self::Ambiguous(_)
            | Self::Unknown { .. }
            | Self::NoUpstream(_)
            | Self::Detached
            | Self::Remotes(
                remotes::Error::Name(_)
                | remotes::Error::Url(_)
                | remotes::Error::Exists(_)
                | remotes::Error::Absent(_)
                | remotes::Error::Taken(_),
            ) => FailureKind::Usage,
        }
    }

    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::NoRemote => "add one with `brv vc remote add origin URL`",
            Self::Ambiguous(_) => "name one of them; `brv vc remote` lists them",
            Self::NoUpstream(_) => {
                "name remote and branch; `brv vc push -u REMOTE BRANCH` also sets the upstream"
            }
            Self::Unknown { .. } => "`brv vc remote -v` lists the remotes",
            Self::Detached | Self::NotOurs(_) | Self::Remotes(_) => return None,
        };
        Some(hint.to_owned())
    }

    fn sought(&self) -> Option<UnknownName> {
        match self {
            Self::Remotes(error) => error.sought(),
            Self::Unknown { name, .. } => Some(UnknownName::Remote(name.clone())),
            _ => None,
        }
    }
}

/// What stops a command that was given the name of a remote.
pub fn named(error: remotes::Error) -> Stop {
    let kind = match &error {
        remotes::Error::Git(error) => FailureKind::of_git(error),
        remotes::Error::Taken(_) => FailureKind::Refused,
        remotes::Error::Name(_)
        | remotes::Error::Url(_)
        | remotes::Error::Exists(_)
        | remotes::Error::Absent(_) => FailureKind::Usage,
    };
    Stop { kind, ..error.into() }
}

/// The typed remote, or the default: the upstream's remote, `origin`, or the only one.
pub fn target(scope: &Scope, cwd: &Path, head: &Head, typed: Option<&str>) -> Result<Target, Error> {
    let remotes = remotes::list(scope)?;
    if let Some(typed) = typed {
        if let Some(remote) = remotes.iter().find(|remote| remote.name.as_str() == typed) {
            return Ok(Target::Named(remote.name.clone()));
        }
        let looks_like_an_address = typed.contains(['/', ':', '\\']) || cwd.join(typed).is_dir();
        return match RemoteUrl::parse(typed, cwd) {
            Ok(url) if looks_like_an_address => Ok(Target::Url(url)),
            Ok(_) => Err(remotes::Error::Absent(RemoteName::parse(typed)?).into()),
            Err(reason) => Err(Error::Unknown { name: brv_git::printable(typed.as_bytes()), reason }),
        };
    }
    let followed = match head.short_branch() {
        Some(branch) => remotes::upstream(scope, &branch)?.map(|upstream| upstream.remote),
        None => None,
    };
    let named = |name: &str| remotes.iter().find(|remote| remote.name.as_str() == name);
    if let Some(remote) = followed.as_deref().and_then(named).or_else(|| named("origin")) {
        return Ok(Target::Named(remote.name.clone()));
    }
    match &remotes[..] {
        [] => Err(Error::NoRemote),
        [only] => Ok(Target::Named(only.name.clone())),
        several => Err(Error::Ambiguous(several.iter().map(|remote| remote.name.clone()).collect())),
    }
}

/// The full name of the branch of `target` that the current branch tracks; `None` if it tracks none there.
pub fn followed_branch(scope: &Scope, head: &Head, target: &Target) -> Result<Option<BString>, Error> {
    let Some(branch) = head.short_branch() else { return Ok(None) };
    let upstream = remotes::upstream(scope, &branch)?;
    let is_of_target = |remote: &str| matches!(target, Target::Named(name) if name.as_str() == remote);
    Ok(upstream.filter(|upstream| is_of_target(&upstream.remote)).map(|upstream| upstream.merge))
}

pub fn full_branch(name: &str) -> BString {
    if name.starts_with("refs/") { name.into() } else { format!("refs/heads/{name}").into() }
}

/// A full name without `refs/heads/`.
pub fn short_branch(name: &BString) -> String {
    name.strip_prefix(b"refs/heads/").unwrap_or(name).to_str_lossy().into_owned()
}
