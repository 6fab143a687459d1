//! What came of bringing two histories together.

use super::Merged;
use crate::git::{self, Drafts, FileMode, Scope, TreeId, Version};
use crate::merge::{self, Side};
use bstr::{BString, ByteSlice as _};

/// Two histories brought together, perhaps with conflicts. Its objects are in memory until [`Reconciled::store`].
pub struct Reconciled {
    /// The merged tree; files in conflict hold markers.
    pub tree: TreeId,
    /// What a person must decide, sorted by path.
    pub conflicts: Vec<Conflict>,
    /// What was settled without a person and is worth telling, sorted by path: one for each path, and one more where what
    /// was two files came together.
    pub settled: Vec<Settled>,
    drafts: Drafts,
}

/// A path that a person must decide about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    /// Full path.
    pub path: BString,
    /// Base, ours, theirs, as the index has them.
    pub versions: [Option<Version>; 3],
    /// What happened.
    pub kind: ConflictKind,
    /// What in the file must be decided; empty where it is about the file as a whole.
    pub decisions: Vec<merge::Conflict>,
}

/// The shape of a conflict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConflictKind {
    /// Both sides changed the file.
    BothModified,
    /// Both sides added the path.
    BothAdded,
    /// We deleted what they changed.
    DeletedByUs,
    /// They deleted what we changed.
    DeletedByThem,
    /// Both sides moved the file; it is in both places.
    MovedApart {
        /// The other place, full.
        other: BString,
    },
    /// One side has a folder where the other has this file: the file was given another name.
    FileAndFolder {
        /// The name that it had, full.
        wanted: BString,
    },
    /// A link or a submodule that both sides changed: ours stands.
    NotAFile,
}

/// A path where something was settled without a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settled {
    /// Full path.
    pub path: BString,
    /// What happened to the file as a whole.
    pub event: Option<Event>,
    /// What happened inside.
    pub records: Vec<merge::Record>,
}

/// What happened to a file as a whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// The other side removed what this one changed or moved: it stays.
    ChangeKept {
        /// Who changed it.
        by: Side,
        /// Where it was, if it moved. Full.
        from: Option<BString>,
    },
    /// One side moved it, and the other's changes went along.
    Followed {
        /// Where it was. Full.
        from: BString,
        /// Who moved it; ours where both did.
        by: Side,
    },
    /// Both sides moved it; this one's place was taken by the rule for what is undecided.
    OneNameKept {
        /// Where it was. Full.
        from: BString,
        /// Whose place it is.
        by: Side,
    },
    /// Both sides moved it; by the rule for what is undecided it is in both places.
    BothNamesKept {
        /// Where it was. Full.
        from: BString,
        /// Whose place this is.
        by: Side,
        /// The other place. Full.
        other: BString,
    },
    /// One side has a folder where this file was: by the rule for what is undecided it has another name now.
    Renamed {
        /// The name that it had. Full.
        wanted: BString,
        /// Whose file it is.
        by: Side,
    },
    /// What cannot be merged was taken from this side, by the rule for what is undecided.
    OneSideTaken(Side),
}

/// Relative to the tree, as everything that is told of it.
fn inside(scope: &Scope, full: &mut BString) {
    if let Some(path) = scope.strip(full.as_bstr()).map(ToOwned::to_owned) {
        *full = path;
    }
}

impl Conflict {
    /// The same with paths relative to the tree, to be told.
    #[must_use]
    pub fn told(&self, scope: &Scope) -> Self {
        let mut told = self.clone();
        inside(scope, &mut told.path);
        match &mut told.kind {
            ConflictKind::MovedApart { other } => inside(scope, other),
            ConflictKind::FileAndFolder { wanted } => inside(scope, wanted),
            _ => {}
        }
        told
    }
}

impl Settled {
    /// The same with paths relative to the tree, to be told.
    #[must_use]
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

impl ConflictKind {
    /// Told from which versions there are.
    pub(super) const fn of(versions: &[Option<Version>; 3]) -> Self {
        match versions {
            [None, ..] => Self::BothAdded,
            [_, None, _] => Self::DeletedByUs,
            [_, _, None] => Self::DeletedByThem,
            _ => Self::BothModified,
        }
    }
}

impl Reconciled {
    pub(super) fn new(merged: Merged, drafts: Drafts) -> Self {
        let Merged { tree, conflicts, settled } = merged;
        Self { tree, conflicts, settled, drafts }
    }

    /// Reads what the merge made as if it were stored.
    #[must_use]
    pub const fn scope(&self) -> &Scope {
        self.drafts.scope()
    }

    /// Store everything that the merged tree needs, and every version in conflict, durably.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub fn store(self) -> Result<(), git::Error> {
        let versions = self.conflicts.iter().flat_map(|conflict| conflict.versions).flatten();
        let files = versions.filter(|version| version.mode != FileMode::Gitlink);
        self.drafts.store(self.tree, files.map(|version| version.id).collect::<Vec<_>>())
    }
}
