//! Fetch options that `fetch` and `pull` share: pruning, tags, depth.
//!
//! Does not choose the remote.

use crate::Stop;
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
    pub fn of(self, naming: Naming) -> Result<Self, Stop> {
        match (naming, self.tags) {
            (Naming::Host, Tags::All) => {
                let stop = Stop::refused("the tags of the host repository's remote belong to the code");
                Err(stop.hint("leave out `--tags`"))
            }
            _ => Ok(self),
        }
    }

    /// The options of a fetch from `target`, completed from the settings.
    pub fn options(self, scope: &Scope, target: Target) -> Result<fetch::Options, Stop> {
        if self.depth == Depth::Full && !git::is_shallow(scope)? {
            let stop = Stop::usage("the repository is not shallow: it already has all history");
            return Err(stop.hint("leave out `--unshallow`"));
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
