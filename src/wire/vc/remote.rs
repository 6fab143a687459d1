//! JSON of `brv vc remote`.

use brv_commands::vc::remote;
use brv_engine::vc::remotes::transfer::NewUpstream;
use brv_engine::write::written::Logged;
use brv_git::remotes;
use schemars::JsonSchema;
use serde::Serialize;

/// `brv.vc.remote/1`: the current remotes. Addresses have no secrets.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Remotes {
    /// The remotes, ordered by name.
    pub remotes: Vec<Remote>,
    /// The branch whose upstream was set to a branch of the host's remote.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub followed: Option<NewUpstream>,
    /// The operation, and a recovered command.
    #[serde(flatten)]
    pub written: Logged,
    /// Whether a password in the address was left out.
    #[serde(skip)]
    pub password: remote::Password,
}

/// A remote.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Remote {
    /// Its name: `origin`
    pub name: String,
    /// The fetch address.
    pub url: Option<String>,
    /// The push addresses, if different from the fetch address.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub push_urls: Vec<String>,
    /// The remote of the host repository, if it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<HostRemote>,
}

/// The remote of the host repository that the tree shares. Branches are named `brv/<name>` there.
#[derive(Debug, JsonSchema, Serialize)]
pub struct HostRemote {
    /// Its name in the host repository.
    pub remote: String,
    /// Its new address, if it differs from the tree's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moved_to: Option<String>,
}

impl From<&remote::Outcome> for Remotes {
    fn from(outcome: &remote::Outcome) -> Self {
        let followed = outcome.followed.clone();
        let mut remotes: Vec<Remote> = outcome.remotes.iter().map(Remote::from).collect();
        for (name, url) in &outcome.moved {
            let moved = remotes.iter_mut().find(|remote| remote.name == name.as_str());
            if let Some(host) = moved.and_then(|remote| remote.host.as_mut()) {
                host.moved_to = Some(url.to_string());
            }
        }
        Self { remotes, followed, written: Logged::from(&outcome.written), password: outcome.password }
    }
}

impl From<&remotes::Remote> for Remote {
    fn from(remote: &remotes::Remote) -> Self {
        let host = remote.host.as_ref();
        Self {
            host: host.map(|host| HostRemote { remote: host.to_string(), moved_to: None }),
            name: remote.name.to_string(),
            url: remote.url.as_ref().map(ToString::to_string),
            push_urls: remote.push_urls.iter().map(ToString::to_string).collect(),
        }
    }
}
