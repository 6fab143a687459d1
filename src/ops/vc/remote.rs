//! `brv vc remote`: the remotes of the settings.

use crate::git::remotes::{self, Remote, RemoteName};
use crate::git::{RemoteUrl, UrlError};
use crate::ops::FailureKind;
use crate::ops::context::{Context, OpenError};

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
        url: String,
    },
    /// Change where one is.
    SetUrl {
        /// Which.
        name: String,
        /// Where it is.
        url: String,
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

/// What is set up now, ordered by name.
#[derive(Debug)]
pub struct Outcome {
    /// All remotes.
    pub remotes: Vec<Remote>,
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
    /// The name, or the settings.
    #[error(transparent)]
    Remotes(#[from] remotes::Error),
}

impl Error {
    /// What kind of failure it is.
    #[must_use]
    pub const fn kind(&self) -> FailureKind {
        match self {
            Self::Open(error) => error.kind(),
            Self::Remotes(remotes::Error::Git(_)) => FailureKind::Failed,
            Self::Url(_) | Self::Remotes(_) => FailureKind::Usage,
        }
    }
}

/// List or change the remotes.
///
/// # Errors
/// [`Error`]; then nothing changed.
pub fn run(cx: &mut Context<'_>, options: &Options) -> Result<Outcome, Error> {
    let opened = cx.open()?;
    let scope = &opened.scope;
    let name = |name: &str| RemoteName::parse(name);
    let mut password = Password::None;
    match options {
        Options::List => {}
        Options::Add { name: new, url } => {
            remotes::add(scope, &name(new)?, &url_to_keep(url, cx, &mut password)?)?;
        }
        Options::SetUrl { name: which, url } => {
            remotes::set_url(scope, &name(which)?, &url_to_keep(url, cx, &mut password)?)?;
        }
        Options::Rename { before, after } => remotes::rename(scope, &name(before)?, &name(after)?)?,
        Options::Remove { name: which } => remotes::remove(scope, &name(which)?)?,
    }
    Ok(Outcome { remotes: remotes::list(scope)?, password })
}

/// The address as it goes into the settings: without its password, if it has one.
fn url_to_keep(typed: &str, cx: &Context<'_>, password: &mut Password) -> Result<RemoteUrl, Error> {
    let url = RemoteUrl::parse(typed, &cx.cwd)?;
    let kept = url.without_password();
    if kept != url {
        *password = Password::LeftOut;
    }
    Ok(kept)
}
