//! How old the content of entries is: by the history, and by the time that they tell.
//!
//! A commit of a dream makes nothing younger: it links and moves what others wrote.

use super::ground::Ground;
use brv_base::path::TreePath;
use brv_engine::journal::DreamId;
use brv_git as git;
use brv_git::history::{self, Range};
use brv_git::trees::{self, Renames};
use brv_git::{Scope, TreeId};
use brv_text::lifecycle::DAY;
use bstr::ByteSlice as _;
use std::collections::HashMap;
use std::ops::ControlFlow;

/// How far the history is looked at, in days: no limit of age is higher.
const FAR: i64 = 121;

/// When the entries of a dream last changed, as far as the history of this time tells.
#[derive(Debug, Default)]
pub struct Ages<'g> {
    times: HashMap<&'g TreePath, i64>,
    now: i64,
}

impl<'g> Ages<'g> {
    pub fn of(scope: &Scope, ground: &'g Ground, now: i64) -> Result<Self, git::Error> {
        let mut ages = Self { times: HashMap::new(), now };
        let Some(head) = ground.base else { return Ok(ages) };
        let range = Range { tips: vec![head], since: Some(now - FAR * DAY), ..Range::default() };
        let mut failed = None;
        history::walk(scope, &range, |walked| {
            let commit = &walked.commit;
            let dreamt = format!("\n{}: ", DreamId::TRAILER);
            // a merge brings what its sides wrote
            if commit.parents.len() > 1 || commit.message.contains_str(&dreamt) {
                return ControlFlow::Continue(());
            }
            let before = commit.parents.first().map_or(Ok(TreeId::empty()), |parent| scope.tree_of(*parent));
            match before.and_then(|before| trees::diff(scope, before, commit.tree, Renames::Ignore)) {
                Ok(changes) => {
                    let paths = changes.iter().filter_map(|change| change.path.to_str().ok());
                    let entries = paths.filter_map(|path| ground.entries.get_key_value(path));
                    entries.for_each(|(path, _)| {
                        ages.times.entry(path).or_insert(commit.committer.seconds);
                    });
                }
                Err(error) => failed = Some(error),
            }
            if failed.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        failed.map_or(Ok(ages), Err)
    }

    /// When the history changed an entry last; `None`: longer ago than it was looked at.
    pub fn committed(&self, path: &TreePath) -> Option<i64> {
        self.times.get(path).copied()
    }

    /// The moment that ages are counted from.
    pub const fn now(&self) -> i64 {
        self.now
    }

    /// How many days ago an entry changed, which tells this time itself.
    pub fn days(&self, path: &TreePath, told: Option<i64>) -> i64 {
        let changed = self.committed(path).max(told);
        changed.map_or(FAR, |changed| (self.now - changed).max(0) / DAY)
    }
}
