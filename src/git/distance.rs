//! How many commits each of two tips has that the other has not, in one walk that stops where both histories are one.
//!
//! Reads parents and times from the commit-graph file where there is one. Knows neither branches nor what commits hold.

use super::error::{During, Error};
use super::shallow::{self, Boundary};
use gix::hashtable::HashMap;
use gix::objs::FindExt as _;
use gix::{ObjectId, Repository};
use std::collections::BinaryHeap;

const OURS: u8 = 1;
const THEIRS: u8 = 2;
const BOTH: u8 = OURS | THEIRS;

/// The generation of a commit that no commit-graph file tells: above all that are told.
const UNTOLD: u32 = u32::MAX;

/// So many commits that both sides have are looked at in vain before the walk ends. Times alone do not tell what is
/// whose ancestor where a clock was wrong; git looks at 5.
const SLOP: usize = 64;

/// Commits of `ours` alone, and of `theirs` alone.
pub(super) fn between(repo: &Repository, ours: ObjectId, theirs: ObjectId) -> Result<(usize, usize), Error> {
    let mut walk = Walk::new(repo)?;
    walk.reach(ours, OURS)?;
    walk.reach(theirs, THEIRS)?;
    walk.run()?;
    let count = |side| walk.nodes.iter().filter(|node| node.sides == side).count();
    Ok((count(OURS), count(THEIRS)))
}

/// Where a commit stands among those that wait: descendants first, as far as it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    generation: u32,
    seconds: i64,
}

struct Node {
    sides: u8,
    is_waiting: bool,
    rank: Rank,
    parents: Parents,
}

/// Most commits have one.
enum Parents {
    None,
    One(ObjectId),
    Many(Vec<ObjectId>),
}

impl Parents {
    fn of(mut ids: impl Iterator<Item = ObjectId>) -> Self {
        match (ids.next(), ids.next()) {
            (None, _) => Self::None,
            (Some(one), None) => Self::One(one),
            (Some(one), Some(two)) => Self::Many([one, two].into_iter().chain(ids).collect()),
        }
    }
}

struct Walk<'a> {
    repo: &'a Repository,
    graph: Option<gix::commitgraph::Graph>,
    /// Where the history ends here.
    ends: Boundary,
    places: HashMap<ObjectId, usize>,
    nodes: Vec<Node>,
    waiting: BinaryHeap<(Rank, usize)>,
    /// How many of those that wait one side has alone.
    open: usize,
    buffer: Vec<u8>,
}

impl<'a> Walk<'a> {
    fn new(repo: &'a Repository) -> Result<Self, Error> {
        let ends = shallow::read(repo)?;
        // the file tells the parents that commits were made with, as git knows, too
        let graph = if ends.is_empty() && !has_replacements(repo)? {
            repo.commit_graph_if_enabled().ok().flatten()
        } else {
            None
        };
        Ok(Self {
            repo,
            graph,
            ends,
            places: HashMap::default(),
            nodes: Vec::new(),
            waiting: BinaryHeap::new(),
            open: 0,
            buffer: Vec::new(),
        })
    }

    /// Every commit is looked at again when it turns out that the other side has it, too.
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
                // generations are exact: what is left is below all that was counted
                in_vain += 1;
                if rank.generation != UNTOLD || (in_vain > SLOP && rank.seconds < oldest) {
                    break;
                }
            }
            match std::mem::replace(&mut self.nodes[place].parents, Parents::None) {
                Parents::None => {}
                Parents::One(parent) => {
                    self.reach(parent, sides)?;
                    self.nodes[place].parents = Parents::One(parent);
                }
                Parents::Many(parents) => {
                    for parent in &parents {
                        self.reach(*parent, sides)?;
                    }
                    self.nodes[place].parents = Parents::Many(parents);
                }
            }
        }
        Ok(())
    }

    fn reach(&mut self, id: ObjectId, sides: u8) -> Result<(), Error> {
        let place = match self.places.get(&id) {
            Some(place) => *place,
            None => {
                let node = self.read(id)?;
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

    fn read(&mut self, id: ObjectId) -> Result<Node, Error> {
        let (rank, parents) = match self.told(id) {
            Some(told) => told,
            None => self.read_object(id)?,
        };
        Ok(Node { sides: 0, is_waiting: false, rank, parents })
    }

    /// What the commit-graph file tells.
    fn told(&self, id: ObjectId) -> Option<(Rank, Parents)> {
        let graph = self.graph.as_ref()?;
        let commit = graph.commit_by_id(id)?;
        // before git 2.19 generations were not written
        let generation = Some(commit.generation()).filter(|number| *number != 0).unwrap_or(UNTOLD);
        let parents: Result<Vec<_>, _> = commit.iter_parents().collect();
        let parents = Parents::of(parents.ok()?.into_iter().map(|at| graph.id_at(at).to_owned()));
        let seconds = i64::try_from(commit.committer_timestamp()).ok()?;
        Some((Rank { generation, seconds }, parents))
    }

    fn read_object(&mut self, id: ObjectId) -> Result<(Rank, Parents), Error> {
        let act = || format!("read commit {id}");
        let commit = self.repo.objects.find_commit_iter(&id, &mut self.buffer).during(act())?;
        let is_end = self.ends.contains(&id);
        let parents = if is_end { Parents::None } else { Parents::of(commit.parent_ids()) };
        let seconds = commit.committer().during(act())?.seconds();
        Ok((Rank { generation: UNTOLD, seconds }, parents))
    }
}

fn has_replacements(repo: &Repository) -> Result<bool, Error> {
    let act = "look for replaced objects";
    let references = repo.references().during(act)?;
    Ok(references.prefixed("refs/replace/").during(act)?.next().is_some())
}
