//! The commit that `--amend` replaces, and whether it may be replaced.
//!
//! Writes nothing.

use super::{Options, Replaces};
use brv_engine::Stop;
use brv_engine::open::context::Opened;
use brv_engine::vc::work_tree::ongoing;
use brv_engine::write::overriding::Guard;
use brv_git::commit::{self, Commit};
use brv_git::{Head, Scope, TreeId, history, in_progress, push, store};

/// The commit to replace, `None` for a new one.
pub(super) fn replaced(opened: &Opened, head: &Head, options: &Options) -> Result<Option<Commit>, Stop> {
    if options.replaces == Replaces::Nothing {
        return Ok(None);
    }
    opened.whole("commit --amend")?;
    let scope = &opened.scope;
    if let Some(kind) = in_progress::committing(scope)? {
        return Err(ongoing::interrupting(kind));
    }
    let absent = || {
        Stop::usage("there is no commit to amend").hint("create the first commit with `brv vc commit -m MSG`")
    };
    let old = commit::read(scope, head.commit().ok_or_else(absent)?)?;
    if !options.allowed.lets(Guard::Rewrite) && is_published(scope, &old)? {
        return Err(Stop::refused(format!("a remote already has commit {}", old.id.prefix(7))).hint(
            "commit on top with `brv vc commit`, without `--amend`; or replace it with `--allow rewrite` and a `--reason`, which requires a forced push afterwards",
        ));
    }
    match old.parents.iter().all(|parent| store::holds(scope, *parent)) {
        true => Ok(Some(old)),
        // git treats a commit at the shallow boundary as a root commit, and so would the amended one be
        false => Err(Stop::refused(format!(
            "the parents of commit {} are not in this shallow clone",
            old.id.prefix(7)
        ))
        .hint("fetch the rest of the history with `brv vc fetch --unshallow`")),
    }
}

fn is_published(scope: &Scope, old: &Commit) -> Result<bool, brv_git::Error> {
    for tip in push::published(scope)? {
        if history::is_ancestor(scope, old.id, tip)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The tree of the first parent, or the empty tree.
pub(super) fn base(scope: &Scope, commit: &Commit) -> Result<TreeId, brv_git::Error> {
    commit.parents.first().map_or(Ok(TreeId::empty()), |parent| scope.tree_of(*parent))
}

/// Whether the amended commit would become empty although the original was not.
pub(super) fn would_be_empty(scope: &Scope, old: &Commit, tree: TreeId) -> Result<bool, brv_git::Error> {
    let base = base(scope, old)?;
    Ok(old.parents.len() < 2 && tree == base && old.tree != base)
}
