//! What the user told git about the terminal, outside of any repository.

use crate::git::user_setting;
use std::ffi::OsString;

/// `core.pager` of the user or the machine. A repository's is not looked at: it came from elsewhere, and this runs a
/// program.
#[must_use]
pub fn pager(variable: impl Fn(&str) -> Option<OsString>) -> Option<String> {
    user_setting("core.pager", variable).map(|value| value.to_string())
}
