//! The step to another commit: a fast-forward, the tree of a rewritten history, or a merge made in memory; whether a
//! guard stops it, and how its tree differs from `HEAD`.
//!
//! The work tree and the index are not touched here. Two refs are: the one that keeps entries which a stopped step would
//! delete, and the one that remembers which commit of the remote was taken.

use super::{Forward, Incoming, Made, MergeOptions, Relation, Unrelated};
use crate::journal::OperationKind;
use crate::merge::guards::{self, GuardStop};
use crate::merge::reconcile::{self, Conflict, Histories, Reconciled, Removals, Settled};
use crate::open::context::Parts;
use crate::open::survey::Survey;
use crate::read::history::changes::{self, Contents, Detail};
use crate::read::history::knowledge::{self, ChangeReport};
use crate::write::operation;
use crate::write::overriding::Guard;
use crate::{Mode, Stop};
use brv_base::escape::escape_line;
use brv_git as git;
use brv_git::identity::{self, Identity};
use brv_git::trees::{self, Change, Renames};
use brv_git::{CommitId, Head, Scope, TreeId, history, rescue};
use brv_text::merge::Disputes;
use bstr::{BStr, ByteSlice as _};
use std::collections::HashSet;

const UNRELATED: &str = "the two histories have no common ancestor";

pub(super) enum Step {
    Forward(TreeId),
    /// Switch to its tree, which does not descend from ours.
    Follow(TreeId),
    /// Merge to a new tree.
    Merge {
        merged: Box<Reconciled>,
        who: Box<Identity>,
    },
}

