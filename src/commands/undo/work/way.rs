//! Choose how to undo an operation: move references back, or revert the change by a new commit.
//!
//! Commits that a remote has are never rewritten, and no later work is lost. Writes nothing.

use super::{Error, never, not_now};
use brv_engine::journal::{self, OperationKind, Owner, Record, RefMove};
use brv_engine::read::history::provenance::Trailers;
use brv_git::commit;
use brv_git::push;
use brv_git::refs::{self, Target};
use brv_git::remotes::{self, RemoteName};
use brv_git::{CommitId, Head, Scope, history};
use bstr::{BStr, BString, ByteSlice as _};
use std::collections::HashSet;

/// How an operation is undone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Way {
    /// It moved no reference, or these references move back, with files and index.
    Back(Vec<RefMove>),
    /// A new commit reverts it.
    Forward,
}

/// How much of an operation is undone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Share {
    Whole,
    /// Some of its files: references do not move.
    Files,
}

pub(super) fn way(scope: &Scope, record: &Record, head: &Head, share: Share) -> Result<Way, Error> {
    let way = possible(scope, record, head, share)?;
    let removes = match &way {
        Way::Forward => true,
        Way::Back(moves) => moves.iter().any(|one| one.new.is_none()),
    };
    // an empty tree would be left: the remote has all that was cloned, and there was nothing before
    if removes && journal::first(scope, record)?.kind == OperationKind::Clone {
        return Err(never(
            "a clone cannot be undone: it would leave an empty tree",
            "remove the folder if you no longer need the clone; `brv op log` lists the operations that can be undone",
        ));
    }
    Ok(way)
}

fn possible(scope: &Scope, record: &Record, head: &Head, share: Share) -> Result<Way, Error> {
    let kind = journal::first(scope, record)?.kind;
    let is_branches = matches!(kind, OperationKind::Branch | OperationKind::Remote | OperationKind::Tag);
    let switch = record.moves.iter().find(|one| is_switch(one, kind));
    if (kind == OperationKind::Switch || switch.is_some()) && !is_where_left(scope, record, switch, head)? {
        let (left, kind) = (place(scope, record, switch)?, kind.word());
        return Err(never(
            format!("HEAD is no longer where this `{kind}` left it ({left})"),
            "switch branches with `brv vc switch BRANCH`, or restore a file from before the operation `ID` with `brv vc restore --source refs/brv/ops/ID^1 PATH`",
        ));
    }
    if share == Share::Files {
        let keeps_tip = is_branches || kind == OperationKind::Switch;
        let moves_tip = !keeps_tip && deciding(record).any(|one| one.name != "HEAD");
        return Ok(if moves_tip && record.before != record.after {
            Way::Forward
        } else {
            Way::Back(Vec::new())
        });
    }
    if let Some((before, after)) = renamed_remote(record) {
        return back_of_remote(scope, &after, &before);
    }
    let keeps_commits = is_branches || switch.is_some();
    let mut back = Vec::new();
    for one in deciding(record) {
        let now = refs::target(scope, one.name.as_bstr())?;
        let is_tip = head.branch() == Some(one.name.as_bstr()) || (one.name == "HEAD" && switch.is_none());
        // if HEAD's branch has the commits of another branch, they came there in another way
        let is_here = keeps_commits || is_tip || !one.name.starts_with(b"refs/heads/");
        if now == one.old && is_here {
            continue;
        }
        if now != one.new || (!keeps_commits && !is_tip) {
            match keeps_commits {
                true => return Err(moved_on(one.name.as_bstr())),
                false => return forward(scope, (record, kind), one, head),
            }
        }
        if !keeps_commits && is_published(scope, record, one)? {
            return Ok(Way::Forward);
        }
        if one.old.is_none() && is_branches && is_tip && switch.is_none() {
            let message = format!("HEAD is on `{}`, which would be removed", branch_name(one.name.as_bstr()));
            return Err(not_now(message, "switch to another branch to undo it"));
        }
        back.push(RefMove { name: one.name.clone(), old: now, new: one.old.clone() });
    }
    Ok(Way::Back(back))
}

/// Whether `HEAD` is still at the branch and commit of the switch.
fn is_where_left(
    scope: &Scope,
    record: &Record,
    switch: Option<&RefMove>,
    head: &Head,
) -> Result<bool, Error> {
    let is_on_it = match switch {
        Some(switch) => refs::target(scope, "HEAD".into())? == switch.new,
        None => true,
    };
    Ok(is_on_it && head.commit() == head_after(scope, record)?)
}

/// The position of `HEAD` after a switch: `side at 1a2b3c4`.
fn place(scope: &Scope, record: &Record, switch: Option<&RefMove>) -> Result<String, Error> {
    let commit = head_after(scope, record)?.map(|commit| commit.prefix(7).to_string());
    let branch = match switch.and_then(|switch| switch.new.as_ref()) {
        Some(Target::Symbolic(name)) => Some(branch_name(name.as_bstr()).to_string()),
        _ => None,
    };
    let parts: Vec<String> = branch.into_iter().chain(commit).collect();
    Ok(parts.join(" at "))
}

/// The name of a renamed remote before and after the operation.
fn renamed_remote(record: &Record) -> Option<(String, String)> {
    let remotes = || record.settings.iter().filter(|one| matches!(one.of, Owner::Remote(_)));
    let gone = remotes().find(|one| one.new.is_empty())?;
    let come = remotes().find(|one| one.old.is_empty())?;
    Some((gone.of.name()?.to_owned(), come.of.name()?.to_owned()))
}

