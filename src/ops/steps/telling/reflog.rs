//! What the logs of references say of a command, and in whose name.

use crate::clock::Clock;
use crate::git::{Scope, Signature, identity};
use bstr::{BStr, BString};

/// What the logs of references say of a command.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reflog {
    common: BString,
    own: Option<(BString, BString)>,
}

impl Reflog {
    /// One reference (full name) has a line of its own.
    #[must_use]
    pub fn but(self, name: impl Into<BString>, line: impl Into<BString>) -> Self {
        Self { own: Some((name.into(), line.into())), ..self }
    }

    /// The line for a reference (full name).
    #[must_use]
    pub fn line(&self, name: &BStr) -> BString {
        let own = self.own.as_ref().filter(|(of, _)| of == name);
        own.map_or(&self.common, |(_, line)| line).clone()
    }
}

impl From<BString> for Reflog {
    fn from(common: BString) -> Self {
        Self { common, own: None }
    }
}

impl From<String> for Reflog {
    fn from(common: String) -> Self {
        BString::from(common).into()
    }
}

impl From<&str> for Reflog {
    fn from(common: &str) -> Self {
        BString::from(common).into()
    }
}

/// The person whom git would name; a log needs no identity, so where none is known it is brv.
#[must_use]
pub fn signature(scope: &Scope, clock: Clock) -> Signature {
    identity::identity(scope, &identity::Overrides::default(), clock)
        .map_or_else(|_| Signature::anonymous(clock.seconds()), |who| who.committer)
}
