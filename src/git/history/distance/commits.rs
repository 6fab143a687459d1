//! Reads what a walk needs of a commit: parents and time, from the commit-graph file if there is one, else from the
//! object.
//!
//! Without the file, inflating objects is most of the work. So both sides of a long history are read ahead at once,
//! each on its own thread. Reading ahead in vain costs only time: its errors are dropped.

use crate::error::{During, Error};
use crate::history::shallow::{self, Boundary};
use crate::objects::headers::Headers;
use gix::hashtable::{HashMap, HashSet};
use gix::{ObjectId, OdbHandle, Repository};

/// The generation of a commit that is not in the commit-graph: above all that are.
pub(super) const UNTOLD: u32 = u32::MAX;

/// This many objects are read one by one: most walks are short.
const PATIENCE: usize = 512;

/// At most this many commits of each side are read ahead.
const AHEAD: usize = 1024;

/// The order in which queued commits are taken: descendants first, as far as known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Rank {
    pub(super) generation: u32,
    pub(super) seconds: i64,
}

/// Parents; most commits have one.
#[derive(Debug, Clone)]
pub(super) enum ParentIds {
    None,
    One(ObjectId),
    Many(Vec<ObjectId>),
}

impl ParentIds {
    fn of(mut ids: impl Iterator<Item = ObjectId>) -> Self {
        match (ids.next(), ids.next()) {
            (None, _) => Self::None,
            (Some(one), None) => Self::One(one),
            (Some(one), Some(two)) => Self::Many([one, two].into_iter().chain(ids).collect()),
        }
    }

    pub(super) fn first(&self) -> Option<ObjectId> {
        match self {
            Self::None => None,
            Self::One(one) => Some(*one),
            Self::Many(ids) => ids.first().copied(),
        }
    }
}

pub(super) type RankedParents = (Rank, ParentIds);

pub(super) struct Commits {
    graph: Option<gix::commitgraph::Graph>,
    objects: Objects,
    beside: Objects,
    ahead: HashMap<ObjectId, RankedParents>,
    read: usize,
    buffer: Vec<u8>,
}

impl Commits {
    pub(super) fn new(repo: &Repository) -> Result<Self, Error> {
        let ends = shallow::read(repo)?;
        // the file holds the original parents, without grafts; git checks this too
        let graph = if ends.is_empty() && !has_replacements(repo)? {
            repo.commit_graph_if_enabled().ok().flatten()
        } else {
            None
        };
        Ok(Self {
            graph,
            beside: Objects { store: repo.objects.clone(), ends: ends.clone() },
            objects: Objects { store: repo.objects.clone(), ends },
            ahead: HashMap::default(),
            read: 0,
            buffer: Vec::new(),
        })
    }

    /// Reads one commit. The walk will ask for `other` too, which is on the other side.
    pub(super) fn read(
        &mut self,
        id: ObjectId,
        other: impl FnOnce() -> Option<ObjectId>,
    ) -> Result<RankedParents, Error> {
        if let Some(told) = self.ahead.remove(&id).or_else(|| self.told(id)) {
            return Ok(told);
        }
        self.read += 1;
        if self.read > PATIENCE && self.graph.is_none() {
            self.read_ahead(id, other());
            if let Some(told) = self.ahead.remove(&id) {
                return Ok(told);
            }
        }
        self.objects.read(id, &mut self.buffer)
    }

    /// The data in the commit-graph file.
    fn told(&self, id: ObjectId) -> Option<RankedParents> {
        let graph = self.graph.as_ref()?;
        let commit = graph.commit_by_id(id)?;
        // git before 2.19 wrote no generations
        let generation = Some(commit.generation()).filter(|number| *number != 0).unwrap_or(UNTOLD);
        let parents: Result<Vec<_>, _> = commit.iter_parents().collect();
        let parents = ParentIds::of(parents.ok()?.into_iter().map(|at| graph.id_at(at).to_owned()));
        let seconds = i64::try_from(commit.committer_timestamp()).ok()?;
        Some((Rank { generation, seconds }, parents))
    }

    /// Starts reading ahead from `id`, and from where the other side's reader has got to.
    fn read_ahead(&mut self, id: ObjectId, other: Option<ObjectId>) {
        let mut other = other;
        while let Some((_, parents)) = other.and_then(|id| self.ahead.get(&id)) {
            other = parents.first();
        }
        let Some(other) = other.filter(|other| *other != id) else { return };
        let Self { objects, beside, ahead, .. } = self;
        let known: HashSet<ObjectId> = [id, other].into_iter().chain(ahead.keys().copied()).collect();
        let (here, there) = std::thread::scope(|threads| {
            let there = threads.spawn(|| beside.chain(other, &known));
            (objects.chain(id, &known), there.join())
        });
        ahead.extend(here);
        ahead.extend(there.unwrap_or_default());
    }
}

struct Objects {
    store: OdbHandle,
    ends: Boundary,
}

impl Objects {
    fn read(&mut self, id: ObjectId, buffer: &mut Vec<u8>) -> Result<RankedParents, Error> {
        let headers = Headers::find(&self.store, id, buffer)?;
        let seconds = headers.seconds();
        let is_end = self.ends.contains(&id);
        let parents = if is_end { ParentIds::None } else { ParentIds::of(headers.parents.into_iter()) };
        Ok((Rank { generation: UNTOLD, seconds }, parents))
    }

    /// A commit, its first parent, that one's first parent, up to what is known.
    fn chain(&mut self, from: ObjectId, known: &HashSet<ObjectId>) -> Vec<(ObjectId, RankedParents)> {
        let (mut chain, mut buffer, mut next) = (Vec::new(), Vec::new(), Some(from));
        while let Some(id) = next {
            let Ok(told) = self.read(id, &mut buffer) else { break };
            next = told.1.first().filter(|parent| !known.contains(parent) && chain.len() + 1 < AHEAD);
            chain.push((id, told));
        }
        chain
    }
}

fn has_replacements(repo: &Repository) -> Result<bool, Error> {
    let act = "look up replacement refs";
    let references = repo.references().during(act)?;
    Ok(references.prefixed("refs/replace/").during(act)?.next().is_some())
}
