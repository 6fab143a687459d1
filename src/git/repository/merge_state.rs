//! A merge that waits for decisions, in the files that git reads: `MERGE_HEAD`, `MERGE_MSG`, `MERGE_MODE`.

use crate::fs::{self, Durability};
use crate::git::Scope;
use crate::git::id::CommitId;
use bstr::{BString, ByteSlice};

/// The merge that is in progress.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergeState {
    /// What is being merged.
    pub heads: Vec<CommitId>,
    /// The message for the commit that concludes it.
    pub message: BString,
}

/// In the order in which they go: while the first of what git reads is there, whoever was killed is seen to be at it.
const FILES: [&str; 3] = ["MERGE_MSG", "MERGE_MODE", "MERGE_HEAD"];

/// The merge in progress, if there is one.
///
/// # Errors
/// Files that cannot be read, or a `MERGE_HEAD` that holds anything but commits: a merge that lost a parent would undo
/// what came from there.
pub fn read(scope: &Scope) -> Result<Option<MergeState>, fs::Error> {
    let file = |name: &str| scope.git_dir().join(name);
    let Some(heads) = fs::read_if_there(&file("MERGE_HEAD"))? else { return Ok(None) };
    let heads: Option<Vec<CommitId>> = heads
        .lines()
        .map(|line| std::str::from_utf8(line).ok().and_then(|line| CommitId::from_hex(line.trim())))
        .collect();
    let heads = heads.filter(|heads| !heads.is_empty()).ok_or_else(|| {
        let why =
            std::io::Error::new(std::io::ErrorKind::InvalidData, "it does not hold the names of commits");
        fs::Error::during("read", file("MERGE_HEAD"))(why)
    })?;
    let message = fs::read_if_there(&file("MERGE_MSG"))?.unwrap_or_default().into();
    Ok(Some(MergeState { heads, message }))
}

/// Whether files may be in conflict, told without reading the index: git is in the midst of something. What a stash that
/// did not apply leaves is not told by it.
#[must_use]
pub fn is_under_way(scope: &Scope) -> bool {
    let marks = ["MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply"];
    marks.iter().any(|name| scope.git_dir().join(name).exists())
}

/// Record that a merge waits for decisions.
///
/// # Errors
/// Files that cannot be written.
pub fn write(scope: &Scope, state: &MergeState) -> Result<(), fs::Error> {
    let file = |name: &str| scope.git_dir().join(name);
    let heads: String = state.heads.iter().map(|head| format!("{head}\n")).collect();
    fs::replace(&file("MERGE_MSG"), &state.message, Durability::Now)?;
    fs::replace(&file("MERGE_MODE"), b"", Durability::Now)?;
    fs::replace(&file("MERGE_HEAD"), heads.as_bytes(), Durability::Now)
}

/// A file by itself by which git knows what the next commit is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// The message of a commit that is no merge.
    Message,
    /// The message that git takes for a commit of what `merge --squash` has staged.
    Squash,
    /// The commit that is being picked.
    Pick,
    /// The commit that is being reverted.
    Revert,
}

impl Mark {
    /// All of them. The messages go first: while the others are there, whoever was killed is seen to be at it.
    pub const ALL: [Self; 4] = [Self::Message, Self::Squash, Self::Pick, Self::Revert];

    /// The name of the file.
    #[must_use]
    pub const fn file(self) -> &'static str {
        match self {
            Self::Message => "MERGE_MSG",
            Self::Squash => "SQUASH_MSG",
            Self::Pick => "CHERRY_PICK_HEAD",
            Self::Revert => "REVERT_HEAD",
        }
    }

    /// What the file holds, whoever wrote it.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn read(self, scope: &Scope) -> Result<Option<BString>, fs::Error> {
        Ok(fs::read_if_there(&scope.git_dir().join(self.file()))?.map(BString::from))
    }

    /// Let the file hold this, or be gone; durably.
    ///
    /// # Errors
    /// A file that cannot be written or removed.
    pub fn write(self, scope: &Scope, text: Option<&BString>) -> Result<(), fs::Error> {
        let path = scope.git_dir().join(self.file());
        match text {
            Some(text) => fs::replace(&path, text, Durability::Now),
            None if fs::remove_file(&path)? => fs::sync_folder(scope.git_dir()),
            None => Ok(()),
        }
    }
}

/// Forget the merge in progress.
///
/// # Errors
/// Files that cannot be removed.
pub fn clear(scope: &Scope) -> Result<(), fs::Error> {
    let mut is_changed = false;
    for name in FILES {
        is_changed |= fs::remove_file(&scope.git_dir().join(name))?;
    }
    // a merge that came back with the power would be concluded a second time
    if is_changed { fs::sync_folder(scope.git_dir()) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_merge_without_one_of_its_heads_is_none_to_go_on_with() {
        let folder = tempfile::tempdir().unwrap();
        let scope =
            crate::git::init(folder.path(), "main", &crate::environment::Environment::default()).unwrap();
        let head = CommitId::from_hex(&"a".repeat(40)).unwrap();
        let state = MergeState { heads: vec![head, head], message: "both".into() };
        write(&scope, &state).unwrap();
        assert_eq!(read(&scope).unwrap(), Some(state));
        for broken in ["", "\n", &format!("{head}\nrubbish\n"), &"a".repeat(39)] {
            fs::replace(&scope.git_dir().join("MERGE_HEAD"), broken.as_bytes(), Durability::Later).unwrap();
            assert!(read(&scope).is_err(), "{broken:?}");
        }
        clear(&scope).unwrap();
        assert_eq!(read(&scope).unwrap(), None);
    }
}
