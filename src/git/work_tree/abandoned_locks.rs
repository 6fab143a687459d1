//! Removes all of git's locks that a killed brv left behind, including the index's.

use crate::repository::locks;
use crate::{Scope, index};
use brv_base::fs::WriteGuard;

/// Removes locks that a killed brv left, if any, so that git run by hand finds none even if no writing command comes
/// first. `guard` takes the lock of writing commands, if it is free: without it the index's lock may still be in use. A
/// lock that cannot be removed is reported by the command that needs it.
pub fn drop_abandoned(scope: &Scope, guard: impl FnOnce() -> Option<WriteGuard>) {
    locks::drop_those_of_the_dead(scope.common_dir());
    if index::is_signed(scope)
        && let Some(guard) = guard()
    {
        let _ = index::drop_abandoned(scope, &guard);
    }
}
