//! Who is named in reflogs by commands that need no author.

use crate::clock::Clock;
use crate::git::identity::{self, Overrides};
use crate::git::{Scope, Signature};

/// Whoever is known; nobody's name where nobody is.
#[must_use]
pub fn identity(scope: &Scope, clock: Clock) -> Signature {
    let environment = |name: &str| std::env::var(name).ok();
    identity::identity(scope, &Overrides::default(), &environment, clock)
        .map_or_else(|_| Signature::anonymous(clock.seconds()), |who| who.committer)
}
