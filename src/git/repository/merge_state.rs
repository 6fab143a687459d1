//! The state of a merge in progress, in git's files: `MERGE_HEAD`, `MERGE_MSG`, `MERGE_MODE`.

use crate::Scope;
use crate::id::CommitId;
use brv_base::fs::{self, Durability};
use bstr::{BString, ByteSlice};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergeState {
    pub heads: Vec<CommitId>,
    pub message: BString,
}

/// In the order of removal: `MERGE_HEAD`, which git checks first, is last, so that a killed command still shows as in
/// progress.
const FILES: [&str; 3] = ["MERGE_MSG", "MERGE_MODE", "MERGE_HEAD"];

/// The merge in progress, if there is one.
///
/// # Errors
/// Files that cannot be read, or a `MERGE_HEAD` that holds anything but commits: a merge that lost a parent would undo
/// the changes of that parent.
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

/// Whether files may be in conflict, without reading the index: a git command is in progress. Conflicts of a failed
/// stash apply are not detected.
pub fn is_under_way(scope: &Scope) -> bool {
    let marks = ["MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply"];
    marks.iter().any(|name| scope.git_dir().join(name).exists())
}

pub fn write(scope: &Scope, state: &MergeState) -> Result<(), fs::Error> {
    let file = |name: &str| scope.git_dir().join(name);
    let heads: String = state.heads.iter().map(|head| format!("{head}\n")).collect();
    fs::replace(&file("MERGE_MSG"), &state.message, Durability::Now)?;
    fs::replace(&file("MERGE_MODE"), b"", Durability::Now)?;
    fs::replace(&file("MERGE_HEAD"), heads.as_bytes(), Durability::Now)
}

/// A single state file that tells git about the next commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    Message,
    /// The message for a commit of changes staged by `merge --squash`.
    Squash,
    Pick,
    Revert,
}

impl Mark {
    /// All of them. The messages are removed first: while the others exist, a killed command still shows as in
    /// progress.
    pub const ALL: [Self; 4] = [Self::Message, Self::Squash, Self::Pick, Self::Revert];

    pub const fn file(self) -> &'static str {
        match self {
            Self::Message => "MERGE_MSG",
            Self::Squash => "SQUASH_MSG",
            Self::Pick => "CHERRY_PICK_HEAD",
            Self::Revert => "REVERT_HEAD",
        }
    }

    /// The content of the file, whoever wrote it.
    pub fn read(self, scope: &Scope) -> Result<Option<BString>, fs::Error> {
        Ok(fs::read_if_there(&scope.git_dir().join(self.file()))?.map(BString::from))
    }

    /// Sets the content of the file, or removes it; durably.
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

/// Removes the state of the merge in progress.
pub fn clear(scope: &Scope) -> Result<(), fs::Error> {
    let mut is_changed = false;
    for name in FILES {
        is_changed |= fs::remove_file(&scope.git_dir().join(name))?;
    }
    // a merge state restored by a power failure would be committed a second time
    if is_changed { fs::sync_folder(scope.git_dir()) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_merge_without_one_of_its_heads_is_none_to_go_on_with() {
        let folder = tempfile::tempdir().unwrap();
        let scope =
            crate::init(folder.path(), "main", &brv_base::environment::Environment::default()).unwrap();
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
