//! Signatures: name, address and time of a commit or reflog entry.

use bstr::{BString, ByteSlice};

/// A name, an address and a moment, as commits carry them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    /// The person or agent.
    pub name: BString,
    /// Their address.
    pub email: BString,
    /// Seconds since 1970.
    pub seconds: i64,
    /// Seconds east of UTC.
    pub offset: i32,
}

impl Signature {
    /// For reflogs and snapshots without an identity.
    #[must_use]
    pub fn anonymous(seconds: i64) -> Self {
        Self { name: "brv".into(), email: "brv@localhost".into(), seconds, offset: 0 }
    }

    /// The same person at another moment.
    #[must_use]
    pub fn at(&self, seconds: i64) -> Self {
        Self { seconds, offset: 0, ..self.clone() }
    }

    pub(super) fn to_gix(&self) -> gix::actor::Signature {
        gix::actor::Signature {
            name: self.name.clone(),
            email: self.email.clone(),
            time: gix::date::Time { seconds: self.seconds, offset: self.offset },
        }
    }

    pub(super) fn from_gix(signature: gix::actor::SignatureRef<'_>) -> Self {
        let time = signature.time().unwrap_or_default();
        Self {
            name: signature.name.trim().into(),
            email: signature.email.trim().into(),
            seconds: time.seconds,
            offset: time.offset,
        }
    }
}

impl std::fmt::Display for Signature {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} <{}>", self.name.to_str_lossy(), self.email.to_str_lossy())
    }
}
