//! Merge two histories: whole trees path by path, and the files that both sides changed by meaning.
//!
//! Files that only one side changed are taken without being read. Everything is made in memory: a dry run stores
//! nothing.
//!
//! Knows trees and how to merge them. Does not know the work tree, the index or the operation log.

mod archivings;
mod bases;
mod contents;
mod fate;
mod moves;
mod outcome;
mod places;
mod record;
mod streams;
#[cfg(test)]
mod tests;
mod turned;

pub use outcome::{Conflict, ConflictKind, Event, Reconciled, Settled};
pub use record::{Done, Record};

use brv_git as git;
use brv_git::{CommitId, Drafts, Scope, TreeId};
use brv_text::merge::{Disputes, Side, Undecided};

#[derive(Debug, Clone, Copy)]
pub struct Options<'a> {
    /// The label after `<<<<<<<`.
    pub ours: &'a str,
    /// The label after `>>>>>>>`.
    pub theirs: &'a str,
    /// What to do where a person would have to decide.
    pub undecided: Undecided,
    /// Whether two claims about one subject stop the merge.
    pub disputes: Disputes,
    /// What happens to a file that one side removed and the other changed.
    pub removals: Removals,
}

/// What happens to a file that one side removed and the other changed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Removals {
    /// The changed file is kept, and logged.
    #[default]
    ChangeStays,
    /// It is a conflict: in undo, reject and revert no content may silently return.
    Conflict,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Self {
            ours: "ours",
            theirs: "theirs",
            undecided: Undecided::default(),
            disputes: Disputes::default(),
            removals: Removals::default(),
        }
    }
}

/// Three trees of the whole repository.
#[derive(Debug, Clone, Copy)]
pub struct Trees {
    pub base: TreeId,
    /// The side the merge goes into.
    pub ours: TreeId,
    pub theirs: TreeId,
}

/// The terms of a merge of two trees.
#[derive(Debug, Clone, Copy)]
struct Terms<'a> {
    options: Options<'a>,
    /// The label after `|||||||`.
    base: &'a str,
    /// When ours and theirs were committed.
    committed: [i64; 2],
}

/// Two tips and their merge bases.
#[derive(Debug, Clone)]
pub struct Histories {
    /// The side the merge goes into.
    pub ours: CommitId,
    pub theirs: CommitId,
    /// The best common ancestors; without one, both sides have added everything.
    pub bases: Vec<CommitId>,
}

/// Merge `theirs` into `ours`.
///
/// An entry without its own `updatedAt` is dated by the commit at the tip of its side, not by the last commit that
/// touched the file.
pub fn reconcile(
    scope: &Scope,
    histories: &Histories,
    options: &Options<'_>,
) -> Result<Reconciled, git::Error> {
    let Histories { ours, theirs, bases } = histories;
    let mut drafts = Drafts::over(&scope.whole());
    let base = bases::tree(&mut drafts, bases)?;
    let trees = Trees { base, ours: scope.tree_of(*ours)?, theirs: scope.tree_of(*theirs)? };
    let name = bases::name(bases);
    let committed = [bases::committed(scope, *ours)?, bases::committed(scope, *theirs)?];
    let terms = Terms { options: *options, base: &name, committed };
    let merged = merge(scope, &mut drafts, trees, &terms)?;
    Ok(Reconciled::new(merged, drafts))
}

/// Merge three trees that need not belong to commits: for undo, where the base is the tree that an operation left.
pub fn reconcile_trees(
    scope: &Scope,
    trees: Trees,
    committed: [i64; 2],
    options: &Options<'_>,
) -> Result<Reconciled, git::Error> {
    let mut drafts = Drafts::over(&scope.whole());
    let terms = Terms { options: *options, base: "base", committed };
    let merged = merge(scope, &mut drafts, trees, &terms)?;
    Ok(Reconciled::new(merged, drafts))
}

/// The result of merging three trees.
struct MergedTree {
    tree: TreeId,
    conflicts: Vec<Conflict>,
    settled: Vec<Settled>,
}

fn merge(
    scope: &Scope,
    drafts: &mut Drafts,
    trees: Trees,
    terms: &Terms<'_>,
) -> Result<MergedTree, git::Error> {
    let mut streams = streams::of(drafts.scope(), trees)?;
    turned::disregard(scope, drafts.scope(), trees, &mut streams)?;
    let mut fates = fate::decide(scope, streams, &terms.options);
    archivings::note(drafts.scope(), trees, &mut fates.landings)?;
    let landed = places::arrange(drafts.scope(), trees, fates, terms.options.undecided)?;
    contents::fill(scope, drafts, trees, landed, terms)
}

/// The side whose bytes are used where nothing can be merged.
const fn preferred(undecided: Undecided) -> Side {
    match undecided {
        Undecided::Theirs => Side::Theirs,
        _ => Side::Ours,
    }
}
