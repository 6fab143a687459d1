//! What is to be done, decided before anything is written.

use super::{Error, Forward, Hands, Incoming, Made, Manner, Relation, Unrelated};
use crate::git::identity::{self, Identity};
use crate::git::trees::{self, Renames};
use crate::git::{self, Head, Scope, TreeId, history};
use crate::merge::Disputes;
use crate::ops::steps::advance;
use crate::ops::steps::changes::{self, After, Detail};
use crate::ops::steps::knowledge::{self, Told};
use crate::ops::steps::reconcile::{self, Conflict, Histories, Reconciled, Removals, Settled};
use crate::ops::steps::survey::Survey;
use bstr::{BStr, ByteSlice as _};
use std::collections::HashSet;

/// The way to the other side.
pub(super) enum Step {
    /// To its tree.
    Forward(TreeId),
    /// To a merged one.
    Merge { merged: Box<Reconciled>, who: Box<Identity> },
}

/// `stage_is_clean` fails where something is staged that a merge would get mixed up with.
pub(super) fn decide(
    hands: &Hands<'_>,
    head: &Head,
    incoming: &Incoming,
    manner: &Manner,
    stage_is_clean: &dyn Fn() -> Result<(), Error>,
) -> Result<Step, Error> {
    let scope = &hands.opened.scope;
    let theirs = incoming.theirs;
    let tree = scope.tree_of(theirs)?;
    let Some(ours) = head.commit() else {
        if manner.result == Made::Staged {
            return Err(Error::UnbornSquash);
        }
        advance::screen(scope, TreeId::empty(), tree)?;
        return Ok(Step::Forward(tree));
    };
    let bases = history::merge_bases(scope, ours, theirs)?;
    if bases.is_empty() && manner.unrelated == Unrelated::Refuse {
        return Err(Error::Unrelated);
    }
    let base = bases.first().map_or(Ok(TreeId::empty()), |base| scope.tree_of(*base))?;
    advance::screen(scope, base, tree)?;
    let is_ahead = bases == [ours];
    if manner.result == Made::Staged {
        stage_is_clean()?;
    }
    if is_ahead && (manner.forward != Forward::Never || manner.result == Made::Staged) {
        return Ok(Step::Forward(tree));
    }
    if manner.forward == Forward::Only {
        return Err(Error::NotForward);
    }
    let environment = |name: &str| std::env::var(name).ok();
    let who = identity::identity(scope, &identity::Overrides::default(), &environment, hands.clock)?;
    let options = reconcile::Options {
        ours: "HEAD",
        theirs: &incoming.name,
        undecided: manner.undecided,
        disputes: Disputes::Keep,
        removals: Removals::ChangeStays,
    };
    let merged = reconcile::reconcile(scope, &Histories { ours, theirs, bases }, &options)?;
    if !merged.conflicts.is_empty() {
        stage_is_clean()?;
    }
    Ok(Step::Merge { merged: Box::new(merged), who: Box::new(who) })
}

pub(super) fn refuse_staged(scope: &Scope, survey: &Survey) -> Result<(), Error> {
    let staged = survey.staged(scope, Renames::Ignore)?;
    if staged.is_empty() {
        return Ok(());
    }
    Err(Error::Staged(staged.into_iter().map(|change| change.path).collect()))
}

impl Step {
    pub(super) fn relation(&self, manner: &Manner) -> Relation {
        match self {
            Self::Merge { merged, .. } if !merged.conflicts.is_empty() => Relation::Conflicted,
            _ if manner.result == Made::Staged => Relation::Squashed,
            Self::Forward(_) => Relation::FastForward,
            Self::Merge { .. } => Relation::Merged,
        }
    }

    pub(super) fn conflicts(&self) -> &[Conflict] {
        match self {
            Self::Merge { merged, .. } => &merged.conflicts,
            Self::Forward(_) => &[],
        }
    }

    pub(super) fn settled(&self) -> &[Settled] {
        match self {
            Self::Merge { merged, .. } => &merged.settled,
            Self::Forward(_) => &[],
        }
    }

    pub(super) fn tree(&self) -> TreeId {
        match self {
            Self::Forward(tree) => *tree,
            Self::Merge { merged, .. } => merged.tree,
        }
    }

    /// Reads what the step leads to, also where it is not stored yet.
    pub(super) fn scope<'a>(&'a self, stored: &'a Scope) -> &'a Scope {
        match self {
            Self::Forward(_) => stored,
            Self::Merge { merged, .. } => merged.scope(),
        }
    }
}

/// Of so many changed files at most it is found out what they say: a person reads no more, and a large pull stays quick.
pub const MOST_TOLD: usize = 200;

/// What differs from `HEAD`: the files by line, and unless they are many the entries by meaning. A file in conflict is no
/// entry before it is decided.
pub(super) fn told(
    scope: &Scope,
    survey: &Survey,
    tree: TreeId,
    conflicts: &[Conflict],
) -> Result<Told, git::Error> {
    let mut found = trees::diff(scope, survey.head_tree, tree, Renames::Detect)?;
    let files = changes::compare(scope, &found, Detail::Counts, &After::Repository)?;
    if found.len() > MOST_TOLD {
        return Ok(Told { files, entries: Vec::new() });
    }
    let open: HashSet<&BStr> =
        conflicts.iter().filter_map(|conflict| scope.strip(conflict.path.as_bstr())).collect();
    found.retain(|change| !open.contains(change.path.as_bstr()));
    Ok(Told { files, entries: knowledge::compare(scope, &found, &After::Repository)? })
}
