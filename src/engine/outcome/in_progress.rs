//! Hints for a merge, rebase or other operation of git that is in progress.

use brv_git::in_progress::InProgressKind;

/// For a merge in a tree with its own repository.
pub const WAITING: &str = "list the conflicts with `brv vc resolve --list`; finish the merge with `brv vc merge --continue`, or abort it with `brv vc merge --abort`";

/// For a merge in the project's repository.
pub const WAITING_IN_HOST: &str = "list the conflicts in the tree with `brv vc resolve --list`; finish the merge with `git merge --continue`; `git status` says how to abort it";

/// For what is in progress in a tree with its own repository.
pub fn unfinished(kind: InProgressKind) -> String {
    match kind {
        InProgressKind::Merge => WAITING.to_owned(),
        kind => {
            format!("`brv vc status` shows its state; continue it with `{}` in the tree", kind.continuing())
        }
    }
}

/// The command that continues it, in a tree with its own repository.
pub const fn continuing(kind: InProgressKind) -> &'static str {
    match kind {
        InProgressKind::Merge => "brv vc merge --continue",
        kind => kind.continuing(),
    }
}
