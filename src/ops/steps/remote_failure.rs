//! What kind of failure it is when a remote does not do what was asked.

use crate::git::{fetch, network};
use crate::ops::FailureKind;

/// Of a fetch.
#[must_use]
pub const fn of_fetch(error: &fetch::Error) -> FailureKind {
    match error {
        fetch::Error::Network(error) => of_network(error),
        fetch::Error::Refspec(_) => FailureKind::Usage,
        fetch::Error::NoSuchRef(_) => FailureKind::Remote,
        fetch::Error::Git(_) => FailureKind::Failed,
    }
}

/// Of any conversation with a remote.
#[must_use]
pub const fn of_network(error: &network::Error) -> FailureKind {
    match error {
        network::Error::Authentication { .. } => FailureKind::Authentication,
        network::Error::Insecure { .. } | network::Error::Redirected { .. } => FailureKind::Authentication,
        network::Error::Unreachable { .. } | network::Error::Unusable { .. } => FailureKind::Remote,
        network::Error::Unsupported { .. }
        | network::Error::Protocol { .. }
        | network::Error::Setting { .. }
        | network::Error::Excessive { .. }
        | network::Error::Foreign(_) => FailureKind::Refused,
        network::Error::NoRemote(_) | network::Error::NoUrl(_) => FailureKind::Usage,
        network::Error::Interrupted => FailureKind::Interrupted,
        network::Error::Git(_) => FailureKind::Failed,
    }
}
