//! The data of `brv vc remote` and `brv vc config`.

use super::Followed;
use super::written::Logged;
use crate::git::remotes;
use crate::git::settings::{self, Origin};
use crate::ops::vc::{config, remote};
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
    written: Logged,
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

/// `brv.vc.config/1`
#[derive(Debug, JsonSchema, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Config {
    /// All settings; later ones win.
    Settings(Vec<Setting>),
    /// The one in force; `null` when there is none.
    Setting(Option<Setting>),
    /// Whether the one that was removed had been there.
    Removed(bool),
}

/// One setting.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Setting {
    /// `user.name`
    pub key: String,
    /// Its value; secrets are left out.
    pub value: String,
    /// `system`, `user`, `repository` or `environment`.
    pub origin: &'static str,
    /// The file, if it is in one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
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

impl From<&config::Outcome> for Config {
    fn from(outcome: &config::Outcome) -> Self {
        match outcome {
            config::Outcome::List(settings) => Self::Settings(settings.iter().map(Setting::from).collect()),
            config::Outcome::Value(setting) => Self::Setting(setting.as_ref().map(Setting::from)),
            config::Outcome::Set { setting, .. } => Self::Setting(Some(setting.into())),
            config::Outcome::Unset(presence) => Self::Removed(*presence == config::Presence::There),
        }
    }
}

impl From<&settings::Setting> for Setting {
    fn from(setting: &settings::Setting) -> Self {
        Self {
            key: setting.shown_key(),
            value: setting.shown(),
            origin: match setting.origin {
                Origin::System => "system",
                Origin::User => "user",
                Origin::Repository => "repository",
                Origin::Environment => "environment",
            },
            file: setting.file.as_ref().map(|file| file.to_string_lossy().into_owned()),
        }
    }
}
