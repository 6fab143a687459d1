//! What may be said of any fetch, also of that of a pull: pruning, tags, how much history.
//!
//! Does not choose the remote.

use crate::git::host_remote::Naming;
use crate::git::{self, End, Scope, Target, fetch};
use crate::ops::FailureKind;

pub use crate::git::Depth;
pub use crate::git::fetch::{Prune, Tags};

/// What may be said of any fetch, also of that of a pull.
#[derive(Debug, Clone, Copy, Default)]
pub struct Manner {
    /// Tracking refs whose branch is gone.
    pub prune: Prune,
    /// Which tags come along.
    pub tags: Tags,
    /// How much history.
    pub depth: Depth,
}

impl Manner {
    /// For a remote with branches so called: of the code's own, no tag is the tree's.
    ///
    /// # Errors
    /// [`Impossible::Tags`]
    pub const fn of(self, naming: Naming) -> Result<Self, Impossible> {
        match (naming, self.tags) {
            (Naming::Host, Tags::All) => Err(Impossible::Tags),
            _ => Ok(self),
        }
    }

    /// The options of a fetch from `target`, with what the settings say about the rest.
    ///
    /// # Errors
    /// [`Impossible`]
    pub fn options(self, scope: &Scope, target: Target) -> Result<fetch::Options, Impossible> {
        if self.depth == Depth::Full && !git::is_shallow(scope)? {
            return Err(Impossible::Whole);
        }
        let Self { prune, tags, depth } = self;
        Ok(fetch::Options { prune, tags, depth, ..fetch::Options::configured(target) })
    }
}

/// What a fetch did to how far the history goes back.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum History {
    /// Nothing: it ends where it ended.
    #[default]
    Unchanged,
    /// It ended in the middle, and is all here now.
    Whole,
    /// It goes further back.
    Deepened,
    /// It ends in the middle, at other commits than before.
    Limited,
}

impl History {
    /// What became of a history that ended at `before`, after a fetch that asked for this much.
    ///
    /// # Errors
    /// When it cannot be read where it ends now.
    pub fn since(before: &End, scope: &Scope, depth: Depth) -> Result<Self, git::Error> {
        let now = End::of(scope)?;
        Ok(match depth {
            _ if now == *before => Self::Unchanged,
            _ if now.is_whole() => Self::Whole,
            Depth::Deepen(_) | Depth::Full => Self::Deepened,
            Depth::Of(_) | Depth::Unchanged => Self::Limited,
        })
    }
}

/// Why a fetch cannot be done in the manner asked for.
#[derive(Debug, thiserror::Error)]
pub enum Impossible {
    /// Nothing is missing.
    #[error("the repository is not shallow: it already has all history")]
    Whole,
    /// They are the code's.
    #[error("the tags of the host repository's remote belong to the code")]
    Tags,
    /// The repository.
    #[error(transparent)]
    Git(#[from] git::Error),
}

impl Impossible {
    /// What kind of failure it is.
    #[must_use]
    pub fn kind(&self) -> FailureKind {
        match self {
            Self::Whole => FailureKind::Usage,
            Self::Tags => FailureKind::Refused,
            Self::Git(error) => FailureKind::of_git(error),
        }
    }
}
