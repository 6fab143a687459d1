//! The data of `brv vc remote`.

use crate::git::remotes;
use crate::ops::vc::remote;
use crate::wire::Followed;
use crate::wire::written::Logged;
use schemars::JsonSchema;
use serde::Serialize;

/// `brv.vc.remote/1`: what is set up now. Addresses carry no secrets.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Remotes {
    /// Ordered by name.
    pub remotes: Vec<Remote>,
    /// The branch that follows one of the host's remote from now on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub followed: Option<Followed>,
    /// The rest.
    #[serde(flatten)]
    pub written: Logged,
    /// What became of a password in the address.
    #[serde(skip)]
    pub password: remote::Password,
}

/// A remote.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Remote {
    /// `origin`
    pub name: String,
    /// Where it is fetched from.
    pub url: Option<String>,
    /// Where it is pushed to, if elsewhere or to several addresses.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub push_urls: Vec<String>,
    /// If it is the host repository's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<HostRemote>,
}

/// The remote of the host repository that a remote of the tree is. Branches are called `brv/<name>` there.
#[derive(Debug, JsonSchema, Serialize)]
pub struct HostRemote {
    /// What the host calls it.
    pub remote: String,
    /// Where it is now, if elsewhere than the tree's.
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
        Self {
            remotes,
            followed: followed.map(|(branch, upstream)| Followed { branch, upstream }),
            written: Logged::from(&outcome.written),
            password: outcome.password,
        }
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
