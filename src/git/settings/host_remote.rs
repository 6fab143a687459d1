//! A remote that is the host repository's own: the branches of the tree are called `brv/<name>` there, beside those of
//! the code.
//!
//! All of it is settings that git knows (`fetch`, `push`, `tagOpt`, `branch.<name>.merge`), so that git run by hand moves
//! the same refs. One more, `remote.<name>.brvHost`, names the remote of the host that the address was taken from: with
//! it, a name that brv is given is a branch of the tree, and what is none of its branches is refused.

use super::remotes::{Error, HOST, RemoteName, Target, host_of};
use super::settings_moves::{self, SettingsMove};
use super::url::RemoteUrl;
use crate::git::error::{During, Error as GitError};
use crate::git::repository::config_file;
use crate::git::repository::scope::Scope;
use bstr::{BStr, BString, ByteSlice as _};

/// Where the branches of the tree are at such a remote.
pub const BRANCHES: &str = "refs/heads/brv/";

/// What the branches of the tree are called at a remote.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Naming {
    /// As here.
    #[default]
    Same,
    /// `brv/<name>`: the remote is the code's own.
    Host,
}

/// A ref of the code, which is not for the tree's commands.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{}` belongs to the code: on the host repository's remote, only branches in `brv/` belong to the tree",
    crate::git::printable(.0)
)]
pub struct NotOurs(pub BString);

impl Naming {
    /// As the settings of the target say.
    ///
    /// # Errors
    /// Settings that cannot be read.
    pub fn of(scope: &Scope, target: &Target) -> Result<Self, GitError> {
        let Target::Named(name) = target else { return Ok(Self::Same) };
        let repo = config_file::reloaded(scope)?;
        let is_host = host_of(repo.config_snapshot().plumbing(), name).is_some();
        Ok(if is_host { Self::Host } else { Self::Same })
    }

    /// The full name there of a branch as typed: `topic`, `brv/topic` as the host shows it, or a full name.
    #[must_use]
    pub fn branch(self, typed: &str) -> BString {
        if typed.starts_with("refs/") {
            return typed.into();
        }
        match self {
            Self::Same => format!("refs/heads/{typed}").into(),
            Self::Host => format!("{BRANCHES}{}", typed.strip_prefix("brv/").unwrap_or(typed)).into(),
        }
    }

    /// What a branch of the remote (full name) is called among the tree's.
    #[must_use]
    pub fn short(self, full: &BStr) -> String {
        let own = match self {
            Self::Same => None,
            Self::Host => full.strip_prefix(BRANCHES.as_bytes()),
        };
        let short = own.or_else(|| full.strip_prefix(b"refs/heads/")).unwrap_or(full);
        short.to_str_lossy().into_owned()
    }

    /// Whether a ref of the remote (full name, or a pattern of such) is for the tree's commands.
    ///
    /// # Errors
    /// [`NotOurs`]
    pub fn check(self, full: &BStr) -> Result<(), NotOurs> {
        match self {
            Self::Host if !full.starts_with(BRANCHES.as_bytes()) => Err(NotOurs(full.to_owned())),
            _ => Ok(()),
        }
    }

    /// A refspec for a fetch as typed, with the name that its source has there.
    ///
    /// # Errors
    /// [`NotOurs`]
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

/// Where the host's remote is, as it goes into the tree's settings.
#[derive(Debug, Clone)]
pub struct Address {
    /// What the host calls it.
    pub host: RemoteName,
    /// Where it is fetched from.
    pub url: RemoteUrl,
    /// Where it is pushed to; none: to `url`.
    pub push_urls: Vec<RemoteUrl>,
}

/// What it takes to add the host's remote under a name of the tree's own.
///
/// # Errors
/// [`Error::Exists`], or when the settings cannot be read.
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

/// What it takes to let a remote be the host's: its address, and the names that branches have there.
///
/// # Errors
/// [`Error::Absent`], or when the settings cannot be read.
pub fn setting(scope: &Scope, name: &RemoteName, address: &Address) -> Result<Vec<SettingsMove>, Error> {
    settings_moves::of_change(scope, |file| {
        if file.section("remote", name.section()).is_err() {
            return Err(Error::Absent(name.clone()));
        }
        write(file, name, address).during(|| format!("set the URL of `{name}`"))?;
        Ok(())
    })
}

/// Write what such a remote says, over what it said.
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
