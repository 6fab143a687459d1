//! What commits did to files, as far as the question is who made a version.

use brv_base::content::ContentId;
use brv_git::CommitId;

/// A commit that was looked at, with what it did to files; nothing if it was not made here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LocalCommit {
    pub commit: CommitId,
    pub rows: Vec<LocalFileChange>,
}

/// What a commit did to a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LocalFileChange {
    pub act: Act,
    /// Its versions in the parents.
    pub before: Vec<ContentId>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Act {
    /// It made this version.
    Made(ContentId),
    /// It made this version, and says that it waits: it instructs, and no person wrote it.
    Waits(ContentId),
    /// It took the version of one of several parents.
    Taken,
    Removed,
}
