//! Counts how many commits each of two tips has that the other lacks (ahead and behind), in one walk that stops where
//! both histories are the same.
//!
//! Reads parents and times from the commit-graph file if there is one.

mod commits;

use crate::error::Error;
use commits::{Commits, ParentIds, Rank, UNTOLD};
use gix::hashtable::HashMap;
use gix::{ObjectId, Repository};
use std::collections::BinaryHeap;

const OURS: u8 = 1;
const THEIRS: u8 = 2;
const BOTH: u8 = OURS | THEIRS;

/// The walk ends after it has looked at this many common commits in vain. Commit times alone do not prove ancestry
/// where a clock was wrong; git looks at 5.
const SLOP: usize = 64;

/// The number of commits only in `ours`, and only in `theirs`.
pub(crate) fn between(repo: &Repository, ours: ObjectId, theirs: ObjectId) -> Result<(usize, usize), Error> {
    let mut walk = DistanceWalk::new(repo)?;
    walk.reach(ours, OURS)?;
    walk.reach(theirs, THEIRS)?;
    walk.run()?;
    let count = |side| walk.nodes.iter().filter(|node| node.sides == side).count();
    Ok((count(OURS), count(THEIRS)))
}

struct DistanceNode {
    sides: u8,
    is_waiting: bool,
    rank: Rank,
    parents: ParentIds,
}

struct DistanceWalk {
    commits: Commits,
    places: HashMap<ObjectId, usize>,
    nodes: Vec<DistanceNode>,
    waiting: BinaryHeap<(Rank, usize)>,
    /// How many queued commits only one side has.
    open: usize,
}

impl DistanceWalk {
    fn new(repo: &Repository) -> Result<Self, Error> {
        Ok(Self {
            commits: Commits::new(repo)?,
            places: HashMap::default(),
            nodes: Vec::new(),
            waiting: BinaryHeap::new(),
            open: 0,
        })
    }

    /// A commit is examined again when the other side turns out to have it too.
    fn run(&mut self) -> Result<(), Error> {
        let (mut in_vain, mut oldest) = (0, i64::MAX);
        while let Some((rank, place)) = self.waiting.pop() {
            self.nodes[place].is_waiting = false;
            let sides = self.nodes[place].sides;
            if sides != BOTH {
                self.open -= 1;
                oldest = oldest.min(rank.seconds);
                in_vain = 0;
            } else if self.open == 0 {
                // generations are exact: everything left is older than what was counted
                in_vain += 1;
                if rank.generation != UNTOLD || (in_vain > SLOP && rank.seconds < oldest) {
                    break;
                }
            }
            match std::mem::replace(&mut self.nodes[place].parents, ParentIds::None) {
                ParentIds::None => {}
                ParentIds::One(parent) => {
                    self.reach(parent, sides)?;
                    self.nodes[place].parents = ParentIds::One(parent);
                }
                ParentIds::Many(parents) => {
                    for parent in &parents {
                        self.reach(*parent, sides)?;
                    }
                    self.nodes[place].parents = ParentIds::Many(parents);
                }
            }
        }
        Ok(())
    }

    fn reach(&mut self, id: ObjectId, sides: u8) -> Result<(), Error> {
        let place = match self.places.get(&id) {
            Some(place) => *place,
            None => {
                let node = self.read(id, sides)?;
                self.nodes.push(node);
                self.places.insert(id, self.nodes.len() - 1);
                self.nodes.len() - 1
            }
        };
        let node = &mut self.nodes[place];
        let (before, after) = (node.sides, node.sides | sides);
        if before == after {
            return Ok(());
        }
        node.sides = after;
        if node.is_waiting {
            self.open -= usize::from(before != BOTH && after == BOTH);
        } else {
            node.is_waiting = true;
            self.open += usize::from(after != BOTH);
            self.waiting.push((node.rank, place));
        }
        Ok(())
    }

    fn read(&mut self, id: ObjectId, sides: u8) -> Result<DistanceNode, Error> {
        let Self { commits, waiting, nodes, places, .. } = self;
        let of_other_side = |(_, place): &(Rank, usize)| {
            let node = Some(&nodes[*place]).filter(|node| node.sides != sides)?;
            node.parents.first().filter(|parent| !places.contains_key(parent))
        };
        let (rank, parents) = commits.read(id, || waiting.iter().find_map(of_other_side))?;
        Ok(DistanceNode { sides: 0, is_waiting: false, rank, parents })
    }
}
