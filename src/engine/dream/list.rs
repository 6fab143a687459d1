//! Which dreams there were, and which of them stand.
//!
//! A dream is an operation in this clone's journal, a commit with its name in the history of `HEAD`, or, where it changed
//! no file, its log alone. One on a branch counts as soon as the history has its commit.

use super::files::{DreamLogStatus, Log};
use crate::Stop;
use crate::journal::{DreamId, Extent, Listed, OperationId, Undoes};
use crate::read::history::provenance::{Trailers, UNDOES};
use brv_git::commit::Commit;
use brv_git::history::{self, Range};
use brv_git::{CommitId, Scope};
use bstr::ByteSlice as _;
use std::collections::{BTreeMap, HashSet};
use std::ops::ControlFlow;

/// A dream that ran.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dream {
    pub id: DreamId,
    /// Its operation, by which it is undone; `None` if it changed no file.
    pub operation: Option<OperationId>,
    /// Its commit, if one was made.
    pub commit: Option<CommitId>,
    /// When it ended, in seconds since 1970.
    pub ended: i64,
    /// The commit that it left: what differs from it has changed since.
    pub left: Option<CommitId>,
    pub is_undone: bool,
}

impl Dream {
    const fn new(id: DreamId, ended: i64) -> Self {
        Self { id, operation: None, commit: None, ended, left: None, is_undone: false }
    }

    /// When it ended; of two in one second, the one that began later is the later one.
    fn order(&self) -> (i64, DreamId) {
        (self.ended, self.id)
    }
}

/// All dreams that are known here, in the order in which they ended.
#[derive(Debug, Clone, Default)]
pub struct Dreams(Vec<Dream>);

/// What a commit or a logged operation says: its name, and what it undoes as a whole.
pub(super) struct UndoRecord {
    pub operation: OperationId,
    pub undoes: Vec<OperationId>,
}

impl Dreams {
    /// The dreams of the journal, the history of `HEAD`, and the logs.
    pub fn of(scope: &Scope, listed: &[Listed], logs: &[Log]) -> Result<Self, Stop> {
        let mut known: BTreeMap<DreamId, Dream> = BTreeMap::new();
        let mut said: BTreeMap<OperationId, UndoRecord> = BTreeMap::new();
        // the operation that dreamt; a commit that somebody made of it later has another one
        for record in listed.iter().filter_map(|one| one.record.as_ref().ok()) {
            let undoes = record.undoes.iter().filter(|undoes| undoes.extent == Extent::Whole);
            let undoes: Vec<OperationId> = undoes.map(|undoes| undoes.operation.clone()).collect();
            let operation = record.id.clone();
            said.insert(operation.clone(), UndoRecord { operation, undoes });
            if let Some(id) = record.dream.filter(|_| record.undoes.is_empty() && record.is_of(scope)) {
                let dream = Dream::new(id, record.seconds);
                known.insert(id, Dream { operation: Some(record.id.clone()), ..dream });
            }
        }
        if let Some(head) = scope.head()?.commit() {
            let range = Range { tips: vec![head], ..Range::default() };
            walk(scope, &range, |commit, trailers| {
                let Some(operation) = trailers.operation() else { return };
                let undoes = whole(trailers.all(UNDOES));
                let name = trailers.get(DreamId::TRAILER).and_then(DreamId::parse);
                if let Some(id) = name.filter(|_| undoes.is_empty()) {
                    let dream = known.entry(id).or_insert_with(|| Dream {
                        operation: Some(operation.clone()),
                        ..Dream::new(id, commit.author.seconds)
                    });
                    dream.commit = Some(commit.id);
                }
                said.entry(operation.clone()).or_insert(UndoRecord { operation, undoes });
            })?;
        }
        for log in logs.iter().filter(|log| log.status.ran()) {
            if let Some(dream) = known.get_mut(&log.id) {
                dream.left = log.head.filter(|_| !log.is_on_branch).or(dream.commit);
            } else if log.changes_no_file() {
                let is_undone = log.status == DreamLogStatus::Undone;
                let dream = Dream::new(log.id, log.ended.unwrap_or_else(|| seconds(log.id)));
                known.insert(log.id, Dream { is_undone, left: log.head, ..dream });
            }
        }
        let undone = undone(&said);
        let mut dreams: Vec<Dream> = known.into_values().collect();
        for dream in &mut dreams {
            dream.left = dream.left.or(dream.commit);
            dream.is_undone |= dream.operation.as_ref().is_some_and(|operation| undone.contains(operation));
        }
        dreams.sort_by_key(Dream::order);
        Ok(Self(dreams))
    }

