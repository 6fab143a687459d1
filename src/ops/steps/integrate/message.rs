//! The messages that git gives merges.

use crate::git::Head;
use crate::git::Scope;
use crate::ops::steps::reconcile::Conflict;
use bstr::{BString, ByteSlice as _};

/// `Merge branch 'topic' into main`, where `what` is `branch 'topic'`. As in git the main branch is not named.
#[must_use]
pub fn of_branch(what: &str, head: &Head) -> String {
    let into = head.short_branch().filter(|name| name != "main" && name != "master");
    let into = into.map(|name| format!(" into {name}")).unwrap_or_default();
    format!("Merge {what}{into}\n")
}

/// The message with the conflicts as comments, as git leaves it for whoever ends the merge.
#[must_use]
pub fn conflicted(scope: &Scope, message: &str, conflicts: &[Conflict]) -> BString {
    let mut text = format!("{message}\n# Conflicts:\n");
    for path in conflicts.iter().filter_map(|conflict| scope.strip(conflict.path.as_bstr())) {
        text.push_str(&format!("#\t{path}\n"));
    }
    text.into()
}
