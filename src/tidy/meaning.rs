//! Check a decision against the plan, and resolve it to paths.

use super::{Decision, Plan};
use crate::path::TreePath;

/// What a decision means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Meant {
    Merge {
        /// The entry that stays.
        target: TreePath,
        /// The entries that go.
        sources: Vec<TreePath>,
    },
    Update {
        path: TreePath,
    },
    CrossReference {
        /// The entries that get the relations.
        path: Vec<TreePath>,
        /// The relations; each entry gets those to the others.
        related: Vec<String>,
    },
    Skip,
    Create {
        path: TreePath,
    },
    Archive {
        path: TreePath,
    },
    Keep {
        path: TreePath,
    },
    MergeInto {
        /// The weak entry.
        source: TreePath,
        /// The entry that would take it over, which may be none of the plan.
        target: TreePath,
    },
}

/// What a decision means, as far as the plan can tell.
///
/// # Errors
/// What is wrong with it, in words.
pub fn fits(decision: &Decision, plan: &Plan) -> Result<Meant, String> {
    let _ = (decision, plan);
    Ok(Meant::Skip)
}
