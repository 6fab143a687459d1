//! Classify failures of fetches, pushes and connections.

use crate::outcome::unknown_name::UnknownName;
use crate::{Fails, FailureKind, Login};
use brv_git::host_remote::NotOurs;
use brv_git::push::refspec::MalformedRefspec;
use brv_git::{InitError, UrlError, clone, fetch, network, push};
use bstr::ByteSlice as _;

impl Fails for fetch::Error {
    fn kind(&self) -> FailureKind {
        of_fetch(self)
    }

    fn sought(&self) -> Option<UnknownName> {
        match self {
            Self::NoSuchRef(name) => Some(UnknownName::remote_branch(name)),
            _ => None,
        }
    }
}

impl Fails for push::Error {
    fn kind(&self) -> FailureKind {
        of_push(self)
    }

    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Unqualified { .. } | Self::Nameless(_) => {
                "use the full name, as in `brv vc push REMOTE SOURCE:refs/heads/NAME`"
            }
            Self::AmbiguousHere(_) | Self::AmbiguousThere(_) => {
                "use the full name: refs/heads/NAME for a branch, refs/tags/NAME for a tag"
            }
            Self::NotThere(_) => {
                "`brv vc fetch --prune` removes remote-tracking branches that the remote no longer has"
            }
            Self::Unanswered(_) => "push again when the remote can be reached; nothing is sent twice",
            _ => return None,
        };
        Some(hint.to_owned())
    }

    fn sought(&self) -> Option<UnknownName> {
        match self {
            Self::Source(error) => error.sought(),
            Self::NotThere(name) => Some(UnknownName::remote_branch(&name.to_str_lossy())),
            _ => None,
        }
    }
}

impl Fails for clone::Error {
    fn kind(&self) -> FailureKind {
        match self {
            Self::NotEmpty(_) => FailureKind::Refused,
            Self::NoBranch(_) => FailureKind::Remote,
            Self::Fetch(error) => of_fetch(error),
            Self::Git(error) | Self::Init(InitError::Git(error)) => FailureKind::of_git(error),
            Self::Init(_) | Self::Remote(_) => FailureKind::Failed,
        }
    }
}

impl Fails for UrlError {
    fn kind(&self) -> FailureKind {
        FailureKind::Usage
    }
}

impl Fails for MalformedRefspec {
    fn kind(&self) -> FailureKind {
        FailureKind::Usage
    }
}

impl Fails for NotOurs {
    fn kind(&self) -> FailureKind {
        FailureKind::Refused
    }
}

impl Fails for network::Error {
    fn kind(&self) -> FailureKind {
        of_network(self)
    }
}

pub fn of_fetch(error: &fetch::Error) -> FailureKind {
    match error {
        fetch::Error::Network(error) => of_network(error),
        fetch::Error::Refspec(_) | fetch::Error::NoSuchRef(_) => FailureKind::Usage,
        fetch::Error::Incapable { .. } => FailureKind::Remote,
        fetch::Error::Git(error) => FailureKind::of_git(error),
    }
}

pub fn of_push(error: &push::Error) -> FailureKind {
    match error {
        push::Error::Network(error) | push::Error::Unanswered(error) => of_network(error),
        push::Error::Own(_) => FailureKind::Refused,
        push::Error::Incapable(_) => FailureKind::Remote,
        push::Error::Git(error) => FailureKind::of_git(error),
        push::Error::Source(error) => FailureKind::of_revision(error),
        push::Error::RefName(_)
        | push::Error::Refspec(_)
        | push::Error::AmbiguousHere(_)
        | push::Error::AmbiguousThere(_)
        | push::Error::NotThere(_)
        | push::Error::Nameless(_)
        | push::Error::Unqualified { .. }
        | push::Error::Twice(_)
        | push::Error::Setting { .. } => FailureKind::Usage,
    }
}

pub fn of_network(error: &network::Error) -> FailureKind {
    match error {
        network::Error::Authentication { url, .. } => FailureKind::Authentication(login(url.as_str())),
        network::Error::Insecure { .. } => FailureKind::Authentication(Login::Insecure),
        network::Error::Redirected { .. } => FailureKind::Authentication(Login::Elsewhere),
        network::Error::Unreachable { .. } | network::Error::Unusable { .. } => FailureKind::Remote,
        network::Error::Unsupported { .. }
        | network::Error::Protocol { .. }
        | network::Error::Setting { .. }
        | network::Error::Excessive { .. }
        | network::Error::Foreign(_) => FailureKind::Refused,
        network::Error::NoRemote(_) | network::Error::NoUrl(_) => FailureKind::Usage,
        network::Error::Interrupted => FailureKind::Interrupted,
        network::Error::Git(error) => FailureKind::of_git(error),
    }
}

/// The kind of login that a URL needs, by its protocol.
const fn login(url: &str) -> Login {
    match url.as_bytes() {
        [b'h', b't', b't', b'p', b':', ..] => Login::PlainHttp,
        [b'h', b't', b't', b'p', b's', b':', ..] => Login::Https,
        _ => Login::Ssh,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_may_answer_depends_on_the_protocol() {
        assert_eq!(login("https://h.example/x"), Login::Https);
        assert_eq!(login("http://h.example/x"), Login::PlainHttp);
        assert_eq!(login("git@h.example:x"), Login::Ssh);
    }
}
