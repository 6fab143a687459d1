//! Which entries are archived by their importance.

use super::committed::{Committed, Why};
use crate::doc::Document;
use crate::git::{Scope, trees};
use crate::ops::steps::cause::Cause;
use crate::path::TreePath;

/// An entry with less importance than this may be archived.
pub const BELOW: f64 = 35.0;
/// The most entries that one run archives by importance.
pub const MOST: usize = 20;
/// For how long this machine must have known an entry, in seconds: 30 days.
pub const KNOWN_FOR: i64 = 30 * 86_400;

/// What this machine's signals say about an entry.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// The entry.
    pub path: TreePath,
    /// Its importance now, 0 to 100.
    pub importance: f64,
    /// Whether it is a draft.
    pub is_draft: bool,
    /// For how long this machine has known it, in seconds.
    pub known_for: i64,
}

/// The entries to archive, the least important first, and what holds back others that are not important enough.
#[derive(Debug, Default)]
pub struct Chosen {
    /// The entries, each with its importance.
    pub entries: Vec<(TreePath, f64)>,
    /// Entries that something else holds back.
    pub held_back: Vec<(TreePath, Why)>,
}

/// Choose among the entries that are not important enough.
///
/// # Errors
/// Entries that cannot be read.
pub fn choose(scope: &Scope, committed: &Committed, mut candidates: Vec<Candidate>) -> Result<Chosen, Cause> {
    candidates.retain(|candidate| candidate.importance < BELOW);
    candidates.sort_by(|one, other| {
        one.importance.total_cmp(&other.importance).then_with(|| one.path.cmp(&other.path))
    });
    let mut chosen = Chosen::default();
    for candidate in candidates {
        let why = match held_back(scope, committed, &candidate)? {
            None if chosen.entries.len() == MOST => Some(Why::Limit),
            why => why,
        };
        match why {
            Some(why) => chosen.held_back.push((candidate.path, why)),
            None => chosen.entries.push((candidate.path, candidate.importance)),
        }
    }
    Ok(chosen)
}

fn held_back(scope: &Scope, committed: &Committed, candidate: &Candidate) -> Result<Option<Why>, Cause> {
    if !candidate.is_draft {
        return Ok(Some(Why::Maturity));
    }
    if candidate.known_for < KNOWN_FOR {
        return Ok(Some(Why::YoungSignals));
    }
    if let Some(why) = committed.hinders(&candidate.path) {
        return Ok(Some(why));
    }
    if let Some(id) = committed.version(&candidate.path)
        && Document::parse(trees::blob(scope, id)?).meta().pinned
    {
        return Ok(Some(Why::Pinned));
    }
    Ok(committed.is_unpublished(&candidate.path).then_some(Why::Unpublished))
}
