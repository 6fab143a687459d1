//! `brv vc remote`: list and change the configured remotes.

use brv_engine::Stop;
use brv_engine::journal::{self, OperationId, OperationKind, Recovered, Resolution, SettingsMove};
use brv_engine::open::context::{Context, Opened};
use brv_engine::vc::remotes::host;
pub use brv_engine::vc::remotes::listed::ListedRemote;
use brv_engine::vc::remotes::remote_choice::named;
use brv_engine::vc::remotes::transfer::NewUpstream;
use brv_engine::write::operation::{Derived, Writing, settings_only};
use brv_engine::write::written::Logged;
use brv_git::branch_settings::Followed;
use brv_git::host_remote::{self, Address, Naming};
use brv_git::remotes::{self, Remote, RemoteChange, RemoteName};
use brv_git::{RemoteUrl, Scope};
use schemars::JsonSchema;
use serde::Serialize;

#[derive(Debug, Clone)]
pub enum Options {
    List,
    Add {
        name: String,
        place: RemoteAddress,
    },
    SetUrl {
        name: String,
        place: RemoteAddress,
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
pub enum RemoteAddress {
    Url(String),
    /// At the URL of the host repository's remote with this name, or its default remote (`--host`).
    Host(Option<String>),
}

/// `brv.vc.remote/1`: the current remotes. Addresses have no secrets.
#[derive(Debug, Default, JsonSchema, Serialize)]
#[schemars(rename = "Remotes")]
pub struct Outcome {
    /// The remotes, ordered by name.
    pub remotes: Vec<ListedRemote>,
    /// The branch whose upstream was set to a branch of the host's remote.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub followed: Option<NewUpstream>,
    /// The operation, and a recovered command.
    #[serde(flatten)]
    pub written: Logged,
    /// Whether a password in the address was left out: secrets do not belong in a settings file.
    #[serde(skip)]
    pub left_password_out: bool,
}

/// List or change the remotes.
///
/// # Errors
/// A name or an address that no remote can have, a remote that exists or does not: nothing changed.
pub fn run(cx: &Context<'_>, options: &Options) -> Result<Outcome, Stop> {
    let opened = cx.open_whole("remote")?;
    let mut outcome = Outcome::default();
    if !matches!(options, Options::List) {
        change(cx, &opened, options, &mut outcome)?;
    }
    let remotes = remotes::list(&opened.scope).map_err(named)?;
    outcome.remotes = remotes.iter().map(|remote| listed(&opened, remote)).collect();
    Ok(outcome)
}

fn listed(opened: &Opened, remote: &Remote) -> ListedRemote {
    let mut listed = ListedRemote::from(remote);
    if let Some(host) = &mut listed.host {
        host.moved_to = host::moved(opened, remote).map(|url| url.to_string());
    }
    listed
}

/// Make the change as an operation: settings and tracking refs.
fn change(cx: &Context<'_>, opened: &Opened, options: &Options, outcome: &mut Outcome) -> Result<(), Stop> {
    let mut writing = Writing::begin(cx.parts(opened))?;
    let reason = reason(options);
    let again = asked_again(&opened.scope, options, writing.recovered(), &reason)?;
    if again.is_none() {
        let change = changes(cx, opened, options, outcome)?;
        settings_only::carry_out(&mut writing, (OperationKind::Remote, reason), change)?;
    }
    outcome.written = Logged::from(&writing.finish(Derived::Leave));
    outcome.written.operation = again.map(|id| id.to_string()).or(outcome.written.operation.take());
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
) -> Result<Option<OperationId>, Stop> {
    let is_final = matches!(options, Options::Rename { .. } | Options::Remove { .. });
    let is_finished =
        |one: &&Recovered| one.kind == OperationKind::Remote && one.resolution == Resolution::Finished;
    let Some(recovered) = recovered.filter(is_finished).filter(|_| is_final) else { return Ok(None) };
    let last = journal::latest(scope)?;
    Ok(last.filter(|last| last.id == recovered.id && last.reason == reason).map(|last| last.id))
}

fn changes(
    cx: &Context<'_>,
    opened: &Opened,
    options: &Options,
    outcome: &mut Outcome,
) -> Result<RemoteChange, Stop> {
    let scope = &opened.scope;
    let name = |name: &str| RemoteName::parse(name).map_err(named);
    let of_host = |password: &mut bool, of: &Option<String>| host_address(opened, of.as_deref(), password);
    let password = &mut outcome.left_password_out;
    let (mut settings, remote) = match options {
        Options::List => return Ok(RemoteChange::default()),
        Options::Rename { before, after } => {
            return remotes::renaming(scope, &name(before)?, &name(after)?).map_err(named);
        }
        Options::Remove { name: which } => return remotes::removing(scope, &name(which)?).map_err(named),
        Options::Add { name: new, place: RemoteAddress::Url(url) } => {
            let url = url_to_keep(url, cx, password)?;
            let settings = remotes::adding(scope, &name(new)?, &url).map_err(named)?;
            return Ok((settings, Vec::new()));
        }
        Options::SetUrl { name: which, place: RemoteAddress::Url(url) } => {
            let url = url_to_keep(url, cx, password)?;
            let settings = remotes::setting_url(scope, &name(which)?, &url).map_err(named)?;
            return Ok((settings, Vec::new()));
        }
        Options::Add { name: new, place: RemoteAddress::Host(of) } => {
            let new = name(new)?;
            (host_remote::adding(scope, &new, &of_host(password, of)?).map_err(named)?, new)
        }
        Options::SetUrl { name: which, place: RemoteAddress::Host(of) } => {
            let which = name(which)?;
            (host_remote::setting(scope, &which, &of_host(password, of)?).map_err(named)?, which)
        }
    };
    if let Some((branch, change)) = follow(scope, &remote)? {
        settings.push(change);
        let upstream = format!("{remote}/{branch}");
        outcome.followed = Some(NewUpstream { branch, upstream });
    }
    Ok((settings, Vec::new()))
}

fn host_address(opened: &Opened, of: Option<&str>, password: &mut bool) -> Result<Address, Stop> {
    let Address { host, url, push_urls } = host::remote(opened, of)?;
    let mut keep = |url: RemoteUrl| kept(&url, password);
    Ok(Address { host, url: keep(url), push_urls: push_urls.into_iter().map(keep).collect() })
}

/// Set the upstream of the current branch on a remote with its own branch naming, unless it already has one: git's
/// rules cannot find its counterpart there.
fn follow(scope: &Scope, remote: &RemoteName) -> Result<Option<(String, SettingsMove)>, Stop> {
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
fn url_to_keep(typed: &str, cx: &Context<'_>, password: &mut bool) -> Result<RemoteUrl, Stop> {
    Ok(kept(&RemoteUrl::parse(typed, &cx.cwd)?, password))
}

fn kept(url: &RemoteUrl, password: &mut bool) -> RemoteUrl {
    let kept = url.without_password();
    if kept != *url {
        *password = true;
    }
    kept
}
