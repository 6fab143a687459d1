//! Detects unfinished git commands: a merge, rebase, am, cherry-pick, revert or bisect, by the state files that git
//! documents.
//!
//! Changes nothing.

use crate::Scope;
use crate::id::CommitId;
use brv_base::fs;
use bstr::{BString, ByteSlice as _};
use std::fmt;
use std::path::Path;

/// Commands that may stop and be continued later.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InProgressKind {
    /// `git merge`, `brv vc merge`, `brv vc pull`
    Merge,
    /// `git rebase`
    Rebase,
    /// `git am`
    Am,
    /// `git cherry-pick`
    CherryPick,
    /// `git revert`
    Revert,
    /// `git bisect`
    Bisect,
}

impl InProgressKind {
    /// git's name for the command.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Merge => "merge",
            Self::Rebase => "rebase",
            Self::Am => "am",
            Self::CherryPick => "cherry-pick",
            Self::Revert => "revert",
            Self::Bisect => "bisect",
        }
    }

    pub const fn continuing(self) -> &'static str {
        match self {
            Self::Merge => "git merge --continue",
            Self::Rebase => "git rebase --continue",
            Self::Am => "git am --continue",
            Self::CherryPick => "git cherry-pick --continue",
            Self::Revert => "git revert --continue",
            Self::Bisect => "git bisect good|bad",
        }
    }

    /// Whether it creates commits of its own, between which no others belong.
    pub const fn makes_commits(self) -> bool {
        !matches!(self, Self::Bisect)
    }
}

impl fmt::Display for InProgressKind {
    /// `a rebase`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Am => f.write_str("`git am`"),
            other => write!(f, "a {}", other.word()),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InProgress {
    pub kind: InProgressKind,
    /// The branch that a rebase moves or a bisect started from, without `refs/heads/`; `None` for a detached `HEAD`
    /// too.
    pub branch: Option<BString>,
    /// The commit being merged, picked or reverted, or the one that a rebase builds on.
    pub commit: Option<CommitId>,
}

/// The unfinished commands, the outermost first; a bisect may exist beside any other.
pub fn read(scope: &Scope) -> Result<Vec<InProgress>, fs::Error> {
    let mut found = Vec::new();
    for kind in kinds(scope)? {
        let (branch, commit) = match kind {
            InProgressKind::Merge => (None, named(scope, "MERGE_HEAD")?),
            InProgressKind::Rebase => {
                let folder = if is_there(scope, "rebase-merge") { "rebase-merge" } else { "rebase-apply" };
                let file = |name: &str| format!("{folder}/{name}");
                (line(scope, &file("head-name"))?.and_then(branch), named(scope, &file("onto"))?)
            }
            InProgressKind::Am => (None, None),
            InProgressKind::CherryPick => (None, named(scope, "CHERRY_PICK_HEAD")?),
            InProgressKind::Revert => (None, named(scope, "REVERT_HEAD")?),
            InProgressKind::Bisect => (line(scope, "BISECT_START")?.filter(|start| !is_commit(start)), None),
        };
        found.push(InProgress { kind, branch, commit });
    }
    Ok(found)
}

/// The first of them that creates commits, a merge included.
pub fn committing(scope: &Scope) -> Result<Option<InProgressKind>, fs::Error> {
    Ok(kinds(scope)?.into_iter().find(|kind| kind.makes_commits()))
}

/// Whether a rebase goes on in the work tree with this private folder.
pub fn is_rebasing(git_dir: &Path) -> bool {
    let is_there = |name: &str| git_dir.join(name).exists();
    is_there("rebase-merge") || (is_there("rebase-apply") && !is_there("rebase-apply/applying"))
}

fn kinds(scope: &Scope) -> Result<Vec<InProgressKind>, fs::Error> {
    let mut kinds = Vec::new();
    if is_there(scope, "MERGE_HEAD") {
        kinds.push(InProgressKind::Merge);
    }
    // git's rebase leaves CHERRY_PICK_HEAD too when a commit does not apply
    if is_there(scope, "rebase-merge") {
        kinds.push(InProgressKind::Rebase);
    } else if is_there(scope, "rebase-apply") {
        kinds.push(if is_there(scope, "rebase-apply/applying") {
            InProgressKind::Am
        } else {
            InProgressKind::Rebase
        });
    } else if is_there(scope, "CHERRY_PICK_HEAD") {
        kinds.push(InProgressKind::CherryPick);
    } else if is_there(scope, "REVERT_HEAD") {
        kinds.push(InProgressKind::Revert);
    } else if let Some(next) = line(scope, "sequencer/todo")? {
        // one of several commits was committed by hand, and the rest is pending
        kinds.push(if next.starts_with(b"revert ") {
            InProgressKind::Revert
        } else {
            InProgressKind::CherryPick
        });
    }
    if is_there(scope, "BISECT_LOG") {
        kinds.push(InProgressKind::Bisect);
    }
    Ok(kinds)
}

fn is_there(scope: &Scope, name: &str) -> bool {
    scope.git_dir().join(name).exists()
}

/// The first line of a file, if there is one.
fn line(scope: &Scope, name: &str) -> Result<Option<BString>, fs::Error> {
    let Some(text) = fs::read_if_there(&scope.git_dir().join(name))? else { return Ok(None) };
    let first = text.lines().map(|line| line.trim()).find(|line| !line.is_empty());
    Ok(first.map(BString::from))
}

fn named(scope: &Scope, name: &str) -> Result<Option<CommitId>, fs::Error> {
    Ok(line(scope, name)?.and_then(|line| CommitId::from_hex(line.to_str().ok()?)))
}

fn branch(name: BString) -> Option<BString> {
    name.strip_prefix(b"refs/heads/").map(BString::from)
}

fn is_commit(line: &BString) -> bool {
    line.to_str().is_ok_and(|text| CommitId::from_hex(text).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use brv_base::fs::Durability;

    #[test]
    fn what_is_left_of_a_sequence_between_two_commits_is_still_in_progress() {
        let folder = tempfile::tempdir().unwrap();
        let scope =
            crate::init(folder.path(), "main", &brv_base::environment::Environment::default()).unwrap();
        assert_eq!(read(&scope).unwrap(), []);
        let todo = scope.git_dir().join("sequencer/todo");
        fs::create_folder(todo.parent().unwrap()).unwrap();
        for (text, kind) in
            [("revert 1a2b3c4 x\n", InProgressKind::Revert), ("pick 1a2b3c4 x\n", InProgressKind::CherryPick)]
        {
            fs::replace(&todo, text.as_bytes(), Durability::Later).unwrap();
            assert_eq!(read(&scope).unwrap(), [InProgress { kind, branch: None, commit: None }]);
        }
        fs::replace(&scope.git_dir().join("MERGE_HEAD"), b"broken\n", Durability::Later).unwrap();
        assert_eq!(
            committing(&scope).unwrap(),
            Some(InProgressKind::Merge),
            "one that cannot be read is there, too"
        );
    }
}
