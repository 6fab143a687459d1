//! `brv vc remote`: list and change the configured remotes.

use brv_engine::journal::{self, Kind, OperationId, Recovered, Resolution, SettingsMove};
use brv_engine::open::context::{Context, Opened};
use brv_engine::outcome::cause::{Cause, caused};
use brv_engine::vc::remotes::host;
use brv_engine::vc::remotes::transfer::NewUpstream;
use brv_engine::write::operation::{Derived, WriteOutcome, Writing, settings_only};
use brv_engine::{Fails, FailureKind};
use brv_git::branch_settings::Followed;
use brv_git::host_remote::{self, Address, Naming};
use brv_git::remotes::{self, Change, Remote, RemoteName};
use brv_git::{RemoteUrl, Scope, UrlError};

#[derive(Debug, Clone)]
pub enum Options {
    List,
    Add {
        name: String,
        place: Place,
    },
    SetUrl {
        name: String,
        place: Place,
    },
    /// Rename a remote, with its tracking refs and the branches that track it.
    Rename {
        before: String,
        after: String,
    },
    /// Remove a remote, with its tracking refs.
    Remove {
        name: String,
    },
}

#[derive(Debug, Clone)]
pub enum Place {
    Url(String),
    /// At the URL of the host repository's remote with this name, or its default remote (`--host`).
    Host(Option<String>),
}

#[derive(Debug, Default)]
pub struct Outcome {
    pub remotes: Vec<Remote>,
    /// For remotes copied from the host: the host's current URL, if it has changed.
    pub moved: Vec<(RemoteName, RemoteUrl)>,
    /// The branch whose upstream was set to a branch of the new remote, with that upstream.
    pub followed: Option<NewUpstream>,
    /// Whether a password was removed from the URL.
    pub password: Password,
    /// What else was written: operation and derived files.
    pub written: WriteOutcome,
}

/// Whether a password was removed from a URL.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Password {
    #[default]
    None,
    /// It was left out: secrets do not belong in a settings file.
    LeftOut,
}

