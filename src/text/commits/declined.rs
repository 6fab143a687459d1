//! Which commits are declined by their kind, before a sentence is read.

use super::message::{Message, Trailer};
use super::{CommitDescription, Reason, chores};
use crate::judge::lists;

/// What is declined whatever its trailers state.
pub(super) fn always(told: &CommitDescription<'_>, task: &str, trailers: &[&Trailer]) -> Option<Reason> {
    let is_skip =
        |one: &&Trailer| one.key.eq_ignore_ascii_case("brv-skip") && one.value.eq_ignore_ascii_case("true");
    if trailers.iter().any(is_skip) {
        Some(Reason::Skip)
    } else if told.parents > 1 {
        Some(Reason::Merge)
    } else if ["fixup!", "squash!", "amend!"].iter().any(|start| task.starts_with(start)) {
        Some(Reason::Fixup)
    } else if told.in_repo_tree.is_some_and(|folder| is_below(told.files, folder)) {
        Some(Reason::KnowledgeOnly)
    } else {
        None
    }
}

/// What is declined by its author or its subject: whatever stands in its body is not prose.
pub(super) fn made(told: &CommitDescription<'_>, task: &str) -> Option<Reason> {
    if let Some(name) = lists::bot(told.author, told.address) {
        return Some(Reason::Generated(name));
    }
    let is_made = lists::is_generated_subject(task, told.body);
    is_made.then(|| if is_version(task) { Reason::Release } else { Reason::Generated("update") })
}

/// `1.2.3`, `v1.2.3`, `chore(main): release 1.2.3`
fn is_version(task: &str) -> bool {
    task.trim_start_matches(['v', 'V']).starts_with(|c: char| c.is_ascii_digit())
        || task.contains("): release")
}

/// Who wrote a message, if a program did.
pub(super) fn writer(message: &Message) -> Option<&'static str> {
    lists::generated_text(&message.body)
}

/// What is declined for its subject if its trailers state nothing.
pub(super) fn by_subject(task: &str) -> Option<Reason> {
    if chores::is_spelling_fix(task) {
        Some(Reason::Typo)
    } else if chores::is_release(task) {
        Some(Reason::Release)
    } else {
        None
    }
}

/// Only files below a folder.
fn is_below(files: &[&str], folder: &str) -> bool {
    let folder = folder.trim_matches('/');
    let is_inside = |path: &&str| path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
    !folder.is_empty() && !files.is_empty() && files.iter().all(is_inside)
}