    /// The dream that ended last, undone or not.
    pub fn last(&self) -> Option<&Dream> {
        self.0.last()
    }

    /// All, the one that ended last first.
    pub fn newest_first(&self) -> impl Iterator<Item = &Dream> {
        self.0.iter().rev()
    }

    /// The last dream that stands.
    pub fn last_standing(&self) -> Option<&Dream> {
        self.standing().next_back()
    }

    /// The dreams that stand, in the order in which they ended.
    pub fn standing(&self) -> impl DoubleEndedIterator<Item = &Dream> {
        self.0.iter().filter(|dream| !dream.is_undone)
    }

    pub fn find(&self, id: DreamId) -> Option<&Dream> {
        self.0.iter().find(|dream| dream.id == id)
    }
}

/// The name of a dream is when it began, in seconds since 1970.
fn seconds(id: DreamId) -> i64 {
    i64::try_from(id.milliseconds() / 1000).unwrap_or(i64::MAX)
}

/// When the newest dream in the commits since a moment up to `tip` ended, of those whose time counts.
pub(super) fn newest(
    scope: &Scope,
    tip: CommitId,
    (since, counts): (i64, &dyn Fn(i64) -> bool),
) -> Result<Option<i64>, Stop> {
    let range = Range { tips: vec![tip], since: Some(since), ..Range::default() };
    let mut found = None;
    walk(scope, &range, |commit, trailers| {
        let is_dream = trailers.get(DreamId::TRAILER).and_then(DreamId::parse).is_some();
        found = found.max(Some(commit.author.seconds).filter(|ended| is_dream && counts(*ended)));
    })?;
    Ok(found)
}

/// Call `tell` for each commit of a range that an operation made.
pub(super) fn walk(
    scope: &Scope,
    range: &Range,
    mut tell: impl FnMut(&Commit, &Trailers),
) -> Result<(), Stop> {
    history::walk(scope, range, |walked| {
        if walked.commit.message.contains_str("Brv-Op: ") {
            tell(&walked.commit, &Trailers::of(&walked.commit.message));
        }
        ControlFlow::Continue(())
    })?;
    Ok(())
}

/// The operations that these trailers undo as a whole.
pub(super) fn whole<'a>(values: impl Iterator<Item = &'a str>) -> Vec<OperationId> {
    let undoes = values.filter_map(Undoes::parse);
    undoes.filter(|undoes| undoes.extent == Extent::Whole).map(|undoes| undoes.operation).collect()
}

/// The operations that are undone: an undo that was itself undone does not count.
pub(super) fn undone(said: &BTreeMap<OperationId, UndoRecord>) -> HashSet<OperationId> {
    let mut undone = HashSet::new();
    for one in said.values().rev() {
        if !undone.contains(&one.operation) {
            undone.extend(one.undoes.iter().cloned());
        }
    }
    undone
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_undo_that_was_undone_does_not_count_and_a_part_is_not_the_whole() {
        let id = |at: u32| OperationId::parse(&format!("20260102T0304{at:02}.678Z-0a1b2c3d")).unwrap();
        let said = |pairs: &[(u32, u32)]| {
            let one = |(own, undoes): &(u32, u32)| UndoRecord {
                operation: id(*own),
                undoes: if *undoes == 0 { Vec::new() } else { vec![id(*undoes)] },
            };
            pairs.iter().map(|pair| (id(pair.0), one(pair))).collect::<BTreeMap<_, _>>()
        };
        assert!(undone(&said(&[(1, 0), (2, 1)])).contains(&id(1)));
        assert!(!undone(&said(&[(1, 0), (2, 1), (3, 2)])).contains(&id(1)));
        assert!(undone(&said(&[(1, 0), (2, 1), (3, 2), (4, 3)])).contains(&id(1)));
        let one = id(1).to_string();
        assert_eq!(whole([one.as_str()].into_iter()), [id(1)]);
        assert!(whole([format!("{one} part").as_str()].into_iter()).is_empty());
    }
}