/// `stage_is_clean` fails if something is staged that would be mixed into a merge.
pub(super) fn decide(
    parts: &Parts<'_>,
    head: &Head,
    incoming: &Incoming,
    manner: &MergeOptions,
    stage_is_clean: &dyn Fn() -> Result<(), Stop>,
) -> Result<Step, Stop> {
    let scope = parts.scope();
    let theirs = incoming.theirs;
    let tree = scope.tree_of(theirs)?;
    let Some(ours) = head.commit() else {
        if manner.result == Made::Staged {
            return Err(Stop::usage("the branch has no commits yet, so there is nothing to squash onto"));
        }
        operation::screen(scope, TreeId::empty(), tree)?;
        return Ok(Step::Forward(tree));
    };
    let mut bases = history::merge_bases(scope, ours, theirs)?;
    let is_ahead = bases == [ours];
    if let Some(rewrite) = incoming.rewrite.as_ref().filter(|_| !is_ahead) {
        // our commits of the old history came from the remote: only what we added since then is kept
        let shared = history::merge_bases(scope, ours, rewrite.old)?;
        bases = if shared.is_empty() { bases } else { shared };
    }
    if bases.is_empty() && manner.unrelated == Unrelated::Refuse {
        return Err(unrelated(incoming.kind));
    }
    let base = bases.first().map_or(Ok(TreeId::empty()), |base| scope.tree_of(*base))?;
    operation::screen(scope, base, tree)?;
    if manner.result == Made::Staged {
        stage_is_clean()?;
    }
    if is_ahead && (manner.forward != Forward::Never || manner.result == Made::Staged) {
        return Ok(Step::Forward(tree));
    }
    if manner.forward == Forward::Only {
        return Err(Stop::refused("cannot fast-forward: both sides have commits of their own")
            .hint("nothing was written; merge them by leaving out `--ff-only`"));
    }
    if bases == [ours] && !is_ahead && manner.result == Made::Commit {
        return Ok(Step::Follow(tree));
    }
    let who = identity::identity(scope, &identity::Overrides::default(), parts.clock).map_err(|error| {
        Stop::from(error).hint(
            "a merge needs an author: set `brv vc config user.name NAME` and `brv vc config user.email ADDRESS`",
        )
    })?;
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

fn unrelated(kind: OperationKind) -> Stop {
    let hint = match kind {
        OperationKind::Merge => {
            "merge them anyway with `--allow-unrelated-histories`; or, if the history is shallow, fetch the rest with `brv vc fetch --unshallow`"
        }
        OperationKind::Pull => "if the history is shallow, fetch the rest with `brv vc fetch --unshallow`",
        _ => return Stop::refused(UNRELATED),
    };
    Stop::refused(UNRELATED).hint(hint)
}

pub(super) fn refuse_staged(scope: &Scope, survey: &Survey) -> Result<(), Stop> {
    let staged = survey.staged(scope, Renames::Ignore)?;
    if staged.is_empty() {
        return Ok(());
    }
    Err(Stop::refused("staged changes would be mixed into the merge")
        .detailing(staged.iter().map(|change| escape_line(&change.path).into_owned()))
        .hint("commit the staged changes, then try again"))
}

impl Step {
    pub(super) fn relation(&self, manner: &MergeOptions) -> Relation {
        match self {
            Self::Merge { merged, .. } if !merged.conflicts.is_empty() => Relation::Conflicted,
            _ if manner.result == Made::Staged => Relation::Squashed,
            Self::Forward(_) => Relation::FastForward,
            Self::Follow(_) => Relation::Followed,
            Self::Merge { .. } => Relation::Merged,
        }
    }

    pub(super) fn conflicts(&self) -> &[Conflict] {
        match self {
            Self::Merge { merged, .. } => &merged.conflicts,
            Self::Forward(_) | Self::Follow(_) => &[],
        }
    }

    /// The paths in conflict, in full.
    pub(super) fn in_conflict(&self) -> Vec<&BStr> {
        self.conflicts().iter().map(|conflict| conflict.path.as_bstr()).collect()
    }

    pub(super) fn settled(&self) -> &[Settled] {
        match self {
            Self::Merge { merged, .. } => &merged.settled,
            Self::Forward(_) | Self::Follow(_) => &[],
        }
    }

    pub(super) fn tree(&self) -> TreeId {
        match self {
            Self::Forward(tree) | Self::Follow(tree) => *tree,
            Self::Merge { merged, .. } => merged.tree,
        }
    }

    /// The repository with the resulting tree, stored or not.
    pub(super) fn scope<'a>(&'a self, stored: &'a Scope) -> &'a Scope {
        match self {
            Self::Forward(_) | Self::Follow(_) => stored,
            Self::Merge { merged, .. } => merged.scope(),
        }
    }
}

/// What the guards decide about the deletions.
pub(super) enum Judged {
    Few,
    /// They are many, and allowed by the user.
    Allowed,
    /// They are many, which stops the update.
    Stop(GuardStop),
}

/// Whether a rewritten history stops the update.
pub(super) fn rewrite(incoming: &Incoming) -> Option<GuardStop> {
    let rewrite = incoming.rewrite.as_ref().filter(|_| !incoming.allowed.lets(Guard::Rewrite));
    rewrite.map(GuardStop::from)
}

/// Whether all commits of the other side are here, and were not dropped there.
pub(super) fn has_nothing_new(
    scope: &Scope,
    ours: CommitId,
    incoming: &Incoming,
) -> Result<bool, git::Error> {
    Ok(incoming.rewrite.is_none() && history::is_ancestor(scope, incoming.theirs, ours)?)
}

/// Whether the deletions among the changes to the tree `before` stop the update. Keeps a ref to the deleted entries.
pub(super) fn deletion(
    scope: &Scope,
    head: &Head,
    (before, changes): (TreeId, &[Change]),
    step: &Step,
    incoming: &Incoming,
    mode: Mode,
) -> Result<Judged, git::Error> {
    let changed = step.scope(scope);
    let read = |path: &BStr| trees::file_bytes(changed, step.tree(), path);
    let Some(deletion) = guards::mass_deletion(changed, before, changes, &read)? else {
        return Ok(Judged::Few);
    };
    let rescue = match mode {
        Mode::Write => guards::keep_head(scope, head)?,
        Mode::DryRun => None,
    };
    Ok(match incoming.allowed.lets(Guard::MassDelete) {
        true => Judged::Allowed,
        false => Judged::Stop((&guards::MassDelete { rescue, ..deletion }).into()),
    })
}

pub(super) fn reason(incoming: &Incoming, deletion: &Judged) -> String {
    let rewrite = incoming.rewrite.as_ref().map(|_| Guard::Rewrite);
    let deletion = matches!(deletion, Judged::Allowed).then_some(Guard::MassDelete);
    let needed: Vec<Guard> = rewrite.into_iter().chain(deletion).collect();
    incoming.allowed.told(&incoming.reason, &needed)
}

/// Remember that the remote's branch was integrated.
pub(super) fn take(scope: &Scope, incoming: &Incoming) -> Result<(), git::Error> {
    match &incoming.tracking {
        Some(tracking) => rescue::take(scope, tracking.as_bstr(), incoming.theirs),
        None => Ok(()),
    }
}

/// The most changed files that are compared by content: a person reads no more, and a large pull stays fast.
pub const MOST_TOLD: usize = 200;

/// The differences to `HEAD` (`changes`, without renames): files by line, and entries by meaning unless there are too many. A
/// file in conflict is not an entry before it is resolved.
pub(super) fn told(
    scope: &Scope,
    changes: Vec<Change>,
    conflicts: &[Conflict],
) -> Result<ChangeReport, git::Error> {
    let mut found = trees::join_renames(scope, changes, Renames::Detect)?;
    let mut files = changes::compare(scope, &found, Detail::Counts, &Contents::default())?;
    let open: HashSet<&BStr> =
        conflicts.iter().filter_map(|conflict| scope.strip(conflict.path.as_bstr())).collect();
    // conflict markers are not counted as anyone's lines
    for file in files.iter_mut().filter(|file| open.contains(file.path.as_bstr())) {
        file.stat = None;
    }
    if found.len() > MOST_TOLD {
        return Ok(ChangeReport { files, entries: Vec::new() });
    }
    found.retain(|change| !open.contains(change.path.as_bstr()));
    Ok(ChangeReport { files, entries: knowledge::compare(scope, &found, &Contents::default())? })
}
