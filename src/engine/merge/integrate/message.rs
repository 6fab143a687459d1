//! Merge and squash commit messages as git writes them, with the trailers that brv adds.

use crate::journal::{DISCARDED, Discarded};
use crate::merge::reconcile::Conflict;
use brv_git as git;
use brv_git::{CommitId, Head, Scope, commit, history};
use bstr::{BString, ByteSlice as _, ByteVec as _};

/// The most trailers in a message; the operation has all of them.
const TRAILERS: usize = 100;
/// The most commits that a squash message lists one by one.
const SQUASHED: usize = 1000;

/// `Merge branch 'topic' into side`, where `what` is `branch 'topic'`. As in git, the main branch is not named.
pub fn of_branch(what: &str, head: &Head) -> String {
    let into = head.short_branch().filter(|name| name != "main" && name != "master");
    let into = into.map(|name| format!(" into {name}")).unwrap_or_default();
    format!("Merge {what}{into}\n")
}

/// The message with a trailer for each discarded value.
pub(super) fn with_discarded(mut message: BString, discarded: &[Discarded]) -> BString {
    if !discarded.is_empty() {
        message.push(b'\n');
    }
    for one in discarded.iter().take(TRAILERS) {
        message.push_str(format!("{DISCARDED}: {}\n", one.to_short_line()));
    }
    if discarded.len() > TRAILERS {
        message.push_str(format!("{DISCARDED}-More: {}\n", discarded.len() - TRAILERS));
    }
    message
}

/// The message with the conflicts as comments, as git leaves it for the merge commit.
pub(super) fn conflicted(scope: &Scope, mut message: BString, conflicts: &[Conflict]) -> BString {
    message.push_str("\n# Conflicts:\n");
    for path in conflicts.iter().filter_map(|conflict| scope.strip(conflict.path.as_bstr())) {
        message.push_str(format!("#\t{path}\n"));
    }
    message
}

/// The message that lists the squashed commits, as git leaves it for the next commit.
pub(super) fn squashed(scope: &Scope, ours: CommitId, theirs: CommitId) -> Result<BString, git::Error> {
    let mut text = BString::from("Squashed commit of the following:\n");
    for id in history::between(scope, &[theirs], &[ours])?.into_iter().take(SQUASHED) {
        let commit = commit::read(scope, id)?;
        text.extend_from_slice(format!("\ncommit {id}\nAuthor: {}\n\n", commit.author).as_bytes());
        for line in commit.message.trim_end().lines() {
            text.extend_from_slice(if line.is_empty() { b"" } else { b"    " });
            text.extend_from_slice(line);
            text.push(b'\n');
        }
    }
    Ok(text)
}
