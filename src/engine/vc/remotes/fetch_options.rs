//! Fetch options that `fetch` and `pull` share: pruning, tags, depth.
//!
//! Does not choose the remote.

use crate::{Fails, FailureKind};
use brv_git as git;
use brv_git::host_remote::Naming;
use brv_git::{End, Scope, Target, fetch};
use schemars::JsonSchema;
use serde::Serialize;

pub use brv_git::Depth;
pub use brv_git::fetch::{Prune, Tags};

/// Fetch options that `fetch` and `pull` share.
#[derive(Debug, Clone, Copy, Default)]
pub struct FetchOptions {
    /// What happens to tracking refs of deleted branches.
    pub prune: Prune,
    pub tags: Tags,
    /// How much history is fetched.
    pub depth: Depth,
}

impl FetchOptions {
    /// The options for a remote with this naming: no tag of the host repository belongs to the tree.
    pub const fn of(self, naming: Naming) -> Result<Self, Impossible> {
        match (naming, self.tags) {
            (Naming::Host, Tags::All) => Err(Impossible::Tags),
            _ => Ok(self),
        }
    }

    /// The options of a fetch from `target`, completed from the settings.
    pub fn options(self, scope: &Scope, target: Target) -> Result<fetch::Options, Impossible> {
        if self.depth == Depth::Full && !git::is_shallow(scope)? {
            return Err(Impossible::Whole);
        }
        let Self { prune, tags, depth } = self;
        Ok(fetch::Options { prune, tags, depth, ..fetch::Options::configured(target) })
    }
}

/// How a fetch changed the depth of the history.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, JsonSchema, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum History {
    /// No change.
    #[default]
    Unchanged,
    /// The history was shallow and is complete now.
    Whole,
    /// The history is deeper than before.
    Deepened,
    /// The history is shallow, and ends at other commits than before.
    Limited,
}

impl History {
    /// The effect of a fetch with this depth on a history that ended at `before`.
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

/// Why a fetch is impossible with these options.
#[derive(Debug, thiserror::Error)]
pub enum Impossible {
    #[error("the repository is not shallow: it already has all history")]
    Whole,
    #[error("the tags of the host repository's remote belong to the code")]
    Tags,
    #[error(transparent)]
    Git(#[from] git::Error),
}

impl Fails for Impossible {
    fn kind(&self) -> FailureKind {
        match self {
            Self::Whole => FailureKind::Usage,
            Self::Tags => FailureKind::Refused,
            Self::Git(error) => FailureKind::of_git(error),
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Whole => Some("leave out `--unshallow`".to_owned()),
            Self::Tags => Some("leave out `--tags`".to_owned()),
            Self::Git(_) => None,
        }
    }
}
