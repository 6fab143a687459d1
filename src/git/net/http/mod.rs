//! git over http and https: connections with git's `http.*` settings. gitoxide implements git's protocol.
//!
//! Its own client supports few of the settings, has no timeouts, and sends headers to redirect targets; so requests are
//! made here.

mod backend;
mod client;
mod exchange;
mod requests;
mod settings;

use super::credentials;
use super::meter::{Meter, MeteredHttp};
use super::network::{Error, Network};
use super::timeouts::Patience;
use backend::Backend;
use gix::protocol::transport::Protocol;
use gix::protocol::transport::client::blocking_io::{Transport, http};
use settings::{Proxy, Settings};
use std::sync::{Arc, Mutex, PoisonError};

/// Why an http conversation ended, where one sentence explains it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum Trouble {
    #[error("the server answered {0}")]
    Answered(reqwest::StatusCode),
    /// Credentials are missing or wrong where they had been right, or not needed, before.
    #[error(
        "the server asked for credentials only after data was sent; credentials in the URL are sent from the start"
    )]
    Unauthorised,
    /// The proxy wants to know who we are, or does not believe it.
    #[error(
        "the proxy `{0}` requires credentials: put them in `http.proxy`, or only the user name and let a helper provide the password"
    )]
    Proxy(String),
    #[error("redirect to `{to}` not followed: {why}")]
    Redirect { to: String, why: &'static str },
    /// Nobody took the call, or what took it speaks another language.
    #[error("{0}")]
    Broken(String),
    #[error("through the proxy `{proxy}`: {why}")]
    BrokenBehind { proxy: String, why: String },
    /// A page for people, or a server of git's oldest kind.
    #[error("not a git server (it sent {0})")]
    NoGit(String),
}

/// The [`Trouble`] of one conversation, if any.
#[derive(Clone, Default)]
pub(super) struct Troubles(Arc<Mutex<Option<Trouble>>>);

impl Troubles {
    fn set(&self, trouble: Trouble) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(trouble);
    }

    pub fn any(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// Takes it, if there was any.
    pub fn take(&self) -> Option<Trouble> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

pub(super) struct HttpConnection {
    pub transport: Box<dyn Transport + Send>,
    pub troubles: Troubles,
    pub patience: Patience,
    pub meter: Meter,
}

/// Prepares to connect to `url`, which holds no password. Nothing is sent yet.
pub(super) fn connect(
    repo: &gix::Repository,
    url: &gix::Url,
    remote: Option<&str>,
    version: Protocol,
    network: &Network<'_>,
) -> Result<HttpConnection, Error> {
    let mut settings = Settings::read(repo, url, remote, network.environment)?;
    let limits = settings.limits.unwrap_or(network.limits);
    let patience = Patience::new(network.interrupt, limits);
    if let Proxy::Through { url: proxy, .. } = &mut settings.proxy
        && proxy.password().is_none()
        && !proxy.username().is_empty()
    {
        complete(repo, proxy, network)?;
    }
    let client = client::build(&settings, network.connect_timeout)?;
    let troubles = Troubles::default();
    let backend = Backend::new(client, settings, patience.clone(), troubles.clone());
    let meter = Meter::default();
    let metered = MeteredHttp::new(backend, meter.clone());
    let transport = Box::new(http::connect_http(metered, url.clone(), version, false));
    Ok(HttpConnection { transport, troubles, patience, meter })
}

/// The password for a proxy whose URL has only a user, from the credential helpers.
fn complete(repo: &gix::Repository, proxy: &mut reqwest::Url, network: &Network<'_>) -> Result<(), Error> {
    let Ok(url) = gix::url::parse(proxy.as_str()) else { return Ok(()) };
    if let Some(account) = credentials::of_helpers(repo, &url, network)? {
        let unset = || Error::Setting { key: "http.proxy", reason: "does not accept a password".into() };
        proxy.set_password(Some(&account.password)).map_err(|()| unset())?;
    }
    Ok(())
}
