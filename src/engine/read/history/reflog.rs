//! Reflog lines and their identity.

use brv_base::clock::Clock;
use brv_git::{Scope, Signature, identity};
use bstr::{BStr, BString};

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reflog {
    common: BString,
    own: Option<(BString, BString)>,
}

impl Reflog {
    /// Set a different message for one reference (full name).
    pub fn but(self, name: impl Into<BString>, line: impl Into<BString>) -> Self {
        Self { own: Some((name.into(), line.into())), ..self }
    }

    /// The message for a reference (full name).
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

/// The committer by git's rules; a reflog needs no configured identity, so the fallback is brv.
pub fn signature(scope: &Scope, clock: Clock) -> Signature {
    identity::identity(scope, &identity::Overrides::default(), clock)
        .map_or_else(|_| Signature::anonymous(clock.seconds()), |who| who.committer)
}
