//! Hints that `vc push` and `vc sync` share.

/// The hint for a branch that cannot track a plain address.
pub(super) const NO_NAME: &str = "nothing was sent; give it a name with `brv vc remote add NAME ADDRESS`";

pub(super) const NOT_FOLLOWED: &str = "set it with `brv vc branch --set-upstream-to REMOTE/BRANCH`";
