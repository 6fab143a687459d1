//! The commit in the history of `HEAD` that is called as a recorded one was: where nothing else is known, as in a clone
//! without state, after a rebase with edits or a squash on a host.

use super::Host;
use brv_git as git;
use brv_git::history::{self, Range};
use brv_git::trees::{self, Renames};
use brv_git::{CommitId, TreeId, revision};
use brv_text::commits::is_called;
use bstr::ByteSlice as _;
use std::collections::{BTreeSet, HashMap};
use std::ops::ControlFlow;

/// The most commits of the history that are looked at.
const MOST_COMMITS: usize = 20_000;

/// The fewest words of a subject that says which commit it is.
const FEWEST_WORDS: usize = 3;

/// The files that a commit changes against its first parent; `None`: it is not here, or that is not known.
///
/// # Errors
/// A commit or a tree that cannot be read.
pub fn files(host: &Host, commit: CommitId) -> Result<Option<BTreeSet<String>>, git::Error> {
    let scope = &host.scope;
    if !revision::is_commit(scope, commit)? {
        return Ok(None);
    }
    let read = git::commit::read(scope, commit)?;
    let before = match read.parents.first() {
        None => TreeId::empty(),
        Some(parent) if revision::is_commit(scope, *parent)? => scope.tree_of(*parent)?,
        Some(_) => return Ok(None),
    };
    let changes = trees::diff(scope, before, read.tree, Renames::Ignore)?;
    Ok(Some(changes.iter().map(|change| change.path.to_str_lossy().into_owned()).collect()))
}

/// A recorded commit that is sought by its subject.
pub struct Called<'r> {
    pub recorded: CommitId,
    pub subject: &'r str,
    /// Files of the code that the knowledge is about.
    pub files: &'r BTreeSet<String>,
    /// No older commit is it, in seconds since 1970.
    pub since: i64,
}

/// For each recorded commit the only one whose message has its subject, as its own or in a list, if that touches a file that
/// the knowledge is about.
pub(super) fn find(
    host: &Host,
    mut sought: Vec<Called<'_>>,
) -> Result<HashMap<CommitId, CommitId>, git::Error> {
    let mut found = HashMap::new();
    sought.retain(|one| !one.files.is_empty() && one.subject.split_whitespace().count() >= FEWEST_WORDS);
    let (Some(head), false) = (host.scope.head()?.commit(), sought.is_empty()) else { return Ok(found) };
    let mut called: Vec<Vec<CommitId>> = vec![Vec::new(); sought.len()];
    let mut seen = 0;
    history::walk(&host.scope, &Range { tips: vec![head], ..Range::default() }, |walked| {
        seen += 1;
        let message = walked.commit.message.to_str_lossy();
        let names: Vec<&str> = names(&message).collect();
        for (one, called) in sought.iter().zip(&mut called) {
            let is_late = walked.commit.committer.seconds >= one.since;
            if is_late && names.iter().any(|name| is_called(name, one.subject)) {
                called.push(walked.commit.id);
            }
        }
        if seen < MOST_COMMITS { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    for (one, called) in sought.iter().zip(called) {
        let [only] = called[..] else { continue };
        if files(host, only)?.is_some_and(|files| !files.is_disjoint(one.files)) {
            found.insert(one.recorded, only);
        }
    }
    Ok(found)
}

/// What a message calls a commit: its subject, the items of its lists, and indented lines, as the messages that
/// `git merge --squash` lists.
fn names(message: &str) -> impl Iterator<Item = &str> {
    let mut lines = message.lines();
    let subject = lines.next();
    subject.into_iter().chain(lines.filter_map(item))
}

/// The text of a list item, or of an indented line.
fn item(line: &str) -> Option<&str> {
    let text = line.trim();
    let item = text.strip_prefix("* ").or_else(|| text.strip_prefix("- ")).map(str::trim);
    item.or_else(|| line.starts_with("    ").then_some(text)).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_names_its_subject_and_the_items_of_its_lists() {
        let message =
            "Retry (#12)\n\n* net: retry twice\n  - net: wait\n\ntext - here\n* \n\n    net: stop\n";
        let expected = ["Retry (#12)", "net: retry twice", "net: wait", "net: stop"];
        assert_eq!(names(message).collect::<Vec<_>>(), expected);
    }
}
