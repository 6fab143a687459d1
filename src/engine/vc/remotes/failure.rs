//! Classify failures of fetches, pushes and connections.

use crate::outcome::unknown_name::UnknownName;
use crate::{Fails, FailureKind, Login};
use brv_git::{fetch, network, push};
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

    fn sought(&self) -> Option<UnknownName> {
        match self {
            Self::Source(error) => error.sought(),
            Self::NotThere(name) => Some(UnknownName::remote_branch(&name.to_str_lossy())),
            _ => None,
        }
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
        fetch::Error::Refspec(_) => FailureKind::Usage,
        fetch::Error::NoSuchRef(_) | fetch::Error::Incapable { .. } => FailureKind::Remote,
        fetch::Error::Git(error) => FailureKind::of_git(error),
    }
}

pub fn of_push(error: &push::Error) -> FailureKind {
    match error {
        push::Error::Network(error) | push::Error::Unanswered(error) => of_network(error),
        push::Error::Own(_) => FailureKind::Refused,
        push::Error::Incapable(_) | push::Error::NotThere(_) => FailureKind::Remote,
        push::Error::Git(error) => FailureKind::of_git(error),
        push::Error::Source(error) => FailureKind::of_revision(error),
        push::Error::RefName(_)
        | push::Error::Refspec(_)
        | push::Error::AmbiguousHere(_)
        | push::Error::AmbiguousThere(_)
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
