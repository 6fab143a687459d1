//! What people decided on this clone about changes that wait for review.

use super::flag::{FOREIGN, Flag};
use super::marks_file;
use crate::Stop;
use crate::jobs::Store;
use crate::open::context::{Opened, Parts};
use crate::open::state::{Ruling, StoredDecision};
use brv_base::fs;
use brv_git::identity::{self, Overrides};
use std::collections::HashSet;

/// All decisions of this clone.
#[derive(Debug, Default)]
pub struct Decisions {
    /// The oldest first.
    pub all: Vec<StoredDecision>,
}

impl Decisions {
    pub fn read(opened: &Opened) -> Result<Self, Stop> {
        Ok(Self { all: Store::of(opened)?.read(crate::open::state::State::decisions)? })
    }

    /// Remember more of them.
    pub fn add(opened: &Opened, decisions: &[StoredDecision]) -> Result<(), Stop> {
        Store::of(opened)?.with(|state| state.decide(decisions))?;
        // a search marks nothing by what was decided otherwise before
        let _ = fs::remove_file(&marks_file(opened));
        Ok(())
    }

    /// The versions that came from elsewhere and were approved, as [`foreign_change`](super::foreign_change) names them.
    pub fn accepted(&self) -> HashSet<String> {
        let mut accepted = HashSet::new();
        for one in self.all.iter().filter(|one| one.change.starts_with(FOREIGN)) {
            match one.ruling {
                Ruling::Approved => accepted.insert(one.change.clone()),
                Ruling::Rejected | Ruling::Reopened => accepted.remove(&one.change),
            };
        }
        accepted
    }

    /// The last one about a change. What was decided before a commit was made, or made again, holds after it.
    pub fn of(&self, flag: &Flag) -> Option<&StoredDecision> {
        let change = flag.change();
        self.all.iter().rev().find(|one| one.row == flag.id || one.change == change)
    }

    /// Whether the last one about a change is this.
    pub fn is(&self, flag: &Flag, ruling: Ruling) -> bool {
        self.of(flag).is_some_and(|decision| decision.ruling == ruling)
    }
}

/// Who decides: the agent or person that the environment names, else the committer of git.
pub fn decider(parts: &Parts<'_>) -> String {
    let committer = || {
        let identity = identity::identity(parts.scope(), &Overrides::default(), parts.clock);
        identity.map(|one| one.committer.to_string()).unwrap_or_default()
    };
    parts.actor.name.clone().unwrap_or_else(committer)
}

/// A decision of `actor` about a change, to be kept.
pub fn stored(
    flag: &Flag,
    (ruling, comment): (Ruling, Option<&String>),
    (actor, at): (&str, i64),
) -> StoredDecision {
    StoredDecision {
        row: flag.id.clone(),
        change: flag.change(),
        path: flag.path.to_string(),
        ruling,
        actor: actor.to_owned(),
        at,
        comment: comment.cloned(),
        operation: None,
    }
}
