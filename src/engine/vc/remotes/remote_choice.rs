//! Choose the remote and branch that a command means if little is typed.

use crate::outcome::unknown_name::UnknownName;
use crate::{FailureKind, OrStop, Stop};
use brv_git::remotes::{self, RemoteName};
use brv_git::{Head, RemoteUrl, Scope, Target};
use bstr::{BString, ByteSlice};
use std::path::Path;

/// Which of these remotes is meant is unclear: there is none; or there are several, none is called `origin`, and the
/// branch follows none.
#[derive(Debug)]
pub struct Unclear(pub Vec<RemoteName>);

impl From<Unclear> for Stop {
    fn from(Unclear(remotes): Unclear) -> Self {
        match remotes.is_empty() {
            true => Self::usage("no remote is set up").hint("add one with `brv vc remote add origin URL`"),
            false => Self::usage("there are several remotes, and the branch tracks none of them")
                .hint("name one of them; `brv vc remote` lists them"),
        }
    }
}

pub fn detached() -> Stop {
    Stop::usage("HEAD is not on a branch")
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
pub fn target(scope: &Scope, cwd: &Path, head: &Head, typed: Option<&str>) -> Result<Target, Stop> {
    let Some(typed) = typed else { return Ok(Target::Named(usual(scope, head)?)) };
    let remotes = remotes::list(scope).map_err(named)?;
    if let Some(remote) = remotes.into_iter().find(|remote| remote.name.as_str() == typed) {
        return Ok(Target::Named(remote.name));
    }
    let looks_like_an_address = typed.contains(['/', ':', '\\']) || cwd.join(typed).is_dir();
    match RemoteUrl::parse(typed, cwd) {
        Ok(url) if looks_like_an_address => Ok(Target::Url(url)),
        Ok(_) => Err(named(RemoteName::parse(typed).map_or_else(|error| error, remotes::Error::Absent))),
        Err(reason) => {
            let name = brv_git::printable(typed.as_bytes());
            Err(Stop::usage(format!("`{name}` is not a remote, and {reason}"))
                .hint("`brv vc remote -v` lists the remotes")
                .seeking(UnknownName::Remote(name)))
        }
    }
}

/// The default: the upstream's remote, `origin`, or the only one.
pub fn usual(scope: &Scope, head: &Head) -> Result<RemoteName, OrStop<Unclear>> {
    let mut names: Vec<RemoteName> =
        remotes::list(scope).map_err(named)?.into_iter().map(|remote| remote.name).collect();
    let followed = match head.short_branch() {
        Some(branch) => remotes::upstream(scope, &branch).map_err(named)?.map(|upstream| upstream.remote),
        None => None,
    };
    let at = |name: &str| names.iter().position(|remote| remote.as_str() == name);
    match followed.as_deref().and_then(at).or_else(|| at("origin")) {
        Some(at) => Ok(names.swap_remove(at)),
        None if names.len() == 1 => Ok(names.swap_remove(0)),
        None => Err(OrStop::This(Unclear(names))),
    }
}

/// The full name of the branch of `target` that the current branch tracks; `None` if it tracks none there.
pub fn followed_branch(scope: &Scope, head: &Head, target: &Target) -> Result<Option<BString>, Stop> {
    let Some(branch) = head.short_branch() else { return Ok(None) };
    let upstream = remotes::upstream(scope, &branch).map_err(named)?;
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
