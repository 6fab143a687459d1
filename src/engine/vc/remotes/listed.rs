//! JSON of a remote that is set up.

use brv_git::remotes::Remote;
use schemars::JsonSchema;
use serde::Serialize;

/// A remote.
#[derive(Debug, JsonSchema, Serialize)]
#[schemars(rename = "Remote")]
pub struct ListedRemote {
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

/// Where the host repository's remote is now is for the caller to find out.
impl From<&Remote> for ListedRemote {
    fn from(remote: &Remote) -> Self {
        let host = remote.host.as_ref();
        Self {
            name: remote.name.to_string(),
            url: remote.url.as_ref().map(ToString::to_string),
            push_urls: remote.push_urls.iter().map(ToString::to_string).collect(),
            host: host.map(|host| HostRemote { remote: host.to_string(), moved_to: None }),
        }
    }
}