/// Rename the tracking refs of a remote back, including those that are new since.
fn back_of_remote(scope: &Scope, from: &str, to: &str) -> Result<Way, Error> {
    let (Ok(from), Ok(to)) = (RemoteName::parse(from), RemoteName::parse(to)) else {
        return Ok(Way::Back(Vec::new()));
    };
    match remotes::renaming_refs(scope, &from, &to) {
        Ok(moves) => Ok(Way::Back(moves.into_iter().map(RefMove::from).collect())),
        Err(remotes::Error::Taken(name)) => Err(moved_on(name.as_bstr())),
        Err(remotes::Error::Git(error)) => Err(error.into()),
        Err(_) => Ok(Way::Back(Vec::new())),
    }
}

/// The moves that decide where an operation went. References that did not move do not count, nor do those outside
/// `refs/`, such as `ORIG_HEAD`: git overwrites them often, and they are not restored.
fn deciding(record: &Record) -> impl Iterator<Item = &RefMove> {
    let is_place = |name: &BString| name == "HEAD" || name.starts_with(b"refs/");
    record.moves.iter().filter(move |one| one.old != one.new && is_place(&one.name))
}

/// The branch has moved since: revert by a new commit, if `HEAD` contains the change.
fn forward(
    scope: &Scope,
    (record, kind): (&Record, OperationKind),
    one: &RefMove,
    head: &Head,
) -> Result<Way, Error> {
    let is_on_it = head.branch().unwrap_or("HEAD".into()) == one.name;
    let has_it = match (one.new_commit(), head.commit()) {
        // a reset makes no commits: another branch has them for another reason
        _ if kind == OperationKind::Reset => false,
        (Some(new), Some(head)) => history::is_ancestor(scope, new, head).unwrap_or(false),
        _ => false,
    };
    match is_on_it || has_it {
        true => Ok(Way::Forward),
        false => {
            let (kind, branch) = (record.kind.word(), branch_name(one.name.as_bstr()));
            let message = format!("this `{kind}` was made on `{branch}`, and HEAD does not contain it");
            Err(never(message, "switch to that branch to undo it"))
        }
    }
}

/// A reference is neither where the operation left it nor where it was before.
fn moved_on(name: &BStr) -> Error {
    let message = format!("`{}` has moved on since", branch_name(name));
    never(message, "`brv op log` shows the later operations")
}

/// Whether the move takes `HEAD` to another branch, or from one commit to another while detached.
fn is_switch(one: &RefMove, kind: OperationKind) -> bool {
    let is_symbolic = |target: &&Option<Target>| matches!(target, Some(Target::Symbolic(_)));
    one.name == "HEAD" && (kind == OperationKind::Switch || [&one.old, &one.new].iter().any(is_symbolic))
}

/// Whether a remote has a commit that the operation added to the branch, whoever made it. If the branch moved back, it
/// would be behind that remote, and the next pull would bring the change again.
fn is_published(scope: &Scope, record: &Record, one: &RefMove) -> Result<bool, Error> {
    let Some(new) = one.new_commit() else { return Ok(false) };
    let old = one.old_commit();
    let is_own = Trailers::of(&commit::read(scope, new)?.message).operation().as_ref() == Some(&record.id);
    let kind = if is_own { record.kind } else { journal::first(scope, record)?.kind };
    match (kind, old) {
        // it points the branch at commits that another branch has for another reason
        (OperationKind::Reset, _) => return Ok(false),
        // a branch that had no commits: a commit that reverts all that others made makes no sense
        (OperationKind::Pull | OperationKind::Merge | OperationKind::Sync | OperationKind::Clone, None) => {
            return Ok(false);
        }
        _ => {}
    }
    // the files were on disk before the commits came: there is nothing that a commit could revert
    let were_there = scope.tree_of(record.before)? == scope.tree_of(record.after)?;
    if were_there && old.map(|old| scope.tree_of(old)).transpose()? != Some(scope.tree_of(new)?) {
        return Ok(false);
    }
    let Some(first) = first_added(scope, old, new)? else { return Ok(false) };
    for remote in push::published(scope)? {
        if history::is_ancestor(scope, first, remote)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The first commit that the move of a branch added to it, along its first parents: whoever has one of the others has
/// this one, too. What a merge took in from another branch does not count, since that branch still has it.
fn first_added(scope: &Scope, old: Option<CommitId>, new: CommitId) -> Result<Option<CommitId>, Error> {
    let added: HashSet<CommitId> = history::between(scope, &[new], old.as_slice())?.into_iter().collect();
    let (mut first, mut at) = (None, Some(new));
    while let Some(commit) = at.filter(|commit| added.contains(commit)) {
        first = Some(commit);
        at = commit::read(scope, commit)?.parents.first().copied();
    }
    Ok(first)
}

/// The commit of `HEAD` before an operation.
pub(super) fn head_before(scope: &Scope, record: &Record) -> Result<Option<CommitId>, Error> {
    head_of(scope, record.before)
}

/// The commit of `HEAD` after an operation.
fn head_after(scope: &Scope, record: &Record) -> Result<Option<CommitId>, Error> {
    head_of(scope, record.after)
}

/// A snapshot that is not a commit of a branch has `HEAD` as its first parent.
fn head_of(scope: &Scope, id: CommitId) -> Result<Option<CommitId>, Error> {
    let side = commit::read(scope, id)?;
    let is_snapshot = side.committer.seconds == 1 && side.message.starts_with(b"snapshot: ");
    Ok(if is_snapshot { side.parents.first().copied() } else { Some(id) })
}

/// `main` for `refs/heads/main`, `v1` for `refs/tags/v1`.
pub fn branch_name(name: &BStr) -> BString {
    let short = ["refs/heads/", "refs/tags/"].iter().find_map(|known| name.strip_prefix(known.as_bytes()));
    short.unwrap_or(name).into()
}