/// Why nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Cause(Cause),
    #[error(transparent)]
    Url(#[from] UrlError),
    #[error(transparent)]
    Host(#[from] host::Error),
    #[error(transparent)]
    Remotes(#[from] remotes::Error),
}

impl Error {
    pub fn kind(&self) -> FailureKind {
        match self {
            Self::Cause(cause) => cause.kind(),
            Self::Host(error) => error.kind(),
            Self::Remotes(remotes::Error::Git(error)) => FailureKind::of_git(error),
            Self::Remotes(remotes::Error::Taken(_)) => FailureKind::Refused,
            Self::Url(_)
            | Self::Remotes(
                remotes::Error::Name(_)
                | remotes::Error::Url(_)
                | remotes::Error::Exists(_)
                | remotes::Error::Absent(_),
            ) => FailureKind::Usage,
        }
    }
}

caused!(Error);

/// List or change the remotes.
///
/// # Errors
/// [`Error`]; then nothing changed.
pub fn run(cx: &Context<'_>, options: &Options) -> Result<Outcome, Error> {
    let opened = cx.open_whole("remote")?;
    let mut outcome = Outcome::default();
    if !matches!(options, Options::List) {
        change(cx, &opened, options, &mut outcome)?;
    }
    outcome.remotes = remotes::list(&opened.scope)?;
    let moved = |remote: &Remote| Some((remote.name.clone(), host::moved(&opened, remote)?));
    outcome.moved = outcome.remotes.iter().filter_map(moved).collect();
    Ok(outcome)
}

/// Make the change as an operation: settings and tracking refs.
fn change(cx: &Context<'_>, opened: &Opened, options: &Options, outcome: &mut Outcome) -> Result<(), Error> {
    let mut writing = Writing::begin(cx.parts(opened))?;
    let reason = reason(options);
    let again = asked_again(&opened.scope, options, writing.recovered(), &reason)?;
    if again.is_none() {
        let change = changes(cx, opened, options, outcome)?;
        settings_only::carry_out(&mut writing, (Kind::Remote, reason), change)?;
    }
    outcome.written = writing.finish(Derived::Leave);
    outcome.written.operation = again.or(outcome.written.operation.take());
    Ok(())
}

fn reason(options: &Options) -> String {
    match options {
        Options::List => String::new(),
        Options::Add { name, .. } => format!("add {name}"),
        Options::SetUrl { name, .. } => format!("set-url {name}"),
        Options::Rename { before, after } => format!("rename {before} to {after}"),
        Options::Remove { name } => format!("remove {name}"),
    }
}

/// The same command, which was interrupted by a crash and just recovered; running it again would find nothing to do.
fn asked_again(
    scope: &Scope,
    options: &Options,
    recovered: Option<&Recovered>,
    reason: &str,
) -> Result<Option<OperationId>, Error> {
    let is_final = matches!(options, Options::Rename { .. } | Options::Remove { .. });
    let is_finished = |one: &&Recovered| one.kind == Kind::Remote && one.resolution == Resolution::Finished;
    let Some(recovered) = recovered.filter(is_finished).filter(|_| is_final) else { return Ok(None) };
    let last = journal::latest(scope)?;
    Ok(last.filter(|last| last.id == recovered.id && last.reason == reason).map(|last| last.id))
}

fn changes(
    cx: &Context<'_>,
    opened: &Opened,
    options: &Options,
    outcome: &mut Outcome,
) -> Result<Change, Error> {
    let scope = &opened.scope;
    let name = |name: &str| RemoteName::parse(name);
    let of_host =
        |password: &mut Password, of: &Option<String>| host_address(opened, of.as_deref(), password);
    let password = &mut outcome.password;
    let (mut settings, remote) = match options {
        Options::List => return Ok(Change::default()),
        Options::Rename { before, after } => {
            return Ok(remotes::renaming(scope, &name(before)?, &name(after)?)?);
        }
        Options::Remove { name: which } => return Ok(remotes::removing(scope, &name(which)?)?),
        Options::Add { name: new, place: Place::Url(url) } => {
            let url = url_to_keep(url, cx, password)?;
            return Ok((remotes::adding(scope, &name(new)?, &url)?, Vec::new()));
        }
        Options::SetUrl { name: which, place: Place::Url(url) } => {
            let url = url_to_keep(url, cx, password)?;
            return Ok((remotes::setting_url(scope, &name(which)?, &url)?, Vec::new()));
        }
        Options::Add { name: new, place: Place::Host(of) } => {
            let new = name(new)?;
            (host_remote::adding(scope, &new, &of_host(password, of)?)?, new)
        }
        Options::SetUrl { name: which, place: Place::Host(of) } => {
            let which = name(which)?;
            (host_remote::setting(scope, &which, &of_host(password, of)?)?, which)
        }
    };
    if let Some((branch, change)) = follow(scope, &remote)? {
        settings.push(change);
        let upstream = format!("{remote}/{branch}");
        outcome.followed = Some(NewUpstream { branch, upstream });
    }
    Ok((settings, Vec::new()))
}

fn host_address(opened: &Opened, of: Option<&str>, password: &mut Password) -> Result<Address, Error> {
    let Address { host, url, push_urls } = host::remote(opened, of)?;
    let mut keep = |url: RemoteUrl| kept(&url, password);
    Ok(Address { host, url: keep(url), push_urls: push_urls.into_iter().map(keep).collect() })
}

/// Set the upstream of the current branch on a remote with its own branch naming, unless it already has one: git's
/// rules cannot find its counterpart there.
fn follow(scope: &Scope, remote: &RemoteName) -> Result<Option<(String, SettingsMove)>, Error> {
    let Some(branch) = scope.head()?.short_branch() else { return Ok(None) };
    let merge = Naming::Host.branch(&branch);
    let is_free =
        remotes::upstream(scope, &branch)?.is_none_or(|upstream| upstream.remote == remote.as_str());
    if !is_free {
        return Ok(None);
    }
    let followed = Followed { remote: remote.to_string(), merge };
    let change = SettingsMove::follow(scope, &branch, &followed)?;
    Ok(Some((branch, change)))
}

/// The URL as it is written to the settings: without its password, if it has one.
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
