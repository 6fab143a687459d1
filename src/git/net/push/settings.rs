//! Reads the settings for pushes: `push.*`, `remote.<name>.push`, `pushurl`, `mirror`, `branch.<name>.pushRemote`.
//!
//! Makes no connection; the caller applies the settings to a push.

use super::refspec::{self, Refspec};
use super::{Error, FollowTags};
use crate::error::During;
use crate::net::network;
use crate::net::transport::{self, RemoteEndpoint};
use crate::repository::config_file;
use crate::repository::scope::Scope;
use crate::settings::host_remote::Naming;
use crate::settings::remotes::{self, Target};
use bstr::{BStr, BString, ByteSlice as _};
use gix::remote::Direction;

/// What a push without refspecs pushes: `push.default`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum WithoutRefspecs {
    /// The current branch, to the branch of the same name, which must be its upstream if it is pushed to its upstream's
    /// remote.
    #[default]
    Simple,
    /// The current branch, to the branch of the same name.
    Current,
    /// The current branch, to its upstream.
    Upstream,
    /// All branches that both sides have.
    Matching,
    Nothing,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PushSettings {
    /// `push.default`
    pub default: WithoutRefspecs,
    /// `remote.<name>.push`
    pub refspecs: Vec<Refspec>,
    /// `push.followTags`
    pub tags: FollowTags,
    /// `push.autoSetupRemote`: a branch without an upstream then tracks the branch that it is pushed to.
    pub sets_upstream: bool,
    /// `remote.<name>.mirror`
    pub is_mirror: bool,
    /// The names of the tree's branches on the remote.
    pub naming: Naming,
}

pub struct PushAddress {
    pub(super) target: Target,
    pub(super) endpoint: RemoteEndpoint,
}

impl PushAddress {
    /// For display: without user names and passwords.
    pub fn shown(&self) -> &str {
        &self.endpoint.shown
    }
}

pub fn read(scope: &Scope, target: &Target) -> Result<PushSettings, Error> {
    let repo = config_file::reloaded(scope)?;
    let snapshot = repo.config_snapshot();
    let config = snapshot.plumbing();
    let section = section(target);
    let flag =
        |key: &str| Ok::<_, Error>(config.boolean(key).during(format!("read `{key}`"))?.unwrap_or(false));
    let default = match config.string("push.default") {
        None => WithoutRefspecs::Simple,
        Some(value) => default(value.as_bstr())
            .ok_or_else(|| Error::Setting { key: "push.default", value: crate::printable(&value) })?,
    };
    let refspecs = section.and_then(|name| config.strings_by("remote", Some(name), "push"));
    let refspecs = refspecs.unwrap_or_default();
    let refspecs = refspecs.iter().map(|text| Ok(refspec::parse(text.as_bstr())?));
    let is_mirror = match section {
        Some(name) => {
            config.boolean_by("remote", Some(name), "mirror").during("read `mirror`")? == Some(true)
        }
        None => false,
    };
    Ok(PushSettings {
        default,
        refspecs: refspecs.collect::<Result<_, Error>>()?,
        tags: if flag("push.followTags")? { FollowTags::Yes } else { FollowTags::No },
        sets_upstream: flag("push.autoSetupRemote")?,
        is_mirror,
        naming: Naming::of(scope, target)?,
    })
}

fn section(target: &Target) -> Option<&BStr> {
    match target {
        Target::Named(name) => Some(name.as_str().into()),
        Target::Url(_) => None,
    }
}

fn default(value: &BStr) -> Option<WithoutRefspecs> {
    Some(match value.to_str().ok()? {
        "simple" => WithoutRefspecs::Simple,
        "current" => WithoutRefspecs::Current,
        "upstream" | "tracking" => WithoutRefspecs::Upstream,
        "matching" => WithoutRefspecs::Matching,
        "nothing" => WithoutRefspecs::Nothing,
        _ => return None,
    })
}

/// The remote, or its URL, that the branch (without `refs/heads/`) is pushed to instead of its upstream:
/// `branch.<name>.pushRemote`, `remote.pushDefault`.
pub fn remote_of(scope: &Scope, branch: Option<&str>) -> Result<Option<String>, Error> {
    let repo = config_file::reloaded(scope)?;
    let snapshot = repo.config_snapshot();
    let config = snapshot.plumbing();
    let own = branch.and_then(|branch| config.string_by("branch", Some(BStr::new(branch)), "pushremote"));
    let value = own.or_else(|| config.string("remote.pushdefault"));
    Ok(value.map(|value| value.to_str_lossy().into_owned()).filter(|value| !value.is_empty()))
}

/// The URLs that the remote is pushed to, in the settings' order: its `pushurl`s, else its `url`s. Never empty.
///
/// # Errors
/// No URL, or one that must not be used.
pub fn addresses(scope: &Scope, target: &Target) -> Result<Vec<PushAddress>, Error> {
    let repo = config_file::reloaded(scope)?;
    let Target::Named(name) = target else {
        let endpoint = transport::endpoint(&repo, target, Direction::Push, scope.environment())?;
        return Ok(vec![PushAddress { target: target.clone(), endpoint }]);
    };
    if repo.try_find_remote(name.as_str()).is_none() {
        return Err(network::Error::NoRemote(name.clone()).into());
    }
    let snapshot = repo.config_snapshot();
    let named = |key| remotes::values(snapshot.plumbing(), name, key);
    let (own, urls) = (named("pushurl"), named("url"));
    let rewritten = |url: &BString, direction| {
        let act = || format!("use a URL of `{name}`");
        let remote = repo.remote_at(url.as_bstr()).during(act)?;
        Ok::<_, Error>(remote.url(direction).expect("a remote made of a URL has it").clone())
    };
    let mut found = own.iter().map(|url| rewritten(url, Direction::Fetch)).collect::<Result<Vec<_>, _>>()?;
    if found.is_empty() {
        let plain = urls.iter().map(|url| rewritten(url, Direction::Fetch)).collect::<Result<Vec<_>, _>>()?;
        let push = urls.iter().map(|url| rewritten(url, Direction::Push)).collect::<Result<Vec<_>, _>>()?;
        // as in git: if `pushInsteadOf` applies to some of them, only those are pushed to
        let moved: Vec<_> = push.iter().zip(&plain).filter(|(push, plain)| push != plain).collect();
        found = match moved.is_empty() {
            true => plain,
            false => moved.into_iter().map(|(push, _)| push.clone()).collect(),
        };
    }
    if found.is_empty() {
        return Err(network::Error::NoUrl(name.clone()).into());
    }
    let address = |url| {
        let endpoint = transport::endpoint_of(&repo, url, Some(name.clone()), scope.environment())?;
        Ok(PushAddress { target: target.clone(), endpoint })
    };
    found.into_iter().map(address).collect()
}
