//! What a walk asks of a commit: parents and time, from the commit-graph file where there is one, else from the object.
//!
//! To inflate objects is most of the work then. Both sides of a long history are therefore read ahead at once, each by
//! a thread of its own. What was read in vain costs time and nothing else: not even its errors are told.

use crate::git::error::{During, Error};
use crate::git::history::shallow::{self, Boundary};
use gix::hashtable::{HashMap, HashSet};
use gix::objs::FindExt as _;
use gix::objs::commit::ref_iter::Token;
use gix::{ObjectId, OdbHandle, Repository};

/// The generation of a commit that no commit-graph file tells: above all that are told.
pub(super) const UNTOLD: u32 = u32::MAX;

/// So many objects are read one by one: most walks are short.
const PATIENCE: usize = 512;

/// So many commits of each side are read ahead at most.
const AHEAD: usize = 1024;

/// Where a commit stands among those that wait: descendants first, as far as it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Rank {
    pub(super) generation: u32,
    pub(super) seconds: i64,
}

/// Most commits have one.
#[derive(Debug, Clone)]
pub(super) enum Parents {
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

    pub(super) fn first(&self) -> Option<ObjectId> {
        match self {
            Self::None => None,
            Self::One(one) => Some(*one),
            Self::Many(ids) => ids.first().copied(),
        }
    }
}

/// What is known of a commit.
pub(super) type Told = (Rank, Parents);

/// Reads commits.
pub(super) struct Commits {
    graph: Option<gix::commitgraph::Graph>,
    objects: Objects,
    /// For the other side.
    beside: Objects,
    ahead: HashMap<ObjectId, Told>,
    read: usize,
    buffer: Vec<u8>,
}

impl Commits {
    pub(super) fn new(repo: &Repository) -> Result<Self, Error> {
        let ends = shallow::read(repo)?;
        // the file tells the parents that commits were made with, as git knows, too
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

    /// One commit. The walk will ask for `other` as well, which is of the other side.
    pub(super) fn read(
        &mut self,
        id: ObjectId,
        other: impl FnOnce() -> Option<ObjectId>,
    ) -> Result<Told, Error> {
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

    /// What the commit-graph file tells.
    fn told(&self, id: ObjectId) -> Option<Told> {
        let graph = self.graph.as_ref()?;
        let commit = graph.commit_by_id(id)?;
        // before git 2.19 generations were not written
        let generation = Some(commit.generation()).filter(|number| *number != 0).unwrap_or(UNTOLD);
        let parents: Result<Vec<_>, _> = commit.iter_parents().collect();
        let parents = Parents::of(parents.ok()?.into_iter().map(|at| graph.id_at(at).to_owned()));
        let seconds = i64::try_from(commit.committer_timestamp()).ok()?;
        Some((Rank { generation, seconds }, parents))
    }

    /// From `id` on, and from where `other` is read ahead to already.
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

/// Where commits are read from.
struct Objects {
    store: OdbHandle,
    /// Where the history ends here.
    ends: Boundary,
}

impl Objects {
    fn read(&mut self, id: ObjectId, buffer: &mut Vec<u8>) -> Result<Told, Error> {
        let act = || format!("read commit {id}");
        let (mut parents, mut seconds) = (Vec::new(), 0);
        for token in self.store.find_commit_iter(&id, buffer).during(act)? {
            match token.during(act)? {
                Token::Parent { id } => parents.push(id),
                Token::Committer { signature } => {
                    seconds = signature.seconds();
                    break;
                }
                _ => {}
            }
        }
        let is_end = self.ends.contains(&id);
        let parents = if is_end { Parents::None } else { Parents::of(parents.into_iter()) };
        Ok((Rank { generation: UNTOLD, seconds }, parents))
    }

    /// A commit, its first parent, the first parent of that, up to what is known.
    fn chain(&mut self, from: ObjectId, known: &HashSet<ObjectId>) -> Vec<(ObjectId, Told)> {
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
