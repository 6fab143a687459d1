//! Orders commits for `--graph`: every branch in one piece, children before their parents.
//!
//! The caller draws the graph.

use super::{HistoryWalk, Range, WalkStep, Walked};
use crate::Scope;
use crate::error::Error;
use crate::id::CommitId;
use crate::objects::commit;
use std::collections::{HashMap, HashSet};

#[derive(Debug, Clone)]
pub struct GraphNode {
    pub walked: Walked,
    /// The shown commits that it leads to: its parents, or the nearest shown ancestors.
    pub below: Vec<CommitId>,
}

/// The commits of a range for which `keep` is true, in the order of git's `--graph`. With paths, a commit leads to the
/// next ones that change them.
pub fn sorted(
    scope: &Scope,
    range: &Range,
    keep: impl Fn(&commit::Commit) -> bool,
) -> Result<Vec<GraphNode>, Error> {
    let scope = &scope.without_object_cache();
    let mut walk = HistoryWalk::new(scope, range)?;
    let mut steps = Vec::new();
    while let Some(step) = walk.next()? {
        steps.push(step);
    }
    let order = order(&steps);
    let ways = Ways::of(&steps);
    let mut steps: Vec<Option<WalkStep>> = steps.into_iter().map(Some).collect();
    let mut nodes = Vec::new();
    for at in order {
        let Some(step) = steps[at].take().filter(|step| step.shown) else { continue };
        let below = ways.below(&step);
        let walked = step.into_walked()?;
        if keep(&walked.commit) {
            nodes.push(GraphNode { walked, below });
        }
    }
    let kept: HashSet<CommitId> = nodes.iter().map(|node| node.walked.commit.id).collect();
    for node in &mut nodes {
        node.below.retain(|id| kept.contains(id));
    }
    Ok(nodes)
}

/// The positions of the steps: tips in the given order, the last parent of a merge first.
fn order(steps: &[WalkStep]) -> Vec<usize> {
    let places: HashMap<CommitId, usize> =
        steps.iter().enumerate().map(|(at, step)| (step.commit.id, at)).collect();
    let parents = |at: usize| steps[at].follow.iter().filter_map(|parent| places.get(parent).copied());
    let mut children = vec![0_usize; steps.len()];
    for at in 0..steps.len() {
        parents(at).for_each(|parent| children[parent] += 1);
    }
    let mut waiting: Vec<usize> = (0..steps.len()).rev().filter(|at| children[*at] == 0).collect();
    let mut order = Vec::with_capacity(steps.len());
    while let Some(at) = waiting.pop() {
        order.push(at);
        for parent in parents(at) {
            children[parent] -= 1;
            if children[parent] == 0 {
                waiting.push(parent);
            }
        }
    }
    order
}

/// Where omitted commits lead.
struct Ways {
    /// Omitted commit → the one parent that counts.
    onward: HashMap<CommitId, Option<CommitId>>,
}

impl Ways {
    fn of(steps: &[WalkStep]) -> Self {
        let left_out = steps.iter().filter(|step| !step.shown);
        Self { onward: left_out.map(|step| (step.commit.id, step.follow.first().copied())).collect() }
    }

    /// The shown commits that a commit leads to, each once.
    fn below(&self, step: &WalkStep) -> Vec<CommitId> {
        let mut below: Vec<CommitId> = Vec::with_capacity(step.follow.len());
        for parent in &step.follow {
            let mut at = Some(*parent);
            while let Some(next) = at.and_then(|id| self.onward.get(&id)) {
                at = *next;
            }
            below.extend(at.filter(|id| !below.contains(id)));
        }
        below
    }
}
