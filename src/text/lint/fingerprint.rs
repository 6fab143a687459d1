//! Fingerprints: what a finding is known by while the lines around it move.
//!
//! The first 16 hexadecimal digits of SHA-256 over rule, path and what the finding is about, never the line. A secret has
//! a name space of its own, so that its fingerprint is not a hash of the value that another tool may have.

use super::Rule;
use bstr::BStr;
use sha2::{Digest as _, Sha256};
use std::fmt;

/// 16 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fingerprint([u8; 8]);

/// What a fingerprint is made of beside rule and path.
#[derive(Clone, PartialEq, Eq)]
pub(super) enum FingerprintKey {
    /// A subject, or the offending text with single spaces.
    Text(String),
    Secret(String),
}

impl FingerprintKey {
    pub(super) fn text(text: &str) -> Self {
        Self::Text(text.split_whitespace().collect::<Vec<_>>().join(" "))
    }
}

/// Without the value, which may be a secret.
impl fmt::Debug for FingerprintKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(****)")
    }
}

impl Fingerprint {
    pub(super) fn of(rule: Rule, path: &BStr, key: &FingerprintKey) -> Self {
        let mut hash = Sha256::new();
        let mut add = |part: &[u8]| {
            // lengths, so that no two lists of parts run together
            hash.update((part.len() as u64).to_be_bytes());
            hash.update(part);
        };
        match key {
            FingerprintKey::Text(text) => [rule.id().as_bytes(), path, text.as_bytes()].map(&mut add),
            FingerprintKey::Secret(value) => {
                add(b"brv-secret/1");
                [rule.id().as_bytes(), path, value.as_bytes()].map(&mut add)
            }
        };
        let mut first = [0; 8];
        first.copy_from_slice(&hash.finalize()[..8]);
        Self(first)
    }

    /// From 16 hexadecimal digits, in lower case.
    pub fn parse(text: &str) -> Option<Self> {
        let is_hex = text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'a'..=b'f'));
        (text.len() == 16 && is_hex)
            .then(|| u64::from_str_radix(text, 16).ok())
            .flatten()
            .map(|number| Self(number.to_be_bytes()))
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", u64::from_be_bytes(self.0))
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fingerprint_is_read_back_and_never_changes() {
        let one = Fingerprint::of(Rule::Hidden, "a.md".into(), &FingerprintKey::text(" x\n y "));
        assert_eq!(one, Fingerprint::of(Rule::Hidden, "a.md".into(), &FingerprintKey::text("x y")));
        assert_eq!(Fingerprint::parse(&one.to_string()), Some(one));
        assert_eq!(Fingerprint::parse("0"), None);
        assert_ne!(one, Fingerprint::of(Rule::Hidden, "a.md".into(), &FingerprintKey::Secret("x y".into())));
        assert!(!format!("{:?}", FingerprintKey::Secret("hunter2".into())).contains("hunter2"));
    }
}
