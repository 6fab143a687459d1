//! Draft the journal record of a [`Work`].

use super::{Ground, Purpose, Work};
use crate::Stop;
use crate::journal::{Draft, IndexSides, RefMove, Side, Staged, Touches, TreePart};
use crate::open::context::Parts;
use brv_git as git;
use brv_git::refs::{self, Target};
use brv_git::switch::Plan;
use brv_git::trees::Change;
use brv_git::{CommitId, Edit, Head, Index, Scope, TreeId, Version, tags, tree_with};
use bstr::{BStr, BString, ByteSlice as _};

pub(super) fn draft(
    parts: &Parts<'_>,
    work: &Work<'_>,
    purpose: &Purpose,
    index: Option<&Index>,
) -> Result<Draft, Stop> {
    let transition = &work.transition;
    let (before, after) = match &work.ground {
        Ground::Exact => exact_sides(parts.scope(), work)?,
        Ground::Planned { sides: [before, after], .. } | Ground::Untouched { sides: [before, after] } => {
            (before.clone(), after.clone())
        }
    };
    let draft = Draft {
        id: purpose.id.clone(),
        kind: purpose.kind,
        touches: touches(work),
        moves: transition.moves.clone(),
        before,
        after,
        index: Some(transition.index.clone()).filter(|sides| !sides.is_empty()),
        undoes: purpose.undoes.clone(),
        reason: purpose.reason.clone(),
        actor: parts.actor.name.clone().unwrap_or_default(),
        session: parts.actor.session.clone(),
        settings: transition.settings.clone(),
        discarded: purpose.discarded.clone(),
        notes: purpose.notes.clone(),
        source_commit: purpose.source_commit,
        code_head: purpose.code_head,
        dream: purpose.dream,
        job: purpose.job.clone(),
    };
    match (&work.ground, index) {
        (Ground::Planned { plan, .. }, Some(index)) => as_it_stands(parts.scope(), index, plan, draft),
        _ => Ok(draft),
    }
}

/// Correct the draft to the files that are really on disk. A file that already has its new content, staged or not, does
/// not come from the operation, so an undo must not remove it. Its index entry still changes, so the operation holds
/// both sides of the index; it also does so if the flags of an entry go with it.
fn as_it_stands(scope: &Scope, index: &Index, plan: &Plan, draft: Draft) -> Result<Draft, Stop> {
    let standing: Vec<_> = plan.standing(index).collect();
    let is_hidden = |(path, edit): (BString, Edit)| {
        matches!(edit, Edit::Remove) && !index.hiding(path.as_bstr()).is_nothing()
    };
    if standing.is_empty() && !plan.edits(scope).into_iter().any(is_hidden) {
        return Ok(draft);
    }
    let before = match (draft.before, &standing[..]) {
        (before, []) => before,
        (Side::Commit(id), _) => Side::Snapshot { tree: scope.tree_of(id)?, parents: vec![id] },
        (snapshot, _) => snapshot,
    };
    let versions = standing.into_iter().map(|(path, file)| (path, file.map(|file| (file.mode, file.id))));
    let before = match before {
        Side::Snapshot { tree, parents } => {
            Side::Snapshot { tree: tree_with(scope, tree, versions)?, parents }
        }
        commit => commit,
    };
    let edits = || plan.edits(scope).into_iter().map(|(path, edit)| (path, Staged::after(&edit)));
    let index = match draft.index {
        Some(sides) => sides,
        None => IndexSides::of(scope, index, edits())?,
    };
    Ok(Draft { before, index: Some(index), ..draft })
}

fn touches(work: &Work<'_>) -> Touches {
    let transition = &work.transition;
    let is_planned = matches!(work.ground, Ground::Planned { .. });
    let writes = is_planned || transition.files.iter().any(|file| file.before != file.after);
    let waits = transition.index.before.waiting != transition.index.after.waiting;
    let parts = [
        (TreePart::Files, writes),
        (TreePart::Index, is_planned || !transition.index.is_empty()),
        (TreePart::References, transition.moves.iter().any(|one| one.old != one.new)),
        (TreePart::MergeState, waits),
    ];
    parts.into_iter().filter(|(_, touched)| *touched).map(|(part, _)| part).collect()
}

/// The two snapshots differ in exactly the changed files. If a commit has the same tree, it is used as the snapshot;
/// commits that a reference leaves or moves to become parents, so that they are kept as long as the record.
fn exact_sides(scope: &Scope, work: &Work<'_>) -> Result<(Side, Side), git::Error> {
    let transition = &work.transition;
    let now = scope.head()?;
    let head = now.commit();
    let new_head = head_after(scope, &now, &transition.moves)?;
    let head_tree = head.map_or(Ok(TreeId::empty()), |commit| scope.tree_of(commit))?;
    let full: Vec<BString> = transition.files.iter().map(|file| scope.full(&file.path)).collect();
    let with = |tree, side: fn(&Change) -> Option<Version>| {
        let versions = transition.files.iter().map(side).map(|file| file.map(|file| (file.mode, file.id)));
        tree_with(scope, tree, full.iter().zip(versions))
    };
    let before = with(head_tree, |change| change.before)?;
    let after = with(before, |change| change.after)?;
    let side = |tree, head, of| side(scope, tree, head, transition.moves.iter().filter_map(of).collect());
    Ok((
        side(before, head, RefMove::old_commit as fn(&RefMove) -> _)?,
        side(after, new_head, RefMove::new_commit)?,
    ))
}

/// The commit of `HEAD` after these moves.
fn head_after(scope: &Scope, now: &Head, moves: &[RefMove]) -> Result<Option<CommitId>, git::Error> {
    let place = |name: &BStr| moves.iter().find(|one| one.name == name);
    let branch = match (place("HEAD".into()), now.branch()) {
        (Some(RefMove { new: Some(Target::Symbolic(name)), .. }), _) => name.as_bstr(),
        (Some(one), _) => return Ok(one.new_commit()),
        (None, Some(name)) => name,
        (None, None) => return Ok(now.commit()),
    };
    match place(branch) {
        Some(one) => Ok(one.new_commit()),
        None => refs::commit(scope, branch),
    }
}

/// One side of an operation, from the commit of `HEAD` and the commits of the references.
pub fn side(
    scope: &Scope,
    tree: TreeId,
    head: Option<CommitId>,
    references: Vec<CommitId>,
) -> Result<Side, git::Error> {
    let mut parents: Vec<CommitId> = head.into_iter().collect();
    for commit in references {
        // git may prune commits that only `ORIG_HEAD` names
        let Some(commit) = tags::commit_of(scope, commit) else { continue };
        if !parents.contains(&commit) {
            parents.push(commit);
        }
    }
    Ok(match parents[..] {
        [only] if Some(only) == head && scope.tree_of(only)? == tree => Side::Commit(only),
        _ => Side::Snapshot { tree, parents },
    })
}
