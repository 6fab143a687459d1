//! A remote shared with the host repository: the branches of the tree are called `brv/<name>` there, beside those of
//! the code.
//!
//! All of it is in settings that git supports (`fetch`, `push`, `tagOpt`, `branch.<name>.merge`), so that git run by
//! hand moves the same refs. One more, `remote.<name>.brvHost`, names the host's remote that the URL was taken from:
//! with it, a name given to brv is a branch of the tree, and other branches are rejected.

use super::remotes::{Error, HOST, RemoteName, Target, host_of};
use super::settings_moves::{self, SettingsMove};
use super::url::RemoteUrl;
use crate::error::{During, Error as GitError};
use crate::repository::config_file;
use crate::repository::scope::Scope;
use bstr::{BStr, BString, ByteSlice as _};

/// The prefix of the tree's branches on such a remote.
pub const BRANCHES: &str = "refs/heads/brv/";

/// How the tree's branches are named on a remote.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Naming {
    #[default]
    Same,
    /// `brv/<name>`: the remote belongs to the code.
    Host,
}

/// A ref of the code, which the tree's commands must not use.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{}` belongs to the code: on the host repository's remote, only branches in `brv/` belong to the tree",
    crate::printable(.0)
)]
pub struct NotOurs(pub BString);

impl Naming {
    pub fn of(scope: &Scope, target: &Target) -> Result<Self, GitError> {
        let Target::Named(name) = target else { return Ok(Self::Same) };
        let repo = config_file::reloaded(scope)?;
        let is_host = host_of(repo.config_snapshot().plumbing(), name).is_some();
        Ok(if is_host { Self::Host } else { Self::Same })
    }

    /// The full name there of a branch as typed: `topic`, `brv/topic` as the host shows it, or a full name.
    pub fn branch(self, typed: &str) -> BString {
        if typed.starts_with("refs/") {
            return typed.into();
        }
        match self {
            Self::Same => format!("refs/heads/{typed}").into(),
            Self::Host => format!("{BRANCHES}{}", typed.strip_prefix("brv/").unwrap_or(typed)).into(),
        }
    }

    /// The name among the tree's branches of a branch of the remote (full name).
    pub fn short(self, full: &BStr) -> String {
        let own = match self {
            Self::Same => None,
            Self::Host => full.strip_prefix(BRANCHES.as_bytes()),
        };
        let short = own.or_else(|| full.strip_prefix(b"refs/heads/")).unwrap_or(full);
        short.to_str_lossy().into_owned()
    }

    /// Whether the tree's commands may use a ref of the remote (full name, or a pattern).
    pub fn check(self, full: &BStr) -> Result<(), NotOurs> {
        match self {
            Self::Host if !full.starts_with(BRANCHES.as_bytes()) => Err(NotOurs(full.to_owned())),
            _ => Ok(()),
        }
    }

    /// A fetch refspec as typed, with its source's name on the remote.
    pub fn fetched(self, typed: &str) -> Result<String, NotOurs> {
        if self == Self::Same {
            return Ok(typed.to_owned());
        }
        let (sign, rest) = match typed.strip_prefix(['+', '^']) {
            Some(rest) => (&typed[..1], rest),
            None => ("", typed),
        };
        let (source, destination) = match rest.split_once(':') {
            Some((source, destination)) => (source, Some(destination)),
            None => (rest, None),
        };
        let source = self.branch(source);
        self.check(source.as_bstr())?;
        let destination = destination.map(|name| format!(":{name}")).unwrap_or_default();
        Ok(format!("{sign}{}{destination}", source.to_str_lossy()))
    }
}

/// The URLs of the host's remote, as stored in the tree's settings.
#[derive(Debug, Clone)]
pub struct Address {
    pub host: RemoteName,
    pub url: RemoteUrl,
    /// The push URL; if absent, `url`.
    pub push_urls: Vec<RemoteUrl>,
}

/// The change of the settings that adds the host's remote under a name of the tree's own.
pub fn adding(scope: &Scope, name: &RemoteName, address: &Address) -> Result<Vec<SettingsMove>, Error> {
    settings_moves::of_change(scope, |file| {
        if file.section("remote", name.section()).is_ok() {
            return Err(Error::Exists(name.clone()));
        }
        let act = || format!("add the remote `{name}`");
        file.new_section("remote", Some(BString::from(name.as_str()))).during(act())?;
        write(file, name, address).during(act())?;
        Ok(())
    })
}

/// The change of the settings that turns a remote into the host's: its URL, and the names of branches there.
pub fn setting(scope: &Scope, name: &RemoteName, address: &Address) -> Result<Vec<SettingsMove>, Error> {
    settings_moves::of_change(scope, |file| {
        if file.section("remote", name.section()).is_err() {
            return Err(Error::Absent(name.clone()));
        }
        write(file, name, address).during(|| format!("set the URL of `{name}`"))?;
        Ok(())
    })
}

/// Writes the settings of such a remote over the existing ones.
fn write(file: &mut gix::config::File, name: &RemoteName, address: &Address) -> gix::Result<()> {
    let mut section = file.section_mut("remote", name.section())?;
    for key in ["url", "pushurl", "fetch", "push", "tagOpt", HOST] {
        while section.remove(key).is_some() {}
    }
    section.push("url", address.url.expose())?;
    for url in &address.push_urls {
        section.push("pushurl", url.expose())?;
    }
    let fetch = format!("+{BRANCHES}*:refs/remotes/{name}/*");
    section.push("fetch", fetch.as_str())?;
    section.push("push", format!("refs/heads/*:{BRANCHES}*").as_str())?;
    section.push("tagOpt", "--no-tags")?;
    section.push(HOST, address.host.as_str())?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_a_branch_of_the_tree_however_it_is_written() {
        for (typed, full) in [
            ("main", "refs/heads/brv/main"),
            ("brv/main", "refs/heads/brv/main"),
            ("refs/heads/brv/main", "refs/heads/brv/main"),
            ("refs/heads/main", "refs/heads/main"),
        ] {
            assert_eq!(Naming::Host.branch(typed), full);
        }
        assert_eq!(Naming::Same.branch("brv/main"), "refs/heads/brv/main");
        assert_eq!(Naming::Host.short("refs/heads/brv/a/b".into()), "a/b");
        assert_eq!(Naming::Same.short("refs/heads/brv/a".into()), "brv/a");
    }

    #[test]
    fn what_is_not_below_the_folder_is_the_codes() {
        assert_eq!(Naming::Host.fetched("+topic:here").unwrap(), "+refs/heads/brv/topic:here");
        for typed in ["refs/heads/main", "refs/tags/v1", "refs/heads/*:refs/x/*", "refs/heads/brv"] {
            assert!(Naming::Host.fetched(typed).is_err(), "{typed}");
            assert_eq!(Naming::Same.fetched(typed).unwrap(), typed);
        }
    }
}
