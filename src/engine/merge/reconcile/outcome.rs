//! The result of merging two histories: the tree, the conflicts, and what was settled without a person.

use super::MergedTree;
use crate::outcome::json;
use brv_git as git;
use brv_git::{Drafts, FileMode, Scope, TreeId, Version};
use brv_text::merge::{self, Side};
use bstr::{BString, ByteSlice as _};
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt::{self, Display};

/// Two merged histories, perhaps with conflicts. The objects are in memory until [`Reconciled::store`].
pub struct Reconciled {
    /// The merged tree; files in conflict hold markers.
    pub tree: TreeId,
    /// Conflicts for a person to resolve, sorted by path.
    pub conflicts: Vec<Conflict>,
    /// What was settled without a person and is worth reporting, sorted by path: one item for each path, and one more
    /// where two files were joined.
    pub settled: Vec<Settled>,
    drafts: Drafts,
}

/// A file in conflict.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
pub struct Conflict {
    /// Its path.
    #[serde(serialize_with = "json::lossy")]
    #[schemars(with = "String")]
    pub path: BString,
    /// Base, ours, theirs, as the index has them.
    #[serde(skip)]
    pub versions: [Option<Version>; 3],
    /// The kind of conflict, in git's words if git has it: `both modified`, …
    #[serde(serialize_with = "json::shown")]
    #[schemars(with = "&str")]
    pub kind: ConflictKind,
    /// The other path of a file that both sides moved, or the original path of a file whose place a folder took.
    #[serde(serialize_with = "json::optional_lossy", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub other: Option<BString>,
    /// The conflicts in the file; empty if the file as a whole is in conflict.
    pub decisions: Vec<merge::Conflict>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConflictKind {
    BothModified,
    BothAdded,
    /// Modified on their side.
    DeletedByUs,
    /// Modified on our side.
    DeletedByThem,
    /// Both sides moved the file; it is in both places.
    MovedApart,
    /// One side has a folder at the path of this file: the file was renamed.
    FileAndFolder,
    /// A symlink or a submodule that both sides changed: ours is kept.
    NotAFile,
}

/// A path where the merge settled something without a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settled {
    pub path: BString,
    /// What happened to the file as a whole.
    pub event: Option<Event>,
    /// What happened inside the file.
    pub records: Vec<merge::Record>,
}

/// What happened to a file as a whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// The other side removed a file that this side changed or moved: it is kept.
    ChangeKept {
        by: Side,
        /// The path before, if it moved. Full.
        from: Option<BString>,
        /// Whether the other side archived it, so that a record of its base version is in the folder's overview.
        is_archived: bool,
    },
    /// One side moved the file, and the other's changes were applied at the new path.
    Followed {
        /// The path before. Full.
        from: BString,
        /// The side that moved it; ours if both did.
        by: Side,
    },
    /// Both sides moved the file; the rule for undecided conflicts chose this path.
    OneNameKept {
        /// The path before. Full.
        from: BString,
        by: Side,
    },
    /// Both sides moved the file; by the rule for undecided conflicts it is in both places.
    BothNamesKept {
        /// The path before. Full.
        from: BString,
        by: Side,
        other: BString,
    },
    /// One side has a folder at the path of this file: by the rule for undecided conflicts it was renamed.
    Renamed {
        /// The original path. Full.
        wanted: BString,
        by: Side,
    },
    /// The content cannot be merged and was taken from this side, by the rule for undecided conflicts.
    OneSideTaken(Side),
}

/// Make a full path relative to the tree, for display.
fn inside(scope: &Scope, full: &mut BString) {
    if let Some(path) = scope.strip(full.as_bstr()).map(ToOwned::to_owned) {
        *full = path;
    }
}

impl Conflict {
    /// The same with paths relative to the tree, for display.
    pub fn told(&self, scope: &Scope) -> Self {
        let mut told = self.clone();
        inside(scope, &mut told.path);
        told.other.iter_mut().for_each(|other| inside(scope, other));
        told
    }
}

impl Settled {
    /// The same with paths relative to the tree, for display.
    pub fn told(&self, scope: &Scope) -> Self {
        let mut told = self.clone();
        inside(scope, &mut told.path);
        match &mut told.event {
            Some(Event::Followed { from, .. } | Event::OneNameKept { from, .. }) => inside(scope, from),
            Some(Event::ChangeKept { from: Some(from), .. }) => inside(scope, from),
            Some(Event::Renamed { wanted, .. }) => inside(scope, wanted),
            Some(Event::BothNamesKept { from, other, .. }) => {
                inside(scope, from);
                inside(scope, other);
            }
            Some(Event::ChangeKept { from: None, .. } | Event::OneSideTaken(_)) | None => {}
        }
        told
    }
}

impl Display for ConflictKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.words())
    }
}

impl ConflictKind {
    pub const fn words(self) -> &'static str {
        match self {
            Self::BothModified => "both modified",
            Self::BothAdded => "both added",
            Self::DeletedByUs => "deleted by us",
            Self::DeletedByThem => "deleted by them",
            Self::MovedApart => "moved to two places",
            Self::FileAndFolder => "file and folder",
            Self::NotAFile => "not a file",
        }
    }

    /// The kind of conflict, from the versions that exist.
    pub const fn of(versions: &[Option<Version>; 3]) -> Self {
        match versions {
            [None, ..] => Self::BothAdded,
            [_, None, _] => Self::DeletedByUs,
            [_, _, None] => Self::DeletedByThem,
            _ => Self::BothModified,
        }
    }
}

impl Reconciled {
    /// The objects in memory.
    pub fn into_drafts(self) -> Drafts {
        self.drafts
    }

    pub(super) fn new(merged: MergedTree, drafts: Drafts) -> Self {
        let MergedTree { tree, conflicts, settled } = merged;
        Self { tree, conflicts, settled, drafts }
    }

    /// A scope that reads the merge's objects as if they were stored.
    pub const fn scope(&self) -> &Scope {
        self.drafts.scope()
    }

    /// Store everything that the merged tree needs, and every version in conflict, durably.
    pub fn store(self) -> Result<(), git::Error> {
        let versions = self.conflicts.iter().flat_map(|conflict| conflict.versions).flatten();
        let files = versions.filter(|version| version.mode != FileMode::Gitlink);
        self.drafts.store(self.tree, files.map(|version| version.id).collect::<Vec<_>>())
    }
}
