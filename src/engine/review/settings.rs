//! Whether risky changes are marked for review.

use crate::open::context::Opened;
use brv_base::fs::{self, Form};
use brv_text::lint::policy::{self, Policy};
use bstr::ByteSlice as _;

/// As `review.enabled` says, unless the team's policy on disk insists. A policy that cannot be read says nothing.
pub fn is_enabled(opened: &Opened) -> bool {
    let insists = || {
        let bytes = fs::read_shipped(&opened.scope.root().join(policy::FILE), Form::Yaml).ok().flatten();
        bytes.is_some_and(|bytes| Policy::parse(&bytes.to_str_lossy()).0.review)
    };
    opened.config.review_enabled.value || insists()
}
