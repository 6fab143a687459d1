//! Finds the mistyped name in an error, for a "did you mean" hint.
//!
//! Knows the errors of the commands; [`brv_commands::suggest`] finds similar names.

use brv_commands::vc::{merge, pull, sync};
use brv_engine::Fails as _;
use brv_engine::outcome::unknown_name::UnknownName;
use std::error::Error;

/// The name that the command looked for and did not find.
pub fn unknown_name(error: &(dyn Error + 'static)) -> Option<UnknownName> {
    if let Some(merge::Error::Revision(error)) = error.downcast_ref() {
        return error.sought();
    }
    of_transfer(error)
}

fn of_transfer(error: &(dyn Error + 'static)) -> Option<UnknownName> {
    if let Some(sync::Error::Followed(error)) = error.downcast_ref() {
        return error.sought();
    }
    match error.downcast_ref() {
        Some(pull::Error::Followed(error)) => error.sought(),
        Some(pull::Error::NoBranch(name)) => Some(UnknownName::RemoteBranch(name.clone())),
        _ => None,
    }
}
