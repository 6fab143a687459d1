//! The options and errors that all network operations share.
//!
//! Makes no connection.

use super::connection_errors;
use super::timeouts::Limits;
use crate::error::Error as GitError;
use crate::repository::trust::{ForeignRepository, TrustError};
use crate::settings::remotes::RemoteName;
use brv_base::environment::Environment;
use brv_base::messages::{brief, printable};
use brv_base::progress::Progress;
use std::borrow::Cow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

pub use crate::prompt::Prompt;

/// The options for talking to remotes.
pub struct Network<'a> {
    pub credentials: Credentials,
    /// The receiver of progress and server messages, the latter free of control characters.
    pub progress: &'a dyn Progress,
    pub environment: &'a Environment,
    /// Set to end the conversation at once.
    pub interrupt: &'static AtomicBool,
    /// The connect timeout. (Also passed to ssh.)
    pub connect_timeout: Duration,
    /// How long the other side may be silent or slow. (`http.lowSpeedLimit` and `http.lowSpeedTime` override it.)
    pub limits: Limits,
}

/// Sources of credentials beside URLs, ssh and git's credential helpers.
#[derive(Debug, Clone, Default)]
pub struct Credentials {
    pub token: Option<HostToken>,
    /// Whether the user may be asked.
    pub prompt: Prompt,
}

/// A secret for one host, sent over https only.
#[derive(Clone)]
pub struct HostToken {
    /// The user name that goes with it.
    pub user: String,
    pub secret: String,
    pub host: TokenHost,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TokenHost {
    /// This one, with a port if not the usual one.
    Named(String),
    /// The host of the configured https remotes, if it is the same for all.
    Configured,
    /// No host: the settings hold only what the current command was given.
    Nobody,
}

impl From<Option<String>> for TokenHost {
    fn from(named: Option<String>) -> Self {
        named.map_or(Self::Configured, Self::Named)
    }
}

impl std::fmt::Debug for HostToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Token").field("host", &self.host).finish_non_exhaustive()
    }
}

impl Credentials {
    /// `BRV_TOKEN`, `BRV_USER` (`x-access-token` if unset) and `BRV_TOKEN_HOST`.
    pub fn from_environment(environment: &Environment, prompt: Prompt) -> Self {
        let set = |name| environment.get_filled(name).map(str::to_owned);
        let token = set("BRV_TOKEN").map(|secret| HostToken {
            user: set("BRV_USER").unwrap_or_else(|| "x-access-token".into()),
            secret,
            host: set("BRV_TOKEN_HOST").into(),
        });
        Self { token, prompt }
    }

    /// For a repository that is still being created: a token is sent only to the host in `BRV_TOKEN_HOST`.
    pub(super) fn before_configuration(&self) -> Self {
        let mut own = self.clone();
        if let Some(token) = own.token.as_mut().filter(|token| token.host == TokenHost::Configured) {
            token.host = TokenHost::Nobody;
        }
        own
    }
}

impl Network<'_> {
    pub(super) fn check_interrupt(&self) -> Result<(), Error> {
        if self.interrupt.load(Ordering::Relaxed) { Err(Error::Interrupted) } else { Ok(()) }
    }
}

/// Errors that any remote may cause. URLs and reasons are free of user info and control characters.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("authentication failed for `{url}`: {reason}")]
    Authentication { url: String, reason: String },
    #[error("credentials for `{host}` are not sent over plain http")]
    Insecure { host: String },
    /// A password would have gone to a host that nobody named.
    #[error("`{asked}` redirects to `{redirected}`, and credentials are not sent there")]
    Redirected {
        asked: String,
        /// The host that asked for credentials.
        redirected: String,
    },
    /// Not reachable, no repository there, or the conversation broke off.
    #[error("cannot reach `{url}`: {reason}")]
    Unreachable {
        url: String,
        /// What the transport, or the server, said.
        reason: String,
    },
    /// What it sent is damaged, incomplete, or against the protocol.
    #[error("`{url}` sent invalid data: {reason}")]
    Unusable { url: String, reason: String },
    #[error("`{url}` sent too much: {what}")]
    Excessive {
        url: String,
        /// How much, and how much is taken.
        what: String,
    },
    /// The remote is of a kind that cannot be read or written.
    #[error("`{url}` uses {what}, which brv does not support")]
    Unsupported { url: String, what: Cow<'static, str> },
    #[error(transparent)]
    Foreign(ForeignRepository),
    #[error("there is no remote `{0}`")]
    NoRemote(RemoteName),
    #[error("the remote `{0}` has no URL")]
    NoUrl(RemoteName),
    /// A setting that cannot be obeyed, and whose neglect would do harm.
    #[error("the setting `{key}` {reason}")]
    Setting {
        key: &'static str,
        /// In words that follow the name.
        reason: String,
    },
    /// The settings forbid the protocol (`protocol.*.allow`), or it runs programs.
    #[error("the protocol of `{url}` is not allowed")]
    Protocol { url: String },
    #[error("interrupted")]
    Interrupted,
    #[error(transparent)]
    Git(#[from] GitError),
}

impl From<TrustError> for Error {
    fn from(error: TrustError) -> Self {
        match error {
            TrustError::Foreign(foreign) => Self::Foreign(foreign),
            TrustError::Git(error) => Self::Git(error),
        }
    }
}

/// gitoxide's messages on the way to the cause.
const NO_NEWS: [&str; 4] = [
    "Transport handshake failed",
    "An IO error occurred when talking to the server",
    "connection failed",
    "GET failed",
];

/// A known connection error in our words, else the chain of causes in one line, each once, without `secret` and control
/// characters.
pub(super) fn reason(error: &(dyn std::error::Error + 'static), secret: Option<&str>) -> String {
    if let Some(known) = connection_errors::known(error) {
        return known.to_string();
    }
    let mut parts: Vec<String> = Vec::new();
    let mut cause = Some(error);
    while let Some(error) = cause {
        cause = error.source();
        let text = match error.downcast_ref::<reqwest::Error>().map(reqwest::Error::status) {
            Some(Some(status)) => {
                parts = vec![format!("the server answered {status}")];
                break;
            }
            // it repeats the URL; its source has the reason
            Some(None) if cause.is_some() => continue,
            _ => error.to_string(),
        };
        let news = !NO_NEWS.contains(&text.as_str()) || (cause.is_none() && parts.is_empty());
        if news && !parts.iter().any(|part| part.contains(&text)) {
            parts.push(text);
        }
    }
    let mut text = parts.join(": ").replace('\n', " ");
    if let Some(secret) = secret.filter(|secret| !secret.is_empty()) {
        text = text.replace(&format!("{secret}@"), "");
    }
    brief(printable(text.as_bytes()))
}
