//! All of git's locks that a killed brv left behind, the index's too.

use crate::fs::WriteGuard;
use crate::git::repository::locks;
use crate::git::{Scope, index};

/// Drop the locks that a killed brv left, where there are any, so that hand-run git finds none even if no command that
/// writes comes first. `guard` takes the lock of those that write, if it is free: without it nobody knows whether the
/// index's is still in use. What cannot be dropped is met by who wants it.
pub fn drop_abandoned(scope: &Scope, guard: impl FnOnce() -> Option<WriteGuard>) {
    locks::drop_those_of_the_dead(scope.common_dir());
    if index::is_signed(scope)
        && let Some(guard) = guard()
    {
        let _ = index::drop_abandoned(scope, &guard);
    }
}
