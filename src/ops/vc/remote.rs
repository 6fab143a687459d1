//! `brv vc remote`: the remotes of the settings.

use crate::git::host_remote::{self, Address, Naming};
use crate::git::remotes::{self, Remote, RemoteName};
use crate::git::{self, RemoteUrl, Scope, UrlError};
use crate::ops::FailureKind;
use crate::ops::context::{Context, OpenError};
use crate::ops::steps::host;
use std::path::Path;

/// What to do.
#[derive(Debug, Clone)]
pub enum Options {
    /// Name them.
    List,
    /// Add one.
    Add {
        /// What it is called here.
        name: String,
        /// Where it is.
        place: Place,
    },
    /// Change where one is.
    SetUrl {
        /// Which.
        name: String,
        /// Where it is.
        place: Place,
    },
    /// Rename one, with its tracking refs and what follows them.
    Rename {
        /// Its name.
        before: String,
        /// Its new name.
        after: String,
    },
    /// Remove one, with its tracking refs.
    Remove {
        /// Which.
        name: String,
    },
}

/// Where a remote is.
#[derive(Debug, Clone)]
pub enum Place {
    /// At an address.
    Url(String),
    /// Where the host repository's remote of this name is, or its usual one (`--host`).
    Host(Option<String>),
}

/// What is set up now, ordered by name.
#[derive(Debug)]
pub struct Outcome {
    /// All remotes.
    pub remotes: Vec<Remote>,
    /// Of those that are the host's: where the host's remote is now, if elsewhere.
    pub moved: Vec<(RemoteName, RemoteUrl)>,
    /// The branch that follows one of the new remote from now on, and which.
    pub followed: Option<(String, String)>,
    /// What became of a password in the address.
    pub password: Password,
}

/// What became of a password in an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Password {
    /// There was none.
    None,
    /// It is not kept: a settings file is no place for secrets.
    LeftOut,
}

/// Why nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No tree.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The address.
    #[error(transparent)]
    Url(#[from] UrlError),
    /// The host has no remote to use.
    #[error(transparent)]
    Host(#[from] host::Error),
    /// The name, or the settings.
    #[error(transparent)]
    Remotes(#[from] remotes::Error),
    /// The repository.
    #[error(transparent)]
    Git(#[from] git::Error),
}

impl Error {
    /// What kind of failure it is.
    #[must_use]
    pub const fn kind(&self) -> FailureKind {
        match self {
            Self::Open(error) => error.kind(),
            Self::Host(error) => error.kind(),
            Self::Git(_) | Self::Remotes(remotes::Error::Git(_)) => FailureKind::Failed,
            Self::Url(_) | Self::Remotes(_) => FailureKind::Usage,
        }
    }
}

/// List or change the remotes.
///
/// # Errors
/// [`Error`]; then nothing changed.
pub fn run(cx: &mut Context<'_>, options: &Options) -> Result<Outcome, Error> {
    let opened = cx.open_whole("remote")?;
    let scope = &opened.scope;
    let name = |name: &str| RemoteName::parse(name);
    let mut password = Password::None;
    let mut followed = None;
    match options {
        Options::List => {}
        Options::Add { name: new, place: Place::Url(url) } => {
            remotes::add(scope, &name(new)?, &url_to_keep(url, cx, &mut password)?)?;
        }
        Options::SetUrl { name: which, place: Place::Url(url) } => {
            remotes::set_url(scope, &name(which)?, &url_to_keep(url, cx, &mut password)?)?;
        }
        Options::Add { name: new, place: Place::Host(of) } => {
            let (new, address) =
                (name(new)?, host_address(&opened.places.project, of.as_deref(), &mut password)?);
            host_remote::add(scope, &new, &address)?;
            followed = follow(scope, &new)?;
        }
        Options::SetUrl { name: which, place: Place::Host(of) } => {
            let which = name(which)?;
            let address = host_address(&opened.places.project, of.as_deref(), &mut password)?;
            host_remote::set(scope, &which, &address)?;
            followed = follow(scope, &which)?;
        }
        Options::Rename { before, after } => remotes::rename(scope, &name(before)?, &name(after)?)?,
        Options::Remove { name: which } => remotes::remove(scope, &name(which)?)?,
    }
    let remotes = remotes::list(scope)?;
    let moved = |remote: &Remote| Some((remote.name.clone(), host::moved(&opened.places.project, remote)?));
    let moved = remotes.iter().filter_map(moved).collect();
    Ok(Outcome { remotes, moved, followed, password })
}

fn host_address(project: &Path, of: Option<&str>, password: &mut Password) -> Result<Address, Error> {
    let Address { host, url, push_urls } = host::remote(project, of)?;
    let mut keep = |url: RemoteUrl| kept(&url, password);
    Ok(Address { host, url: keep(url), push_urls: push_urls.into_iter().map(keep).collect() })
}

/// Of a remote with names of its own the current branch could not be told by git's rules: it follows its counterpart, if it
/// follows nothing else.
fn follow(scope: &Scope, remote: &RemoteName) -> Result<Option<(String, String)>, Error> {
    let Some(branch) = scope.head()?.short_branch() else { return Ok(None) };
    let merge = Naming::Host.branch(&branch);
    let is_free =
        remotes::upstream(scope, &branch)?.is_none_or(|upstream| upstream.remote == remote.as_str());
    if !is_free {
        return Ok(None);
    }
    remotes::set_upstream(scope, &branch, remote, merge.as_ref())?;
    let upstream = format!("{remote}/{branch}");
    Ok(Some((branch, upstream)))
}

/// The address as it goes into the settings: without its password, if it has one.
fn url_to_keep(typed: &str, cx: &Context<'_>, password: &mut Password) -> Result<RemoteUrl, Error> {
    Ok(kept(&RemoteUrl::parse(typed, &cx.cwd)?, password))
}

fn kept(url: &RemoteUrl, password: &mut Password) -> RemoteUrl {
    let kept = url.without_password();
    if kept != *url {
        *password = Password::LeftOut;
    }
    kept
}
